"""Whether a value that was made in code, not read from a file, is what its type says.

Structs do not look at what they are made of; a wrong one could be saved but never read again.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import UsageError


def check(value: object, kind: Any, what: str) -> None:
    """Raise UsageError, with the field, for a value that is not of this kind, holds something of a
    wrong type or out of bounds, or could be changed. ``what`` names it in the words.
    """
    try:
        same = msgspec.convert(msgspec.to_builtins(value), kind) == value
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise UsageError(f"This {type(value).__name__} is no {what}: {error}.") from error
    if not same:
        raise UsageError(
            f"This {type(value).__name__} is no {what}: it is of another kind, or holds a list "
            "where a tuple belongs."
        )
