"""The start screen: recent rollouts, samples, a file, something new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..typed_filter import TypedFilter
from ..widgets.row_list import Column, ListRow, RowList

RECENT_SHOWN = 8
"""Recent rollouts shown before the samples; the rest on demand."""
_TURNS, _EDITS, _WHEN = Column(8, "muted"), Column(8, "muted", least=90), Column(14, "muted")
_WIDE = 120
_MORE = "more"
_OPENED = (".yaml", ".yml", ".jsonl", ".json", ".eval", ".traj", ".gz")


@dataclass(frozen=True)
class SampleRow:
    """A sample project: ``name`` opens it, ``learn`` says in a line what there is to learn,
    ``recorded`` whether a recorded rollout comes with it.
    """

    name: str
    title: str
    goal: str
    learn: str
    recorded: bool = True
    needs_key: bool = False


@dataclass(frozen=True)
class RecentRow:
    """A rollout of the library: how it ``ended`` and ``when`` it was worked on, in words."""

    id: str
    title: str
    turns: int
    edits: int
    ended: str
    when: str
    source: str = ""


@dataclass(frozen=True)
class StartRequest:
    """What there is to start with. ``notice`` says what went wrong with ``path`` the last time."""

    samples: tuple[SampleRow, ...] = ()
    recent: tuple[RecentRow, ...] = ()
    notice: str = ""
    path: str = ""


@dataclass(frozen=True)
class StartChoice:
    """What was chosen: ``value`` is a sample's name, a rollout's id or a path. ``recorded`` asks
    for a sample's recorded rollout.
    """

    kind: Literal["sample", "rollout", "path", "import", "library", "new", "help", "quit"]
    value: str = ""
    recorded: bool = False


class StartScreen(Screen[StartChoice | None]):
    """Dismisses with what was chosen, or None for back to the screen under it. With ``on_help`` the
    help is left to that, and this screen stays.
    """

    CSS_PATH = "start.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open_file", "Open a file"),
        Binding("i", "import", "Import"),
        Binding("l", "library", "All rollouts"),
        Binding("a", "new", "New project"),
        Binding("v", "afresh", "Open the sample with nothing played yet"),
        Binding("slash", "filter", "Filter"),
        Binding("question_mark,f1", "help", "Keys"),
        Binding("escape", "back", "Back", show=False),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, request: StartRequest, *, on_help: Callable[[], None] | None = None) -> None:
        super().__init__()
        self.request = request
        self._on_help = on_help
        self._filter, self._all = TypedFilter(), False
        self._wide = False
        self._list = RowList(self._rows())

    def compose(self) -> ComposeResult:
        """Title, rows, what the row under the cursor is, keys."""
        yield Static(
            Content.assemble(
                ("rollstep", "bold $primary"), "  step a rollout, override it, export it"
            ),
            id="title",
        )
        yield self._list
        with Vertical(id="below"):
            yield Static("", id="about")
            yield Static(Content(one_line(self.request.notice)), id="notice")
        yield Static("", id="keys")

    def on_mount(self) -> None:
        """Keys move at once."""
        if not self.query("#notice"):
            return  # the app is ending, and nothing was put on the screen any more
        self._list.focus()
        self.query_one("#notice").display = bool(self.request.notice)
        self._say_keys()
        if self.request.path:
            self.call_after_refresh(self.action_open_file)

    # Choosing

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter or a click on a row."""
        key = event.row.key
        if isinstance(key, SampleRow):
            self.dismiss(StartChoice("sample", key.name, recorded=key.recorded))
        elif isinstance(key, RecentRow):
            self.dismiss(StartChoice("rollout", key.id))
        elif key == _MORE:
            self._all = True
            self._refill()
        elif key == "open":
            self.call_later(self.action_open_file)
        elif key == "import":
            self.action_import()
        elif key == "library":
            self.action_library()
        elif key == "new":
            self.action_new()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Say what the cursor stands on."""
        key, about = event.row.key, ""
        if isinstance(key, SampleRow):
            about = key.learn + (f"\nGoal: {key.goal}" if key.goal else "")
        elif isinstance(key, RecentRow):
            turns = f"{key.turns} turn{'' if key.turns == 1 else 's'}"
            edits = f"{key.edits} edit{'' if key.edits == 1 else 's'}"
            about = f"{turns}, {edits}, {key.ended}, {key.when}"
            about += f"\nfrom {key.source}" if key.source else ""
        elif key == "open":
            about = (
                "A project (.yaml), seed rows (.jsonl), a bundle (.rollstep.jsonl), or a log or "
                "dataset of another program"
            )
        elif key == "import":
            about = "Logs and datasets of other programs, all of a file or folder, into the library"
        elif key == "library":
            about = "The library: filter, sort, mark, numbers"
        elif key == "new":
            about = "A blank project, or one from a seed row"
        self.query_one("#about", Static).update(Content(visible(about)))

    def action_import(self) -> None:
        """Other programs' logs and datasets."""
        self.dismiss(StartChoice("import"))

    def action_library(self) -> None:
        """The table of all rollouts."""
        self.dismiss(StartChoice("library"))

    def action_new(self) -> None:
        """A new project."""
        self.dismiss(StartChoice("new"))

    def action_afresh(self) -> None:
        """The sample under the cursor, with nothing played yet."""
        row = self._list.current
        if row is not None and isinstance(row.key, SampleRow):
            self.dismiss(StartChoice("sample", row.key.name))

    def action_help(self) -> None:
        """All keys."""
        if self._on_help is not None:
            self._on_help()
        else:
            self.dismiss(StartChoice("help"))

    def action_quit(self) -> None:
        """Leave the program."""
        self.dismiss(StartChoice("quit"))

    def action_back(self) -> None:
        """Out of the path, out of the filter; then back to what is under this screen, if anything
        is.
        """
        inside = bool(self.query("PathField")) or self._filter.used
        if not inside and len(self.app.screen_stack) > 2:
            self.dismiss(None)
            return
        for field in self.query("PathField"):
            field.remove()
        self._filter.clear()
        self._refill()
        self._list.focus()

    # A file

    async def action_open_file(self) -> None:
        """Type a path."""
        # Not needed for the first paint, and a text area takes a while to import.
        from ..widgets.path_field import PathField

        if not self.query(PathField):
            await self.query_one("#below").mount(PathField(self.request.path, suffixes=_OPENED))
        self.query_one(PathField).box.focus()
        self._say_keys()

    def on_path_field_chosen(self, event: events.Event) -> None:
        """Enter on a path."""
        path = getattr(event, "path", "").strip()
        if path:
            self.dismiss(StartChoice("path", path))

    # The filter

    def on_key(self, event: events.Key) -> None:
        """Letters of the filter, while it is typed."""
        if self._filter.take(event):
            self._refill()

    def action_filter(self) -> None:
        """Cut the lists down by typing."""
        self._filter.typing = True
        self._say_keys()

    def _refill(self) -> None:
        self._list.show(self._rows())
        self._say_keys()

    def _rows(self) -> list[ListRow]:
        rows: list[ListRow] = []
        title = Column(46 if self._wide else 30, "strong")
        sample_columns = (title, Column(look="muted"))
        recent_columns = (title, _TURNS, _EDITS, Column(), _WHEN)
        recent = [row for row in self.request.recent if self._filter.lets_in(row.title, row.ended)]
        samples = [
            row for row in self.request.samples if self._filter.lets_in(row.title, row.learn)
        ]
        if recent:
            rows.append(ListRow(("RECENT",)))
            shown = recent if self._all or self._filter.text else recent[:RECENT_SHOWN]
            rows += [ListRow(_recent_cells(row), row, recent_columns) for row in shown]
            if len(shown) < len(recent):
                rows.append(ListRow((f"… {len(recent) - len(shown):,} more; l lists all",), _MORE))
            rows.append(ListRow(("",)))
        if samples:
            rows.append(ListRow(("SAMPLES",)))
            rows += [ListRow((row.title, row.learn), row, sample_columns) for row in samples]
            rows.append(ListRow(("",)))
        if not self._filter.text:
            rows.append(ListRow(("Open a file …",), "open"))
            rows.append(ListRow(("Import …",), "import"))
            if self.request.recent:
                rows.append(ListRow(("All rollouts …",), "library"))
            rows.append(ListRow(("New project …",), "new"))
        return rows

    def on_resize(self, event: events.Resize) -> None:
        """Titles get more room where there is more."""
        wide = event.size.width >= _WIDE
        if wide != self._wide:
            self._wide = wide
            self._refill()

    def _say_keys(self) -> None:
        if self.query("PathField"):
            words = "Enter open   Tab complete   Esc back"
        else:
            keys = (
                "Enter open  v afresh  o file  i import  l library  a new  / filter  ? keys  q quit"
            )
            words = self._filter.words(keys)
        self.query_one("#keys", Static).update(Content(one_line(words)))


def _recent_cells(row: RecentRow) -> tuple[str, ...]:
    turns = f"{row.turns} turn{'' if row.turns == 1 else 's'}"
    edits = f"{row.edits} edit{'' if row.edits == 1 else 's'}" if row.edits else ""
    return (row.title, turns, edits, row.ended, row.when)
