"""TRL files: loaded by datasets, rendered with the chat templates that trl ships."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trl
from datasets import load_dataset
from transformers.utils.chat_template_utils import _compile_jinja_template
from trl.data_utils import is_conversational

from .writing import PLAIN, data, rows, taken

_TEMPLATES = Path(trl.__file__).parent / "chat_templates"
_STRICT = ("qwen3", "qwen3_5_think", "qwen3_8", "glm4moe", "nemotron_3_nano", "lfm2", "gptoss")
"""Templates that crash on arguments that are strings, or read reasoning."""
_LOOSE_TURNS = {"two_messages_in_a_row", "two_replies_in_a_row", "target_begins", "system_note"}
"""What some templates refuse whoever writes it: turns that do not alternate."""


def render(template: str, messages: list[dict[str, Any]], tools: Any) -> str:
    """The messages in a model's own words."""
    text = (_TEMPLATES / f"{template}.jinja").read_text(encoding="utf-8")
    compiled = _compile_jinja_template(text)
    return compiled.render(
        messages=messages, tools=tools, add_generation_prompt=False, bos_token="", eos_token=""
    )


def messages_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    """All of a row's messages."""
    if "messages" in row:
        return row["messages"]
    return [*row["prompt"], *(row.get("completion") or row["chosen"])]


@pytest.mark.parametrize(
    ("fmt", "name"),
    [
        (fmt, name)
        for fmt in ("trl", "trl-prompt-completion", "trl-preference")
        for name in taken(fmt)
    ],
)
def test_rows_are_conversations_that_templates_render(fmt: str, name: str) -> None:
    for row in rows(fmt, name):
        assert is_conversational(row)
        messages = messages_of(row)
        for message in messages:
            assert message.get("tool_calls", True)
            for call in message.get("tool_calls", ()):
                assert isinstance(call["function"]["arguments"], dict)
        if name in _LOOSE_TURNS:
            continue
        for template in _STRICT:
            text = render(template, messages, row.get("tools"))
            for message in messages:
                if message["role"] == "user" and isinstance(message["content"], str):
                    assert message["content"].strip()[:50] in text


@pytest.mark.parametrize("fmt", ["trl", "trl-prompt-completion", "trl-preference"])
def test_datasets_loads_all_rows_of_all_of_them(fmt: str, tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_bytes(b"".join(data(fmt, name) for name in taken(fmt)))
    loaded = load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path))
    assert len(loaded) == sum(len(rows(fmt, name)) for name in taken(fmt))


def test_a_new_key_after_ten_megabytes_loads_with_the_card(tmp_path: Path) -> None:
    """Arrow fixes the columns by the first block; the card says that they are JSON."""
    from rollstep.core.formats.trl import card

    plain, tools = data("trl", "many_turns"), data("trl", "tools")
    folder = tmp_path / "rows"
    folder.mkdir()
    with open(folder / "train.jsonl", "wb") as file:
        for _ in range(12_000_000 // len(plain)):
            file.write(plain)
        file.write(tools)
    (folder / "README.md").write_text(card(), encoding="utf-8")
    loaded = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    last = loaded[len(loaded) - 1]["messages"]
    last = json.loads(last) if isinstance(last, str) else last
    assert any(message.get("tool_calls") for message in last)


def test_reasoning_reaches_the_template_in_split_rows() -> None:
    """Most templates drop it before the last user turn; a row for each reply keeps it."""
    found = [
        render("qwen3", messages_of(row), row.get("tools"))
        for row in rows("trl-prompt-completion", "reasoning")
    ]
    assert len(found) == 2
    assert all("The user wants money." in text for text in found)


def test_what_it_takes() -> None:
    assert {*PLAIN, "tools", "parallel", "reasoning"} <= set(taken("trl"))
    assert {"edited_reply", "takes_with_verdicts"} <= set(taken("trl-preference"))
