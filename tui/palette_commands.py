"""The command palette's commands: the actions of the registry, by what they do."""

from __future__ import annotations

from functools import partial
from typing import Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from .actions import Action, shown_keys


class Commanded(Protocol):
    """A screen whose actions can be chosen by name."""

    def palette_actions(self) -> tuple[Action, ...]:
        """Those there are."""

    def action_act(self, name: str, chosen: bool = False) -> None:
        """Do one."""


_LEFT_OUT = frozenset({"palette", "cancel"})


class ActionCommands(Provider):
    """Every action of the screen that it is opened over: the debugger, the library."""

    def _actions(self) -> list[Action]:
        if not hasattr(self.screen, "palette_actions"):
            return []
        actions = cast(Commanded, self.screen).palette_actions()
        return [action for action in actions if action.id not in _LEFT_OUT]

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for action in self._actions():
            yield DiscoveryHit(action.help, self._doing(action), help=shown_keys(action))

    async def search(self, query: str) -> Hits:
        """Those that fit what is typed."""
        matcher = self.matcher(query)
        for action in self._actions():
            score = matcher.match(action.help)
            if score > 0:
                # What begins with the words is what its name is.
                score += action.help.casefold().startswith(query.casefold())
                shown = matcher.highlight(action.help)
                yield Hit(score, shown, self._doing(action), help=shown_keys(action))

    def _doing(self, action: Action) -> partial[None]:
        return partial(cast(Commanded, self.screen).action_act, action.id, chosen=True)
