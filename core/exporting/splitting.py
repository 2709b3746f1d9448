"""Which side of a training and test split a rollout is on, and which rows were written already."""

from __future__ import annotations

import hashlib
import sqlite3

from .plan import SplitBy


def on_test_side(key: str, share: float) -> bool:
    """Whether what has this key is on the test side, where ``share`` is to be trained on. The same
    key is on the same side in every export; a larger share only moves keys to the training side.
    """
    return int.from_bytes(_digest(_bytes(key), 8), "big") >= share * 2**64


def side_key(by: SplitBy, rollout: str, source: str, record: int | None) -> str:
    """What has to stay together on one side. A rollout without a source stands for itself."""
    if by == "source" and source:
        return f"{source}\0{'' if record is None else record}"
    return rollout


class Written:
    """Which rows there were already, kept on the disk: memory does not grow with their number."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("CREATE TABLE seen (digest BLOB PRIMARY KEY) WITHOUT ROWID")
        self._connection.execute("BEGIN")

    def first(self, data: bytes) -> bool:
        """Whether these bytes come for the first time."""
        done = self._connection.execute(
            "INSERT OR IGNORE INTO seen VALUES (?)", (_digest(data, 16),)
        )
        return done.rowcount > 0

    def close(self) -> None:
        """Forget them."""
        self._connection.close()


def _digest(data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, digest_size=size).digest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
