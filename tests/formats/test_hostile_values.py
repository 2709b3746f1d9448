"""What stands where no reader expects it is read, written as strict JSON, or refused in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.errors import BundleError
from rollstep.core.export import render
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan
from rollstep.core.formats.reading.files import read_records
from rollstep.core.importing.items import items_of
from rollstep.core.importing.tally import Tally
from rollstep.core.importing.walking import Walk
from rollstep.core.store.bundle_reader import read_bundle

from .trajectories import subject

GOOD = {
    "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
}
RUN = {
    "info": {"exit_status": "Submitted", "model_stats": {"instance_cost": float("nan")}},
    "messages": [*GOOD["messages"], {"role": "user", "content": "c"}],
    "trajectory_format": "mini-swe-agent-1",
}


def converted(name: str, tmp_path: Path, *records: Any) -> tuple[Path, Tally, Any]:
    """Records as a file of another format."""
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    tally, output = Tally(), tmp_path / "out"
    summary = export_many(Plan(format=name), items_of(Walk([path], tally)), output)
    return output, tally, summary


def strictly(data: str) -> Any:
    """JSON in which no NaN and no infinity stands."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(data, parse_constant=refuse)


def test_a_nan_among_metadata_is_null_in_atif_and_told(tmp_path: Path) -> None:
    output, _, summary = converted("atif", tmp_path, RUN)
    (file,) = output.iterdir()
    ours = strictly(file.read_text())["extra"]["rollstep"]
    assert ours["metadata"]["mini-swe-agent"]["model_stats"]["instance_cost"] is None
    assert any("NaN" in note for note in summary.notes)


def test_one_project_that_cannot_be_written_stops_no_others(tmp_path: Path) -> None:
    _, _, summary = converted("project", tmp_path, GOOD, RUN, GOOD)
    assert (summary.written, summary.refused) == (2, 1)


def test_the_mean_of_scores_without_end_is_left_out(tmp_path: Path) -> None:
    run = {**RUN, "info": {"exit_status": float("-inf")}}
    output, _, _ = converted("inspect", tmp_path, run)
    (score,) = json.loads(output.read_text())["results"]["scores"]
    assert score["metrics"] == {}


@pytest.mark.parametrize("name", ["trl", "trl-prompt-completion", "openai"])
def test_calls_of_no_known_shape_are_in_no_row(name: str, tmp_path: Path) -> None:
    odd = {"role": "assistant", "content": "b", "tool_calls": "call me"}
    row = {"messages": [GOOD["messages"][0], odd, *GOOD["messages"]]}
    output, _, summary = converted(name, tmp_path, row)
    assert summary.refused == 0
    assert "call me" not in output.read_text()


@pytest.mark.parametrize("parameters", ["../../x", "[1]", ""])
def test_of_a_log_that_says_it_is_ours_no_text_is_taken_for_json(
    parameters: str, tmp_path: Path
) -> None:
    log = json.loads(render(subject("tools"), "inspect"))
    own = log["samples"][0]["metadata"]["rollstep"]
    own["project"]["tools"][0]["parameters"] = parameters
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    (found,) = read_records(path)
    assert all(
        isinstance(json.loads(tool.parameters), dict) for tool in found.imported[0].project.tools
    )


@pytest.mark.parametrize(
    ("line", "change", "place"),
    [
        (1, {"extra": "[1]"}, "rollout.extra"),
        (2, {"metadata": "[1"}, "project.metadata"),
        (2, {"tools": [{"name": "x", "parameters": "../x"}]}, "project.tools[0].parameters"),
        (2, {"target": {"kind": "llm", "model": "m", "params": "1"}}, "project.target.params"),
        (2, {"tools": [{"name": "x", "parameters": '{"a": NaN}'}]}, "tools[0].parameters"),
        (3, {"extra": "no"}, "step.extra"),
        (3, {"created_at": float("nan")}, "NaN"),
    ],
)
def test_a_bundle_whose_texts_are_no_json_is_refused_with_the_place(
    line: int, change: dict[str, Any], place: str, tmp_path: Path
) -> None:
    converted("bundle", tmp_path, GOOD)
    lines = [json.loads(each) for each in (tmp_path / "out").read_text().splitlines()]
    next(iter(lines[line].values())).update(change)
    path = tmp_path / "odd.rollstep.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    with pytest.raises(BundleError) as error:
        list(read_bundle(path, []))
    (fault,) = error.value.faults
    assert (fault.line, place in fault.message) == (line + 1, True)


def test_a_bundle_holds_scores_that_are_no_number(tmp_path: Path) -> None:
    run = {**RUN, "info": {"exit_status": float("-inf")}}
    output, _, _ = converted("bundle", tmp_path, run)
    output.write_text(output.read_text().replace('"value":"-Infinity"', '"value":-Infinity'))
    ((saved, _),) = read_bundle(output)
    assert [score.value for score in saved.scores] == [float("-inf")]
