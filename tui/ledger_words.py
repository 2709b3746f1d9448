"""An entry of the ledger in words: for ``rollstep edits`` and for the outline. Pure.

Texts are handed on as they are: whoever shows them makes them safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rollstep.core.model.history import Revert
from rollstep.core.model.messages import Stop
from rollstep.core.rules.ledger import Followed, LedgerEntry
from rollstep.core.rules.word_diff import Stretch, folded

from .who import NAMES

_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_CHANGES = ("removed", "added")
_ALIKE = 0.3
"""The part of the shorter text that must be in both for their words to be told one by one."""
_KEPT = 60
"""Characters of unchanged text that are shown on either side of a change."""


def title_words(entry: LedgerEntry) -> str:
    """``step 8, tool simulator: override``."""
    kind = f"fault {entry.injected}" if entry.injected else entry.kind
    return f"step {entry.place}, {NAMES[entry.role]}: {kind}"


def made_words(entry: LedgerEntry) -> str:
    """By whom and when: ``by mira, 2026-11-30 15:40``; empty where neither is known."""
    return _by(entry.author, entry.at)


def marked(diff: Sequence[Stretch], most: int = 4_000) -> str:
    """The words of both: what was taken away in ``[-…-]``, what was put in in ``{+…+}``. At most
    so many characters; what is left out is said.
    """
    pieces = []
    for stretch in folded(_whole(diff), _KEPT):
        before, after = _MARKS[stretch.kind]
        pieces.append(f"{before}{stretch.text}{after}")
    text = "".join(pieces)
    if len(text) <= most:
        return text
    return f"{text[:most]}… {len(text) - most:,} more characters"


def _whole(diff: Sequence[Stretch]) -> list[Stretch]:
    """The same, or, where hardly a word is in both, the old text whole and then the new one."""
    weights = dict.fromkeys(_MARKS, 0)
    for stretch in diff:
        weights[stretch.kind] += len("".join(stretch.text.split()))
    if weights["same"] >= _ALIKE * min(sum(weights.values()) - weights[k] for k in _CHANGES):
        return list(diff)
    old = "".join(stretch.text for stretch in diff if stretch.kind != "added")
    new = "".join(stretch.text for stretch in diff if stretch.kind != "removed")
    return [Stretch("removed", old), Stretch("added", new)]


def followed_words(followed: Followed) -> str:
    """What came after an edit, and how that ended."""
    counts = []
    if followed.kept:
        counts.append(f"{_steps(followed.kept)} kept")
    if followed.made:
        counts.append(f"{_steps(followed.made)} made anew")
    if not counts and followed.stop is None:
        return "nothing yet"
    end = ended_words(followed.stop) if followed.stop is not None else "open"
    return f"{', '.join(counts) or 'nothing'}; {end}"


def ended_words(stop: Stop) -> str:
    """How a branch ended: ``ended: goal_reached, by the evaluator``."""
    by = {"evaluator": "the evaluator", "rule": "rule", "human": "a human"}[stop.by]
    return f"ended: {stop.reason}, by {by}"


def standing_words(entry: LedgerEntry) -> str:
    """Whether the edit stands no longer, and why; empty where it stands."""
    if entry.standing in ("undone", "deleted"):
        return entry.standing
    own = [each for each in entry.reverts if each.step_id == entry.step_id]
    others = len(entry.reverts) - len(own)
    words = [revert_words(own[0])] if own else []
    if others:
        words.append(
            f"a copy of it was reverted on {others} other branch{'es'[: 2 * (others > 1)]}"
        )
    return "; ".join(words)


def revert_words(revert: Revert) -> str:
    """``reverted by mira, 2026-11-30 15:40, because it was not lost``."""
    words = " ".join(filter(None, ("reverted", _by(revert.by, revert.at))))
    return f"{words}, because: {revert.reason}" if revert.reason else words


def _by(author: str, at: float) -> str:
    return ", ".join(filter(None, (f"by {author}" if author else "", local_time(at))))


def local_time(at: float) -> str:
    """A moment as the clock on the wall says it; empty for none."""
    if not at:
        return ""
    try:
        return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""


def _steps(count: int) -> str:
    return f"{count:,} later step{'' if count == 1 else 's'}"
