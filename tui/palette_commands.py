"""The command palette's commands: the actions of the registry, by what they do."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from .actions import ACTIONS, Action, shown_keys
from .screens.debugger import DebuggerScreen

_LEFT_OUT = frozenset({"palette", "cancel"})


class ActionCommands(Provider):
    """Every action of the debugger."""

    def _actions(self) -> list[Action]:
        if not isinstance(self.screen, DebuggerScreen):
            return []
        return [action for action in ACTIONS if action.id not in _LEFT_OUT]

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
                shown = matcher.highlight(action.help)
                yield Hit(score, shown, self._doing(action), help=shown_keys(action))

    def _doing(self, action: Action) -> partial[None]:
        screen = self.screen
        assert isinstance(screen, DebuggerScreen)
        return partial(screen.action_act, action.id, chosen=True)
