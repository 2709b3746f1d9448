"""The rollouts that a command line names: one of the library, or those of a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rollstep.core.errors import InputError
from rollstep.core.finding import find_rollout
from rollstep.core.model.steps import Step
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import file_kind

from .lists import library_path
from .progress import say


def rollouts(target: OpenTarget, library: Path | None) -> Iterator[Saved]:
    """Each of them, whole. Raises InputError for what is neither, and StoreError."""
    if target.path is None:
        with Library.open(library_path(library), create=False) as opened:
            yield opened.load(find_rollout(opened, target.rollout))
        return
    if file_kind(target.path) != "bundle":
        raise InputError(f"{target.path}: not a rollout. Name one of the library, or a bundle.")
    from rollstep.core.store.bundle_reader import read_bundle

    warnings: list[str] = []
    for saved, _ in read_bundle(target.path, warnings):
        yield saved
    for warning in warnings:
        say(warning)


def step_with_seq(saved: Saved, seq: int) -> Step:
    """The step that a link names. Raises InputError."""
    step = next((step for step in saved.steps if step.seq == seq), None)
    if step is None:
        raise InputError(f"Rollout {saved.header.id} has no step {seq}.")
    return step
