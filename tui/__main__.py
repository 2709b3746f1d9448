"""``python -m rollstep.tui`` is ``rollstep``."""

import sys

from .cli import main

sys.exit(main())
