"""The lines above and below what is presented: where we are, how fast, which keys were pressed."""

from __future__ import annotations

from collections.abc import Sequence

from .cells import cells
from .present_player import Player
from .rows import Row, Span, row
from .sanitize import one_line
from .who import NAMES
from .wrap import fit

_WIDEST = 104
"""Cells of the text at most: longer lines are hard to read from afar."""
_KEYS = (
    " Space pause   ← → step   1-9 turn   + - speed   ↑ ↓ scroll   i as sent   "
    "e go on from here   z hides this   q back",
    " Space pause  ←→ step  1-9 turn  +- speed  ↑↓ scroll  i sent  e fork  z hide  q back",
    " Space ←→ step 1-9 turn +- speed ↑↓ i sent e fork z hide q back",
    " Space ←→ 1-9 +- ↑↓ i e z q",
)
_SENT_KEYS = " ↑ ↓ scroll   ← → step   i Esc back to the text"
_NAMES = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "space": "Space",
    "escape": "Esc",
    "enter": "Enter",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "backspace": "Backspace",
    "tab": "Tab",
}


def column(width: int) -> tuple[int, int]:
    """Where the text begins, and its width."""
    wide = min(width - 8, _WIDEST) if width > 40 else width - 2
    return (width - wide) // 2, wide


def key_name(key: str, character: str | None) -> str:
    """A key as people write it."""
    if key in _NAMES:
        return _NAMES[key]
    if character is not None and character.isprintable():
        return character
    return "+".join(part.capitalize() for part in key.split("+"))


def head(player: Player, title: str, branch: str, width: int, *, sent: bool = False) -> list[Row]:
    """What is played, and its turns; or that what the step's role was ``sent`` is shown."""
    place = f"turn {player.turn} of {player.turns} " if player.at >= 0 else ""
    if sent and player.step is not None:
        place = f"as sent to the {NAMES[player.step.role]} for step {player.at + 1} "
    room = max(width - cells(place) - 2, 0)
    name = fit(f"{one_line(title)} › {one_line(branch)}", room)
    gap = " " * max(room - cells(name) + 1, 1)
    first = row((" " + name, "bar:title"), (gap, "bar"), (place, "bar:title"), fill="bar")
    return [first, _chapters(player, width)]


def _chapters(player: Player, width: int) -> Row:
    """The turns, the one that is shown marked; as many around it as there is room for."""
    labels = ["[start]" if not player.turn else " start "]
    labels += [f"[{n}]" if n == player.turn else f" {n} " for n in range(1, player.turns + 1)]
    first, last = player.turn, player.turn
    used = len(labels[first])
    while first > 0 or last < len(labels) - 1:
        grown = False
        if first > 0 and used + len(labels[first - 1]) <= width - 4:
            first -= 1
            used += len(labels[first])
            grown = True
        if last < len(labels) - 1 and used + len(labels[last + 1]) <= width - 4:
            last += 1
            used += len(labels[last])
            grown = True
        if not grown:
            break
    spans: list[Span] = [(" …" if first else " ", "dim")]
    for place in range(first, last + 1):
        spans.append((labels[place], "strong" if place == player.turn else "dim"))
    spans.append(("…" if last < len(labels) - 1 else "", "dim"))
    return row(*spans)


def foot(
    player: Player,
    width: int,
    *,
    words: str = "",
    pressed: Sequence[str] = (),
    keys: bool = True,
    sent: bool = False,
    more: bool = False,
) -> list[Row]:
    """How it is being played, or ``words`` where something has to be said; the keys that were
    ``pressed`` last and those that there are, where ``keys`` are to be seen. ``more``: there is
    something under what is seen.
    """
    how, style = _state(player)
    place = f"step {player.at + 1} of {player.steps}" if player.at >= 0 else "before the first step"
    echo = f"keys: {' '.join(pressed)} " if keys and pressed else ""
    echo = fit(echo, max(width // 3, 1))
    room = max(width - cells(echo) - 2, 0)
    pieces = [how, place, *(["↓ more"] if more else []), "recorded: nothing is asked"]
    while cells("   ".join(pieces)) > room and len(pieces) > 1:
        pieces.pop()
    left = fit(words or "   ".join(pieces), room)
    gap = " " * max(room - cells(left) + 1, 1)
    status = row((" " + left, "warn" if words else style), (gap, "text"), (echo, "key"))
    if not keys:
        return [status]
    texts = (_SENT_KEYS,) if sent else _KEYS
    help_line = next((text for text in texts if cells(text) <= width), texts[-1])
    return [status, row((fit(help_line, width), "bar:dim"), fill="bar")]


def _state(player: Player) -> Span:
    if player.at_end:
        return f"the end   {player.speed}×", "ok"
    if not player.playing:
        return f"paused   {player.speed}×", "warn"
    return f"playing   {player.speed}×", "strong"
