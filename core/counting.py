"""Numbers with the word for what they count."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """A number and the word for what it counts, as in ``2 turns``."""
    many = f"{what[:-1]}ies" if what[-1:] == "y" else f"{what}s"
    return f"{number:,} {what if number == 1 else many}"
