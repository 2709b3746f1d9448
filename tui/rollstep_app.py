"""The Textual app: shows the debugger or the start screen, and joins them to the controller.

Only what the first paint needs is imported here; dialogs are imported when they are opened.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rollstep.core.config.keys import ReviewKeys
from rollstep.core.errors import NOT_RECORDED, RoleError, RollstepError
from textual import events
from textual._context import active_message_pump
from textual.await_complete import AwaitComplete
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen

from .actions import OPENING_KEYS
from .cells import cells
from .controller import Controller
from .dialogs import Dialogs
from .failing import in_a_line
from .key_order import OrderedKeys
from .logs import SeveralSamples
from .messages import CommandEnded, EngineNews
from .palette import Palette, textual_theme
from .presenter import DebuggerModel
from .safe_text import SafeText
from .sanitize import visible
from .screens.debugger import DebuggerScreen
from .screens.key_guard import KeyGuard
from .settings import Settings, save_settings
from .snapshot import Snapshot
from .themes import DEFAULT, Theme, find_theme

if TYPE_CHECKING:
    from rollstep.core.events import Event
    from textual.command import Provider

    from .review.model import ReviewModel
    from .target import OpenTarget


def _action_commands() -> type[Provider]:
    from .palette_commands import ActionCommands

    return ActionCommands


class RollstepApp(OrderedKeys[int]):
    """The whole of it."""

    TITLE = "rollstep"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {_action_commands}  # noqa: RUF012 (Textual's way)
    opening_keys = OPENING_KEYS

    def __init__(
        self,
        controller: Controller,
        snapshot: Snapshot | None,
        *,
        settings: Settings | None = None,
        config: Path | None = None,
        palette: Palette | None = None,
        guard: KeyGuard | None = None,
    ) -> None:
        self.config = config
        self.settings = settings or Settings()
        self.palette = palette or Palette(find_theme(DEFAULT, None))
        super().__init__()
        self.controller = controller
        self.guard = guard or KeyGuard()
        self.dialogs = Dialogs(self)
        self.startup_words = ""
        self.beside: tuple[str, str | None] | None = None
        """Another rollout, and the end of its branch, that the first one is compared with."""
        self.library_query: str | None = None
        """What the library screen lists first; None for the start screen in its place."""
        self.review: ReviewModel | None = None
        """The queue that is gone through, in place of the start screen."""
        self.review_keys = ReviewKeys()
        """What the configuration says of marks and the queue."""
        self.typed_tags: list[str] = []
        """Tags that were typed, the last at the end: they are offered again."""
        self.review_guide = ""
        """What reviewers go by."""
        self.pick_from: OpenTarget | None = None
        """A log of which a sample is picked first, when there is no snapshot."""
        self._first = snapshot
        self._safe = SafeText()
        self._drafts: dict[str, str] = {}
        self._draft_words = ""
        self.crash_words = ""
        theme = textual_theme(self.palette.theme)
        self.register_theme(theme)
        self.theme = theme.name

    # starting and ending

    def get_driver_class(self) -> type[Driver]:
        """Textual's choice, but one that outlives bytes that are no text."""
        chosen = super().get_driver_class()
        if chosen.__name__ != "LinuxDriver":
            return chosen
        from .driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        """The debugger when there is something to debug; else the start screen goes over it."""
        return self._debugger(self._first) if self._first is not None else Screen(id="base")

    def _debugger(self, snapshot: Snapshot) -> DebuggerScreen:
        return DebuggerScreen(self._model(snapshot), self.palette, self.settings)

    def _model(self, snapshot: Snapshot) -> DebuggerModel:
        model = DebuggerModel(snapshot)
        model.listed = self.dialogs.listed()
        return model

    def on_mount(self) -> None:
        """Listen to the engine, and to the system."""
        self.controller.post = self.post_message
        self._listen_to_signals()
        self.post_message(EngineNews())
        if words := self.startup_words or self.controller.take_opened_words():
            self.say(words)
        if self._first is not None:
            self.load_drafts()
        elif self.pick_from is not None:
            self.dialogs.pick_sample(self.pick_from)
        elif self.review is not None:
            self.dialogs.open_review(self.review)
        elif self.library_query is not None:
            self.dialogs.open_library(self.library_query)
        else:
            self.dialogs.open_start()
        if self.beside is not None and self.debugger is not None:
            self.debugger.feature("diff").compare_with(*self.beside)
        self.call_after_refresh(_settle)

    def _listen_to_signals(self) -> None:
        if sys.platform == "win32":
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            try:
                loop.add_signal_handler(number, self.exit, 128 + number)
            except (ValueError, RuntimeError):
                return  # not the main thread: an app under test

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The usual filters, and the last line of defence against outside text."""
        return [*super().get_line_filters(), self._safe]

    async def on_event(self, event: events.Event) -> None:
        """Remember pastes: the keys that follow one must not decide."""
        if isinstance(event, events.Paste):
            self.guard.pasted()
        await super().on_event(event)

    def _handle_exception(self, error: Exception) -> None:
        """Leave the terminal clean, and write what happened to a file, without anybody's values."""
        from .crash import crash_words

        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
            self.crash_words = crash_words(error)
        self._close_messages_no_wait()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Ctrl+P opens the palette, but where a line has a use of its own for it."""
        if action == "command_palette" and getattr(self.focused, "keeps_earlier", False):
            return False
        return super().check_action(action, parameters)

    def pop_screen(self) -> AwaitComplete:
        """Take the top screen away. A screen that has gone already takes no other with it: of two
        Enters in a row, the second is still in its queue when the first has closed it.
        """
        asking = active_message_pump.get(None)
        if isinstance(asking, Screen) and asking not in self.screen_stack:
            return AwaitComplete()
        return super().pop_screen()

    # the debugger's rollout

    @property
    def debugger(self) -> DebuggerScreen | None:
        """The debugger screen, wherever it is in the stack."""
        return next((s for s in self.screen_stack if isinstance(s, DebuggerScreen)), None)

    def on_engine_news(self, message: EngineNews) -> None:
        """Take the session's events in."""
        self.take_news()

    def take_news(self) -> None:
        """Take in what the session has told, if anything."""
        events_now = self.controller.take_events()
        debugger = self.debugger
        if debugger is not None and events_now:
            debugger.model.apply_all(events_now)
            debugger.news(_only_streamed(events_now))
            self.tell_over(debugger)

    def tell_over(self, debugger: DebuggerScreen) -> None:
        """Tell what stands over the debugger and shows what a run goes on to change."""
        for screen in self.screen_stack[self.screen_stack.index(debugger) + 1 :]:
            if (news := getattr(screen, "news", None)) is not None:
                news()

    def on_command_ended(self, message: CommandEnded) -> None:
        """A command is over; the debugger takes it in, and then what shows the same over it."""
        self._command_ended(message)
        if self.debugger is not None:
            self.tell_over(self.debugger)

    def _command_ended(self, message: CommandEnded) -> None:
        self.take_news()
        debugger = self.debugger
        error = message.error
        cancelled = isinstance(error, CancelledError | asyncio.CancelledError)
        if debugger is None:
            if error is not None and not cancelled:
                self.say(str(error))
            return
        if cancelled:
            debugger.make.command_cancelled(message.label)
            return
        if error is None:
            debugger.make.command_ended(message.label, message.result)
            return
        debugger.repaint()
        if type(error).__name__ == "HumanNeeded":
            debugger.model.follow_head()
            debugger.feature("roles").human_needed(message.label)
        elif isinstance(error, RoleError) and error.kind == NOT_RECORDED:
            debugger.feature("present").not_recorded(error, message.label)
        elif isinstance(error, RoleError):
            words = in_a_line(str(error), error.kind, message.label)
            debugger.flash(words, "error")
        elif isinstance(error, RollstepError):
            debugger.flash(str(error), "warn")
        elif isinstance(error, Exception):
            raise error

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a rollout that has been opened, in place of the one before."""
        self.guard.opened("the rollout opened")
        debugger = self.debugger
        if debugger is not None:
            while self.screen is not debugger:
                self.pop_screen()
            debugger.show_model(self._model(snapshot))
        else:
            self.push_screen(self._debugger(snapshot))
        self.load_drafts()

    def opening(self, future: Future[Snapshot], path: str = "") -> None:
        """Show a rollout when it has been opened; say why when it cannot be."""
        self.run_worker(self._opening(future, path), group="opening", exclusive=True)

    async def _opening(self, future: Future[Snapshot], path: str) -> None:
        try:
            snapshot = await asyncio.wrap_future(future)
        except SeveralSamples as several:
            self.dialogs.pick_sample(several.log)
            return
        except RollstepError as error:
            self.dialogs.open_start(str(error), path)
            return
        self.show_snapshot(snapshot)
        if words := self.controller.take_rescued() or self.controller.take_opened_words():
            self.say(words)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something that waits for the engine; what goes wrong there is said."""
        self.run_worker(self._said(work), group="later")

    async def _said(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except RollstepError as error:
            self.say(str(error))

    # drafts

    def load_drafts(self) -> None:
        """Fetch what was typed and not saved."""

        async def load() -> None:
            found = await asyncio.wrap_future(self.controller.drafts())
            self._drafts = {draft.slot: draft.body for draft in found}
            self._show_drafts()

        self._drafts = {}
        self.later(load())

    def _show_drafts(self) -> None:
        debugger = self.debugger
        if debugger is not None and debugger.model.drafts != frozenset(self._drafts):
            debugger.model.set_drafts(self._drafts)
            debugger.repaint(follow=False)

    def draft(self, slot: str) -> str:
        """The draft kept in a slot, or nothing."""
        return self._drafts.get(slot, "")

    def drafts(self) -> dict[str, str]:
        """Every draft by its slot."""
        return self._drafts

    def keep_draft(self, slot: str, body: str) -> None:
        """Keep what is being typed."""
        self._drafts[slot] = body
        self._show_drafts()
        saving = self.controller.save_draft(slot, body)
        if saving is not None:
            self.later(self._keeping(saving))

    async def _keeping(self, saving: Future[object]) -> None:
        words = ""
        try:
            await asyncio.wrap_future(saving)
        except RollstepError as error:
            words = f"{error} What you type is only in memory."
        if words and words != self._draft_words:  # once, not with every key
            self.say(words)
        self._draft_words = words

    def drop_draft(self, slot: str) -> None:
        """A draft is done with."""
        if self._drafts.pop(slot, None) is not None:
            self.controller.drop_draft(slot)
            self._show_drafts()

    # settings and themes

    def remember(self, **changes: Any) -> None:
        """Change settings and write them down."""
        self.settings = self.settings._replace(**changes)
        try:
            save_settings(self.config, self.settings)
        except OSError as error:
            self.say(f"The settings could not be saved: {error.strerror}.")

    def set_theme(self, theme: Theme, *, keep: bool) -> None:
        """Draw everything in this theme from now on; ``keep`` remembers it."""
        self.palette = Palette(theme)
        made = textual_theme(theme)
        self.register_theme(made)
        self.theme = made.name
        for screen in self.screen_stack:
            change = getattr(screen, "set_palette", None)
            if change is not None:
                change(self.palette)
        if keep:
            self.remember(theme=theme.id)

    def say(self, words: str, style: str = "warn") -> None:
        """Say something where the human looks."""
        screen, flash = self.screen, getattr(self.screen, "flash", None)
        # Elsewhere than in the debugger, a line that would be cut off is said in a box.
        if flash is not None and (screen is self.debugger or cells(words) < self.size.width - 2):
            flash(words, style)
        else:
            severity: Literal["error", "information"] = (
                "error" if style == "alarm" else "information"
            )
            self.notify(visible(words), severity=severity, markup=False)

    def when_done(self, future: Future[Any], then: Callable[[Any], None]) -> None:
        """Call ``then`` with the engine's answer."""

        async def waiting() -> None:
            then(await asyncio.wrap_future(future))

        self.later(waiting())


def _only_streamed(found: list[Event]) -> bool:
    from rollstep.core.events import Streamed

    return all(isinstance(event, Streamed) for event in found)


def _settle() -> None:
    """What was made at start stays: the collector need not look at it again."""
    gc.freeze()
    gc.enable()
