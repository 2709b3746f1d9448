"""From files and the environment to a checked ``Config``. Everything wrong is said at once.

Each layer goes over the one before: the defaults, the user's ``config.toml``, the ``rollstep.toml``
of the folder or of one above it, and the environment (``ROLLSTEP_RUN_CONCURRENCY`` for
``run.concurrency``; tables such as ``keys`` are set in files only).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ..errors import ConfigError, Fault
from ..files import expanded
from .keys import Config

FOLDER_FILE = "rollstep.toml"
USER_FILE = "config.toml"
PREFIX = "ROLLSTEP_"
_MOST_FAULTS = 30
"""Faults of one file that are said; whoever mends these is told of the next."""
_YES_AND_NO = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Loaded(msgspec.Struct, frozen=True):
    """The configuration, and from where each key that was set has its value: the path of a file, or
    the name of a variable, by the key's dotted name; of a table with names of the user's own that
    of each entry, and, by the table's name, of the last one.
    """

    config: Config
    sources: dict[str, str]


def load_config(
    user_folder: Path | None,
    folder: Path | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Loaded:
    """The configuration for work in ``folder``. Raises ConfigError with every fault found."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for path in _files(user_folder, folder):
        for name, value in _read(path):
            _put(values, sources, (name, name), value, str(path))
    for name in _scalars() if any(map(_is_ours, environ)) else ():
        variable = PREFIX + name.replace(".", "_").upper()
        if variable in environ:
            values[name] = _from_text(name, environ[variable], variable)
            sources[name] = variable
    # Most starts have nothing to read, and need not wait for msgspec to look at all the types.
    return Loaded(msgspec.convert(_nested(values), Config) if values else Config(), sources)


def _put(
    values: dict[str, Any], sources: dict[str, str], names: tuple[str, str], value: Any, source: str
) -> None:
    """Put a value over the one that is there, a table entry by entry. ``names``: its key, and the
    dotted name of that.
    """
    key, dotted = names
    sources[dotted] = source
    if not isinstance(value, dict):
        values[key] = value
        return
    inside = values.setdefault(key, {})
    for name, one in value.items():
        _put(inside, sources, (name, f"{dotted}.{name}"), one, source)


def _is_ours(variable: str) -> bool:
    return variable.startswith(PREFIX)


def placed(error: ConfigError, loaded: Loaded, table: str) -> ConfigError:
    """The error with file and line of each fault, where it was found later, in what the keys of a
    table mean.
    """
    last = loaded.sources.get(table, "")
    lines = []
    for fault in error.faults:
        source = loaded.sources.get(fault.where, last)
        try:
            text = Path(source).read_text("utf-8") if source else ""
        except OSError:
            text = ""
        lines.append(msgspec.structs.replace(fault, line=_line(text, fault.where)).render(source))
    return ConfigError("\n".join(lines))


def guide_of(loaded: Loaded) -> str:
    """The text that reviewers go by: written in the configuration, or in the file it names, seen
    from where it is named. Raises ConfigError where that file cannot be read.
    """
    review = loaded.config.review
    if not review.guide_file:
        return review.guide
    beside = Path(loaded.sources.get("review.guide_file", "")).parent
    path = beside / expanded(review.guide_file)
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f"The guide {path} cannot be read: it is no file.")
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        reason = getattr(error, "strerror", None) or (
            "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        )
        raise ConfigError(f"The guide {path} cannot be read: {reason}.") from error


def setting_types() -> dict[str, Any]:
    """The type of every key, by its dotted name, in the order of the page."""
    return dict(_types(Config, ""))


def _files(user_folder: Path | None, folder: Path | None) -> Iterator[Path]:
    if user_folder is not None and (path := user_folder / USER_FILE).is_file():
        yield path
    if folder is not None:
        here = folder.absolute()
        for each in (here, *here.parents):
            if (path := each / FOLDER_FILE).is_file():
                yield path
                return


def _types(kind: type[msgspec.Struct], prefix: str) -> Iterator[tuple[str, Any]]:
    for field in msgspec.structs.fields(kind):
        inner = _plain(field.type)
        name = f"{prefix}{field.name}"
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            yield from _types(inner, f"{name}.")
        else:
            yield name, field.type


def _scalars() -> list[str]:
    return [name for name, kind in setting_types().items() if _plain(kind) is not dict]


def _plain(kind: Any) -> Any:
    """The type itself, without its description and what it holds."""
    while hasattr(kind, "__origin__"):
        kind = kind.__origin__
    return kind


def _read(path: Path) -> Iterator[tuple[str, Any]]:
    """The keys of a file with their values. Raises ConfigError."""
    import tomllib  # only where there is a file to read

    try:
        text = path.read_text("utf-8")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        fault = Fault("the file is not UTF-8.", byte=error.start)
        raise ConfigError(source=str(path), faults=(fault,)) from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:  # numbers of too many digits, too deep tables
        raise ConfigError(
            source=str(path), faults=(Fault(f"{error}: this is no TOML."),)
        ) from error
    faults: list[Fault] = []
    found = list(_checked(document, text, faults))
    if faults:
        raise ConfigError(source=str(path), faults=tuple(faults))
    yield from found


def _checked(
    document: dict[str, Any], text: str, faults: list[Fault], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    types = setting_types()
    for key, value in document.items():
        if len(faults) >= _MOST_FAULTS:
            return
        name = f"{prefix}{key}"
        if name in types:
            each = _entries(name, value) if _plain(types[name]) is dict else {name: value}
            for where, one in each.items():
                try:
                    msgspec.convert(one, types[name])
                except msgspec.ValidationError as error:
                    line = _line(text, where) or _line(text, name)
                    hint = _hint(types[name])
                    faults.append(Fault(f"{_words(error)}.", line, where=where, hint=hint))
            yield name, value
        elif isinstance(value, dict) and any(known.startswith(f"{name}.") for known in types):
            yield from _checked(value, text, faults, f"{name}.")
        elif any(known.startswith(f"{name}.") for known in types):
            faults.append(Fault(f"it is a table: [{name}].", _line(text, name), where=name))
        else:
            faults.append(_unknown(name, types, _line(text, name)))


def _entries(name: str, value: Any) -> dict[str, Any]:
    """Of a table with names of the user's own, a table for each of them: what is wrong is said
    where it stands.
    """
    if not isinstance(value, dict):
        return {name: value}
    return {f"{name}.{key}": {key: one} for key, one in value.items()} or {name: value}


def _unknown(name: str, known: Mapping[str, Any], line: int) -> Fault:
    from difflib import get_close_matches  # only mistakes need it

    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]}?" if near else "`rollstep config` lists all keys."
    return Fault("there is no such key.", line=line, where=name, hint=hint)


def _words(error: msgspec.ValidationError) -> str:
    """What is wrong with a value; where in it, if that is not the value itself."""
    said, _, place = str(error).partition(" - at ")
    inside = place.strip("`").removeprefix("$").removeprefix("[...]").lstrip(".")
    return f"{said[0].lower()}{said[1:]}{f' (at {inside})' if inside else ''}"


def _hint(kind: Any) -> str:
    """The words that there are, where there are only some."""
    words = getattr(getattr(kind, "__origin__", kind), "__args__", ())
    if words and all(isinstance(word, str) for word in words):
        return f"It is {', '.join(words[:-1])} or {words[-1]}."
    return ""


def _line(text: str, name: str) -> int:
    """The line of a key, 0 where it cannot be told."""
    *tables, key = name.split(".")
    table = ".".join(tables)
    inside = not tables
    for number, line in enumerate(text.split("\n"), 1):
        if head := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            inside = head[1] == table
            if head[1] == name or head[1].startswith(f"{name}."):
                return number
        elif re.match(rf'\s*"?{re.escape(key if inside else name)}"?\s*[=.]', line):
            return number
    return 0


def _from_text(name: str, text: str, variable: str) -> Any:
    kind = setting_types()[name]
    if _plain(kind) is bool:
        if text.lower() not in _YES_AND_NO:
            fault = Fault("it is true or false.", where=variable)
            raise ConfigError(faults=(fault,))
        return _YES_AND_NO[text.lower()]
    try:
        if _plain(kind) is tuple:
            parts = [part for part in text.split("\n") if part]
            return msgspec.to_builtins(msgspec.convert(parts, kind))
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        fault = Fault(f"{_words(error)}.", where=variable)
        raise ConfigError(faults=(fault,)) from error


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        *tables, key = name.split(".")
        at = found
        for table in tables:
            at = at.setdefault(table, {})
        at[key] = value
    return found
