"""All keys as a TOML file that says what each means, what it is, and from where."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import msgspec

from .keys import Config, Limit
from .loading import PREFIX, Loaded

_WIDTH = 88
_HEAD = f"""\
# Everything that can be set. A key that is not set, or stands behind a #, has the value shown.
# Over the defaults go, one over the other: config.toml in your configuration folder, the
# rollstep.toml of the folder you work in or of one above it, and the environment
# ({PREFIX}RUN_CONCURRENCY is run.concurrency).
"""


def config_page(loaded: Loaded | None = None) -> str:
    """The page; with ``loaded``, keys that are set stand as they are, with where that was done."""
    lines = [_HEAD]
    lines += _table(Config, loaded.config if loaded else Config(), loaded, "")
    return "\n".join(lines).rstrip() + "\n"


def _table(
    kind: type[msgspec.Struct], value: msgspec.Struct, loaded: Loaded | None, prefix: str
) -> Iterator[str]:
    tables: list[tuple[str, Any, Any]] = []
    for field in msgspec.structs.fields(kind):
        inner = getattr(field.type, "__origin__", field.type)
        meaning = _meaning(field.type)
        here = getattr(value, field.name)
        if isinstance(here, msgspec.Struct):
            tables.append((field.name, inner, here))
            continue
        name = f"{prefix}{field.name}"
        if isinstance(here, dict):
            tables.append((field.name, None, here))
            continue
        yield from _comment(meaning)
        source = loaded.sources.get(name) if loaded else None
        if source:
            yield f"{field.name} = {_toml(here)}  # {source}"
        else:
            yield f"# {field.name} = {_toml(here)}"
        yield ""
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for key, inner, here in tables:
        yield from _comment(_meaning(fields[key].type))
        if inner is not None:
            yield f"[{prefix}{key}]"
            yield from _table(inner, here, loaded, f"{prefix}{key}.")
        else:
            yield from _entries(f"{prefix}{key}", here, loaded.sources if loaded else {})
            yield ""


def _entries(name: str, entries: dict[str, Any], sources: dict[str, str]) -> Iterator[str]:
    if entries and isinstance(next(iter(entries.values())), Limit):
        for key, limit in entries.items():
            yield f"[{name}.{_key(key)}]"
            yield from _lines(f"{name}.{key}", msgspec.to_builtins(limit), sources)
        return
    yield f"[{name}]" if entries else f"# [{name}]"
    yield from _lines(name, entries, sources)


def _lines(name: str, entries: dict[str, Any], sources: dict[str, str]) -> Iterator[str]:
    for key, value in entries.items():
        source = sources.get(f"{name}.{key}")
        yield f"{_key(key)} = {_toml(value)}{f'  # {source}' if source else ''}"


def _meaning(kind: Any) -> str:
    for meta in getattr(kind, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta) and meta.description:
            return meta.description
    return ""


def _comment(text: str) -> Iterator[str]:
    yield from (f"# {line}" for line in textwrap.wrap(text, _WIDTH - 2))


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    # A JSON string is a TOML string, and so are numbers, true and false.
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)
