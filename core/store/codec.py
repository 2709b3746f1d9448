"""Our structs as JSON bytes and back, exactly.

The fast path is msgspec's own encoder. It refuses two things that are legal in our texts and
numbers: lone surrogates and integers beyond 64 bits; and it turns a NaN into null. Those go
through the standard ``json`` module, with surrogates kept as the three bytes that
``surrogatepass`` gives each of them. (Escapes would not do: a high and a low surrogate that stand
side by side unpaired would be read back as one character.)
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from ..model.history import Command
from ..model.marks import Score
from ..model.project import Project
from ..model.rollout import RolloutHeader
from ..model.steps import Step

T = TypeVar("T")

UNREADABLE = (msgspec.MsgspecError, json.JSONDecodeError, UnicodeDecodeError, zlib.error)
"""What stored bytes that are not ours raise when they are read."""

_ENCODER = msgspec.json.Encoder()


def encode(value: msgspec.Struct | tuple[str, ...]) -> bytes:
    """The value as JSON: UTF-8, but for lone surrogates."""
    score = value if isinstance(value, Score) else getattr(value, "score", None)
    if score is not None and _not_finite(score.value):
        return _encode_slowly(value)
    try:
        return _ENCODER.encode(value)
    except (UnicodeEncodeError, OverflowError):
        return _encode_slowly(value)


class Codec(Generic[T]):
    """Reads one type back from what ``encode`` gave. Make one per type: its first use is slow."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._decode: Callable[[bytes], T] = self._decode_first

    def decode(self, data: bytes) -> T:
        """The value. Raises ValueError (msgspec's and json's errors are both of that kind)."""
        try:
            return self._decode(data)
        except ValueError:
            return self._decode_slowly(data)

    def _decode_first(self, data: bytes) -> T:
        # A decoder takes a millisecond or more to make: not while the program starts.
        self._decode = msgspec.json.Decoder(self._kind).decode
        return self._decode(data)

    def _decode_slowly(self, data: bytes) -> T:
        return msgspec.convert(json.loads(from_bytes(data)), self._kind)


STEP = Codec(Step)
STEPS = Codec(list[Step])
HEADER = Codec(RolloutHeader)
COMMAND = Codec(Command)
PROJECT = Codec(Project)


def to_bytes(text: str) -> bytes:
    """A text of outside origin as bytes; SQLite's TEXT would refuse lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """The text that ``to_bytes`` was given."""
    return data.decode("utf-8", "surrogatepass")


def _not_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _encode_slowly(value: Any) -> bytes:
    return to_bytes(
        json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
    )
