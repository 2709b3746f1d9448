"""The rule of evaluators that give themselves away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...model.messages import UserMessage, parts_text
from ...model.project import Project
from .findings import Finding
from .seen import Seen, brief

_WORDS = 6
"""So many words in a row, word for word, are no coincidence."""
_READ = 50_000
"""Characters of a message that are looked at."""
_LETTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0002ffff"
)
"""Of writing without spaces. It is compared by the letter, and two weigh as much as a word."""
_LEAST_SPACELESS = "\u0e00"
_SPACELESS = re.compile(f"[{_LETTERS}]")
_TOKEN = re.compile(f"[{_LETTERS}]|[^\\W_{_LETTERS}]+(?:'[^\\W_{_LETTERS}]+)*")
_BETWEEN = re.compile(r"[\W_]+")
_ASCII_BETWEEN = dict.fromkeys(code for code in range(128) if not chr(code).isalnum())
_QUOTED = re.compile('"[^"\n]*"|\u201c[^\u201d\n]*\u201d|\u00ab[^\u00bb\n]*\u00bb|「[^」\n]*」')


class _Secrets(NamedTuple):
    """What the evaluator of one project was told: every run of words, and where it stands.
    ``pieces`` are texts of which every repeated run holds one: most messages hold none.
    """

    project: Project
    runs: dict[tuple[str, ...], str]
    pieces: tuple[str, ...]


class Leaks:
    """Messages of the evaluator that repeat what it was told about itself. What is told within
    quotation marks is meant to be said, and goal and opening are no secret.
    """

    def __init__(self) -> None:
        self._secrets: dict[int, _Secrets] = {}

    def look(self, seen: Seen) -> Iterator[Finding]:
        """Look at the next step."""
        payload = seen.payload
        if not isinstance(payload, UserMessage):
            return
        secrets = self._secrets.get(id(seen.project))
        if secrets is None:
            secrets = self._secrets[id(seen.project)] = _secrets(seen.project)
        text = parts_text(payload.parts)[:_READ].casefold()
        squeezed = _squeezed(text)
        if not any(piece in squeezed for piece in secrets.pieces):
            return
        found = _first_shared(_tokens(text), secrets)
        if found:
            where, said = found
            yield seen.flag("evaluator-leak", f"repeats its {where}: “{brief(said, 80)}”")


def _secrets(project: Project) -> _Secrets:
    evaluator = project.evaluator
    found: dict[tuple[str, ...], str] = {}
    pieces: list[str] = []
    for field in ("persona", "instructions", "stop_when"):
        for piece in _QUOTED.split(getattr(evaluator, field, "")):
            tokens = _tokens(piece)
            pieces += _pieces(tokens)
            for run in _runs(tokens):
                found.setdefault(run, field.replace("_", " "))
    for known in (project.goal, project.opening or ""):
        for run in _runs(_tokens(known)):
            found.pop(run, None)
    return _Secrets(project, found, tuple(dict.fromkeys(pieces)))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold().replace("\u2019", "'"))


def _squeezed(text: str) -> str:
    """The text without what stands between words."""
    if text.isascii():
        return text.translate(_ASCII_BETWEEN)
    return _BETWEEN.sub("", text)


def _pieces(tokens: list[str]) -> Iterator[str]:
    """The words cut into pieces of half a run, without what stands between the words. Wherever a
    run begins, it holds one of these whole.
    """
    piece, weight = "", 0
    for token in tokens:
        if weight + _weight(token) > _WORDS:
            yield piece
            piece, weight = "", 0
        piece += _squeezed(token)
        weight += _weight(token)
    if weight == _WORDS:
        yield piece


def _runs(tokens: list[str]) -> Iterator[tuple[str, ...]]:
    """From each word on, the shortest run that weighs enough."""
    return filter(None, (_run(tokens, start) for start in range(len(tokens))))


def _run(tokens: list[str], start: int) -> tuple[str, ...]:
    """The shortest run from here that weighs enough; empty where the text ends before."""
    weight = 0
    for end in range(start, min(len(tokens), start + 2 * _WORDS)):
        weight += _weight(tokens[end])
        if weight >= 2 * _WORDS:
            return tuple(tokens[start : end + 1])
    return ()


def _weight(token: str) -> int:
    return 1 if _is_spaceless(token) else 2


def _is_spaceless(token: str) -> bool:
    return token >= _LEAST_SPACELESS and _SPACELESS.match(token) is not None


def _first_shared(tokens: list[str], secrets: _Secrets) -> tuple[str, str] | None:
    for run in _runs(tokens):
        if run in secrets.runs:
            return secrets.runs[run], ("" if _is_spaceless(run[0]) else " ").join(run)
    return None
