"""Importing files and folders: what is taken in, what is left, and going on after a stop."""

from __future__ import annotations

import json
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import InputError, UsageError
from rollstep.core.formats.reading.building import TreeBuilder, imported_project
from rollstep.core.formats.reading.files import Read
from rollstep.core.formats.reading.record import Imported
from rollstep.core.importing import FileProgress, import_files, import_record, rollout_id
from rollstep.core.importing.saved import rollout_of
from rollstep.core.importing.taking import Taking
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import Stop, target_reply, user_message
from rollstep.core.model.steps import Step
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library


@pytest.fixture
def library() -> Iterator[Library]:
    """A library of its own."""
    with Library.throwaway() as opened:
        yield opened


def row(number: int, more: str = "") -> str:
    """A conversation of two messages."""
    messages = [
        {"role": "user", "content": f"question {number} {more}"},
        {"role": "assistant", "content": f"answer {number}"},
    ]
    return json.dumps({"messages": messages})


def write(path: Path, count: int, more: str = "") -> Path:
    """A file of so many conversations."""
    path.write_text("".join(row(number, more) + "\n" for number in range(count)))
    return path


def contents(library: Library) -> dict[str, Any]:
    """Everything that a library holds, but for when it was saved."""
    return {each.id: library.load(each.id) for each in library.recent(1_000_000)}


def test_records_become_rollouts_that_know_where_they_came_from(
    library: Library, tmp_path: Path
) -> None:
    path = write(tmp_path / "log.jsonl", 3)
    summary = import_files([path], library)
    assert (summary.files, summary.read, summary.written, summary.refused) == (1, 3, 3, 0)
    assert summary.formats == (("openai", 3),)
    saved = library.load(summary.rollout_ids[2])
    header = saved.header
    assert (header.source, header.record, header.format) == (str(path), 2, "openai")
    assert header.title == "question 2"
    assert saved.head == saved.steps[-1].id
    assert {step.origin for step in saved.steps} == {"import"}


@pytest.mark.parametrize("after", [1, 7, 100, 333, 899])
def test_an_import_that_was_stopped_goes_on(after: int, library: Library, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", 900)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > after

    first = import_files([path], library, stop=stop)
    assert first.stopped
    assert 0 < first.written < 900
    assert library.count() == first.written
    second = import_files([path], library)
    assert (second.read, second.held) == (900, first.written)
    with Library.throwaway() as other:
        import_files([path], other)
        assert contents(library) == contents(other)


def test_an_import_that_was_killed_goes_on(library: Library, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", 2500)

    def die(progress: FileProgress) -> None:
        if progress.read > 1800:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_files([path], library, progress=die)
    assert library.count() > 0
    summary = import_files([path], library)
    assert (summary.written + summary.held, library.count()) == (2500, 2500)


def test_two_imports_of_one_file_at_once_double_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", 1500)
    place = tmp_path / "library.sqlite"
    Library.open(place).close()
    start = threading.Barrier(2)
    summaries = []

    def work() -> None:
        with Library.open(place, durable=False) as opened:
            start.wait()
            summaries.append(import_files([path], opened))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Library.open(place) as here, Library.throwaway() as other:
        import_files([path], other)
        assert contents(here) == contents(other)
    assert sum(each.written for each in summaries) >= 1500
    assert all(each.written + each.held == 1500 for each in summaries)


def test_what_was_done_to_an_import_is_found_again(library: Library, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", 20)
    found = import_record(path, 17, library)
    assert library.count() == 1
    saved = library.load(found)
    edit = Step("e1", saved.steps[0].id, "target", target_reply("better"), "human")
    library.commit(Change(found, steps=(edit,), head="e1"))
    for again in (import_record(path, 17, library), *import_files([path], library).rollout_ids):
        assert again != found or library.load(again).head == "e1"
    moved = path.rename(tmp_path / "elsewhere.jsonl")
    assert import_record(moved, 17, library) == found
    assert len(library.load(found).steps) == 3
    assert library.count() == 20


def test_equal_records_are_rollouts_of_their_own(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{row(1)}\n{row(1)}\n")
    assert import_files([path], library).written == 2


def test_a_format_that_was_named_makes_a_rollout_of_its_own(
    library: Library, tmp_path: Path
) -> None:
    path = write(tmp_path / "log.jsonl", 1)
    import_files([path], library)
    assert import_files([path], library, format="openai").written == 1
    assert import_files([path], library, format="openai").held == 1
    with pytest.raises(UsageError, match="no format 'x' to read"):
        import_files([path], library, format="x")


def test_a_folder_with_broken_files_is_imported_with_a_list_of_them(
    library: Library, tmp_path: Path
) -> None:
    folder = tmp_path / "runs"
    (folder / "deep" / "er").mkdir(parents=True)
    for number in range(300):
        place = folder / "deep" / "er" if number % 2 else folder
        (place / f"run{number:03}.json").write_text(row(number) if number % 100 else "{ broken")
    (folder / "notes.md").write_text("# Notes")
    (folder / ".hidden.json").write_text(row(1000))
    told: list[FileProgress] = []
    summary = import_files([folder], library, progress=told.append)
    assert (summary.files, summary.written, summary.refused) == (300, 297, 3)
    assert summary.passed_over == 1
    broken = [each.render() for each in summary.left]
    assert len(broken) == 3
    assert all("run" in words and "line 1" in words for words in broken)
    assert told[-1].done == told[-1].size
    assert [each.files for each in told] == sorted(each.files for each in told)


def test_a_path_that_is_not_there_is_told_before_anything_is_done(
    library: Library, tmp_path: Path
) -> None:
    path = write(tmp_path / "log.jsonl", 1)
    with pytest.raises(InputError, match="no such file"):
        import_files([path, tmp_path / "none.jsonl"], library)
    assert library.count() == 0


def test_a_bundle_is_taken_in_whole(library: Library, tmp_path: Path) -> None:
    ids = import_files([write(tmp_path / "log.jsonl", 2)], library).rollout_ids
    bundle = tmp_path / "two.rollstep.jsonl"
    write_bundle([library.load(each) for each in ids], bundle, requests=library.request)
    with Library.throwaway() as other:
        summary = import_files([tmp_path], other)
        assert (summary.written, summary.held, summary.formats[1]) == (2, 2, ("bundle", 2))
        assert contents(other) == contents(library)


def test_memory_does_not_grow_with_the_number_of_records(tmp_path: Path) -> None:
    peaks = []
    for count in (600, 2400):
        path = write(tmp_path / f"{count}.jsonl", count, "x" * 500)
        with Library.throwaway() as library:
            tracemalloc.start()
            import_files([path], library)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.25 + 200_000


# Sources that give their trajectories names of their own


def _session(count: int, key: str = "session", words: str = "m", **fields: Any) -> Read:
    """A log of so many messages, as a later look at it finds more of them."""
    builder = TreeBuilder(key, shared=True)
    for number in range(count):
        make = target_reply if number % 2 else user_message
        builder.add(make(f"{words} {number}"))
    imported = Imported(imported_project("A session"), builder.steps, key=key, **fields)
    return Read(1, "some", (imported,), (), f"digest{count}{words}")


def _take(library: Library, read: Read) -> tuple[str, Taking]:
    taking = Taking(library)
    (found,) = taking.take(read, "log")
    taking.flush()
    return found, taking


def test_a_log_that_has_grown_adds_to_its_rollout(library: Library) -> None:
    found, _ = _take(library, _session(4))
    edit = Step("e1", None, "evaluator", user_message("mine"), "human")
    library.commit(Change(found, steps=(edit,), head="e1"))
    again, taking = _take(library, _session(6, scores=(Score("s", 0.5),)))
    assert (again, taking.grown, taking.written) == (found, 1, 0)
    saved = library.load(found)
    assert (len(saved.steps), saved.head, len(saved.scores)) == (7, "e1", 1)
    assert _take(library, _session(6, scores=(Score("s", 0.5),)))[1].held == 1
    assert _take(library, _session(4))[1].held == 1


def test_another_log_of_the_same_name_stands_beside(library: Library) -> None:
    first, _ = _take(library, _session(4))
    second, taking = _take(library, _session(4, words="other"))
    assert (taking.written, first != second) == (1, True)
    assert _take(library, _session(4, words="other"))[1].held == 1
    assert library.count() == 2


def test_the_head_is_the_newest_leaf_and_a_stop_ends_the_rollout() -> None:
    builder = TreeBuilder("d")
    first = builder.add(user_message("a"))
    builder.add(target_reply("b"))
    builder.here = first
    last = builder.add(Stop("goal_reached", "evaluator"))
    imported = Imported(imported_project("t"), builder.steps)
    saved = rollout_of(imported, source="f", number=1, format="x", digest="d")
    assert (saved.head, saved.status) == (last, "ended")
    there = msgspec.structs.replace(imported, head=builder.steps[1].id)
    saved = rollout_of(there, source="f", number=1, format="x", digest="d")
    assert (saved.head, saved.status) == (builder.steps[1].id, "open")


def test_ids_follow_from_the_bytes_the_place_and_the_format_that_was_named() -> None:
    ids = {
        rollout_id("a", 1),
        rollout_id("b", 1),
        rollout_id("a", 2),
        rollout_id("a", 1, 1),
        rollout_id("a", 1, 0, "openai"),
    }
    assert len(ids) == 5
    assert rollout_id("a", 1) == rollout_id("a", 1, 0)


def test_what_a_named_format_does_not_know_at_all_is_refused_with_what_it_looks_like(
    library: Library, tmp_path: Path
) -> None:
    path = write(tmp_path / "log.jsonl", 3)
    for name in ("tau2", "sharegpt", "atif"):
        summary = import_files([path], library, format=name)
        assert (summary.refused, summary.written) == (3, 0)
        assert f"no record of {name}: it looks like openai" in summary.left[0].render()


def test_the_formats_that_were_looked_for_are_listed_once(library: Library, tmp_path: Path) -> None:
    for name in ("a.json", "b.json", "c.json"):
        (tmp_path / name).write_text('{"nothing": 1}')
    left = [each.render() for each in import_files([tmp_path], library).left]
    assert ["Looked for" in words for words in left] == [True, False, False]
    assert left[2].endswith("of no format that is known (its keys are 'nothing').")
