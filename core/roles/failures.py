"""Foreign code's failures as RoleErrors: one line of plain words, the traceback beside it."""

from __future__ import annotations

import importlib
import traceback
from pathlib import Path
from types import TracebackType

from ..errors import RoleError
from ..workers.secrets import mask

_MOST_WORDS = 500
_MOST_DETAIL = 20_000
_OURS = str(Path(__file__).parents[1])


def as_role_error(error: BaseException, what: str) -> RoleError:
    """What foreign code raised, SystemExit too, as a RoleError whose words begin with ``what``. A
    RoleError that it raised itself keeps its kind and words.
    """
    if isinstance(error, RoleError):
        detail = error.detail or _traceback(error)
        words = _cut(f"failed: {error}")
        return RoleError(
            words,
            kind=_cut(error.kind),
            detail=detail,
            partial=error.partial,
            cost=error.cost,
            usage=error.usage,
        )
    last = traceback.format_exception_only(error)[-1].strip()
    if isinstance(error, SyntaxError) and error.filename:
        last += f" ({error.filename}, line {error.lineno})"
    return RoleError(f"{what}: {_cut(last)}", detail=_traceback(error))


def _cut(words: str) -> str:
    return words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS]}…"


def named(error: RoleError, who: str) -> RoleError:
    """The error with who failed at the head of its words, and without secrets."""
    return RoleError(
        f"{who} {mask(str(error))}",
        kind=error.kind,
        detail=mask(error.detail),
        partial=error.partial,
        cost=error.cost,
        usage=error.usage,
    )


def _traceback(error: BaseException) -> str:
    """The traceback from the first frame that is not ours, or all of it if there is none."""
    own: TracebackType | None = error.__traceback__
    while own is not None and _is_machinery(own.tb_frame.f_code.co_filename):
        own = own.tb_next
    lines = traceback.format_exception(type(error), error, own or error.__traceback__)
    return "".join(lines)[-_MOST_DETAIL:]


def _is_machinery(filename: str) -> bool:
    return filename.startswith((_OURS, "<frozen importlib")) or filename == importlib.__file__
