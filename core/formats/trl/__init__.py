"""Rows for TRL and the Hugging Face trainers: conversations, prompts with completions, preferences.

Arguments are objects here, of one type for the whole file. Reasoning stands under a key of its own.
Lone surrogates, for which ``datasets`` refuses a whole file, are replaced.
"""

from . import completions, conversations, preferences
from .card import card
from .conversations import suggested_split
from .messages import parts_held
from .reading import COMPLETION_READER, PREFERENCE_READER, READER

__all__ = [
    "COMPLETION_READER",
    "PREFERENCE_READER",
    "READER",
    "card",
    "completions",
    "conversations",
    "parts_held",
    "preferences",
    "suggested_split",
]
