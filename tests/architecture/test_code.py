"""Rules about how code is written that no linter checks."""

from __future__ import annotations

import ast

import pytest

from .source import ROOT, modules, tree

# One worker looks at all of it, so that each file is parsed once.
pytestmark = pytest.mark.xdist_group("source")

MOST_LINES = 450
"""A file longer than this holds two ideas."""


def test_a_file_holds_one_idea() -> None:
    """Which second idea is in the files that this names?"""
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in modules()}
    too_long = [f"{path.relative_to(ROOT)}: {n}" for path, n in lines.items() if n > MOST_LINES]
    assert too_long == []


def test_no_failure_is_swallowed() -> None:
    """``except Exception: pass`` hides bugs from those who could mend them."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler) and _catches_all(node) and _does_nothing(node)
    ]
    assert wrong == []


def _catches_all(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    return bool(names & {"Exception", "BaseException", "RollstepError"})


def _does_nothing(handler: ast.ExceptHandler) -> bool:
    return all(
        isinstance(node, ast.Pass | ast.Continue)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Return) and _is_nothing(node.value))
        for node in handler.body
    )


def _is_nothing(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)
