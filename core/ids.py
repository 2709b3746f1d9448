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
    number = int.from_bytes(os.urandom(8))
    letters = []
    for _ in range(8):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)
