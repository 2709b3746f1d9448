"""Who plays: the roles of a project, made when first needed, and of its variants for retakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .model.project import Project

if TYPE_CHECKING:
    from .roles.registry import Roles
    from .roles.replay import Replaying
    from .workers.pool import Workers

RolesFor = Callable[[Project], "Roles"]
"""Makes the roles of a project."""

_VARIANTS = 3
"""Variants whose roles are kept: who asks a model for more takes goes on with the same one."""


class DefaultRoles:
    """Makes the built-in roles, none of which runs code that the project names. All that one of
    these makes ask their models through one process, which ends with it.
    """

    def __init__(self) -> None:
        self._models: Workers | None = None

    def __call__(self, project: Project) -> Roles:
        """The roles of a project."""
        from .roles.registry import build_roles
        from .workers.pool import Workers

        if self._models is None:
            self._models = Workers()
        return build_roles(project, models=self._models)

    async def aclose(self) -> None:
        """End the process."""
        if self._models is not None:
            await self._models.aclose()


class Cast:
    """The roles of the project revision that is played, and those of a few variants of it, which
    are asked for takes only. Looking makes none, so that it never runs a user's code.
    """

    def __init__(self, roles_for: RolesFor | None) -> None:
        self._own = DefaultRoles()
        self._roles_for: RolesFor = roles_for or self._own
        self._project: Project | None = None
        self._roles: Roles | None = None
        self._variants: list[tuple[Project, Roles]] = []
        self.replaying: Replaying | None = None
        """While set, recorded answers stand in the place of the project's roles."""

    async def of(self, project: Project, variant: Project | None = None) -> Roles:
        """The roles of a project, or of a variant of it. Those of another project end."""
        if self.replaying is None or variant is not None:
            return await self._own_of(project, variant)
        from .roles.replay import replay_roles

        return replay_roles(project, self.replaying, lambda: self._own_of(project))

    async def _own_of(self, project: Project, variant: Project | None = None) -> Roles:
        if self._roles is None or self._project is not project:
            roles = self._roles_for(project)
            await self._end_all()
            self._roles, self._project = roles, project
        return self._roles if variant is None else await self._of_variant(variant)

    async def _of_variant(self, variant: Project) -> Roles:
        for index, (known, roles) in enumerate(self._variants):
            if known == variant:
                self._variants.append(self._variants.pop(index))
                return roles
        roles = self._roles_for(variant)
        self._variants.append((variant, roles))
        if len(self._variants) > _VARIANTS:
            await self._variants.pop(0)[1].aclose()
        return roles

    async def _end_all(self) -> None:
        ending = [roles for _, roles in self._variants]
        if self._roles is not None:
            ending.append(self._roles)
        self._roles, self._variants = None, []
        for roles in ending:
            await roles.aclose()

    async def close(self) -> None:
        """Let the roles go: child processes end."""
        await self._end_all()
        await self._own.aclose()
