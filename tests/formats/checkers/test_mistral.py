"""OpenAI rows through mistral-common, which pairs calls and results strictly."""

from __future__ import annotations

import re

import pytest
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import (
    MistralRequestValidatorV3,
    ValidationMode,
)

from .writing import rows, taken

_OWN_RULES = {
    # It takes no picture by URL at random sizes, no system note after the beginning, and no lists
    # of arguments; these are rules of this receiver's and not of the format's.
    *("system_note", "image", "target_begins", "two_messages_in_a_row", "two_replies_in_a_row"),
    *("text_beside_a_call", "refusal"),  # it wants either text or calls, and knows no refusals
}


@pytest.mark.parametrize("name", [name for name in taken("openai") if name not in _OWN_RULES])
def test_calls_and_results_pair(name: str) -> None:
    validator = MistralRequestValidatorV3(mode=ValidationMode.finetuning)
    for row in rows("openai", name):
        text = [_with_short_ids(message) for message in row["messages"]]
        request = ChatCompletionRequest.from_openai(text, tools=row.get("tools"))
        validator.validate_request(request)


def _with_short_ids(message: dict) -> dict:
    """Its ids are nine letters and digits; ours are whatever the model gave."""
    message = {key: value for key, value in message.items() if key != "weight"}
    if "tool_call_id" in message:
        message["tool_call_id"] = _short(message["tool_call_id"])
    for call in message.get("tool_calls") or ():
        call["id"] = _short(call["id"])
    return message


def _short(call_id: str) -> str:
    return re.sub("[^a-zA-Z0-9]", "", call_id).rjust(9, "0")[-9:]
