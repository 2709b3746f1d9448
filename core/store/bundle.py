"""Whole rollouts as a text file: ``*.rollstep.jsonl``, for sharing and for git.

The first line is ``{"rollstep_bundle": 2}``. Then, for each rollout, one line per thing: the
rollout itself, its project revisions, its steps in order, then attempts, commands, branches,
marks, scores, silences, the breakpoints, and the requests that its steps were answers to; and an
end, by which a file that was cut off is known. A line holds one object whose first key says what
it is.

Nothing is lost, and every reader of JSON can read it. Characters that would break a line or act on
a terminal are written as escapes. A high and a low surrogate that stand side by side in a text
without being one character cannot be written in JSON at all: readers join them. On such a line
``split_surrogates`` names what was put between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..files import write_whole
from ..model.debugging import Breakpoints
from ..model.history import Command
from ..model.marks import Mark, Score, Silence
from ..model.project import Project
from ..model.rollout import Branch, RolloutHeader
from ..model.steps import Attempt, Step
from .change import Saved
from .codec import encode, from_bytes, to_bytes

VERSION = 2
"""The version that this program writes."""

_ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SPLIT = re.compile("([\ud800-\udbff])([\udc00-\udfff])")


class Request(msgspec.Struct, frozen=True):
    """A request as it was sent, under the digest that a step's call names."""

    digest: str
    body: str


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line. Of the fields without a default of their own kind, one is given; ``head`` and
    ``status`` stand with ``rollout``, ``steps`` (how many there are) with ``end`` (the rollout's
    id).
    """

    rollstep_bundle: int | None = None
    rollout: RolloutHeader | None = None
    head: str | None = None
    status: str | None = None
    status_note: str = ""
    project: Project | None = None
    step: Step | None = None
    attempt: Attempt | None = None
    command: Command | None = None
    branch: Branch | None = None
    mark: Mark | None = None
    score: Score | None = None
    silence: Silence | None = None
    breakpoints: Breakpoints | None = None
    request: Request | None = None
    end: str | None = None
    steps: int = 0
    split_surrogates: str = ""


def write_bundle(
    saved: Iterable[Saved],
    path: Path,
    *,
    requests: Callable[[str], str | None] = lambda digest: None,
    force: bool = False,
) -> None:
    """Write rollouts to ``path``, all or nothing. ``requests`` gives the body of a request by its
    digest, or None where it is not kept. Raises ExportError, without ``force`` also where the file
    exists.
    """
    write_whole(path, _lines(saved, requests), force=force)


def line_bytes(line: Line) -> bytes:
    """The line as it stands in a file, without its line end."""
    data = encode(line)
    if data.isascii() and b"\x7f" not in data:
        return data
    text = from_bytes(data)
    if _SPLIT.search(text):
        between = "|"
        while between in text:
            between += "|"
        line = msgspec.structs.replace(line, split_surrogates=between)
        text = _SPLIT.sub(rf"\1{between}\2", from_bytes(encode(line)))
    return to_bytes(_ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def join_surrogates(text: str, between: str) -> str:
    """Undo what ``split_surrogates`` tells of, in the text of a line."""
    pair = f"([\ud800-\udbff]){re.escape(between)}([\udc00-\udfff])"
    return re.sub(pair, r"\1\2", text)


def _lines(saved: Iterable[Saved], requests: Callable[[str], str | None]) -> Iterator[bytes]:
    yield first_line()
    for rollout in saved:
        yield from rollout_lines(rollout, requests)


def first_line() -> bytes:
    """What a bundle begins with."""
    return line_bytes(Line(rollstep_bundle=VERSION)) + b"\n"


def rollout_lines(saved: Saved, requests: Callable[[str], str | None]) -> Iterator[bytes]:
    """The lines of one rollout, each with its line end."""
    for line in _rollout_lines(saved, requests):
        yield line_bytes(line) + b"\n"


def _rollout_lines(saved: Saved, requests: Callable[[str], str | None]) -> Iterator[Line]:
    yield Line(
        rollout=saved.header, head=saved.head, status=saved.status, status_note=saved.status_note
    )
    things: list[tuple[str, Iterable[Any]]] = [
        ("project", saved.projects),
        ("step", _numbered(saved.steps)),
        ("attempt", saved.attempts),
        ("command", saved.commands),
        ("branch", saved.branches),
        ("mark", saved.marks),
        ("score", saved.scores),
        ("silence", saved.silences),
        ("breakpoints", () if saved.breakpoints is None else (Breakpoints(saved.breakpoints),)),
        ("request", _requests(saved, requests)),
    ]
    for kind, values in things:
        for value in values:
            yield Line(**{kind: value})
    yield Line(end=saved.header.id, steps=len(saved.steps))


def _numbered(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, those that no library has numbered yet with the numbers that it would give."""
    last = 0
    for step in steps:
        last = max(last + 1, step.seq)
        yield step if step.seq else msgspec.structs.replace(step, seq=last)


def _requests(saved: Saved, requests: Callable[[str], str | None]) -> Iterator[Request]:
    digests = (step.call.request for step in saved.steps if step.call is not None)
    for digest in dict.fromkeys(filter(None, digests)):
        body = requests(digest)
        if body is not None:
            yield Request(digest, body)
