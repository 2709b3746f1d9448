"""Numbers with the word for what they count."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, what: str) -> str:
    """A number and the word for what it counts, as in ``2 turns``."""
    many = f"{what[:-1]}ies" if what[-1:] == "y" else f"{what}s"
    return f"{number:,} {what if number == 1 else many}"


def read_words(number: int, what: str, formats: Iterable[tuple[str, int]] = ()) -> str:
    """What was read, as in ``read 5 records (openai 4, atif 1)``."""
    named = ", ".join(f"{name} {count:,}" for name, count in formats)
    return f"read {counted(number, what)}" + (f" ({named})" if named else "")


def outcome(read: str, *pieces: str, skipped: int = 0, further: Iterable[str] = ()) -> str:
    """What became of what was read, in one line: the pieces, how many were skipped, the further
    ones; empty ones are left out.
    """
    words = [read, *pieces, f"skipped {skipped:,}" if skipped else "", *further]
    return ", ".join(filter(None, words))
