"""Roles that are a user's own code, each in child processes of its own.

The child puts the project file's folder first on its module path. A call that raises, hangs,
returns nonsense or kills its process is a RoleError and costs that call only; the next one starts
the code anew, so a fault that was fixed in between stays fixed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..errors import RoleError, UsageError
from ..model.project import Project, PythonEvaluator, PythonSimulator, PythonTarget
from ..model.steps import Role
from ..model.view import View
from ..workers.pool import Pool, Workers
from ..workers.wire import dump, load
from .protocols import Answer, Stream, no_stream
from .user_code import Authored, Setup, Wanted

Spec = PythonEvaluator | PythonTarget | PythonSimulator

_SERVICE = f"{__package__}.user_code:UserCode"
_WHO: dict[str, str] = {
    "evaluator": "The evaluator",
    "target": "The target",
    "tool": "The tool simulator",
    "author": "The author",
}


class PythonRole:
    """A user's evaluator, target or tool simulator."""

    def __init__(self, role: Role, label: str, setup: bytes, timeout: float, workers: Workers):
        self._role = role
        self._label = label
        self._pool = workers.pool(_SERVICE, setup, label)
        self._pacing = workers.pacing
        self._timeout = timeout

    async def ask(self, view: View, stream: Stream = no_stream) -> Answer:
        """What the user's code answers. Raises RoleError."""
        if self._pacing is None:
            body = await self._pool.call(dump(view), timeout=self._timeout, stream=stream)
        else:
            async with self._pacing.turn(self._role):
                body = await self._pool.call(dump(view), timeout=self._timeout, stream=stream)
        try:
            return load(body, Answer)
        except ValueError as error:
            raise _unreadable(self._label, error) from error

    next = ask
    """The protocols' own names for the same thing."""
    reply = ask
    respond = ask


class PythonAuthor:
    """A user's project author. Blocks while it works, in a child process that it starts and ends;
    ``trusted`` says that the human has allowed this code to run.
    """

    def __init__(
        self,
        found_at: str,
        *,
        options: str = "{}",
        base_folder: Path | None = None,
        timeout: float = 120.0,
        trusted: bool = False,
    ) -> None:
        if not trusted:
            raise UsageError(
                f"The author {found_at} is code of its own. Look at it first; then allow it with "
                "--trust."
            )
        self._setup = Setup("author", found_at, options, str(base_folder or Path.cwd()))
        self._timeout = timeout

    def author(self, n: int, rng: random.Random) -> Sequence[Project]:
        """Up to ``n`` projects; moves ``rng`` on as the author's code did. Raises RoleError."""
        # A thread of its own: the caller may be on a running loop, which cannot run another.
        with ThreadPoolExecutor(1) as threads:
            authored = threads.submit(asyncio.run, self._ask(n, rng)).result()
        version, numbers, gauss = authored.rng
        rng.setstate((version, tuple(numbers), gauss))
        return authored.projects

    async def _ask(self, n: int, rng: random.Random) -> Authored:
        label = f"{_WHO['author']} {self._setup.object}"
        pool = Pool(_SERVICE, dump(self._setup), label)
        try:
            body = dump(Wanted(n, rng.getstate()))
            answer = await pool.call(body, timeout=self._timeout, stream=no_stream)
        finally:
            await pool.aclose()
        try:
            return load(answer, Authored)
        except ValueError as error:
            raise _unreadable(label, error) from error


def python_role(role: Role, spec: Spec, base_folder: Path, workers: Workers) -> PythonRole:
    """The role that a spec of the kind ``python`` names. Starts nothing yet."""
    label = f"{_WHO[role]} {spec.object}"
    setup = Setup(role, spec.object, spec.options, str(base_folder))
    return PythonRole(role, label, dump(setup), spec.timeout, workers)


def _unreadable(label: str, error: Exception) -> RoleError:
    return RoleError(
        f"{label} sent something that is no answer.", kind="bad_reply", detail=str(error)
    )
