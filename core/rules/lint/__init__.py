"""The edit linter: what is odd on a path, each flag with the rule that says so. Pure.

``linter`` lints a path, at once or step by step; ``alone.cheap`` is what one step says alone;
``findings.RULES`` is the table of the rules. Import from these: a screen that has not been painted
yet needs the second only. A human silences a rule on a step (``Silence``).
"""
