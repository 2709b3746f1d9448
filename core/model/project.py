"""A project: a multi-step goal and the roles that play it. The types that the project file's
checker, its JSON Schema, its documentation and the app's forms all derive from.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .debugging import Breakpoint, FaultRule
from .fields import Count as _Count
from .fields import JsonObject, JsonText
from .fields import doc as _doc

_Repeats = Annotated[int, Meta(ge=2)]
_Dollars = Annotated[float, Meta(ge=0)]


class When(msgspec.Struct, frozen=True, omit_defaults=True):
    """A condition on what the role was just told. All that is given must hold. A plain string in
    the file means ``text``.
    """

    text: Annotated[str | None, _doc("Occurs in the last message, in any letter case.")] = None
    regex: Annotated[str | None, _doc("Python regular expression found in the last message.")] = (
        None
    )
    tool: Annotated[str | None, _doc("The last tool result answers a call of this tool.")] = None
    result: Annotated[
        JsonObject | None,
        _doc(
            "JSON pointers into the last tool result and the values they must have, compared as "
            'they are: {"/status": "lost"}.'
        ),
    ] = None
    turn: Annotated[_Count | None, _doc("Number of the turn, counted from 1.")] = None


class ScriptedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool call in a scripted reply."""

    name: Annotated[str, _doc("Name of the tool.")]
    arguments: Annotated[JsonText, _doc("The arguments, an object as a rule.")] = "{}"


class EvaluatorLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of a scripted evaluator. A plain string in the file means ``text``; null is a stop
    with ``goal_reached``.
    """

    text: Annotated[str | None, _doc("What the evaluator says.")] = None
    stop: Annotated[str | None, _doc("Stop with this reason instead of a message.")] = None
    when: Annotated[When | None, _doc("Use this line only when this holds.")] = None
    reasoning: Annotated[str | None, _doc("The evaluator's own reasoning; never sent.")] = None
    takes: Annotated[
        tuple[str, ...], _doc("Alternative texts, given in turn when asked anew.")
    ] = ()


class TargetLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of a scripted target. A plain string in the file means ``text``."""

    text: Annotated[str, _doc("What the target says.")] = ""
    reasoning: Annotated[str | None, _doc("The target's reasoning, kept beside the reply.")] = None
    tool_calls: Annotated[tuple[ScriptedCall, ...], _doc("Calls that the reply makes.")] = ()
    when: Annotated[When | None, _doc("Use this line only when this holds.")] = None
    takes: Annotated[
        tuple[str, ...], _doc("Alternative texts, given in turn when asked anew.")
    ] = ()


class ToolRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of the rule table: the first row whose tool and arguments fit answers the call."""

    tool: Annotated[str, _doc("Name of the tool.")]
    respond: Annotated[
        JsonText,
        _doc("The result. A string is given as it is, anything else as its JSON text."),
    ]
    when: Annotated[
        JsonObject | None,
        _doc("Arguments that must be there with these values, compared as they are."),
    ] = None
    times: Annotated[_Count | None, _doc("Answers at most so many calls of a path.")] = None
    is_error: Annotated[bool, _doc("The result is a failure of the tool.")] = False
    takes: Annotated[
        tuple[JsonText, ...], _doc("Alternative results, given in turn when asked anew.")
    ] = ()


_KIND_MODEL = _doc("Any litellm model name, such as openai/gpt-4.1-mini.")
_KIND_BASE = _doc("Address of a local or other server that speaks the model's API.")
_KIND_PARAMS = _doc("Parameters passed to the model as they are (temperature, max_tokens, …).")
_OBJECT = _doc("Where the object is found: package.module:name.", pattern=r"^[\w.]+:[\w.]+$")
_OPTIONS = _doc("Keyword arguments given to the object when it is called to make the role.")
_TIMEOUT = _doc("Seconds that one call may take.", gt=0)
_SYSTEM = _doc("System text that the target is sent first; without it none is sent.")
_PERSONA = _doc("Who the evaluator plays.")
_STOP_WHEN = _doc("When the evaluator should stop, in words.")
_WORDS = _doc("Words in the evaluator's own text that end the rollout with goal_reached.")
_WORDS_RULE = _doc("exact: the whole text, or a whole line of it, is the word; contains: anywhere.")
_SEES = _doc("How much of the tool traffic the evaluator sees.")

_PROMPT = _doc(
    "A template (Jinja2) in place of the built-in one; docs/models.md tells what it may name."
)

SeesTools = Literal["none", "names", "full"]
Answers = Literal["auto", "tools", "json", "text"]
StopMatch = Literal["exact", "contains"]


class LlmEvaluator(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="llm"):
    """A model plays the user."""

    model: Annotated[str, _KIND_MODEL]
    api_base: Annotated[str | None, _KIND_BASE] = None
    params: Annotated[JsonObject, _KIND_PARAMS] = "{}"
    persona: Annotated[str, _PERSONA] = ""
    instructions: Annotated[str, _doc("How to play, in words.")] = ""
    stop_when: Annotated[str, _STOP_WHEN] = ""
    examples: Annotated[tuple[str, ...], _doc("Messages as this user would write them.")] = ()
    answers: Annotated[
        Answers,
        _doc(
            "How it chooses between a message and a stop: tools, a JSON object (json), or a line "
            "that says STOP: and the reason (text). auto: tools, and text where it calls none."
        ),
    ] = "auto"
    stop_reasons: Annotated[
        tuple[str, ...],
        _doc("Reasons of your own to stop, beside goal_reached, max_turns and unrecoverable."),
    ] = ()
    prompt: Annotated[str | None, _PROMPT] = None
    sees_tools: Annotated[SeesTools, _SEES] = "none"
    stop_words: Annotated[tuple[str, ...], _WORDS] = ()
    stop_match: Annotated[StopMatch, _WORDS_RULE] = "exact"


class ScriptedEvaluator(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="scripted"
):
    """Says its lines: each time the first unused one whose ``when`` holds. Its end is
    goal_reached.
    """

    messages: Annotated[tuple[EvaluatorLine, ...], _doc("The lines, in order.")] = ()
    persona: Annotated[str, _PERSONA] = ""
    instructions: Annotated[str, _doc("What the script stands for, in words.")] = ""
    stop_when: Annotated[str, _STOP_WHEN] = ""
    sees_tools: Annotated[SeesTools, _SEES] = "none"
    stop_words: Annotated[tuple[str, ...], _WORDS] = ()
    stop_match: Annotated[StopMatch, _WORDS_RULE] = "exact"


SEED_FOLLOWUPS = (
    "Great. What's next?",
    "Can you walk through the next step?",
    "Sounds good — keep going.",
    "Anything else I should confirm?",
    "Let's continue.",
)
"""The seed program's follow-ups: data of its record format, kept to the letter."""

SEED_SENTINELS = ("done", "all set", "finished", "complete")
"""The seed program's sentinels."""


class HeuristicEvaluator(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="heuristic"
):
    """Stops with goal_reached when the target's last reply holds a sentinel, else gives the next of
    its follow-ups (number ``turn_index`` modulo their count).
    """

    followups: Annotated[tuple[str, ...], _doc("Messages to go on with.", min_length=1)] = (
        SEED_FOLLOWUPS
    )
    sentinels: Annotated[tuple[str, ...], _doc("Words in the target's text that end it.")] = (
        SEED_SENTINELS
    )
    match: Annotated[
        Literal["word", "substring"],
        _doc("word: whole words only; substring: anywhere, as the seed program does."),
    ] = "word"
    persona: Annotated[str, _PERSONA] = ""
    stop_when: Annotated[str, _STOP_WHEN] = ""
    sees_tools: Annotated[SeesTools, _SEES] = "none"
    stop_words: Annotated[tuple[str, ...], _WORDS] = ()
    stop_match: Annotated[StopMatch, _WORDS_RULE] = "exact"


class PythonEvaluator(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="python"
):
    """Your own code plays the user, in a child process."""

    object: Annotated[str, _OBJECT]
    options: Annotated[JsonObject, _OPTIONS] = "{}"
    timeout: Annotated[float, _TIMEOUT] = 120.0
    persona: Annotated[str, _PERSONA] = ""
    instructions: Annotated[str, _doc("How to play, in words.")] = ""
    stop_when: Annotated[str, _STOP_WHEN] = ""
    sees_tools: Annotated[SeesTools, _SEES] = "full"
    stop_words: Annotated[tuple[str, ...], _WORDS] = ()
    stop_match: Annotated[StopMatch, _WORDS_RULE] = "exact"


class HumanEvaluator(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="human"
):
    """You play the user."""

    persona: Annotated[str, _PERSONA] = ""
    instructions: Annotated[str, _doc("How to play, in words.")] = ""
    stop_when: Annotated[str, _STOP_WHEN] = ""
    sees_tools: Annotated[SeesTools, _SEES] = "full"


class LlmTarget(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="llm"):
    """The model under test."""

    model: Annotated[str, _KIND_MODEL]
    system: Annotated[str | None, _SYSTEM] = None
    api_base: Annotated[str | None, _KIND_BASE] = None
    params: Annotated[JsonObject, _KIND_PARAMS] = "{}"
    sees_context: Annotated[
        bool,
        _doc("A seed row's context (memory, available actions) follows the system text."),
    ] = False
    prompt: Annotated[str | None, _PROMPT] = None


class ScriptedTarget(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="scripted"
):
    """Gives its replies: each time the first unused one whose ``when`` holds."""

    replies: Annotated[tuple[TargetLine, ...], _doc("The replies, in order.")] = ()
    system: Annotated[str | None, _SYSTEM] = None


class EchoTarget(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="echo"):
    """Repeats what it was told, as the seed program's fixture does."""

    system: Annotated[str | None, _SYSTEM] = None


class PythonTarget(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="python"):
    """Your own agent, in a child process."""

    object: Annotated[str, _OBJECT]
    options: Annotated[JsonObject, _OPTIONS] = "{}"
    timeout: Annotated[float, _TIMEOUT] = 120.0
    system: Annotated[str | None, _SYSTEM] = None


class HumanTarget(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="human"):
    """You write the replies."""

    system: Annotated[str | None, _SYSTEM] = None


class RulesSimulator(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="rules"
):
    """Answers calls from a table."""

    rules: Annotated[tuple[ToolRule, ...], _doc("The table; the first row that fits answers.")] = ()
    independent: Annotated[
        bool, _doc("All calls of a reply may be asked for at once; none sees another's result.")
    ] = False


class ToolExample(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call and what it was answered, for a simulator to go by."""

    tool: Annotated[str, _doc("Name of the tool.")]
    respond: Annotated[
        JsonText,
        _doc("The result. A string is given as it is, anything else as its JSON text."),
    ]
    arguments: Annotated[JsonText, _doc("The arguments of the call.")] = "{}"


class LlmSimulator(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="llm"):
    """A model invents the results."""

    model: Annotated[str, _KIND_MODEL]
    api_base: Annotated[str | None, _KIND_BASE] = None
    params: Annotated[JsonObject, _KIND_PARAMS] = "{}"
    world: Annotated[str, _doc("What is true in the simulated world.")] = ""
    examples: Annotated[
        tuple[ToolExample, ...], _doc("Calls and their results, for it to go by.")
    ] = ()
    state: Annotated[
        JsonObject | None,
        _doc("A document that it keeps and may change with each call, as it is at the start."),
    ] = None
    prompt: Annotated[str | None, _PROMPT] = None
    independent: Annotated[
        bool, _doc("All calls of a reply may be asked for at once; none sees another's result.")
    ] = False


class PythonSimulator(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="python"
):
    """Your own code answers the calls, in a child process."""

    object: Annotated[str, _OBJECT]
    options: Annotated[JsonObject, _OPTIONS] = "{}"
    timeout: Annotated[float, _TIMEOUT] = 120.0
    independent: Annotated[
        bool, _doc("All calls of a reply may be asked for at once; none sees another's result.")
    ] = False


class HumanSimulator(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="human"
):
    """You answer the calls."""


EvaluatorSpec = (
    LlmEvaluator | ScriptedEvaluator | HeuristicEvaluator | PythonEvaluator | HumanEvaluator
)
TargetSpec = LlmTarget | ScriptedTarget | EchoTarget | PythonTarget | HumanTarget
SimulatorSpec = RulesSimulator | LlmSimulator | PythonSimulator | HumanSimulator


class Tool(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool that the target may call."""

    name: Annotated[str, _doc("Name that calls use.", min_length=1)]
    description: Annotated[str, _doc("What it does, for the target.")] = ""
    parameters: Annotated[JsonObject, _doc("JSON Schema of the arguments.")] = (
        '{"type": "object", "properties": {}}'
    )
    returns: Annotated[
        JsonObject | None, _doc("JSON Schema of the result; simulated results are checked.")
    ] = None


class StopRules(msgspec.Struct, frozen=True, omit_defaults=True):
    """Limits. They pause in the app and park headless, unless ``on_limit`` is stop."""

    max_cost_usd: Annotated[_Dollars | None, _doc("Dollars that live calls may cost.")] = None
    max_tokens: Annotated[_Count | None, _doc("Tokens that live calls may use.")] = None
    repeated_exchanges: Annotated[
        _Repeats | None, _doc("The same message and reply so many times in a row.")
    ] = None
    on_limit: Annotated[
        Literal["pause", "stop"], _doc("pause: ask a human; stop: end with unrecoverable.")
    ] = "pause"


class Project(msgspec.Struct, frozen=True, omit_defaults=True):
    """A multi-step goal and how it is played."""

    title: Annotated[str, _doc("Name shown everywhere.")]
    target: Annotated[TargetSpec, _doc("The agent or model under test.")]
    evaluator: Annotated[EvaluatorSpec, _doc("Plays the user and decides when to stop.")]
    version: Annotated[int, _doc("Version of this file format; 1.", ge=1, le=1)] = 1
    id: Annotated[
        str | None, _doc("Id in turn records; derived from the project when it is not given.")
    ] = None
    goal: Annotated[str, _doc("What the user wants to reach.")] = ""
    opening: Annotated[
        str | None, _doc("The first message; without it the evaluator is asked for one.")
    ] = None
    max_turns: Annotated[int, _doc("Turns after which the rollout ends.", ge=1)] = 10
    max_steps_per_turn: Annotated[int, _doc("Steps that one turn may take.", ge=1)] = 50
    tools: Annotated[tuple[Tool, ...], _doc("The tools that the target may call.")] = ()
    tool_simulator: Annotated[SimulatorSpec | None, _doc("Answers the target's tool calls.")] = None
    stop: Annotated[StopRules, _doc("Limits on cost and repetition.")] = StopRules()
    breakpoints: Annotated[tuple[Breakpoint, ...], _doc("Conditions at which a run pauses.")] = ()
    faults: Annotated[
        tuple[FaultRule, ...], _doc("What goes wrong on purpose with tool results.")
    ] = ()
    metadata: Annotated[JsonObject, _doc("Anything else; carried along, never interpreted.")] = "{}"

    def tool(self, name: str) -> Tool | None:
        """The declared tool of this name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)
