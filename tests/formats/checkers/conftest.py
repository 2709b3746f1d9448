"""The receivers' own code stands in an environment of its own: ``make test-formats``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if os.environ.get("ROLLSTEP_CHECKERS") != "1":
    collect_ignore_glob = ["*"]
else:
    # So that tests find each other as the package that they are, without the suite's conftest,
    # which needs what is not installed here.
    sys.path.insert(0, str(Path(__file__).parents[3]))
