"""A short way for the ShareGPT rows that most files consist of: human and gpt, and perhaps a system
text. Any other row is left to the long way (``sharegpt_in``), which gives the same for these.
"""

from __future__ import annotations

from typing import Any

from ..model.messages import TargetReply, Text, UserMessage
from ..model.steps import Step
from .jsonl import json_text
from .reading.building import imported_project
from .reading.quick_rows import QuickRows
from .reading.record import Imported
from .reading.role_rows import title_of
from .sharegpt import KEYS, THINK


class QuickConversations(QuickRows):
    """Understands rows of conversations."""

    def read(self, text: str, digest: str) -> Imported | None:
        """The trajectory of a row; None or an error where it is otherwise than most are."""
        row = self.pairs(text)
        fields = dict(row)
        if len(fields) != len(row) or not fields.keys() <= _FIELDS:
            return None
        said, system = fields.get("conversations"), fields.get("system")
        if type(said) is not list or not said or fields.get("tools"):
            return None
        if system is not None and type(system) is not str:
            return None
        steps = _steps(said, digest)
        if steps is None:
            return None
        title = title_of(steps)
        extra = json_text({KEYS: list(fields)})
        return Imported(imported_project(title, system=system or None), steps, title, extra=extra)


_FIELDS = frozenset({"conversations", "system", "tools"})


def _steps(said: list[Any], digest: str) -> tuple[Step, ...] | None:
    """The steps of the entries; None where one is not as most are."""
    steps: list[Step] = []
    before: str | None = None
    for number, entry in enumerate(said, 1):
        if type(entry) is not tuple:
            return None
        (tag_key, tag), (value_key, value) = entry
        if tag_key != "from" or value_key != "value" or type(value) is not str:
            return None
        step_id = f"{digest}.{number}"
        parts = (Text(value),)
        if tag == "human":
            step = Step(step_id, before, "evaluator", UserMessage(parts), "import")
        elif tag == "gpt" and not value.startswith(THINK):
            step = Step(step_id, before, "target", TargetReply(parts), "import")
        else:
            return None
        steps.append(step)
        before = step_id
    return tuple(steps)
