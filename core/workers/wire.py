"""What goes over the pipe between us and a child process.

A frame is four bytes of length (big-endian) and an envelope, in MessagePack. The body of a request
or a reply is opaque here: JSON made by ``dump`` and read by ``load``, which keep lone surrogates
and big integers (msgspec refuses both; the standard ``json`` module does not).
"""

from __future__ import annotations

import json
import struct
from typing import Any, TypeVar

import msgspec

from ..model.steps import Usage

T = TypeVar("T")

LENGTH = struct.Struct(">I")
MAX_REPLY = 16 * 1024 * 1024
"""Bytes that a child may answer at once; more is a fault, not an answer."""


class Request(msgspec.Struct, frozen=True, tag="ask"):
    """Asks the child; ``n`` comes back with everything that belongs to this request."""

    n: int
    body: bytes


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """Nobody waits for this answer any more."""

    n: int


class Reply(msgspec.Struct, frozen=True, tag="reply"):
    """The answer."""

    n: int
    body: bytes


class Chunk(msgspec.Struct, frozen=True, tag="chunk"):
    """A piece of text of the answer that is being made."""

    n: int
    text: str


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """Words for who waits: of how the answer is being made, not of the answer."""

    n: int
    words: str


class Retrying(msgspec.Struct, frozen=True, tag="retrying"):
    """A request failed, in this way, and is made once more."""

    n: int
    kind: str


class Failure(msgspec.Struct, frozen=True, tag="failure"):
    """There is no answer, and why: see RoleError."""

    n: int
    kind: str
    words: str
    detail: str = ""
    partial: str = ""
    cost: float | None = None
    usage: Usage | None = None


ToChild = Request | Cancel
FromChild = Reply | Chunk | Notice | Retrying | Failure

_encoder = msgspec.msgpack.Encoder()
_to_child: msgspec.msgpack.Decoder[ToChild] = msgspec.msgpack.Decoder(ToChild)
_from_child: msgspec.msgpack.Decoder[FromChild] = msgspec.msgpack.Decoder(FromChild)


def frame(envelope: ToChild | FromChild) -> bytes:
    """An envelope as bytes to write."""
    data = _encoder.encode(envelope)
    return LENGTH.pack(len(data)) + data


def read_to_child(data: bytes) -> ToChild:
    """The envelope of a frame that the child received."""
    return _to_child.decode(data)


def read_from_child(data: bytes) -> FromChild:
    """The envelope of a frame that a child sent. Raises ValueError when it is none."""
    return _from_child.decode(data)


def printable(text: str) -> str:
    """Words for an envelope, which holds no lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def dump(value: Any) -> bytes:
    """A struct (or plain JSON value) as a body."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")


def load(body: bytes, kind: type[T]) -> T:
    """The struct in a body. Raises ValueError when it is not of this kind."""
    try:
        return msgspec.json.decode(body, type=kind)
    except ValueError:
        value = json.loads(body.decode("utf-8", "surrogatepass"))
        return msgspec.convert(value, kind)
