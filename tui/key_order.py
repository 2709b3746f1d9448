"""Keys are carried out in the order in which they were typed.

Textual hands a key to the focused widget, which acts at once on those that it takes itself, such
as letters. Every other key, Backspace and the arrows too, climbs from widget to widget to the app,
one message queue after the other, and only there are bindings looked up. By then the widget has
inserted the letters that were typed next, and a change of focus comes too late for them. Here the
next key waits until the one before, and the messages that it caused, have come up to the app.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Generic

from textual import events
from textual.app import App, ReturnType
from textual.message_pump import MessagePump

PATIENCE = 2.0
"""A widget that does not come to its messages for so long does not keep keys back any longer."""

Done = Callable[[], Awaitable[None]]


class _Hop:
    """What is called at a widget on a key's way up. Textual counts the parameters of whatever it
    calls, and of what it has not seen before by its signature: at each of some six hops a tenth of
    a millisecond.
    """

    __slots__ = ("_call",)
    _param_count = 0

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call

    def __call__(self) -> Any:
        return self._call()


class OrderedKeys(App[ReturnType], Generic[ReturnType]):
    """An app in which a key, or a paste, never overtakes the key before it.

    While nothing has the focus all keys climb the same way, and none waits, but for those behind
    one of ``opening_keys`` (the screen's, where it has some): what is typed then is meant for what
    that key opens.
    """

    opening_keys: frozenset[str] = frozenset()

    def __init__(self) -> None:
        super().__init__()
        self._typed: deque[events.Key | events.Paste] = deque()
        self._climb = 0
        self._climbing = self._watched = False

    @property
    def keys_wait(self) -> bool:
        """Whether more has been typed than was dealt with: what is drawn now is soon outdated."""
        return bool(self._typed)

    async def on_event(self, event: events.Event) -> None:
        """Let a key through, or keep it until the one before has been dealt with."""
        if not isinstance(event, events.Key | events.Paste):
            await super().on_event(event)
            return
        if not self.screen_stack:
            return  # the app is ending: no key means anything any more
        if event.is_forwarded:
            await super().on_event(event)
            return
        self._typed.append(event)
        if not self._climbing:
            await self._let_through()
        else:
            self._watch()

    async def _let_through(self) -> None:
        while self._typed and self.screen_stack and not self._climbing:
            event = self._typed.popleft()
            target: MessagePump | None = self.focused
            # What has the focus may take letters for itself, or leave all keys to the screen.
            left = target is None or getattr(target, "leaves_keys", False)
            opens = left and self._opens(getattr(event, "key", ""))
            if opens:
                target = target or self.screen
            await super().on_event(event)
            if event.is_forwarded and target is not None:
                self._climb += 1
                self._climbing = True
                done = self._opened if opens else self._arrived
                self._follow(target, partial(done, self._climb), again=True)

    def _opens(self, key: str) -> bool:
        """Whether a key may open something; on a menu of keys (``KEYS_OPEN``) each may."""
        keys = getattr(self.screen, "opening_keys", self.opening_keys)
        return key in keys or getattr(self.screen, "KEYS_OPEN", False)

    def _follow(self, node: MessagePump | None, done: Done, again: bool) -> None:
        """Queue behind the key at each widget on its way up; twice at the first one, where what
        the key caused was posted behind us.
        """
        if node is not None and node is not self:
            following = _Hop(lambda: self._follow(node if again else node._parent, done, False))
            if node.post_message(events.Callback(callback=following)):
                return
        self.post_message(events.Callback(callback=_Hop(done)))

    async def _opened(self, climb: int) -> None:
        """What was opened has the focus when it has been drawn."""

        def drawn() -> None:
            self.call_later(self._arrived, climb)

        if self.screen_stack:
            self.screen.call_after_refresh(drawn)

    async def _arrived(self, climb: int) -> None:
        if climb == self._climb and self._climbing:
            self._climbing = False
            await self._let_through()

    def _watch(self) -> None:
        """See to it that keys which wait are let through in the end."""
        if not self._watched:
            self._watched = True
            self.set_timer(PATIENCE, partial(self._lose_patience, self._climb))

    async def _lose_patience(self, climb: int) -> None:
        self._watched = False
        await self._arrived(climb)
        if self._typed and self.screen_stack:
            self._watch()
