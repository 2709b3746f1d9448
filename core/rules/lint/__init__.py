"""The edit linter: what is odd on a path, each flag with the rule that says so. Pure.

``findings`` lints a path at once, ``Linter`` step by step; ``cheap`` is what one step says alone.
A rule is silenced on a step by a human (``Silence``); ``findings_with_silences`` gives both.
"""

from .alone import cheap
from .findings import RULES, Finding
from .linter import Flag, Linter, findings, findings_with_silences

__all__ = [
    "RULES",
    "Finding",
    "Flag",
    "Linter",
    "cheap",
    "findings",
    "findings_with_silences",
]
