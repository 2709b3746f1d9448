"""ATIF, the trajectory format of Harbor: ``document`` writes, ``reader`` reads, ``fields`` is what
the format has a place for.
"""

from .document import HOLDS, check, holds_also, notes, render
from .reader import READER

__all__ = ["HOLDS", "READER", "check", "holds_also", "notes", "render"]
