"""A module that needs another one."""

import a_module_that_is_not_there  # noqa: F401
