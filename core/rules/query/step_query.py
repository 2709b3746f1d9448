"""Queries about steps: compiled once, then asked of steps as they are made, or of any step of a
path by its index.

A step with several calls is looked at once for each, so that ``tool`` and ``args`` speak of the
same call; the query holds if it holds for one of them.
"""

from __future__ import annotations

from functools import lru_cache

from .compiling import Test, compile_node
from .parsing import Node, parse
from .path_facts import PathFacts
from .step_facts import SHAPES, Facts
from .step_fields import STEPS, source_for

__all__ = ["STEPS", "Compiled", "PathFacts", "compile_query", "holds"]


class Compiled:
    """A query, ready to be asked of steps. ``tests`` has, for each shape of thing, the test that
    is left of it, or the answer where that is known beforehand.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.tests: dict[str, Test | bool] = {shape: compiled_for(node, shape) for shape in SHAPES}

    def holds(self, facts: Facts, shape: str) -> bool:
        """Whether it holds for this step, whose shape is known."""
        test = self.tests[shape]
        return test if isinstance(test, bool) else test(facts)


def compiled_for(node: Node, shape: str) -> Test | bool:
    """The test that is left of a query for this shape, or its answer."""
    return _each_call(compile_node(node, source_for(shape), STEPS), shape)


def _each_call(test: Test | bool, shape: str) -> Test | bool:
    if isinstance(test, bool) or not shape.endswith("with calls"):
        return test

    def one_of_them(facts: Facts) -> bool:
        for call in facts.said.tool_calls:  # type: ignore[union-attr]
            facts.call = call
            if test(facts):
                return True
        return False

    return one_of_them


@lru_cache(maxsize=256)
def compile_query(query: str | Node) -> Compiled:
    """A query, as text or as a tree. Raises QueryError."""
    return Compiled(parse(query, STEPS) if isinstance(query, str) else query)


def holds(query: Compiled, path: PathFacts, index: int) -> bool:
    """Whether the query holds for the step at this index of the path."""
    facts, shape = path.facts(index)
    return query.holds(facts, shape)
