"""A keyring in memory, in the place of the one of whoever runs the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from rollstep.core.workers import keyring_keys, secrets


class InMemory(KeyringBackend):
    """Keeps what it is given; ``asked`` counts, ``trouble`` is raised in place of an answer."""

    name = "keyring of the tests"
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.asked: list[str] = []
        self.trouble: Exception | None = None

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.append(username)
        if self.trouble is not None:
            raise self.trouble
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@contextmanager
def keyring_in_memory() -> Iterator[InMemory]:
    """A keyring of its own for as long as this lasts."""
    before, ring = keyring.get_keyring(), InMemory()
    keyring.set_keyring(ring)
    keyring_keys._looked.clear()
    try:
        yield ring
    finally:
        keyring.set_keyring(before)
        keyring_keys._looked.clear()
        secrets._remembered.clear()
