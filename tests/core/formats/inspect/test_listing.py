from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.formats.inspect import collect_eval
from rollstep.core.formats.inspect.listing import listed
from rollstep.core.importing import list_samples
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import target_reply, user_message

from ..conftest import make_subject


def summary(sample_id: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": sample_id, "epoch": epoch, "input": "x", "target": "", **more}


def log_file(tmp_path: Path, entries: dict[str, Any]) -> Path:
    """A zip with these entries, in their order."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, value in entries.items():
            packed.writestr(name, json.dumps(value))
    return path


HEADER = {"version": 2, "status": "success", "eval": {"task": "refunds"}}
BROKEN = "this is never read"


def test_the_list_is_told_by_the_log_and_no_sample_is_read(tmp_path: Path) -> None:
    scored = {"judge": {"value": "I", "explanation": "no refund"}}
    path = log_file(
        tmp_path,
        {
            "samples/10_epoch_1.json": BROKEN,
            "samples/a/b_epoch_2.json": BROKEN,
            "samples/2_epoch_1.json": BROKEN,
            "summaries.json": [
                summary(10, scores=scored, message_count=7, turn_count=3),
                summary("a/b", 2, error="boom"),
                summary(2, limit="token"),
            ],
            "header.json": HEADER,
        },
    )
    two, ten, other = list_samples(path)
    assert (two.number, two.title, two.failed, two.why) == (1, "refunds 2", False, "token")
    assert (ten.number, ten.title, ten.steps, ten.turns) == (2, "refunds 10", 7, 3)
    assert (ten.failed, ten.score, ten.why) == (True, "judge I", "no refund")
    assert (other.title, other.failed, other.why) == ("refunds a/b, epoch 2", True, "boom")
    assert other.format == "inspect-eval"


def test_a_log_that_is_being_written_tells_it_in_its_journal(tmp_path: Path) -> None:
    path = log_file(
        tmp_path,
        {
            "_journal/start.json": HEADER,
            "samples/1_epoch_1.json": BROKEN,
            "_journal/summaries/2.json": [summary(1, message_count=9)],
            "_journal/summaries/10.json": [summary(1, message_count=11)],
        },
    )
    found = listed(path)
    assert found is not None
    assert [(each.number, each.title, each.messages) for each in found] == [(1, "refunds 1", 11)]


@pytest.mark.parametrize(
    "entries",
    [
        {"header.json": HEADER, "samples/1_epoch_1.json": BROKEN},
        {"header.json": HEADER, "samples/1_epoch_1.json": BROKEN, "summaries.json": 3},
        {"header.json": HEADER, "samples/1_epoch_1.json": BROKEN, "summaries.json": [summary(2)]},
        {"word.xml": 1},
    ],
)
def test_where_the_list_does_not_tell_everything_the_samples_are_read(
    tmp_path: Path, entries: dict[str, Any]
) -> None:
    assert listed(log_file(tmp_path, entries)) is None


def test_other_files_have_no_list(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text("{}")
    assert listed(path) is None
    path.write_bytes(b"PK\x03\x04broken")
    assert listed(path) is None


def test_what_is_written_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    scores = (Score("reward", 0.0, "never refunded", "tau2"),)
    subject = make_subject(user_message("Hi."), target_reply("Yes?"), scores=scores)
    path.write_bytes(b"".join(collect_eval([subject])))
    (line,) = list_samples(path)
    assert (line.failed, line.why, line.steps) == (True, "never refunded", 3)


def test_a_list_that_was_cut_off_is_no_list(tmp_path: Path) -> None:
    samples = {"summaries.json": [summary(1)], "samples/1_epoch_1.json": {}}
    path = log_file(tmp_path, {"header.json": HEADER, **samples})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    data[at + 10 : at + 12] = bytes(2)  # stored as it is
    data[at + 20 : at + 28] = (1 << 20).to_bytes(4, "little") * 2  # beyond the end of the file
    path.write_bytes(data)
    assert listed(path) is None
