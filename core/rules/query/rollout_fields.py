"""What a query may ask of a rollout: the filter of the library, the queue, stats and exports.

``docs/query.md`` says the same to people.
"""

from __future__ import annotations

from ...model.messages import STOP_REASONS
from .nodes import Field, Vocabulary

NO_VERDICT = "none"
"""How a query asks for rollouts without a verdict."""

STATUSES = ("open", "ended", "parked", "failed")

ROLLOUTS = Vocabulary(
    (
        Field("title", "text", "The rollout's title."),
        Field("goal", "text", "The project's goal."),
        Field("id", "word", "The rollout's id."),
        Field("source", "text", "The file or sample that it came from."),
        Field("format", "word", "The format that it was imported from."),
        Field("status", "word", "How it stands.", STATUSES, only=True),
        Field("parked", "flag", "It waits for a human: it was parked, or it failed."),
        Field(
            "hidden",
            "word",
            "It was put out of sight; lists have such ones only where they are asked for.",
            ("yes", "no", "any"),
            only=True,
        ),
        Field("stop", "word", "Why it ended; alone: it has ended.", (*STOP_REASONS, "max_steps")),
        Field("turns", "number", "Turns of the branch that would be opened."),
        Field("steps", "number", "Steps of all branches."),
        Field("branches", "number", "Branches."),
        Field("edits", "number", "Edits by humans."),
        Field("flags", "number", "Flags that nobody has silenced, of the branch to be opened."),
        Field(
            "verdict",
            "word",
            "The newest verdict on one of its branches.",
            ("accept", "reject", "unsure", NO_VERDICT),
            only=True,
        ),
        Field("outdated", "flag", "It was edited after its verdict was given."),
        Field("by", "word", "Who has marked it."),
        Field("rating", "number", "The newest rating, 1 to 5."),
        Field("tag", "word", "A tag on one of its branches."),
        Field("note", "text", "A human's note on it."),
        Field(
            "score",
            "json",
            "The first score that is a number; score.NAME for one by name.",
            member="name",
        ),
        Field("why", "text", "What judges say of it, and why it failed or was parked."),
        Field("tool", "word", "A tool that is called in it."),
        Field("model", "word", "A model that made steps of it."),
        Field("cost", "number", "Dollars that its live steps took; unknown prices count nothing."),
        Field("tokens", "number", "Tokens that its live steps took."),
        Field("updated", "json", "When it last changed: updated > 2026-11-29T14:03.", dated=True),
        Field("text", "text", "What is said in any of its steps, or its title."),
    ),
    text="text",
    occurs="in this library",
)
"""Everything that a query may ask of a rollout."""
