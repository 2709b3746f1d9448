import itertools
import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from rollstep.core.errors import BundleError, ExportError
from rollstep.core.model.messages import user_message
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Call
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.bundle_reader import read_bundle
from rollstep.core.store.change import Saved

from tests import strategies as some
from tests.core.store.making import PROJECT, conversation, step

HEADER = RolloutHeader("r1", "Refund")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.rollstep.jsonl"


def written(path: Path, *saved: Saved) -> list[str]:
    write_bundle(saved or [Saved(HEADER, (PROJECT,), conversation(2))], path, force=True)
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def numbered(*steps: object) -> tuple[object, ...]:
    return tuple(msgspec.structs.replace(each, seq=n) for n, each in enumerate(steps, 1))  # type: ignore[type-var]


SAVED = Saved(HEADER, (PROJECT,), numbered(*conversation(2)), head="s3")  # type: ignore[arg-type]


def test_a_bundle_reads_back_equal_and_no_terminal_acts_on_it(tmp_path: Path) -> None:
    numbers = itertools.count()

    @given(some.saved_rollouts())
    def holds(saved: Saved) -> None:
        path = tmp_path / f"{next(numbers)}.rollstep.jsonl"
        write_bundle([SAVED, saved], path)
        assert [each for each, _ in read_bundle(path)] == [SAVED, saved]
        again = path.with_suffix(".again")
        write_bundle([each for each, _ in read_bundle(path)], again)
        assert again.read_bytes() == path.read_bytes()
        text = path.read_bytes().decode("utf-8")
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e\ufeff]", text)
        assert all(isinstance(json.loads(line), dict) for line in text.splitlines())

    holds()


def test_one_line_per_thing_and_nothing_that_changes_by_itself(path: Path) -> None:
    before = written(path, SAVED)
    longer = msgspec.structs.replace(SAVED, steps=numbered(*SAVED.steps, step("s4", "s3", "more")))
    after = written(path, longer)
    added = [line for line in after if line not in before]
    assert len(added) == 2
    assert json.loads(added[0])["step"]["id"] == "s4"
    assert json.loads(added[1]) == {"end": "r1", "steps": 5}


def test_surrogates_that_only_look_like_a_pair_stay_apart(path: Path) -> None:
    texts = ("a|\ud83d\ude00|", "\ud83d||\ude00", "\ud83d\ude00😀\ud83d")
    steps = [step(f"s{n}", None, user_message(text)) for n, text in enumerate(texts)]
    written(path, Saved(HEADER, (PROJECT,), numbered(*steps)))
    ((saved, _),) = read_bundle(path)
    assert tuple(each.payload.parts[0].text for each in saved.steps) == texts


def test_requests_go_with_the_steps_that_answered_them(path: Path) -> None:
    call = Call("some-model", request="d1")
    steps = tuple(
        msgspec.structs.replace(each, call=call if n < 2 else None)
        for n, each in enumerate(SAVED.steps)
    )
    saved = msgspec.structs.replace(SAVED, steps=steps)
    asked: list[str] = []

    def body(digest: str) -> str:
        asked.append(digest)
        return '{"\ud800": "\u2028"}'

    write_bundle([saved], path, requests=body)
    assert [*read_bundle(path)] == [(saved, {"d1": '{"\ud800": "\u2028"}'})]
    assert asked == ["d1"]


def test_a_file_that_is_there_is_left_alone(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(ExportError, match="is there already"):
        write_bundle([SAVED], path)
    assert path.read_text() == "mine"
    write_bundle([SAVED], path, force=True)
    assert [saved for saved, _ in read_bundle(path)] == [SAVED]


def test_a_failure_while_writing_leaves_nothing(path: Path) -> None:
    def broken() -> object:
        yield SAVED
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_bundle(broken(), path)  # type: ignore[arg-type]
    assert [*path.parent.iterdir()] == []


def test_bom_crlf_and_blank_lines_are_no_matter(path: Path) -> None:
    lines = written(path, SAVED)
    text = "\ufeff" + "\r\n  \r\n\r\n".join(line.rstrip() for line in lines)
    path.write_bytes(text.encode())
    assert [saved for saved, _ in read_bundle(path)] == [SAVED]


def test_a_file_dumped_again_by_another_tool_reads_the_same(path: Path) -> None:
    texts = ("😀\ud83d\ude00", "\u2028")
    steps = [step(f"s{n}", None, user_message(text)) for n, text in enumerate(texts)]
    saved = Saved(HEADER, (PROJECT,), numbered(*steps))  # type: ignore[arg-type]
    lines = written(path, saved)
    path.write_text("".join(json.dumps(json.loads(line), indent=None) + "\n" for line in lines))
    assert [each for each, _ in read_bundle(path)] == [saved]


def test_two_bundles_in_one_file(path: Path) -> None:
    one = "".join(written(path, SAVED))
    other = msgspec.structs.replace(SAVED, header=RolloutHeader("r2", "Trip"))
    path.write_text(one + "".join(written(path, other)))
    assert [saved for saved, _ in read_bundle(path)] == [SAVED, other]


@pytest.mark.parametrize("kept", [1, 20, -1])
def test_a_last_line_that_was_cut_off_is_left_out_with_a_warning(path: Path, kept: int) -> None:
    """Cut at the start of the last step's line, in it, and just before its end."""
    steps = (*SAVED.steps, step("s4", "s3", "😀" * 20))
    lines = written(path, Saved(HEADER, (PROJECT,), numbered(*steps)))  # type: ignore[arg-type]
    whole, last = "".join(lines[:-2]).encode(), lines[-2].rstrip("\n").encode()
    path.write_bytes(whole + last[:kept])
    warnings: list[str] = []
    ((saved, _),) = read_bundle(path, warnings)
    assert [each.id for each in saved.steps] == ["s0", "s1", "s2", "s3"]
    assert re.search(r"line 8: The last line is cut off and was left out", warnings[0])
    assert "The end of rollout r1 is missing; 4 steps were read" in warnings[1]
    with pytest.raises(BundleError, match="line 8"):
        [*read_bundle(path)]


def test_a_cut_inside_a_character_is_a_cut_like_any(path: Path) -> None:
    lines = written(path, Saved(HEADER, (PROJECT,), numbered(step("s0", None, "😀"))))  # type: ignore[arg-type]
    data = "".join(lines).encode()
    path.write_bytes(data[: data.index("😀".encode()) + 2])
    warnings: list[str] = []
    ((saved, _),) = read_bundle(path, warnings)
    assert saved.steps == ()
    assert "bytes that are not UTF-8" in warnings[0]


def test_whole_lines_that_are_missing_are_noticed(path: Path) -> None:
    lines = written(path, SAVED)
    path.write_text("".join(lines[:5]))
    warnings: list[str] = []
    ((saved, _),) = read_bundle(path, warnings)
    assert len(saved.steps) == 2
    assert "The end of rollout r1 is missing; 2 steps were read" in warnings[0]
    path.write_text("".join(lines[:2]))
    warnings.clear()
    assert [*read_bundle(path, warnings)] == []
    assert "its project is missing" in warnings[1]


@pytest.mark.parametrize(
    ("number", "line", "words"),
    [
        (4, '{"step": {"id": "s9"', "line 4.*this is not JSON"),
        (4, "garbled", "line 4, column 1: this is not JSON"),
        (5, "<<<<<<< HEAD", "line 5: a conflict that git left here"),
        (4, '{"step": {"id": 7}}', "line 4: Expected str, got int - at step.id"),
        (4, '{"step": {"id": "s9"}, "step": {}}', "line 4: the key 'step' stands here twice"),
        (4, "[]", "line 4: Expected object, got array"),
        (4, "[" * 100_000, "line 4: nested too deeply"),
        (5, "{step s0}", "line 5: step s0 stands here a second time"),
        (4, "{step s1}", "line 4: step s1 follows step s0, which is not above it"),
        (2, '{"end": "r1"}', "line 2: this belongs to a rollout, but no rollout line"),
        (3, "", "line 8: rollout r1 has no project"),
        (2, '{"rollout": {"id": "", "title": ""}}', "line 2: a rollout without an id"),
    ],
)
def test_a_wrong_line_is_named(path: Path, number: int, line: str, words: str) -> None:
    lines = written(path, SAVED)
    stored = {f"{{step s{n}}}": lines[3 + n] for n in range(4)}
    lines[number - 1] = stored.get(line, line + "\n")
    path.write_text("".join(lines))
    with pytest.raises(BundleError, match=words) as caught:
        [*read_bundle(path, [])]
    assert str(path) in str(caught.value)


def test_bytes_that_are_not_utf8_are_named(path: Path) -> None:
    lines = [line.encode() for line in written(path, SAVED)]
    lines[3] = lines[3].replace(b"question", b"quest\xe9on")
    path.write_bytes(b"".join(lines))
    with pytest.raises(BundleError, match=r"line 4, column \d+: bytes that are not UTF-8"):
        [*read_bundle(path)]


def test_a_revision_that_is_not_there_is_named(path: Path) -> None:
    steps = (msgspec.structs.replace(SAVED.steps[0], revision=1),)
    written(path, msgspec.structs.replace(SAVED, steps=steps))
    with pytest.raises(BundleError, match="step s0 was made from revision 1"):
        [*read_bundle(path)]


def test_a_field_of_no_known_name_is_told(path: Path) -> None:
    lines = written(path, SAVED)
    lines[3] = lines[3].replace('"parts":[{', '"parts":[{"colour":1,')
    path.write_text("".join(lines))
    warnings: list[str] = []
    assert [saved for saved, _ in read_bundle(path, warnings)] == [SAVED]
    assert "line 4: The field step.payload.parts[0].colour is not known" in warnings[0]


def test_step_numbers_that_git_merged_are_made_whole(path: Path) -> None:
    lines = written(path, SAVED)
    other = written(
        path,
        msgspec.structs.replace(
            SAVED, steps=numbered(*SAVED.steps[:3], step("x3", "s2", "theirs"))
        ),
    )
    path.write_text("".join([*lines[:-1], other[-2], lines[-1].replace("4", "5")]))
    warnings: list[str] = []
    ((saved, _),) = read_bundle(path, warnings)
    assert [(each.id, each.seq) for each in saved.steps][3:] == [("s3", 4), ("x3", 5)]
    assert "numbered anew" in warnings[0]


@pytest.mark.parametrize("text", ["", "\n", "[1]\n", '{"a": 1}\n', "\x00", "SQLite format 3\x00"])
def test_another_file_is_no_bundle(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(BundleError, match="is not a rollstep bundle"):
        [*read_bundle(path, [])]


def test_a_newer_bundle_is_refused_in_words(path: Path) -> None:
    path.write_text('{"rollstep_bundle": 99, "shape": "unheard of"}\n{"what": 1}\n')
    with pytest.raises(BundleError, match=r"made by a newer rollstep \(version 99"):
        [*read_bundle(path, [])]


def test_a_file_that_is_not_there_is_an_error_in_words(path: Path) -> None:
    with pytest.raises(BundleError, match="cannot be read: No such file"):
        [*read_bundle(path)]


@pytest.mark.parametrize("status", ["\ud83d", "\x1b[31m", "open\n"])
def test_a_status_that_is_no_word_is_refused(path: Path, status: str) -> None:
    written(path, msgspec.structs.replace(SAVED, status="parked"))
    path.write_text(path.read_text().replace('"parked"', json.dumps(status)))
    with pytest.raises(BundleError, match="line 2: a status is a word such as open"):
        [*read_bundle(path, [])]


def test_steps_that_were_never_saved_get_the_numbers_a_library_would_give(path: Path) -> None:
    first, second, *_ = conversation(2)
    steps = (msgspec.structs.replace(first, seq=1), msgspec.structs.replace(second, seq=0))
    write_bundle([Saved(HEADER, (PROJECT,), steps)], path)
    warnings: list[str] = []
    [(read, _)] = read_bundle(path, warnings)
    assert [step.seq for step in read.steps] == [1, 2]
    assert not warnings
