r"""Keys and passwords in texts: values that are known to be secret, and what has the shape of a
well-known kind of key. Pure.

Where a text stands inside JSON, line ends are ``\n`` there; a private key is found either way. The
shapes are those that providers document; a text is looked through with them only where the
beginning of one stands in it, since most texts hold none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec


class Secret(msgspec.Struct, frozen=True, gc=False):
    """From ``start`` up to ``end`` of a text; ``name`` says what it is, and not how it reads."""

    start: int
    end: int
    name: str


_END = r"(?![A-Za-z0-9_-])"
_START = r"(?<![A-Za-z0-9_-])"

_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("an Anthropic key", "sk-ant-", rf"{_START}sk-ant-[A-Za-z0-9_-]{{20,}}"),
    ("an OpenRouter key", "sk-or-", rf"{_START}sk-or-[A-Za-z0-9_-]{{20,}}"),
    ("an OpenAI key", "sk-", rf"{_START}sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{{20,}}"),
    ("a key", "sk-", rf"{_START}sk-[A-Za-z0-9]{{20,}}{_END}"),
    ("a Stripe key", "_live_", rf"{_START}[srp]k_live_[A-Za-z0-9]{{16,}}"),
    ("an AWS access key", "AKIA", rf"{_START}AKIA[A-Z0-9]{{16}}{_END}"),
    ("an AWS access key", "ASIA", rf"{_START}ASIA[A-Z0-9]{{16}}{_END}"),
    ("a GitHub token", "gh", rf"{_START}gh[pousr]_[A-Za-z0-9]{{36,}}{_END}"),
    ("a GitHub token", "github_pat_", rf"{_START}github_pat_[A-Za-z0-9_]{{22,}}"),
    ("a GitLab token", "glpat-", rf"{_START}glpat-[A-Za-z0-9_-]{{20,}}"),
    ("a Google API key", "AIza", rf"{_START}AIza[A-Za-z0-9_-]{{35}}"),
    ("a Hugging Face token", "hf_", rf"{_START}hf_[A-Za-z0-9]{{30,}}{_END}"),
    ("a Groq key", "gsk_", rf"{_START}gsk_[A-Za-z0-9]{{40,}}{_END}"),
    ("an xAI key", "xai-", rf"{_START}xai-[A-Za-z0-9]{{40,}}{_END}"),
    ("a Slack token", "xox", rf"{_START}xox[abeoprs]-[A-Za-z0-9-]{{10,}}"),
    (
        "a JSON Web Token",
        "eyJ",
        rf"{_START}eyJ[A-Za-z0-9_-]{{8,}}\.eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{16,}}",
    ),
)
"""What a kind of key is called, a piece that stands in all of them, and its shape."""

_BEGIN = re.compile("-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----")
_FINISH = re.compile("-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----")
_LONGEST_BLOCK = 20_000
"""Characters that a private key has at most."""

_COMPILED: dict[str, re.Pattern[str]] = {}


def find_secrets(text: str, known: Mapping[str, str] | None = None) -> tuple[Secret, ...]:
    """The secrets of a text, in their order; where two overlap, the longer one of them.

    ``known`` maps values that are secret to what they are called.
    """
    found = [*_known(text, known or {}), *_shaped(text), *_blocks(text)]
    if len(found) < 2:
        return tuple(found)
    found.sort(key=lambda each: (each.start, -each.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
        elif secret.end > kept[-1].end:
            kept[-1] = Secret(kept[-1].start, secret.end, kept[-1].name)
    return tuple(kept)


def redacted(text: str, known: Mapping[str, str] | None = None) -> str:
    """The text with a marker in the place of each secret. The marker needs no escapes in JSON."""
    found = find_secrets(text, known)
    if not found:
        return text
    pieces, at = [], 0
    for secret in found:
        pieces += [text[at : secret.start], f"[redacted: {secret.name}]"]
        at = secret.end
    return "".join([*pieces, text[at:]])


def _known(text: str, known: Mapping[str, str]) -> Iterator[Secret]:
    for value, name in known.items():
        at = text.find(value)
        while at >= 0:
            yield Secret(at, at + len(value), name)
            at = text.find(value, at + len(value))


def _shaped(text: str) -> Iterator[Secret]:
    for name, piece, shape in _SHAPES:
        if piece in text:
            pattern = _COMPILED.get(shape)
            if pattern is None:
                pattern = _COMPILED[shape] = re.compile(shape)
            for match in pattern.finditer(text):
                yield Secret(match.start(), match.end(), name)


def _blocks(text: str) -> Iterator[Secret]:
    """Private keys between their two lines."""
    if "PRIVATE KEY-----" not in text:
        return
    after = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < after:
            continue
        finish = _FINISH.search(text, begin.end(), begin.end() + _LONGEST_BLOCK)
        if finish is not None:
            after = finish.end()
            yield Secret(begin.start(), after, "a private key")
