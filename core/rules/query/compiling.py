"""From a query's tree to a function that answers it.

What can be read of a thing, and what is known of it without looking, is a ``Source``'s to say. What
is known beforehand is worked out here once: ``role = tool and turn > 3`` asked of target replies
is False and no function at all.

A comparison with a value that is not there never holds, ``!=`` too; ``not`` turns whatever it
stands before.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ..json_values import MISSING, same_value
from ..searching import Search, is_too_slow, searcher
from .nodes import And, Compare, Has, Node, Not, Or, Ref, Vocabulary, pattern

SEARCHED = 1_000_000
"""Characters of a text that a regular expression looks at."""

Test = Callable[[Any], bool]
Read = Callable[[Any], Any]


class Known(msgspec.Struct, frozen=True):
    """A value that is the same for all things asked of; MISSING where none of them has one."""

    value: Any


class Reader(msgspec.Struct, frozen=True):
    """How a field is read. ``contains`` (of a text in lower case) and ``matches`` (of a pattern)
    make the tests for ``:`` and ``~`` where these look at something else than the value, or can
    do so faster. ``many``: the value is a tuple of values, of which one must do. ``number``: it is
    always there, and a number.
    """

    read: Read
    contains: Callable[[str], Test] | None = None
    matches: Callable[[Search], Test] | None = None
    many: bool = False
    number: bool = False


Source = Callable[[Ref], Known | Reader]


def search_for(regex: str) -> Search:
    """The search for a regular expression of a query; a text that it would take too long for counts
    as one in which it is found, so that a run rather stops than goes past.
    """
    pattern(regex)  # which says what is wrong with it
    return searcher(regex, otherwise=True)


def ran_out_of_time(node: Node | None) -> bool:
    """Whether one of its regular expressions did, so that texts which it could take long for count
    as some in which it is found.
    """
    return any(map(is_too_slow, _regexes(node)))


def _regexes(node: Node | None) -> Iterator[str]:
    if isinstance(node, Compare):
        if node.op == "~":
            yield str(node.value)
    elif isinstance(node, Not):
        yield from _regexes(node.part)
    elif isinstance(node, And | Or):
        for part in node.parts:
            yield from _regexes(part)


def compile_node(node: Node, source: Source, vocabulary: Vocabulary) -> Test | bool:
    """The test that a query is, or its answer where that is known."""
    if isinstance(node, Compare):
        return _compare(node, source(node.ref))
    if isinstance(node, Has):
        field = vocabulary.get(node.ref.name)
        return _has(source(node.ref), field is not None and field.kind == "flag")
    if isinstance(node, Not):
        part = compile_node(node.part, source, vocabulary)
        return (not part) if isinstance(part, bool) else _not(part)
    parts = [compile_node(part, source, vocabulary) for part in sorted(node.parts, key=_effort)]
    settled = isinstance(node, Or)
    if any(part is settled for part in parts):
        return settled
    tests = [part for part in parts if not isinstance(part, bool)]
    if not tests:
        return not settled
    if len(tests) == 1:
        return tests[0]
    return _any(tuple(tests)) if settled else _all(tuple(tests))


def simplify(node: Node, source: Source, vocabulary: Vocabulary) -> Node | bool:
    """What is left of a query where some of it is known, or its answer."""
    if isinstance(node, Compare | Has):
        test = compile_node(node, source, vocabulary)
        return test if isinstance(test, bool) else node
    if isinstance(node, Not):
        part = simplify(node.part, source, vocabulary)
        return (not part) if isinstance(part, bool) else Not(part)
    settled = isinstance(node, Or)
    parts = [simplify(part, source, vocabulary) for part in node.parts]
    if any(part is settled for part in parts):
        return settled
    left = tuple(part for part in parts if not isinstance(part, bool))
    if len(left) < 2:
        return left[0] if left else not settled
    return Or(left) if settled else And(left)


def _effort(node: Node) -> int:
    """How much work a node is, so that the cheap ones are asked first."""
    if isinstance(node, Compare):
        heavy = {"~": 4, ":": 2}.get(node.op, 0)
        return heavy or (3 if node.ref.member else 0)
    if isinstance(node, Has):
        return 3 if node.ref.member or node.ref.name == "invalid" else 0
    if isinstance(node, Not):
        return _effort(node.part)
    return max(map(_effort, node.parts))


def _not(test: Test) -> Test:
    return lambda thing: not test(thing)


def _any(tests: tuple[Test, ...]) -> Test:
    if len(tests) == 2:
        one, other = tests
        return lambda thing: one(thing) or other(thing)

    def any_holds(thing: Any) -> bool:
        for test in tests:  # noqa: SIM110  # a generator would take longer than most tests
            if test(thing):
                return True
        return False

    return any_holds


def _all(tests: tuple[Test, ...]) -> Test:
    if len(tests) == 2:
        one, other = tests
        return lambda thing: one(thing) and other(thing)

    def all_hold(thing: Any) -> bool:
        for test in tests:  # noqa: SIM110
            if not test(thing):
                return False
        return True

    return all_hold


def _has(found: Known | Reader, flag: bool) -> Test | bool:
    if isinstance(found, Known):
        return found.value is True if flag else found.value is not MISSING
    read = found.read
    if flag:
        return lambda thing: read(thing) is True
    if found.many:
        return lambda thing: bool(read(thing))
    return lambda thing: read(thing) is not MISSING


def _compare(node: Compare, found: Known | Reader) -> Test | bool:
    check = _check(node)
    if isinstance(found, Known):
        return check(found.value)
    read = found.read
    if found.many:
        return lambda thing: any(map(check, read(thing)))
    if node.op == ":" and found.contains is not None:
        return found.contains(str(node.value).casefold())
    if node.op == "~" and found.matches is not None:
        return found.matches(search_for(str(node.value)))
    value = node.value
    if node.op == "=" and (found.number or isinstance(value, str)):
        return lambda thing: read(thing) == value
    if found.number and node.op in _ORDERS:
        return _number_test(node.op, read, value)
    return lambda thing: check(read(thing))


def _number_test(op: str, read: Read, value: Any) -> Test:
    """One for each operator, which is quicker than calling it."""
    if op == "<":
        return lambda thing: read(thing) < value
    if op == "<=":
        return lambda thing: read(thing) <= value
    if op == ">":
        return lambda thing: read(thing) > value
    return lambda thing: read(thing) >= value


def _check(node: Compare) -> Callable[[Any], bool]:
    """Whether one value fits."""
    wanted = node.value
    if node.op == "=":
        return lambda value: value is not MISSING and same_value(value, wanted)
    if node.op == "!=":
        return lambda value: value is not MISSING and not same_value(value, wanted)
    if node.op == ":":
        folded = str(wanted).casefold()
        return lambda value: value is not MISSING and folded in as_text(value).casefold()
    if node.op == "~":
        search = search_for(str(wanted))
        return lambda value: value is not MISSING and bool(search(as_text(value)[:SEARCHED]))
    order = _ORDERS[node.op]
    if isinstance(wanted, str):
        return lambda value: isinstance(value, str) and order(value, wanted)
    if wanted is None or isinstance(wanted, bool):
        return lambda value: False
    return lambda value: type(value) in (int, float) and order(value, wanted)


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def as_text(value: Any) -> str:
    """A value as a text to be searched: a string as it is, anything else as its JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):  # a number that Python cannot write out, or too deep
        return ""
