"""Rows for TRL and the Hugging Face trainers: conversations, prompts with completions, preferences.

Arguments are objects here, of one type for the whole file. Reasoning stands under a key of its own.
Lone surrogates, for which ``datasets`` refuses a whole file, are replaced.
"""

from .card import card
from .reading import COMPLETION_READER, PREFERENCE_READER, READER
from .rows import (
    COMPLETION_HOLDS,
    HEEDS,
    HOLDS,
    SPLIT_HEEDS,
    check,
    check_completions,
    check_preference,
    completion_notes,
    completion_rows,
    holds_also,
    notes,
    preference_notes,
    preference_rows,
    rows,
    suggested_split,
)

__all__ = [
    "COMPLETION_HOLDS",
    "COMPLETION_READER",
    "HEEDS",
    "HOLDS",
    "PREFERENCE_READER",
    "READER",
    "SPLIT_HEEDS",
    "card",
    "check",
    "check_completions",
    "check_preference",
    "completion_notes",
    "completion_rows",
    "holds_also",
    "notes",
    "preference_notes",
    "preference_rows",
    "rows",
    "suggested_split",
]
