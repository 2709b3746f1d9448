from __future__ import annotations

import pytest
from rollstep.core.formats.reading.building import TreeBuilder
from rollstep.core.formats.reading.chat import ChatReader
from rollstep.core.model.messages import SystemNote, text_parts


@pytest.mark.parametrize(("role", "shown"), [(["user"], '["user"]'), ({"a": 1}, '{"a": 1}')])
def test_a_role_that_is_no_text_is_noted_and_its_message_kept(role: object, shown: str) -> None:
    builder = TreeBuilder("d")
    ChatReader(builder).read([{"role": role, "content": "hi"}])
    (step,) = builder.steps
    assert step.payload == SystemNote(text_parts("hi"))
    assert any(shown in note.message for note in builder.notes)
