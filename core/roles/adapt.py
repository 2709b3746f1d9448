"""A user's own object as a role: which of its forms it has, how to call it, what it gave.

Accepted, for each role: an object with our method (``next``, ``reply``, ``respond``, ``author``),
sync or async; one with the seed program's (``decide``, ``respond`` with a history, ``author``); or
a bare function of the view. A parameter named ``stream`` is given a function that takes text as it
arrives. A class, or a function that can be called with the options alone, is called with them
first and gives the object.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..errors import RoleError
from ..model.messages import TargetReply
from ..model.steps import Role
from ..model.view import View
from .answers import read_answer
from .protocols import Answer, Stream, no_stream
from .seed_style import ask_client, ask_decider, named, read_said

METHODS: dict[str, tuple[str, ...]] = {
    "evaluator": ("next", "decide"),
    "target": ("reply", "respond"),
    "tool": ("respond",),
    "author": ("author",),
}
"""The methods that each role may have; the first that an object has is called."""

Ask = Callable[[View, Stream], Any]


class UserRole:
    """A user's object that plays ``role`` in this process. For notebooks, and for the child."""

    def __init__(self, role: Role, role_object: Any) -> None:
        self._role = role
        self._ask, self._read = _bind(role, find_method(role, role_object))

    def invoke(self, view: View, stream: Stream = no_stream) -> Any:
        """Call it: its value, or an awaitable of it."""
        return self._ask(view, stream)

    def read(self, value: Any, view: View) -> Answer:
        """The answer that a value stands for. Raises RoleError."""
        return self._read(value, view)

    async def ask(self, view: View, stream: Stream = no_stream) -> Answer:
        """Call it and read what it gave. Raises RoleError, and what the object raises."""
        value = self._ask(view, stream)
        return self._read(await value if inspect.isawaitable(value) else value, view)

    next = ask
    """The protocols' own names for the same thing."""
    reply = ask
    respond = ask


def make_object(role: str, found: Any, options: dict[str, Any]) -> Any:
    """The object that plays the role, from what stands at ``package.module:name``.

    Raises RoleError when the options do not fit, and what the user's own code raises.
    """
    if inspect.isclass(found):
        check_call(found, options, f"{found.__name__}()")
        return found(**options)
    if any(callable(getattr(found, name, None)) for name in METHODS[role]):
        if options:
            raise RoleError(
                f"is an object already and takes no options ({', '.join(options)}). Name its "
                "class, or a function that makes it.",
            )
        return found
    if not callable(found):
        raise RoleError(_no_method(role, found))
    if inspect.iscoroutinefunction(found) or not _fits(found, options):
        return _with_options(found, options)
    made = found(**options)
    if not callable(made) and not any(hasattr(made, name) for name in METHODS[role]):
        raise RoleError(
            f"was called with its options and gave {named(made)}, which cannot play. A "
            f"function that is itself to answer takes the view: {found.__name__}(view)."
        )
    return made


def find_method(role: str, role_object: Any) -> Callable[..., Any]:
    """The method (or the function itself) that plays the role. Raises RoleError."""
    for name in METHODS[role]:
        method = getattr(role_object, name, None)
        if callable(method):
            return method  # type: ignore[no-any-return]
    if callable(role_object) and not inspect.isclass(role_object):
        return role_object  # type: ignore[no-any-return]
    raise RoleError(_no_method(role, role_object))


def check_call(method: Callable[..., Any], options: dict[str, Any], what: str) -> None:
    """Whether a callable takes these keywords. Raises RoleError with the reason."""
    signature = _signature(method)
    if signature is None:
        return
    try:
        signature.bind(**options)
    except TypeError as error:
        given = ", ".join(options) or "none"
        raise RoleError(
            f"cannot be made: {what} does not take the options {given}: {error}."
        ) from None


def _bind(role: Role, method: Callable[..., Any]) -> tuple[Ask, Callable[[Any, View], Answer]]:
    """How to call a method with a view, and how to read what it gives."""
    signature = _signature(method)
    names = signature.parameters if signature is not None else {}
    if role == "evaluator" and "history" in names:
        return (lambda view, stream: ask_decider(method, view)), _reader(role)
    if role == "target" and "history" in names:
        return (lambda view, stream: ask_client(method, view)), _read_said
    streams = "stream" in names
    if signature is not None:
        _check_view(signature, method, streams)
    if streams:
        return (lambda view, stream: method(view, stream=stream)), _reader(role)
    return (lambda view, stream: method(view)), _reader(role)


def _reader(role: Role) -> Callable[[Any, View], Answer]:
    return lambda value, view: read_answer(role, value, view)


def _read_said(value: Any, view: View) -> Answer:
    """An agent client gives text; one that gives a reply of ours is understood as well."""
    if isinstance(value, Answer | TargetReply | dict):
        return read_answer("target", value, view)
    return Answer(read_said(value))


def _check_view(signature: inspect.Signature, method: Any, streams: bool) -> None:
    keywords = {"stream": None} if streams else {}
    try:
        signature.bind(None, **keywords)
    except TypeError as error:
        name = getattr(method, "__name__", type(method).__name__)
        raise RoleError(
            f"has a wrong signature: {name}{signature} cannot be called with a view ({error}). "
            f"Write {name}(view)."
        ) from None


def _with_options(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """A bare function that is given the options with each call."""
    if not options:
        return function

    def call(view: View, **more: Any) -> Any:
        return function(view, **more, **options)

    signature = _signature(function)
    if signature is not None:
        kept = [p for p in signature.parameters.values() if p.name not in options]
        call.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    call.__name__ = getattr(function, "__name__", "call")
    return call


def _fits(function: Callable[..., Any], options: dict[str, Any]) -> bool:
    signature = _signature(function)
    if signature is None:
        return False
    try:
        signature.bind(**options)
    except TypeError:
        return False
    return True


def _signature(function: Any) -> inspect.Signature | None:
    """The signature, or None where Python knows none (things made in C)."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _no_method(role: str, found: Any) -> str:
    names = " or ".join(METHODS[role])
    return f"is {named(found)}, which has no {names} and cannot be called."
