"""The table of formats: their names, their file suffixes, what they hold, how they write and read.

Three formats are known here only by what they hold, since writing them takes parts of the program
that formats do not know: ``bundle`` (the library's own), ``project`` and ``seed`` (the checker of
project files). ``core/export.py`` joins those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from ..errors import Fault
from ..model.messages import UserMessage, payload_text
from . import (
    anthropic,
    atif,
    claude_code,
    eliza_native,
    html,
    inspect,
    markdown,
    messages,
    mini_swe_agent,
    openai_chat,
    openai_preference,
    sharegpt,
    swe_agent,
    tau2,
    trl,
    turn_records,
    verifiers,
)
from .options import WriteOptions
from .reading.record import Reader
from .report import FEATURES, Check, Notes, Report, losses
from .rows import Row
from .sharegpt_in import READER as SHAREGPT_READER
from .subject import Subject
from .turn_records.reader import READER as TURN_RECORDS_READER
from .turn_records.rows import rows as turn_record_rows

Render = Callable[[Subject], bytes]
"""A trajectory as a document of its own."""

Rows = Callable[[Subject], Iterable[Row]]
"""A trajectory as the rows of a line format. Raises ExportError where the check finds a fault."""

Collect = Callable[[Iterable[Subject]], Iterable[bytes]]
"""Many trajectories as one document, in pieces."""


HoldsAlso = Callable[[Subject], frozenset[str]]
"""What a format holds of this subject, beside what it always holds."""


Card = Callable[..., str]
"""What a data set's README.md says, from its ``columns``, its ``files`` and ``rows`` (each by the
name of its split), and ``words`` on what was exported; see ``trl/card.py``."""


class Format(msgspec.Struct, frozen=True):
    """One format: a file, and a row of the table below.

    ``holds`` are keys of ``FEATURES``. A line format has ``rows``, a document format ``render``,
    and ``collect`` too where one document takes many trajectories; all three are None where the
    writer is joined later, or where there is only a ``reader``. ``whole`` marks a format that takes
    whole rollouts and not one trajectory, ``unique`` one whose readers refuse equal rows, so that
    each is written once. ``heeds`` names the fields of ``WriteOptions`` that make a difference.
    ``training`` marks what trainers read: its provenance is always written beside it; ``least`` are
    the rows that they ask for at least in a file. ``reader`` is None where nothing is read back.
    ``holds_also`` gives what is held besides, where that depends on the options or the subject.
    ``card`` is the README.md of a folder of its rows. ``pairless`` tells, for a format of pairs,
    whether a trajectory has none.
    """

    name: str
    suffix: str
    what: str
    holds: frozenset[str] = frozenset()
    render: Render | None = None
    check: Check | None = None
    notes: Notes | None = None
    whole: bool = False
    rows: Rows | None = None
    collect: Collect | None = None
    unique: bool = False
    heeds: frozenset[str] = frozenset()
    training: bool = False
    reader: Reader | None = None
    writes: bool = True
    holds_also: HoldsAlso | None = None
    least: int = 0
    card: Card | None = None
    pairless: Callable[[Subject], bool] | None = None


def _check_opening(subject: Subject) -> tuple[Fault, ...]:
    steps = subject.trajectory.steps
    first = steps[0].payload if steps else None
    opening = payload_text(first) if isinstance(first, UserMessage) else subject.project.opening
    if opening:
        return ()
    message = "there is no opening message, and a row without one makes no project."
    return (Fault(message, where="user_text", hint="Give the project an opening."),)


_ALL = (
    Format(
        "turn-records",
        ".jsonl",
        "one row per turn: its messages, user_text, agent_text; no tool calls",
        turn_records.HOLDS,
        turn_records.render,
        turn_records.check,
        turn_records.notes,
        rows=turn_record_rows,
        unique=True,
        heeds=frozenset({"history"}),
        training=True,
        reader=TURN_RECORDS_READER,
        holds_also=turn_records.holds_also,
    ),
    Format(
        "eliza-native",
        ".jsonl",
        "eliza_native_v1: one row for each call of the model, with the full history",
        eliza_native.HOLDS,
        check=eliza_native.check,
        notes=eliza_native.notes,
        rows=eliza_native.rows,
        unique=True,
        heeds=eliza_native.HEEDS,
        training=True,
        reader=eliza_native.READER,
    ),
    Format(
        "openai",
        ".jsonl",
        "OpenAI chat JSONL: one row for all, with messages, tool calls and tools",
        openai_chat.HOLDS,
        openai_chat.render,
        openai_chat.check,
        openai_chat.notes,
        rows=openai_chat.rows,
        heeds=openai_chat.HEEDS,
        training=True,
        reader=openai_chat.READER,
        holds_also=openai_chat.holds_also,
        least=openai_chat.LEAST_ROWS,
    ),
    Format(
        "openai-preference",
        ".preference.jsonl",
        "OpenAI preference JSONL: a row for each pair of answers, from edits and from verdicts",
        openai_preference.HOLDS,
        check=openai_preference.check,
        notes=openai_preference.notes,
        rows=openai_preference.rows,
        unique=True,
        heeds=openai_preference.HEEDS,
        training=True,
        reader=openai_preference.READER,
        holds_also=openai_preference.holds_also,
        pairless=openai_preference.pairless,
    ),
    Format(
        "trl",
        ".trl.jsonl",
        "TRL conversations: messages and tools, arguments as objects, reasoning",
        trl.conversations.HOLDS,
        check=trl.conversations.check,
        notes=trl.conversations.notes,
        rows=trl.conversations.rows,
        heeds=trl.conversations.HEEDS,
        training=True,
        reader=trl.READER,
        card=trl.card,
        holds_also=trl.conversations.holds_also,
    ),
    Format(
        "trl-prompt-completion",
        ".completion.jsonl",
        "TRL prompts with completions: a row for each reply, which keeps all reasoning",
        trl.completions.HOLDS,
        check=trl.completions.check,
        notes=trl.completions.notes,
        rows=trl.completions.rows,
        unique=True,
        heeds=trl.completions.HEEDS,
        training=True,
        reader=trl.COMPLETION_READER,
        holds_also=trl.parts_held,
        card=trl.card,
    ),
    Format(
        "trl-preference",
        ".dpo.jsonl",
        "TRL preferences: prompt, chosen and rejected, from edits and from verdicts",
        trl.preferences.HOLDS,
        check=trl.preferences.check,
        notes=trl.preferences.notes,
        rows=trl.preferences.rows,
        unique=True,
        heeds=trl.preferences.HEEDS,
        training=True,
        reader=trl.PREFERENCE_READER,
        holds_also=trl.preferences.holds_also,
        pairless=trl.preferences.pairless,
        card=trl.card,
    ),
    Format(
        "sharegpt",
        ".sharegpt.jsonl",
        "ShareGPT rows for LLaMA-Factory, strictly alternating",
        sharegpt.HOLDS,
        check=sharegpt.check,
        notes=sharegpt.notes,
        rows=sharegpt.rows,
        heeds=sharegpt.HEEDS,
        training=True,
        reader=SHAREGPT_READER,
        holds_also=sharegpt.holds_also,
    ),
    Format(
        "anthropic",
        ".anthropic.jsonl",
        "Anthropic's Messages shape: one row for all, with system, messages and tools",
        anthropic.HOLDS,
        check=anthropic.check,
        notes=anthropic.notes,
        rows=anthropic.rows,
        heeds=anthropic.HEEDS,
        training=True,
        reader=anthropic.READER,
        holds_also=anthropic.holds_also,
    ),
    Format(
        "atif",
        ".atif.json",
        "ATIF 1.8, Harbor's trajectory format, with edits, marks and branches in extra",
        atif.HOLDS,
        atif.render,
        atif.check,
        atif.notes,
        reader=atif.READER,
        holds_also=atif.holds_also,
    ),
    Format(
        "markdown",
        ".md",
        "Markdown for people to read",
        markdown.HOLDS,
        markdown.render,
        markdown.check,
        markdown.notes,
    ),
    Format(
        "html",
        ".html",
        "one HTML file with the three lanes side by side, searchable, with edits and scores",
        html.HOLDS,
        html.render,
        html.check,
        html.notes,
    ),
    Format(
        "bundle",
        ".rollstep.jsonl",
        "the whole rollout, every branch, nothing lost",
        frozenset(FEATURES),
        whole=True,
    ),
    Format(
        "project",
        ".yaml",
        "the project as a file, to be played anew; no steps",
        frozenset({"project", "tool_schemas"}),
    ),
    Format(
        "seed",
        ".seed.jsonl",
        "the project as a seed row: task id, opening message, benchmark and context; no steps",
        frozenset(),
        check=_check_opening,
    ),
    Format(
        "inspect",
        ".json",
        "Inspect's log as one JSON document: branches, human edits and scores are its own",
        inspect.HOLDS,
        check=inspect.check,
        notes=inspect.notes,
        collect=inspect.collect,
        reader=inspect.READER,
        holds_also=inspect.holds_also,
    ),
    Format(
        "inspect-eval",
        ".eval",
        "Inspect's log as a zip file, in which each sample can be opened alone",
        inspect.HOLDS,
        check=inspect.check,
        notes=inspect.notes,
        collect=inspect.collect_eval,
        reader=inspect.EVAL_READER,
        holds_also=inspect.holds_also,
    ),
    Format(
        "tau2",
        ".json",
        "results of tau2-bench, with the reward and the checks behind it",
        reader=tau2.READER,
        writes=False,
    ),
    Format(
        "mini-swe-agent",
        ".traj.json",
        "trajectories of mini-swe-agent",
        reader=mini_swe_agent.READER,
        writes=False,
    ),
    Format(
        "swe-agent",
        ".traj",
        "trajectories of SWE-agent, with the requests that it kept",
        reader=swe_agent.READER,
        writes=False,
    ),
    Format(
        "claude-code",
        ".jsonl",
        "sessions of Claude Code, with what was taken back and said anew",
        reader=claude_code.READER,
        writes=False,
    ),
    Format(
        "messages",
        ".jsonl",
        "one message per line: all of them are one conversation",
        reader=messages.READER,
        writes=False,
    ),
    Format(
        "verifiers",
        ".jsonl",
        "results and traces of verifiers, with rewards and metrics",
        reader=verifiers.READER,
        writes=False,
    ),
)

FORMATS: dict[str, Format] = {fmt.name: fmt for fmt in _ALL}
"""Every format by its name, in the order in which menus show them."""


def writes_once(fmt: Format, options: WriteOptions) -> bool:
    """Whether equal rows are written once: rows of what branches have in common, mostly."""
    return fmt.unique or (options.split == "replies" and "split" in fmt.heeds)


def few_rows(fmt: Format, rows: int) -> str:
    """That a file has fewer rows than its readers ask for; empty where it has enough. Said once for
    a file, however many trajectories it holds.
    """
    if rows >= fmt.least:
        return ""
    count = "1 row" if rows == 1 else f"{rows} rows"
    return f"this is {count}; at least {fmt.least} are asked for to train on"


def report(subject: Subject, fmt: Format) -> Report:
    """What ``fmt`` keeps, loses and refuses of a subject. Pure; nothing is written."""
    held = fmt.holds | fmt.holds_also(subject) if fmt.holds_also else fmt.holds
    if subject.format == fmt.name:
        held |= {"source_fields"}
    kept, lost = losses(subject, held)
    refused = fmt.check(subject) if fmt.check else ()
    notes = fmt.notes(subject) if fmt.notes else ()
    pairless = bool(refused) and fmt.pairless is not None and fmt.pairless(subject)
    return Report(fmt.name, kept, lost, refused, notes, pairless)
