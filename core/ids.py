"""Library keys are random; they say nothing and never clash. Ids in records are derived elsewhere
(``formats/turn_records``), so that equal runs give equal bytes.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

IdMaker = Callable[[], str]

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"


def random_step_ids() -> IdMaker:
    """A maker of step ids: 16 hex digits, from a generator seeded by the system."""
    bits = random.Random(os.urandom(16)).getrandbits
    return lambda: f"{bits(64):016x}"


def random_rollout_id() -> str:
    """Eight letters and digits that cannot be mistaken for one another, easy to type."""
    return _in_letters(int.from_bytes(os.urandom(8)), 8)


def rollout_id_from(text: str) -> str:
    """Ten such letters that follow from a text: many thousands of a run must not clash."""
    from hashlib import blake2b  # OpenSSL stands behind it: not while the program starts

    return _in_letters(int.from_bytes(blake2b(text.encode(), digest_size=8).digest()), 10)


def _in_letters(number: int, count: int) -> str:
    letters = []
    for _ in range(count):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)
