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
from ..model.messages import Stop, TargetReply, UserMessage
from ..model.steps import Role
from ..model.view import View
from .answers import read_answer
from .failures import as_role_error, named
from .protocols import Answer, Stream, no_stream
from .seed_style import SEED_ARGUMENTS, a_or_an, ask_client, ask_decider, read_decision, read_said

METHODS: dict[str, tuple[str, ...]] = {
    "evaluator": ("next", "decide"),
    "target": ("reply", "respond"),
    "tool": ("respond",),
    "author": ("author",),
}
"""The methods that each role may have; the first that an object has is called."""

_ROLE_WORDS: dict[Role, str] = {
    "evaluator": "evaluator",
    "target": "target",
    "tool": "tool simulator",
}

Ask = Callable[[View, Stream], Any]


class UserRole:
    """A user's object that plays ``role`` in this process. For notebooks, and for the child."""

    def __init__(self, role: Role, role_object: Any) -> None:
        self._who = f"The {_ROLE_WORDS[role]} {type(role_object).__name__}"
        self._ask, self._read = _bind(role, *find_method(role, role_object))

    def invoke(self, view: View, stream: Stream = no_stream) -> Any:
        """Call it: its value, or an awaitable of it."""
        return self._ask(view, stream)

    def read(self, value: Any, view: View) -> Answer:
        """The answer that a value stands for. Raises RoleError."""
        return self._read(value, view)

    async def ask(self, view: View, stream: Stream = no_stream) -> Answer:
        """Call it and read what it gave. Whatever goes wrong is a RoleError."""
        try:
            value = self._ask(view, stream)
            if inspect.isawaitable(value):
                value = await value
        except Exception as error:
            raise named(as_role_error(error, "raised an error"), self._who) from error
        try:
            return self._read(value, view)
        except RoleError as error:
            raise named(error, self._who) from error

    next = ask
    """The protocols' own names for the same thing."""
    reply = ask
    respond = ask


def make_object(role: str, found: Any, options: dict[str, Any]) -> Any:
    """The object that plays the role, from what stands at ``package.module:name``.

    Raises RoleError when the options do not fit, and what the user's own code raises.
    """
    if inspect.isclass(found):
        _check_options(found, options, f"{found.__name__}()")
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
    signature = _signature(found)
    makes = signature is not None and _binds(signature, *options)
    if inspect.iscoroutinefunction(found) or not makes:
        return _with_options(found, options)
    made = found(**options)
    if not callable(made) and not any(hasattr(made, name) for name in METHODS[role]):
        raise RoleError(
            f"was called with its options and gave {a_or_an(made)}, which cannot play. A "
            f"function that is itself to answer takes the view: {found.__name__}(view)."
        )
    return made


def find_method(role: str, role_object: Any) -> tuple[str, Callable[..., Any]]:
    """The name and the method (or "" and the function itself) that plays the role. Raises
    RoleError.
    """
    for name in METHODS[role]:
        method = getattr(role_object, name, None)
        if callable(method):
            return name, method
    if callable(role_object) and not inspect.isclass(role_object):
        return "", role_object
    raise RoleError(_no_method(role, role_object))


def _check_options(method: Callable[..., Any], options: dict[str, Any], what: str) -> None:
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


def _bind(
    role: Role, name: str, method: Callable[..., Any]
) -> tuple[Ask, Callable[[Any, View], Answer]]:
    """How to call a method with a view, and how to read what it gives."""
    signature = _signature(method)
    if _is_seed_style(role, name, signature):
        if role == "evaluator":
            return (lambda view, stream: ask_decider(method, view)), _read_decided
        return (lambda view, stream: ask_client(method, view)), _read_said
    streams = signature is not None and "stream" in signature.parameters
    if signature is not None:
        _check_view(signature, method, streams)
    if streams:
        return (lambda view, stream: method(view, stream=stream)), _reader(role)
    return (lambda view, stream: method(view)), _reader(role)


def _is_seed_style(role: Role, name: str, signature: inspect.Signature | None) -> bool:
    """Whether a method takes the seed's keywords: ``decide`` always does, another when it can be
    called with them and not with a view.
    """
    if name == "decide":
        return True
    if role == "tool" or signature is None:
        return False
    return _binds(signature, *SEED_ARGUMENTS[role]) and not _binds_view(signature)


def _binds(signature: inspect.Signature, *keywords: str) -> bool:
    try:
        signature.bind(**dict.fromkeys(keywords))
    except TypeError:
        return False
    return True


def _binds_view(signature: inspect.Signature) -> bool:
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True


def _reader(role: Role) -> Callable[[Any, View], Answer]:
    return lambda value, view: read_answer(role, value, view)


def _read_decided(value: Any, view: View) -> Answer:
    """A decider gives a decision; one that gives an answer of ours is understood as well."""
    if isinstance(value, Answer | UserMessage | Stop):
        return read_answer("evaluator", value, view)
    return Answer(read_decision(value, view))


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


def _signature(function: Any) -> inspect.Signature | None:
    """The signature, or None where Python knows none (things made in C)."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _no_method(role: str, found: Any) -> str:
    names = " or ".join(METHODS[role])
    return f"is {a_or_an(found)}, which has no {names} and cannot be called."
