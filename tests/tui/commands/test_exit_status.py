"""The exit status of commands that could not begin: 2, and never 1, which means that a part of the
work was done, or that something was found.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.store.library import Library

from .conftest import RunCli

LOG = '{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: RunCli) -> Path:
    """A folder with a log, a library that holds it, and one that is damaged."""
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_text(LOG)
    assert cli("import", "log.jsonl", "--library", "lib.db")[0] == 0
    with Library.open(Path("lib.db"), create=False) as library:
        Path("id").write_text(library.recent(1)[0].id)
    whole = Path("lib.db").read_bytes()
    Path("damaged.db").write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "export ID --library lib.db --format openai -o nofolder/x.jsonl",
        "export ID --library lib.db --format openai -o log.jsonl",
        "export ID --library lib.db --format html -o .",
        "export ID --library lib.db --format openai -o log.jsonl/x.jsonl",
        "export ID --library lib.db --format trl -o log.jsonl/",
        "export ID --library no.db --format openai -o x.jsonl",
        "convert log.jsonl log.jsonl --format openai",
        "convert no.jsonl x.md",
        "list --library damaged.db",
        "diff ID ID --library damaged.db",
        "lint ID --library damaged.db",
        "library backup nofolder/x.db --library lib.db",
        "library backup lib.db --library lib.db",
        "import no.jsonl --library lib.db",
        "validate no.jsonl",
        "open no.yaml --library lib.db",
    ],
)
def test_what_could_not_begin_ends_with_2(cli: RunCli, here: Path, line: str) -> None:
    rollout = Path("id").read_text()
    status, _, error = cli(*line.replace("ID", rollout).split())
    assert (status, error != "") == (2, True)
