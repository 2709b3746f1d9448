"""Two texts as one list of kept, removed and added stretches, by words; bounded, so that a huge
text costs no more than the screen can afford. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "removed", "added"]

MOST_WORDS = 3_000
"""Above this many differing words the comparison is by lines."""
MOST_LINES = 3_000
"""Above this many differing lines the whole middle counts as replaced."""

_WORDS = re.compile(r"\w+|[^\w\s]|\s+")

_WITHIN = re.compile(r"\w\w")


@dataclass(frozen=True)
class Stretch:
    """A run of text that is in both, only in the old, or only in the new."""

    kind: Kind
    text: str


def word_diff(old: str, new: str) -> list[Stretch]:
    """What was removed and added. The kept and removed stretches joined are ``old``, the kept and
    added ones ``new``.
    """
    if old == new:
        return [Stretch("same", old)] if old else []
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    # A word that is cut by the common ends is compared as a whole.
    if any(_goes_on(text, head) for text in (old, new)):
        head -= _word_before(old[:head])
    if any(_goes_on(text, len(text) - tail) for text in (old, new)):
        tail -= _word_before(old[len(old) - tail :][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    found = [Stretch("same", old[:head])]
    found += _compare(old_middle, new_middle)
    found.append(Stretch("same", old[len(old) - tail :] if tail else ""))
    return _joined(found)


def summary(stretches: list[Stretch]) -> str:
    """How many words were added and removed: ``+3 -1 words``; empty when nothing changed."""
    added = sum(len(s.text.split()) for s in stretches if s.kind == "added")
    removed = sum(len(s.text.split()) for s in stretches if s.kind == "removed")
    if all(s.kind == "same" for s in stretches):
        return ""
    if not added and not removed:
        return "only spaces changed"
    counts = " ".join(f"{sign}{n}" for sign, n in (("+", added), ("-", removed)) if n)
    return f"{counts} word{'' if added + removed == 1 else 's'}"


def folded(stretches: list[Stretch], keep: int = 240) -> list[Stretch]:
    """The same with long kept stretches shortened to their ends, for showing."""
    shown: list[Stretch] = []
    last = len(stretches) - 1
    for index, stretch in enumerate(stretches):
        text = stretch.text
        if stretch.kind != "same" or len(text) <= 2 * keep + 40:
            shown.append(stretch)
            continue
        start = text[:keep] if index > 0 else ""
        end = text[-keep:] if index < last else ""
        left_out = len(text) - len(start) - len(end)
        shown.append(Stretch("same", f"{start} … {left_out:,} the same … {end}"))
    return shown


def _compare(old: str, new: str) -> list[Stretch]:
    old_words, new_words = _WORDS.findall(old), _WORDS.findall(new)
    if len(old_words) <= MOST_WORDS and len(new_words) <= MOST_WORDS:
        return _matched(old_words, new_words)
    old_lines, new_lines = old.split("\n"), new.split("\n")
    if len(old_lines) <= MOST_LINES and len(new_lines) <= MOST_LINES:
        return _matched(_ended(old_lines), _ended(new_lines))
    return [Stretch("removed", old), Stretch("added", new)]


def _matched(old: list[str], new: list[str]) -> list[Stretch]:
    found: list[Stretch] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        if tag == "equal":
            found.append(Stretch("same", "".join(old[i1:i2])))
        else:
            found.append(Stretch("removed", "".join(old[i1:i2])))
            found.append(Stretch("added", "".join(new[j1:j2])))
    return found


def _ended(lines: list[str]) -> list[str]:
    return [line + "\n" for line in lines[:-1]] + lines[-1:]


def _common(one: str, other: str) -> int:
    """Length of the common start; by halves, as a loop over a megabyte would be felt."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _goes_on(text: str, at: int) -> bool:
    """Whether a word goes on across this place."""
    return 0 < at < len(text) and bool(_WITHIN.match(text, at - 1))


def _word_before(text: str) -> int:
    """Length of the word at the end of the text (its last 200 characters, to be quick)."""
    match = re.search(r"\w*\Z", text[-200:])
    return len(match.group()) if match else 0


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    joined: list[Stretch] = []
    for stretch in stretches:
        if not stretch.text:
            continue
        if joined and joined[-1].kind == stretch.kind:
            joined[-1] = Stretch(stretch.kind, joined[-1].text + stretch.text)
        else:
            joined.append(stretch)
    return joined
