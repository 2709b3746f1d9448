"""A row of a line format, and from which steps its messages come."""

from __future__ import annotations

import msgspec


class Row(msgspec.Struct, frozen=True):
    """``data`` is one line with its line end. ``steps`` gives, for each message of the row in
    order, the number of its step in the trajectory, counted from 1 (0: no step, as for the system
    text). ``same`` is what makes two rows equal for readers that refuse equal ones, where that is
    less than all of ``data``.
    """

    data: bytes
    steps: tuple[int, ...] = ()
    same: bytes = b""
