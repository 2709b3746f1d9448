"""The edit linter: what is odd on a path, each flag with the rule that says so. Pure.

``cheap`` is what one step says alone, and ``RULES`` the table of the rules. The module ``linter``
lints a path, at once or step by step; it is not imported here, because a screen that has not been
painted yet does not need it. A human silences a rule on a step (``Silence``).
"""

from .alone import cheap
from .findings import RULES, Finding

__all__ = ["RULES", "Finding", "cheap"]
