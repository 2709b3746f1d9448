"""What the person who exports may choose about how a trajectory is written."""

from __future__ import annotations

from typing import Literal

import msgspec

Split = Literal["", "replies"]
History = Literal["turn", "full"]
BesideCall = Literal["refuse", "think"]
Greeting = Literal["refuse", "drop", "system"]


class WriteOptions(msgspec.Struct, frozen=True):
    """Choices that formats heed; each format says in ``Format.heeds`` which ones.

    ``split``: one row for the whole trajectory, or one for each target reply. ``history``: turn
    records of their own turn only, or with all before it. ``reasoning_key``: under which name TRL
    rows hold reasoning. ``beside_call``: what ShareGPT rows do with text beside a call.
    ``greeting``: what is done with the words with which the target begins, where the first message
    has to be the user's: the row is refused, they are left out, or told in the system text.
    ``renames``: tool names to write differently, pairs of (ours, theirs), consented to.
    ``strip_stop``: leave the project's stop words out of the evaluator's messages. ``prune_nulls``:
    leave out arguments that are null, as a table of columns fills them in.
    """

    split: Split = ""
    history: History = "turn"
    reasoning_key: str = "reasoning_content"
    beside_call: BesideCall = "refuse"
    greeting: Greeting = "refuse"
    renames: tuple[tuple[str, str], ...] = ()
    strip_stop: bool = False
    prune_nulls: bool = False
