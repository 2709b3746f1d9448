"""The library's tables, version by version, and the pragmas of every connection.

A step's ``key`` is the rollout's key and the step's ``seq`` in one integer (``step_key``), so that
the table itself is in the order in which a rollout is read and needs no index for it. ``depth``
and ``turns`` count along the path from the root to the step, this one included: with them the
summary of a rollout is kept up to date without walking anything. Of a rollout, ``steps`` is the
highest ``seq``, ``hidden`` how many of them are out of sight, ``edits`` how many that a human made
are not, and ``turns`` those of the branch that would be opened. Texts of outside origin are blobs,
because TEXT refuses lone surrogates.

``step_text`` holds no text, only the index. What is not in it yet is known by rollout: the steps
with ``seq`` above the rollout's ``indexed``.
"""

from __future__ import annotations

VERSION = 4
"""The version that this program writes."""

APPLICATION_ID = 0x726F6C6C
"""Marks the file as ours (the letters "roll")."""

SEQ_BITS = 32


def step_key(rollout_key: int, seq: int) -> int:
    """The key under which a step is stored."""
    return rollout_key << SEQ_BITS | seq


def split_key(key: int) -> tuple[int, int]:
    """The rollout's key and the step's seq."""
    return key >> SEQ_BITS, key & ((1 << SEQ_BITS) - 1)


VERSION_1 = """
CREATE TABLE rollouts (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    header BLOB NOT NULL,
    head BLOB,
    status TEXT NOT NULL,
    status_note BLOB NOT NULL,
    steps INTEGER NOT NULL,
    indexed INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    edits INTEGER NOT NULL,
    stop_reason BLOB NOT NULL,
    updated_at REAL NOT NULL
);
CREATE INDEX rollouts_by_time ON rollouts (updated_at);
CREATE INDEX rollouts_to_index ON rollouts (key) WHERE indexed < steps;

CREATE TABLE steps (
    key INTEGER PRIMARY KEY,
    rollout INTEGER NOT NULL REFERENCES rollouts (key),
    id BLOB NOT NULL,
    depth INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX steps_by_id ON steps (rollout, id);
CREATE VIRTUAL TABLE step_text USING fts5 (body, content='', tokenize='trigram');

CREATE TABLE projects (digest BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE revisions (
    rollout INTEGER NOT NULL REFERENCES rollouts (key),
    n INTEGER NOT NULL,
    project BLOB NOT NULL REFERENCES projects (digest),
    PRIMARY KEY (rollout, n)
) WITHOUT ROWID;

CREATE TABLE requests (digest BLOB NOT NULL UNIQUE, packed INTEGER NOT NULL, body BLOB NOT NULL);

CREATE TABLE records (
    key INTEGER PRIMARY KEY,
    rollout INTEGER NOT NULL REFERENCES rollouts (key),
    kind TEXT NOT NULL,
    name BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (rollout, kind, name)
);

CREATE TABLE drafts (
    rollout INTEGER NOT NULL REFERENCES rollouts (key),
    slot BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (rollout, slot)
);
"""

VERSION_3 = """
ALTER TABLE rollouts ADD COLUMN described INTEGER NOT NULL DEFAULT 0;
CREATE INDEX rollouts_to_describe ON rollouts (key) WHERE described = 0;
CREATE TABLE facts (
    rollout INTEGER PRIMARY KEY REFERENCES rollouts (key),
    title TEXT NOT NULL,
    goal TEXT NOT NULL,
    source TEXT NOT NULL,
    format TEXT NOT NULL,
    branches INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    outdated INTEGER NOT NULL,
    rating INTEGER,
    score REAL,
    scores TEXT NOT NULL,
    tags TEXT NOT NULL,
    marked_by TEXT NOT NULL,
    notes TEXT NOT NULL,
    why TEXT NOT NULL,
    tools TEXT NOT NULL,
    models TEXT NOT NULL,
    cost REAL,
    tokens INTEGER NOT NULL
);
CREATE TABLE kept (
    kind TEXT NOT NULL,
    name BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (kind, name)
);
"""
"""What lists of rollouts show and are filtered by, worked out from the steps and marks when there
is time: ``described`` is 0 for a rollout that was written to since. Lists of words stand one to a
line, with a line end before and behind each. ``kept`` is what belongs to the whole library:
saved filters and what was filtered by before, review queues, runs, who plays a rollout, which
rollouts are hidden, which steps were read.
"""

VERSION_4 = """
ALTER TABLE facts ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
UPDATE rollouts SET described = 0 WHERE status = 'parked';
"""
"""Whether a rollout that was parked waits for nobody any more, which needs more than SQL can see.
"""
