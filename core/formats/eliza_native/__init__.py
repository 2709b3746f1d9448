"""``eliza_native_v1``, a row for each call of the model: ``rows`` writes, ``reader`` reads."""

from .reader import READER
from .rows import HEEDS, HOLDS, check, notes, rows

__all__ = ["HEEDS", "HOLDS", "READER", "check", "notes", "rows"]
