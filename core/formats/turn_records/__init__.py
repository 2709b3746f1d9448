"""Turn records: ``strict`` writes those of the seed program's shape (a batch takes it from here),
``rows`` also those with the whole history and those of an import, ``reader`` reads.
"""

from .strict import HOLDS, Records, check, complete_turns, holds_also, notes, render

__all__ = ["HOLDS", "Records", "check", "complete_turns", "holds_also", "notes", "render"]
