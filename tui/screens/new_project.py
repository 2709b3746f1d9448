"""The way to a new project: blank, from a seed row, or a copy; then the form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from rollstep.core.model.project import Project
from textual.app import App

from .choose import ChooseRequest, ChooseScreen, Option
from .project_form import ProjectFormScreen
from .project_types import ProjectRequest, ProjectResult, blank_project
from .seed_pick import SeedPick, SeedPickScreen

Start = Literal["blank", "seed", "copy", "draft"]


@dataclass(frozen=True)
class NewRequest:
    """``current`` is the open rollout's project, ``copied`` counts its steps up to the cursor: a
    copy takes both along. ``draft`` is a form that was left unfinished.
    """

    current: Project | None = None
    copied: int = 0
    draft: str = ""
    folder: str = "."


@dataclass(frozen=True)
class NewResult:
    """How the form ended, what it started from, and the seed row if it was one."""

    start: Start
    form: ProjectResult
    seed: SeedPick | None = None


class NewProject:
    """Opens one screen after the other; ``done`` is called when the form has ended, and not at all
    when the human turned back before it.
    """

    def __init__(
        self,
        app: App[Any],
        request: NewRequest,
        done: Callable[[NewResult], None],
        *,
        on_draft: Callable[[str], None] | None = None,
    ) -> None:
        self.app = app
        self.request = request
        self._done = done
        self._on_draft = on_draft

    def ask(self) -> None:
        """Ask what to start from."""
        self.app.push_screen(ChooseScreen(new_choices(self.request)), self._chosen)

    def _chosen(self, value: str | None) -> None:
        if value == "seed":
            self.app.push_screen(SeedPickScreen(), self._picked)
        elif value is not None:
            self._open_form(cast(Start, value), None)

    def _picked(self, pick: SeedPick | None) -> None:
        if pick is not None:
            self._open_form("seed", pick)

    def _open_form(self, start: Start, seed: SeedPick | None) -> None:
        request = ProjectRequest("New project", blank_project(), folder=self.request.folder)
        if start == "draft":
            request = replace(request, draft=self.request.draft)
        elif start == "copy" and self.request.current is not None:
            request = replace(
                request,
                title=f"A copy of {self.request.current.title}",
                project=self.request.current,
                note=f"It takes along {copy_words(self.request.copied)}.",
            )
        elif seed is not None:
            request = replace(request, title="From a seed row", project=seed.project)

        def ended(form: ProjectResult | None) -> None:
            if form is not None:
                self._done(NewResult(start, form, seed))

        self.app.push_screen(ProjectFormScreen(request, on_draft=self._on_draft), ended)


def new_choices(request: NewRequest) -> ChooseRequest:
    """What a new project can start from."""
    options = [
        Option("blank", "Blank", "an echo as target, you as evaluator", "b"),
        Option("seed", "From a seed row", "pick one from a JSONL file", "s"),
    ]
    if request.current is not None:
        options.append(Option("copy", "A copy up to here", copy_words(request.copied), "c"))
    if request.draft:
        options.insert(0, Option("draft", "Go on with the draft", "left unfinished", "d"))
    return ChooseRequest("New", tuple(options))


def copy_words(steps: int) -> str:
    """What a copy takes along."""
    return f"the project and {steps} step{'' if steps == 1 else 's'}"
