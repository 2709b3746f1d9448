"""rollstep's engine: no Textual, no printing; usable from a notebook.

The names below are the public API. They are loaded when first used: importing this package loads
neither litellm nor Textual, and nothing slow.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import Engine as Engine
    from .errors import InputError as InputError
    from .errors import RoleError as RoleError
    from .errors import RollstepError as RollstepError
    from .errors import UsageError as UsageError
    from .model.debugging import Breakpoint as Breakpoint
    from .model.debugging import FaultRule as FaultRule
    from .model.messages import Stop as Stop
    from .model.messages import TargetReply as TargetReply
    from .model.messages import ToolCall as ToolCall
    from .model.messages import ToolResult as ToolResult
    from .model.messages import UserMessage as UserMessage
    from .model.messages import payload_text as payload_text
    from .model.messages import target_reply as target_reply
    from .model.messages import tool_result as tool_result
    from .model.messages import user_message as user_message
    from .model.project import Project as Project
    from .model.rollout import Rollout as Rollout
    from .model.rollout import Trajectory as Trajectory
    from .model.steps import Step as Step
    from .model.view import View as View
    from .projects.reader import read_project as read_project
    from .retaking import AskChange as AskChange
    from .roles.human import HumanNeeded as HumanNeeded
    from .rules.compare import compare as compare
    from .rules.ledger import Ledger as Ledger
    from .rules.lint.linter import findings as findings
    from .session import Session as Session
    from .store.library import Library as Library

_WHERE = {
    "Engine": ".engine",
    "InputError": ".errors",
    "RoleError": ".errors",
    "RollstepError": ".errors",
    "UsageError": ".errors",
    "Breakpoint": ".model.debugging",
    "FaultRule": ".model.debugging",
    "Stop": ".model.messages",
    "TargetReply": ".model.messages",
    "ToolCall": ".model.messages",
    "ToolResult": ".model.messages",
    "UserMessage": ".model.messages",
    "payload_text": ".model.messages",
    "target_reply": ".model.messages",
    "tool_result": ".model.messages",
    "user_message": ".model.messages",
    "Project": ".model.project",
    "Rollout": ".model.rollout",
    "Trajectory": ".model.rollout",
    "Step": ".model.steps",
    "View": ".model.view",
    "read_project": ".projects.reader",
    "AskChange": ".retaking",
    "HumanNeeded": ".roles.human",
    "compare": ".rules.compare",
    "Ledger": ".rules.ledger",
    "findings": ".rules.lint.linter",
    "Session": ".session",
    "Library": ".store.library",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    try:
        module = _WHERE[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(importlib.import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, for completion."""
    return __all__
