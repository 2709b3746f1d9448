"""What the linter says: findings, and the table of its rules."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True, gc=False):
    """One flag: on which step, by which rule, and what is odd there, in words."""

    step_id: str
    rule: str
    words: str


RULES: dict[str, str] = {
    "stale": "A step that was kept from before an edit and not made anew: what stands before it "
    "is not what stood there when it was made. A revert of the edit ends it.",
    "call-without-result": "A tool call of a reply that has no result, and something else follows.",
    "result-without-call": "A tool result that answers no open call of the reply before it.",
    "arguments-schema": "A call's arguments fail the tool's `parameters`, or the project "
    "declares tools and not this one.",
    "result-schema": "A result fails its tool's `returns`.",
    "state-drift": "A result contradicts an earlier one of the same tool for the same arguments, "
    "and no tool that may have changed anything was called in between.",
    "edited-signed-reasoning": "Reasoning that its provider had signed was edited by hand: the "
    "signature no longer fits, and the provider may refuse it.",
    "evaluator-leak": "A message of the evaluator repeats its own persona, instructions or "
    "`stop_when`, word for word.",
    "target-edited": "The target's words or calls are a human's, not the target's own.",
    "empty": "A message or result that is empty, or only white space.",
    "same-role-twice": "Two evaluator messages, or two target replies, in a row.",
    "illegal": "A step that the table of who acts next forbids here. Imports may hold some; but "
    "they may begin with a reply, and end right after a message.",
    "tool-error": "The tool answered with an error.",
    "cut-off": "The reply was cut off by length, or blocked by a filter.",
    "refused": "The target's provider says that it refused.",
    "bad-arguments": "A call's arguments are no JSON, or no JSON object.",
    "stale-state": "The tool simulator's state is copied from before an edit.",
    "late": "The step arrived after it was no longer waited for.",
    "injected": "A fault was put in place of the tool's own result.",
    "hidden-characters": "Hidden or control characters, which the screen shows as marks.",
}
"""The rules, by id, each with what it means."""
