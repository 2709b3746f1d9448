"""docs/formats.md is what the table of formats says."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core.formats.docs import DOCS_FILE, PERHAPS, docs_text
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.table import FORMATS

from .trajectories import NAMES, subject

_CHOICES = (WriteOptions(), WriteOptions(split="replies"), WriteOptions(history="full"))


def test_the_page_is_up_to_date() -> None:
    assert DOCS_FILE.read_text("utf-8") == docs_text()


@pytest.mark.parametrize("name", [fmt.name for fmt in FORMATS.values() if fmt.holds_also])
def test_what_may_be_held_is_what_the_page_says(name: str) -> None:
    holds_also = FORMATS[name].holds_also
    assert holds_also is not None
    held: set[str] = set()
    for each in NAMES:
        for options in _CHOICES:
            held |= holds_also(msgspec.structs.replace(subject(each), options=options))
    assert held <= FORMATS[name].holds | PERHAPS.get(name, frozenset()) | {"source_fields"}
