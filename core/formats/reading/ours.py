"""Files that rollstep writes beside an export, which hold no trajectories: they say who made each
row of it, or describe a folder of rows.
"""

from __future__ import annotations

from pathlib import Path

from .lines import BOM

_PROVENANCE = b'{"rollstep_provenance"'
_CARD = b"---\ndataset_info:\n"
_CARD_NAME = "README.md"


def is_beside(path: Path) -> bool:
    """Whether this is such a file. False for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            start = file.read(len(BOM) + len(_PROVENANCE)).removeprefix(BOM)
    except OSError:
        return False
    return is_provenance(start) or (path.name == _CARD_NAME and start.startswith(_CARD))


def is_provenance(start: bytes) -> bool:
    """Whether a file that begins so tells of the rows of another."""
    return start.startswith(_PROVENANCE)
