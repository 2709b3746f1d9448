"""The commands that show a screen. Textual is loaded here, and only after the arguments are known
to be good.
"""

from __future__ import annotations

from pathlib import Path

from rollstep.core.samples import list_samples, sample
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import parse_target

from .lists import library_path


def show_start(library: Path | None) -> int:
    """The start screen."""
    return _show(None, library_path(library))


def show_library(library: Path | None, query: str) -> int:
    """The table of rollouts. Raises QueryError before any screen is shown."""
    from rollstep.core.listing.rollout_list import parse_query
    from rollstep.tui.app import run_app

    parse_query(query)
    return run_app(library=library_path(library), library_query=query)


def show_target(
    name: str,
    library: Path | None,
    roles: Path | None,
    trust: bool,
    read_as: str | None = None,
) -> int:
    """The debugger on a file or a rollout. Raises InputError before any screen is shown."""
    target = parse_target(name, read_as)
    return _show(target, library_path(library), roles=roles, trust=trust)


def show_demo(name: str, keep: bool, recorded: bool, library: Path | None) -> int:
    """The debugger on a sample, with nothing played yet or ``recorded``. With ``keep``, in the
    user's library.
    """
    chosen = sample(name) if name else list_samples()[0]
    target = OpenTarget(sample=chosen.name, recorded=recorded)
    kept = library_path(library) if keep or library is not None else None
    return _show(target, kept)


def _show(
    target: OpenTarget | None,
    library: Path | None,
    *,
    roles: Path | None = None,
    trust: bool = False,
) -> int:
    from rollstep.tui.app import run_app

    return run_app(
        library=library, throwaway=library is None, target=target, roles=roles, trust=trust
    )
