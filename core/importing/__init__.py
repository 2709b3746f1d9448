"""Taking files of other programs into a library."""

from .files import import_files
from .ids import rollout_id
from .one import SampleLine, import_record, list_samples
from .saved import rollout_of
from .summary import FileProgress, ImportSummary, Left
from .walking import trajectory_files

__all__ = [
    "FileProgress",
    "ImportSummary",
    "Left",
    "SampleLine",
    "import_files",
    "import_record",
    "list_samples",
    "rollout_id",
    "rollout_of",
    "trajectory_files",
]
