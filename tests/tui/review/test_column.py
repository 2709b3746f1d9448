"""The parts of the queue's screen that draw: what stands in the column, at the side and above."""

from __future__ import annotations

import unicodedata

import msgspec
import pytest
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.review.keeping import KeptQueue
from rollstep.core.review.queue import Entry, Queue
from rollstep.core.rules.marking import MarkChange
from rollstep.tui.cells import cells
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.review.column import Column
from rollstep.tui.review.model import Loaded, ReviewModel
from rollstep.tui.review.side import brief, side
from rollstep.tui.review.words import counts, duration, goal, guide_rows, key_line, pace, top
from rollstep.tui.rows import Row
from rollstep.tui.snapshot import Snapshot

from ..synthetic import HOSTILE, big, hostile, refund


def loaded(snapshot: Snapshot, read: frozenset[str] = frozenset()) -> Loaded:
    model = DebuggerModel(snapshot)
    model.lint.work(5.0)
    return Loaded(model, read, "mira")


def review(snapshot: Snapshot, **more: object) -> ReviewModel:
    model = ReviewModel(
        KeptQueue(Queue("verdict:none", "mira", 0.0, ("r1", "r2"), **more))  # type: ignore[arg-type]
    )
    model.take("r1", loaded(snapshot))
    return model


def lines(rows: list[Row]) -> str:
    return "\n".join(row.text for row in rows)


def every_row(model: ReviewModel, width: int, height: int) -> list[Row]:
    shown = model.shown
    assert shown is not None
    column = Column(shown, width * 2 // 3, height)
    rows = [top(model, width), counts(model, width), goal(model, width), key_line(width)]
    rows += [*side(model, width // 3, height), brief(model, width)]
    while True:
        rows += column.rows()
        if not column.scroll(height):
            return rows


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", [80, 120, 160])
def test_no_outside_character_reaches_a_row_and_none_is_too_wide(name: str, width: int) -> None:
    bad = HOSTILE[name]
    snapshot = hostile(bad)
    leaf = DebuggerModel(snapshot).leaf or ""
    marks = (
        Mark(leaf, verdict="reject", tags=(bad,), note=bad, by="mira", at=1.0),
        Mark(leaf, verdict="accept", note=bad, by=bad, at=1.0),
    )
    scores = (Score(bad, bad, bad, bad),)
    snapshot = snapshot._replace(marks=marks, scores=scores)
    model = ReviewModel(KeptQueue(Queue(bad, bad or "mira", 0.0, ("r1",))), show_others=True)
    model.take("r1", loaded(snapshot))
    model.unsaved = bad
    rows = every_row(model, width, 30)
    rows += [Row(((text, "text"),)) for _, text in guide_rows(bad, width)]
    for row in rows:
        assert cells(row.text) <= width
        for char in row.text:
            assert unicodedata.category(char) not in ("Cc", "Cs"), (name, row.text)
            assert char not in "\u202e\u2066\u2028"


def test_copies_edits_and_flags_are_marked_and_said() -> None:
    made = refund("o9-1")
    last = msgspec.structs.replace(made.steps[-1], copied_from=made.steps[0].id)
    model = review(made._replace(steps=(*made.steps[:-1], last)))
    shown = model.shown
    assert shown is not None
    text = lines(Column(shown, 100, 80).rows())
    assert "S  8*" in text
    assert "(what if it were refundable?)" in text
    assert "T  9~" in text
    assert "S  3!" in text
    assert "~ 9 copied, not verified" in lines(side(model, 50, 30))
    shown.read.add(last.id)
    assert "not verified" not in lines(side(model, 50, 30))


def test_turns_say_whether_they_were_read() -> None:
    model = review(refund())
    shown = model.shown
    assert shown is not None
    assert shown.looks.turns == [False, False, False]
    first_turn = {
        step.id
        for step, turn in zip(shown.model.path.steps, shown.model.path.turn, strict=True)
        if turn == 1
    }
    shown.read |= first_turn
    text = lines(Column(shown, 100, 80).rows()).splitlines()
    ruled = [line for line in text if line.startswith("── turn")]
    assert [line.endswith("read ──") for line in ruled] == [True, False, False]
    assert "read 1 of 3" in lines(side(model, 50, 30))
    again = loaded(refund(), frozenset(first_turn))
    assert again.model.path.turn[again.model.cursor] == 2, "reading goes on where it was left"


def test_what_is_in_sight_ends_on_the_screen() -> None:
    column = Column(loaded(big(60)), 80, 12)
    column.model.cursor = 0
    column.show_cursor()
    seen = column.in_sight()
    assert seen == list(range(len(seen)))
    assert len(seen) < 12
    total = set(seen)
    while column.scroll(10):
        total |= set(column.in_sight())
    assert total == set(range(len(column.path)))
    assert column.item_at(0) is not None


def test_an_edit_outdates_the_own_verdict_and_the_queue_asks_again() -> None:
    made = refund()
    leaf = DebuggerModel(made).leaf or ""
    edit = next(step for step in made.steps if step.replaces)
    later = tuple(
        msgspec.structs.replace(step, created_at=9.0) if step is edit else step
        for step in made.steps
    )
    mark = Mark(leaf, verdict="accept", by="mira", at=5.0)
    entry = Entry("r1", leaf, "accept", decides=True)
    model = ReviewModel(KeptQueue(Queue("", "mira", 0.0, ("r1",), entries=(entry,))))
    model.take("r1", loaded(made._replace(steps=later, marks=(mark,))))
    assert "A! edited since" in lines(side(model, 50, 30))
    assert model.queue.verdicts() == {}


def test_a_mark_counts_at_once_and_no_longer_when_it_cannot_be_saved() -> None:
    model = review(refund())
    shown = model.shown
    assert shown is not None
    leaf = shown.model.leaf or ""
    entry = model.say(leaf, MarkChange(verdict="accept"), 1.0)
    assert entry is not None
    assert model.say(leaf, MarkChange(note=""), 2.0) is None, "nothing changes"
    assert model.mine.verdict == "accept"
    assert model.progress.accepted == 1
    assert "saving 1 …" in top(model, 120).text
    model.not_said(entry, "disk full")
    assert model.progress.accepted == 0
    assert "NOT SAVED: disk full" in top(model, 120).text
    assert model.wanted() == ["r1", "r2"], "it is loaded again, as the library has it"


def test_times_are_said_briefly() -> None:
    assert (pace(98), pace(59.7), pace(3.4)) == ("1:38", "1:00", "3 s")
    assert (duration(0.2), duration(59), duration(3_300), duration(12_000)) == (
        *("1 s", "59 s", "55 min", "3 h 20 min"),
    )


def test_the_top_line_keeps_the_place_on_a_narrow_screen() -> None:
    long = 'tool:issue_refund and turns>6 and "a long text that is looked for in all of them"'
    model = ReviewModel(KeptQueue(Queue(long, "mira", 0.0, ("r1", "r2"))))
    model.take("r1", loaded(refund()._replace(header=RolloutHeader("r1", "x" * 200))))
    for width in (80, 120, 160):
        assert "1 of 2" in top(model, width).text
        assert "by mira" in top(model, width).text
        assert cells(top(model, width).text) == width
        assert cells(counts(model, width).text) == width
