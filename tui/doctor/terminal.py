"""The terminal: whether it can show the screen, and what would look wrong."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .check import Check, note, ok, problem

LEAST = (80, 24)
"""Columns and rows for which the screen is made."""

_WIDE = 132
"""Columns from which on the inspector stands at the right."""


class Terminal(NamedTuple):
    """What is known of a terminal. ``size`` is None where there is none; ``encoding`` is that of
    the stream that the screen is written to.
    """

    environ: Mapping[str, str]
    size: tuple[int, int] | None
    encoding: str


def this_terminal() -> Terminal:
    """The terminal that we run in, found by any of the three streams: one may be a pipe."""
    encoding = getattr(sys.__stderr__, "encoding", "") or ""
    for number in (2, 1, 0):
        try:
            size = os.get_terminal_size(number)
        except OSError:
            continue
        return Terminal(os.environ, (size.columns, size.lines), encoding)
    return Terminal(os.environ, None, encoding)


def check_terminal(terminal: Terminal) -> Iterator[Check]:
    """All about the terminal."""
    yield _size(terminal.size)
    if terminal.size is not None:
        yield _colours(terminal.environ)
    yield _encoding(terminal)
    yield from _between(terminal.environ)


def _size(size: tuple[int, int] | None) -> Check:
    about = "terminal"
    if size is None:
        words = "none here; the screen needs one, `run`, `export` and the like do not"
        return note(about, words, "Start rollstep in a terminal.")
    width, height = size
    words = f"{width} columns, {height} rows"
    if width < LEAST[0] or height < LEAST[1]:
        return problem(
            about,
            f"{words}; lines and dialogs will be cut off",
            f"Make it at least {LEAST[0]} by {LEAST[1]}: a larger window, or a smaller font.",
        )
    if width < _WIDE:
        return ok(about, f"{words} (from {_WIDE} columns on all panes stand side by side)")
    return ok(about, words)


def _colours(environ: Mapping[str, str]) -> Check:
    about, term = "colours", environ.get("TERM", "")
    if term in ("", "dumb", "unknown"):
        said = f"TERM is {term}" if term else "TERM is not set"
        return problem(
            about,
            f"{said}, so no program knows how to draw here",
            "Start rollstep in another terminal, or set TERM=xterm-256color if this one can.",
        )
    if environ.get("NO_COLOR"):
        words = "none, as NO_COLOR asks; every sign is a letter or a mark too"
        return note(about, words, "Unset NO_COLOR to have them.")
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ok(about, "16 million")
    if "256color" in term or term.endswith(("-kitty", "-direct")):
        return note(
            about,
            f"256 (TERM is {term}); a theme's colours are only nearly right",
            "Set COLORTERM=truecolor if your terminal can; most can.",
        )
    return note(
        about,
        f"16 or fewer (TERM is {term}); themes will look coarse",
        "Set TERM=xterm-256color, and COLORTERM=truecolor if your terminal can.",
    )


def _encoding(terminal: Terminal) -> Check:
    about, todo = "letters", "Set LANG=C.UTF-8, or your language's, as in en_GB.UTF-8."
    try:
        utf_8 = codecs.lookup(terminal.encoding).name == "utf-8"
    except LookupError:
        utf_8 = False
    if not utf_8:
        words = f"the output is {terminal.encoding or 'of no known encoding'}, not UTF-8; "
        words += "what it has no letters for comes out as marks"
        return problem(about, words, todo + " Unset PYTHONIOENCODING if it is set.")
    said = next((n for n in ("LC_ALL", "LC_CTYPE", "LANG") if terminal.environ.get(n)), "")
    locale = terminal.environ.get(said, "")
    # Python takes the C locale for UTF-8; what the terminal takes it for is not known.
    if said and "utf" not in locale.lower():
        words = f"UTF-8 is written, but {said} is {locale}; the terminal may expect something else"
        return note(about, words, todo)
    return ok(about, "UTF-8")


def _between(environ: Mapping[str, str]) -> Iterator[Check]:
    """Programs between us and the terminal, which stand in the way of copying."""
    if environ.get("TMUX"):
        yield note(
            "tmux",
            "copying (y) goes through it",
            "In its settings: set -g set-clipboard on; for all colours also "
            "set -as terminal-features ',*:RGB'.",
        )
    elif environ.get("STY"):
        yield note("screen", "copying (y) does not go through it", "tmux lets it through.")
    elif environ.get("SSH_CONNECTION"):
        yield ok("ssh", "copying (y) asks your own terminal to copy; it has to allow that (OSC 52)")
