"""Every format and every trajectory of the shared set: written, or refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.errors import ExportError
from rollstep.core.export import export, export_report, render
from rollstep.core.formats.table import FORMATS

from .trajectories import NAMES, about, subject

WRITERS = [name for name, fmt in FORMATS.items() if fmt.writes and not fmt.whole]


@pytest.mark.parametrize("fmt", WRITERS)
def test_each_is_written_or_refused_in_words(fmt: str, tmp_path: Path) -> None:
    for name in NAMES:
        with about(name):
            folder = tmp_path / name
            folder.mkdir()
            _written_or_refused(fmt, name, folder)


def _written_or_refused(fmt: str, name: str, folder: Path) -> None:
    one = subject(name)
    report = export_report(one, fmt)
    if report.refused:
        for fault in report.refused:
            assert len(fault.render()) > 20
        with pytest.raises(ExportError):
            export(one, fmt, folder / "refused")
        assert not list(folder.iterdir())
        return
    data = render(one, fmt)
    assert data
    assert data == render(subject(name), fmt)
    if FORMATS[fmt].rows is not None:
        lines = data.decode("utf-8").splitlines(keepends=True)
        assert b"".join(line.encode() for line in lines) == data
        assert all(line.endswith("\n") for line in lines)
        assert len(lines) == data.count(b"\n")


@pytest.mark.parametrize("fmt", WRITERS)
def test_the_plain_ones_are_written(fmt: str) -> None:
    if "preference" in fmt:
        names = ("edited_reply", "takes_with_verdicts")
    else:
        names = ("plain", "three_turns", "unicode", "many_turns")
    for name in names:
        assert export_report(subject(name), fmt).refused == ()
