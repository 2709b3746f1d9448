"""The words of the screen and what they mean, for the help."""

GLOSSARY: tuple[tuple[str, str], ...] = (
    ("project", "goal, roles, tools, stop rules: a YAML file or seed row"),
    ("rollout", "one execution of a project: a tree of steps"),
    ("step", "a message, reply, tool result or stop; never changed"),
    ("turn", "a message and all up to the reply that calls no tool"),
    ("evaluator", "plays the user and decides when to stop"),
    ("target", "the agent or model under test"),
    ("tool simulator", "answers the target's tool calls"),
    ("trajectory", "one path from the first step to a leaf: what is exported"),
    ("cursor", "where you look; moving it costs nothing and changes nothing"),
    ("head", "the step that the next step follows"),
    ("draft", "a last step that nobody has read, or text not saved yet"),
    ("take", "one of several steps at the same place"),
    ("override", "your step in place of another; the original stays"),
    ("branch", "a named leaf; to fork is to go on from an earlier step"),
    ("breakpoint", "a condition at which a run stops; b sets it, c goes on"),
    ("recorded", "the step exists: walking over it is free"),
    ("live", "making the step asks a role, and may cost money"),
    ("replay, rerun", "recorded steps played free; live calls made anew"),
    ("score, mark", "what a judge says of a trajectory; what you say"),
    ("queue", "rollouts to be judged one after the other: rollstep review"),
    ("library", "the database that holds rollouts"),
)
"""Word and meaning, in the order in which one meets them."""

SIGNS: tuple[tuple[str, str], ...] = (
    ("*", "made by a human"),
    ("~", "copied under an edit"),
    ("!", "flagged: look here"),
    ("#", "a breakpoint holds here: a run stops"),
    ("+2", "two more takes"),
    ("…", "a text that is not saved yet waits here: a draft"),
    ("∴", "reasoning"),
    (">", "a call; at a number, the cursor"),
    ("A R M", "accepted, rejected, unsure; with ! it was edited since"),
    ("e t s", "small letters, ┊ in the panes: recorded ahead"),
)
"""Signs in the panes and in the timeline."""
