"""Inside the child process: load the user's object, ask it, and turn whatever it does into an
answer or a plain failure.

Served by ``rollstep.core.workers.child``. The first request is a ``Setup``, every later one a
``View`` (or, for an author, a ``Wanted``).
"""

from __future__ import annotations

import importlib
import inspect
import json
import random
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from ..errors import RoleError
from ..model.project import Project
from ..model.steps import Role
from ..model.view import View
from ..workers.wire import dump, load
from .adapt import UserRole, find_method, make_object
from .failures import as_role_error
from .seed_style import read_projects


class Setup(msgspec.Struct, frozen=True):
    """What to load: ``role`` is one of the three roles, or author; ``folder`` is put first on the
    module path; ``options`` is a JSON object.
    """

    role: str
    object: str
    options: str
    folder: str


class Wanted(msgspec.Struct, frozen=True):
    """How many projects, from which state of the generator."""

    n: int
    rng: tuple[Any, ...]


class Authored(msgspec.Struct, frozen=True):
    """The projects, and the state in which they left the generator."""

    projects: tuple[Project, ...]
    rng: tuple[Any, ...]


class UserCode:
    """The service."""

    def __init__(self) -> None:
        self._role: UserRole | None = None
        self._author: Callable[..., Any] | None = None

    def handle(self, body: bytes, stream: Callable[[str], None]) -> bytes | Awaitable[bytes]:
        """The answer to a request: at once, or awaited on the child's loop."""
        if self._role is not None:
            return self._ask(self._role, load(body, View), stream)
        if self._author is not None:
            return self._write(self._author, load(body, Wanted))
        setup = load(body, Setup)
        made = load_object(setup)
        if setup.role == "author":
            self._author = find_method("author", made)[1]
        else:
            self._role = UserRole(_role(setup.role), made)
        return b"null"

    def _ask(
        self, role: UserRole, view: View, stream: Callable[[str], None]
    ) -> bytes | Awaitable[bytes]:
        value = _guarded(role.invoke, view, stream)
        if inspect.isawaitable(value):
            return _awaited(value, lambda got: dump(role.read(got, view)))
        return dump(role.read(value, view))

    def _write(self, author: Callable[..., Any], wanted: Wanted) -> bytes | Awaitable[bytes]:
        rng = random.Random()
        rng.setstate(_state(wanted.rng))

        def read(projects: Any) -> bytes:
            return dump(Authored(read_projects(projects), rng.getstate()))

        value = _guarded(author, n=wanted.n, rng=rng)
        return _awaited(value, read) if inspect.isawaitable(value) else read(value)


def load_object(setup: Setup) -> Any:
    """The object that plays the role. Raises RoleError with what is missing and where."""
    if setup.folder not in sys.path:
        sys.path.insert(0, setup.folder)
    module_name, _, name = setup.object.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except BaseException as error:
        what = f"could not be imported (looked for in {setup.folder} first)"
        raise as_role_error(error, what) from error
    for piece in name.split("."):
        if not hasattr(found, piece):
            names = [n for n in dir(found) if not n.startswith("_")]
            raise RoleError(
                f"was not found: {module_name} has no {name!r} (it has {', '.join(names[:20])})."
            )
        found = getattr(found, piece)
    try:
        return make_object(setup.role, found, json.loads(setup.options))
    except RoleError:
        raise
    except BaseException as error:
        raise as_role_error(error, "raised an error when it was made") from error


def _guarded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call foreign code; whatever it raises, SystemExit too, becomes a RoleError."""
    try:
        return function(*args, **kwargs)
    except BaseException as error:
        raise as_role_error(error, "raised an error") from error


async def _awaited(value: Awaitable[Any], read: Callable[[Any], bytes]) -> bytes:
    try:
        got = await value
    except BaseException as error:
        raise as_role_error(error, "raised an error") from error
    return read(got)


def _role(name: str) -> Role:
    if name in ("evaluator", "target", "tool"):
        return name  # type: ignore[return-value]
    raise RoleError(f"was asked to play {name!r}, which is no role.")


def _state(state: tuple[Any, ...]) -> tuple[Any, ...]:
    """A generator's state with its tuples again, which JSON made into lists."""
    version, numbers, gauss = state
    return version, tuple(numbers), gauss
