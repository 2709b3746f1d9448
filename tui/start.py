"""The engine and its controller, started before the screen is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.engine import Engine

from .controller import Controller

if TYPE_CHECKING:
    from rollstep.core.model.project import Project
    from rollstep.core.roles.llm_requests import Spec
    from rollstep.core.roles.registry import Roles
    from rollstep.core.store.library import Library
    from rollstep.core.workers.pool import Workers


def start_controller(
    library: Path | None,
    *,
    throwaway: bool = False,
    roles: Path | None = None,
    trust: bool = False,
    author: str = "",
) -> Controller:
    """Start the engine's thread. ``Controller.started`` fails when the library cannot be opened."""
    maker = RoleMaker(trust)
    engine = Engine(
        None if throwaway else library,
        roles=maker,
        author=author,
        open_library=_throwaway if throwaway or library is None else None,
        at_end=maker.aclose,
    )
    unkept = throwaway or library is None
    return Controller(engine, maker, engine.start(), throwaway=unkept, roles=roles)


def _throwaway() -> Library:
    from rollstep.core.store.library import Library

    return Library.throwaway()


class RoleMaker:
    """Makes a project's roles; its own code runs only when that was allowed. All models are asked
    through one process, whichever rollout is open.
    """

    def __init__(self, trust: bool) -> None:
        self.trust = trust
        self.allowed: set[str] = set()
        self.folder: Path | None = None
        """Where the project's file stands: its own code is looked for there."""
        self._models: Workers | None = None
        self._warm = False

    def __call__(self, project: Project) -> Roles:
        """The roles of a project. Raises UsageError for one that is not allowed to run code."""
        from rollstep.core.roles.registry import build_roles

        return build_roles(
            project,
            base_folder=self.folder,
            trusted=self.trust,
            trust=self._may,
            models=self._gateway(),
        )

    def _gateway(self) -> Workers:
        from rollstep.core.workers.pool import Workers

        if self._models is None:
            self._models = Workers()
        return self._models

    async def warm_up(self, spec: Spec) -> None:
        """Load the library that this model is asked through, once, where one is needed."""
        from rollstep.core.roles.warming import needs_loading, warm_up

        if not self._warm and needs_loading(spec):
            self._warm = True
            await warm_up(self._gateway())

    async def aclose(self) -> None:
        """End that process."""
        if self._models is not None:
            await self._models.aclose()

    def _may(self, project: Project) -> bool:
        return not self.wants(project)

    def wants(self, project: Project) -> tuple[str, ...]:
        """What the project would do that needs a yes and has none yet; empty for nothing."""
        from rollstep.core.roles.registry import needs_trust

        if self.trust:
            return ()
        return tuple(want for want in needs_trust(project) if want not in self.allowed)
