"""The rollout as a tree of segments: pure, quick for thousands of forks, and never recursive."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.marks import Silence
from rollstep.core.model.messages import Stop, target_reply, tool_result, user_message
from rollstep.core.model.rollout import Branch, RolloutHeader
from rollstep.core.model.steps import Attempt, Step, role_of
from rollstep.tui.outline.model import Outline
from rollstep.tui.outline.rows import draw, header
from rollstep.tui.outline.tree import OutlineTree, TreeRow
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.snapshot import Snapshot

from ..synthetic import HOSTILE, hostile, project, refund


def model_of(*steps: Step, **more: object) -> DebuggerModel:
    header = RolloutHeader("r", "Title")
    return DebuggerModel(Snapshot(header, (project(),), steps, **more))  # type: ignore[arg-type]


def said(step_id: str, parent: str | None, text: str = "") -> Step:
    payload = user_message(text or step_id)
    return Step(step_id, parent, role_of(payload), payload, "script", seq=1)


def forks() -> DebuggerModel:
    """a b, then c d (a long side), e (a take), f g h i where the branch that is shown ends."""
    pairs = ("a", None), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "b"), ("f", "b"), ("g", "f")
    return model_of(*(said(i, parent) for i, parent in pairs), head="b")


def lines(outline: Outline, width: int = 100) -> list[str]:
    return [draw(outline, r, width, selected=False).text.rstrip() for r in outline.rows]


def test_segments_are_runs_between_forks() -> None:
    tree = OutlineTree(forks(), {})
    found = [(s.first, s.last, s.start, s.length, s.size, s.leaves) for s in tree.segments[1:]]
    assert found == [
        ("a", "b", 0, 2, 7, 3),
        ("c", "d", 2, 2, 2, 1),
        ("e", "e", 2, 1, 1, 1),
        ("f", "g", 2, 2, 2, 1),
    ]
    assert [tree.of[i] for i in "abcdefg"] == [1, 1, 2, 2, 3, 4, 4]
    assert not tree.root_shown


def test_what_is_shown_goes_on_below_its_sisters_at_the_same_depth() -> None:
    model = forks()
    rows = OutlineTree(model, {}).rows(set(), show_hidden=False)
    assert rows == [
        TreeRow(1, -1, 0, False),
        TreeRow(2, -1, 1, True),
        TreeRow(3, -1, 1, True),
        TreeRow(4, -1, 0, False),
    ]
    model.go_to("c")
    rows = OutlineTree(model, {}).rows(set(), show_hidden=False)
    assert [row.segment for row in rows] == [1, 3, 4, 2]
    assert OutlineTree(model, {}).rows({"a"}, show_hidden=False) == [TreeRow(1, -1, 0, False)]


def test_hidden_branches_are_left_out_or_shown() -> None:
    model = forks()
    model.branches = (Branch("d", hidden=True), Branch("e", "a try", hidden=True))
    tree = OutlineTree(model, {})
    assert tree.hidden == 2
    assert [row.segment for row in tree.rows(set(), show_hidden=False)] == [1, 4]
    assert [row.segment for row in tree.rows(set(), show_hidden=True)] == [1, 2, 3, 4]


def test_turns_are_counted_as_in_the_panes() -> None:
    model = DebuggerModel(refund())
    tree = OutlineTree(model, {})
    assert [(s.turns, s.length) for s in tree.segments[1:]] == [
        ((1, 2), 7),
        ((2, 3), 5),
        ((2, 2), 2),
    ]
    assert tree.segments[2].stop == Stop("goal_reached", "evaluator")


def test_items_stand_in_their_segment_in_the_order_of_the_path() -> None:
    model = DebuggerModel(refund())
    model.attempts["s8"] = [Attempt("a", "s8", "target", "raised", "It broke.")]
    model.attempts[None] = [Attempt("b", None, "evaluator", "raised", "No key.")]
    tree = OutlineTree(model, {"override:s2": "{}", "write:": "{}", "new:project": "{}"})
    found = [[(i.kind, i.step_id) for i in segment.items] for segment in tree.segments]
    assert found == [
        [("draft", None), ("failure", None)],
        [("draft", "s2"), ("flag", "s3")],
        [("failure", "s8")],
        [("edit", "o8")],
    ]
    assert tree.root_shown
    assert [s.counts.marks() for s in tree.segments] == ["…1", "…1 !1", "", "*1"]


def test_a_draft_over_a_stop_is_listed_at_the_stop() -> None:
    model = DebuggerModel(refund())
    stop = model.path.steps[-1]
    assert isinstance(stop.payload, Stop)
    outline = Outline(model, {f"overrule:{stop.id}": "{}"})
    segment = outline.tree.segments[outline.tree.of[stop.id]]
    assert segment.counts.marks() == "…1"
    assert outline.words.item(segment, 0) == (
        "12 stop: words over this stop that are not saved yet: w opens them"
    )


def test_flags_of_branches_that_are_not_shown_can_be_silenced_too() -> None:
    bad = tool_result("c3", "broken", is_error=True)
    other = Step("x", "s7", "tool", bad, "script", seq=20)
    snapshot = refund()
    model = DebuggerModel(snapshot._replace(steps=(*snapshot.steps, other)))
    tree = OutlineTree(model, {})
    assert tree.look_on(100)
    assert tree.segments[-1].counts.flags == 1
    model.silences = (Silence("x", "tool-error"),)
    tree = OutlineTree(model, {})
    assert not tree.look_on(100)
    assert tree.segments[-1].counts.flags == 0


def test_where_breakpoints_hold_is_looked_for_bit_by_bit() -> None:
    model = DebuggerModel(refund())
    model.breakpoints = (Breakpoint("kind = result", name="results"),)
    tree = OutlineTree(model, {})
    assert not tree.looked_at_all
    assert not tree.look_on(2)
    assert tree.look_on(100)
    assert tree.looked_at_all
    breaks = [i for s in tree.segments for i in s.items if i.kind == "break"]
    assert [item.step_id for item in breaks] == ["s3", "s4", "s8"]
    assert breaks[0].words == 'breakpoint 1 "results": kind = result'
    first = tree.segments[1]
    assert [item.place for item in first.items] == sorted(item.place for item in first.items)


def test_the_branch_shown_the_head_and_names_are_marked() -> None:
    model = forks()
    model.branches = (Branch("d", "angry\x1b[31m"),)
    text = "\n".join(lines(Outline(model, {})))
    assert "splits in 3 [head]" in text
    assert "├╴· angry␛[31m" in text
    assert "├╴· branch 2" in text
    assert "· branch 3 [shown]" in text


def test_where_tags_would_leave_no_room_for_a_name_one_of_them_stands() -> None:
    model = model_of(said("a", None), said("b", "a"), said("c", "a"), head="c")
    outline = Outline(model, {})
    assert "· branch 2 [shown] [head]" in "\n".join(lines(outline, 120))
    assert "· branch 2 [head]" in "\n".join(lines(outline, 70))


def test_an_empty_rollout_and_a_single_branch_have_a_tree() -> None:
    empty = Outline(model_of(), {})
    assert "nothing played yet" in lines(empty)[0]
    assert empty.step is None
    one = Outline(model_of(said("a", None), said("b", "a")), {})
    assert "main [shown]" in lines(one)[0]
    assert one.step is not None


def test_several_first_messages_split_at_the_start() -> None:
    outline = Outline(model_of(said("a", None), said("b", None)), {})
    assert [row.segment for row in outline.rows] == [0, 1, 2]
    assert "start" in lines(outline)[0]


def test_folding_hides_what_is_beneath_and_left_goes_up() -> None:
    outline = Outline(forks(), {})
    outline.move(3)
    assert outline.fold()
    assert outline.at == 0
    assert outline.fold()
    assert len(outline.rows) == 1
    assert not outline.fold()
    assert outline.unfold()
    assert len(outline.rows) == 4
    assert outline.unfold()
    assert outline.at == 1
    assert not outline.unfold()


def test_a_filter_shows_what_matches_with_the_segments_around_it() -> None:
    model = DebuggerModel(refund())
    outline = Outline(model, {})
    outline.set_filter("REFUNDABLE")
    assert [(r.segment, r.item) for r in outline.rows] == [(1, -1), (3, -1), (3, 0)]
    outline.set_filter("nothing at all like this")
    assert outline.rows == []
    assert (outline.row, outline.segment, outline.item, outline.step) == (None, None, None, None)
    assert not outline.move(1)
    outline.set_filter("")
    assert len(outline.rows) > 3


def test_the_cursor_opens_on_the_debuggers_step() -> None:
    model = DebuggerModel(refund("o8"))
    outline = Outline(model, {})
    assert outline.item is not None
    assert outline.item.step_id == "o8"
    model.go_to("s9")
    outline = Outline(model, {})
    assert outline.item is None
    assert outline.step is model.rollout.steps["s9"]


def test_the_cursor_stays_on_its_row_when_the_tree_changes() -> None:
    model = forks()
    outline = Outline(model, {})
    outline.move(2)
    key = outline.key
    assert not outline.is_old()
    model.rollout.add(said("x", "c"))
    assert outline.is_old()
    outline.read({})
    assert outline.key == key
    assert len(outline.rows) == 6


def test_a_long_chain_of_forks_is_neither_deep_nor_slow() -> None:
    """10,000 forks one after the other: the recursion limit is 1,000, and no indent grows."""
    steps, parent = [], None
    for number in range(10_000):
        steps += [said(f"a{number}", parent), said(f"b{number}", parent)]
        parent = f"b{number}"
    outline = Outline(model_of(*steps), {})
    assert len(outline.tree.segments) == 20_001
    assert max(row.depth for row in outline.rows) == 1
    outline.move(len(outline.rows))
    assert outline.fold()
    outline.set_filter("branch 9999")
    assert outline.rows


def test_large_rollouts_open_with_the_ends_of_branches_folded() -> None:
    steps = [said("root", None)]
    for number in range(100):
        payload = target_reply(f"take {number}")
        edit = Step(f"e{number}", "root", "target", payload, "human", replaces="e0")
        steps.append(edit)
    model = model_of(*steps, head="e7")
    outline = Outline(model, {})
    assert len(outline.rows) == 102
    assert outline.item is not None
    assert outline.item.step_id == "e7"


def test_every_row_is_as_wide_as_the_tree_and_safe() -> None:
    for text in HOSTILE.values():
        snapshot = hostile(text)
        model = DebuggerModel(snapshot)
        model.branches = (Branch("s6", text),)
        model.attempts["s3"] = [Attempt("a", "s3", "target", "raised", text)]
        outline = Outline(model, {"override:s1": text})
        for width in (30, 59, 80, 200):
            for line in lines(outline, width):
                assert len(line) <= width
                assert line.isprintable()
        assert len(header(40).text) <= 40


trees = st.lists(st.integers(0, 100), min_size=1, max_size=40)


@given(trees, st.sets(st.integers(0, 39)), st.integers(0, 39))
def test_every_visible_step_stands_in_one_segment_and_rows_are_a_walk_of_the_tree(
    parents: list[int], folded: set[int], shown: int
) -> None:
    ids: list[str | None] = [None]
    steps = []
    for number, choice in enumerate(parents):
        steps.append(said(f"n{number}", ids[choice % len(ids)]))
        ids.append(f"n{number}")
    model = model_of(*steps, head=f"n{shown % len(steps)}")
    tree = OutlineTree(model, {})
    assert set(tree.of) == {None, *model.rollout.steps}
    assert sum(segment.length for segment in tree.segments) == len(steps)
    assert tree.segments[0].leaves == len(model.rollout.leaves())
    rows = tree.rows({f"n{n}" for n in folded}, show_hidden=False)
    assert len(rows) == len(set(rows))
    for row in rows:
        parent = tree.segments[row.segment].parent
        if parent > 0:
            assert TreeRow(parent, -1, 0, False)[:2] in [each[:2] for each in rows]
            assert tree.segments[parent].first not in {f"n{n}" for n in folded}
    everything = tree.rows(set(), show_hidden=False)
    depths = [row.depth for row in everything]
    assert all(after <= before + 1 for before, after in pairwise(depths))
    heavy = len(steps).bit_length() + 1
    assert max(depths) <= heavy
