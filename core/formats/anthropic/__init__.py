"""Anthropic's Messages shape: ``rows`` writes, ``reader`` reads, ``blocks`` are single blocks."""

from .reader import READER, AnthropicReader, is_block_message
from .rows import HEEDS, HOLDS, check, holds_also, notes, rows

__all__ = [
    "HEEDS",
    "HOLDS",
    "READER",
    "AnthropicReader",
    "check",
    "holds_also",
    "is_block_message",
    "notes",
    "rows",
]
