"""ShareGPT rows through LLaMA-Factory's own converter and formatters, without torch."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import llamafactory
import pytest

from .writing import PLAIN, rows, rows_with, taken


def _load() -> tuple[Any, Any, Any]:
    """The converter, the attributes of a dataset, and the tool formats.

    Its packages load torch at their top; these modules of theirs need nothing of it.
    """
    names = ModuleType("peft.utils")
    names.SAFETENSORS_WEIGHTS_NAME = names.WEIGHTS_NAME = ""  # type: ignore[attr-defined]
    sys.modules.setdefault("peft", ModuleType("peft"))
    sys.modules.setdefault("peft.utils", names)
    for package in ("data", "extras"):
        bare = ModuleType(f"llamafactory.{package}")
        bare.__path__ = [str(Path(llamafactory.__file__).parent / package)]
        sys.modules[bare.__name__] = bare
    misc = ModuleType("llamafactory.extras.misc")  # where datasets are hosted; it loads torch
    misc.use_modelscope = misc.use_openmind = lambda: False  # type: ignore[attr-defined]
    sys.modules[misc.__name__] = misc
    return tuple(  # type: ignore[return-value]
        importlib.import_module(f"llamafactory.data.{name}")
        for name in ("converter", "parser", "formatter")
    )


_CONVERTER, _PARSER, _FORMATTER = _load()


_THOUGHT = ("<think>\n", "\n</think>\n\n")
"""What stands around reasoning in the templates of its models that reason."""


def convert(row: dict[str, Any]) -> dict[str, Any]:
    """The row as LLaMA-Factory takes it: broken ones come back empty, with only a warning."""
    attributes = _PARSER.DatasetAttr("file", "rows", formatting="sharegpt")
    attributes.join(
        {
            "formatting": "sharegpt",
            "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
        }
    )
    whole = {"system": "", "tools": "", **row}
    arguments = SimpleNamespace(media_dir="")
    return _CONVERTER.SharegptDatasetConverter(dataset_attr=attributes, data_args=arguments)(whole)


@pytest.mark.parametrize("name", taken("sharegpt"))
def test_llamafactory_skips_none_of_them(name: str) -> None:
    for row in rows("sharegpt", name):
        taken_in = convert(row)
        assert taken_in["_prompt"]
        assert taken_in["_response"]
        calls = _FORMATTER.FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
        for message in (*taken_in["_prompt"], *taken_in["_response"]):
            if message["role"] == "function":
                text = calls.apply(content=message["content"], thought_words=_THOUGHT)
                assert "<tool_call>" in str(text)
        if taken_in["_tools"]:
            tools = _FORMATTER.ToolFormatter(tool_format="qwen")
            assert "get_order" in str(tools.apply(content=taken_in["_tools"]))


@pytest.mark.parametrize("greeting", ["drop", "system"])
def test_a_greeting_is_no_reason_to_skip_a_row_where_the_person_says_what_becomes_of_it(
    greeting: str,
) -> None:
    (row,) = rows_with("sharegpt", "target_begins", greeting=greeting)
    taken_in = convert(row)
    assert taken_in["_prompt"]
    assert taken_in["_response"]
    assert ("Welcome!" in taken_in["_system"]) == (greeting == "system")


def test_what_it_takes() -> None:
    assert {*PLAIN, "tools", "parallel", "two_rounds_of_calls"} <= set(taken("sharegpt"))
    refused = {"empty", "open_call", "two_messages_in_a_row", "target_begins"}
    assert refused.isdisjoint(taken("sharegpt"))


def test_the_converter_is_really_strict() -> None:
    """It drops a row that does not alternate, so that what it takes says something."""
    message = {"from": "human", "value": "a"}
    assert convert({"conversations": [message, message]})["_prompt"] == []
