"""One trajectory to a file: the report, the bytes, the file, whole or not at all.

The face of ``exporting`` for those who have a rollout's tree at hand.
"""

from .exporting.one import export as export
from .exporting.one import export_report as export_report
from .exporting.one import render as render
from .exporting.plan import format_named as format_named
from .exporting.subjects import subject_of as subject_of
