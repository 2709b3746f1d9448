"""Which dialog each action opens, and what becomes of its answer; dialogs load when opened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.errors import RollstepError

from .list_dialogs import ListDialogs
from .target import OpenTarget
from .who import kind_of

if TYPE_CHECKING:
    from rollstep.core.store.change import Summary

    from .presenter import DebuggerModel
    from .rollstep_app import RollstepApp
    from .screens.debugger import DebuggerScreen
    from .screens.edit_types import EditRequest, EditResult
    from .screens.export_types import ExportDone
    from .screens.import_files import ImportDone
    from .screens.new_project import NewResult
    from .screens.sample_pick import SamplePick
    from .screens.start import StartChoice
    from .themes import Theme


_NEW_SLOT = "new:project"
"""Where a project form that was left unfinished is kept."""


class Dialogs(ListDialogs):
    """The app's dialogs."""

    def __init__(self, app: RollstepApp) -> None:
        super().__init__(app)
        self._picked_from: tuple[OpenTarget, SamplePick] | None = None
        """The log whose sample is shown, and which one that is."""

    def _answered(self, dialog: str = "the dialog") -> None:
        """Keys that act rest now: one more key of the answer must not. Nothing rests after a dialog
        that was cancelled.
        """
        self.app.guard.opened(dialog)

    # the editor

    def edit(self, request: EditRequest, slot: str, then: Callable[[EditResult], None]) -> None:
        """Open the editor on a step; drafts go to ``slot``."""
        from .screens.editor import EditorScreen

        def ended(result: EditResult | None) -> None:
            if result is None:
                return
            if result.outcome == "saved" and self.app.controller.busy:
                self.app.keep_draft(slot, result.draft)
                self.app.say(
                    "A step is being made: what you wrote is kept as a draft; the same key opens "
                    "it again."
                )
                return
            if result.outcome == "draft":
                self.app.keep_draft(slot, result.draft)
                self.app.say("Kept as a draft; the same key opens it again.")
            else:
                self.app.drop_draft(slot)
            if result.outcome == "saved":
                self._answered("the editor")
            if result.outcome == "unchanged":
                self.app.say("Saved without an edit: nothing changed.")
            then(result)

        screen = EditorScreen(request, on_draft=lambda body: self.app.keep_draft(slot, body))
        self.app.push_screen(screen, ended)

    def choose(
        self,
        title: str,
        options: tuple[tuple[str, str, str], ...],
        then: Callable[[str], None],
        text: str = "",
    ) -> None:
        """Let the human choose one of ``(value, words, key)``."""
        from .screens.choose import ChooseRequest, ChooseScreen, Option

        rows = tuple(Option(value, words, key=key) for value, words, key in options)

        def chosen(value: str | None) -> None:
            if value is not None:
                self._answered()
                then(value)

        self.app.push_screen(ChooseScreen(ChooseRequest(title, rows, text)), chosen)

    def when_trusted(
        self, model: DebuggerModel, go: Callable[[], None], *, replaying: bool = True
    ) -> None:
        """Ask, once for a project, whether its own code may run; then go on. ``replaying``: not
        where recorded answers alone stand in the roles' place.
        """
        if replaying and model.replaying is not None and not model.replaying:
            go()  # no role is asked
            return
        project = model.project
        kinds = {kind_of(project, role) for role in ("evaluator", "target", "tool")}
        wants = self.app.controller.maker.wants(project) if kinds & {"python", "llm"} else ()
        if not wants:
            go()
            return
        from .screens.choose import ChooseScreen, trust_question

        def answered(value: str | None) -> None:
            if value is not None:
                self._answered()
            if value == "yes":
                self.app.controller.maker.allowed.update(wants)
                go()

        self.app.push_screen(ChooseScreen(trust_question(wants)), answered)

    # looking

    def show_help(self) -> None:
        """All keys."""
        from .actions import key_table
        from .screens.help import HelpScreen

        self.app.push_screen(HelpScreen(key_table()))

    # projects and files

    def open_start(self, notice: str = "", path: str = "") -> None:
        """The start screen: recent rollouts, samples, a file, something new."""

        async def opening() -> None:
            recent: list[Summary] = []
            words = notice
            try:
                recent = await asyncio.wrap_future(self.app.controller.recent())
            except RollstepError as error:
                words = f"{notice} {error}".strip()
            self._start(recent, words, path)

        self.app.later(opening())

    def _start(self, recent: list[Summary], notice: str, path: str) -> None:
        from .screens.start import StartScreen
        from .starting import start_request

        throwaway = self.app.controller.throwaway
        request = start_request(recent, time.time(), notice=notice, path=path, throwaway=throwaway)
        self.app.push_screen(StartScreen(request), self._start_chosen)

    def _start_chosen(self, choice: StartChoice | None) -> None:
        app = self.app
        if choice is None or choice.kind == "quit":
            if choice is not None or app.debugger is None:
                app.exit()
        elif choice.kind == "new":
            self.new_project(None)
        elif choice.kind == "import":
            self.import_files()
        elif choice.kind == "library":
            self.open_library()
        elif choice.kind == "help":
            self.show_help()
        elif choice.kind == "sample":
            self.open_target(OpenTarget(sample=choice.value, recorded=choice.recorded))
        elif choice.kind == "rollout":
            self.open_target(OpenTarget(rollout=choice.value))
        else:
            self.open_path(choice.value)

    def open_path(self, text: str) -> None:
        """Open what a path names; what is wrong with it is said on the start screen."""
        from .targets import parse_target

        try:
            target = parse_target(text)
        except RollstepError as error:
            self.open_start(str(error), text)
            return
        self.open_target(target, text)

    def import_files(self, path: str = "") -> None:
        """Import other programs' files; then open the first, or pick one."""
        from .screens.import_files import ImportScreen

        app = self.app

        def library() -> Path | None:
            return app.controller.library_path

        def done(after: ImportDone | None) -> None:
            if after is None:
                if app.debugger is None:
                    self.open_start()
                return
            self._answered("the import")
            if after.path:
                self.pick_sample(OpenTarget(Path(after.path)))
            else:
                self.open_target(OpenTarget(rollout=after.rollout))

        app.push_screen(ImportScreen(library, path), done)

    def open_target(self, target: OpenTarget, path: str = "") -> None:
        """Open it, and show it when it is there."""
        self._picked_from = None
        self._opened_from_no_list()
        self.app.opening(self.app.controller.open(target), path)

    def leave_debugger(self) -> None:
        """Up to the samples of the log or the list that this one was picked from, or to the start
        screen; Esc there comes back.
        """
        self.app.controller.let_go()
        if self._picked_from is not None:
            self.pick_sample(*self._picked_from)
        elif not self.back_to_list():
            self.open_start()

    def pick_sample(self, log: OpenTarget, at: SamplePick | None = None) -> None:
        """Let the human pick a sample of a log."""
        from .screens.sample_pick import SamplePickScreen

        app = self.app

        def picked(pick: SamplePick | None) -> None:
            if pick is not None:
                target = log._replace(number=pick.number, nth=pick.nth)
                self.open_target(target, str(log.path))
                self._picked_from = log, pick
            elif app.debugger is None:
                self.open_start()

        assert log.path is not None
        app.push_screen(SamplePickScreen(log.path, at, log.read_as), picked)

    def ask_find(self, screen: DebuggerScreen) -> None:
        """Ask what to find in the branch that is shown."""
        from .widgets.find_bar import FindBar

        bars = screen.query(FindBar)
        if bars:
            bars.first().open()
            return
        bar = FindBar(id="find")
        bar.styles.position = "absolute"
        bar.styles.offset = screen.arrangement.bottom.offset
        screen.mount(bar)
        screen.call_after_refresh(bar.open)

    def choose_theme(self) -> None:
        """Choose a theme, seen at once; it is remembered."""
        from .screens.theme_picker import ThemePicker, ThemeRequest
        from .themes import read_themes

        app = self.app
        themes, problems = read_themes(app.config)
        request = ThemeRequest(
            themes,
            app.palette.theme.id,
            lambda theme: app.set_theme(theme, keep=False),
            tuple(str(problem) for problem in problems),
        )

        def chosen(theme: Theme | None) -> None:
            if theme is not None:
                app.set_theme(theme, keep=True)

        app.push_screen(ThemePicker(request), chosen)

    def new_project(self, model: DebuggerModel | None) -> None:
        """A new project: blank, from a seed row, or a copy."""
        from .screens.new_project import NewProject, NewRequest

        app = self.app
        current = model.project if model is not None else None
        copied = model.cursor + 1 if model is not None else 0
        step_id = model.step_id if model is not None else None
        request = NewRequest(current, copied, app.draft(_NEW_SLOT))

        def done(result: NewResult) -> None:
            self._new_done(result, step_id, from_start=model is None)

        on_draft = (lambda body: app.keep_draft(_NEW_SLOT, body)) if model is not None else None
        NewProject(app, request, done, on_draft=on_draft).ask()

    def _new_done(self, result: NewResult, step_id: str | None, *, from_start: bool) -> None:
        app, form = self.app, result.form
        if form.outcome == "draft":
            app.keep_draft(_NEW_SLOT, form.draft)
            app.say("Kept as a draft; a opens it again.")
        elif form.outcome == "use" and form.project is not None:
            app.drop_draft(_NEW_SLOT)
            source = form.path or (result.seed.path if result.seed is not None else "")
            if result.start == "copy":
                app.opening(app.controller.open_copy(form.project, step_id, source))
            else:
                app.opening(app.controller.open_project(form.project, source))
        elif from_start:
            self.open_start()

    def export(self, model: DebuggerModel) -> None:
        """Export the branch, with what the format cannot hold said first."""
        from .exporting import Exporter
        from .screens.export import ExportScreen

        def ended(done: ExportDone | None) -> None:
            if done is not None:
                self._answered("the export")
                self.app.say(done.words, "ok")

        self.app.push_screen(ExportScreen(Exporter(model, self.app.controller).request()), ended)
