"""Themes: one small YAML file each, ``field: value`` line by line.

The file is read by a reader of its own, since nothing but flat fields is allowed in it; so a theme
costs no YAML library at start, and every fault names its line. A user's own files stand in the
``themes`` folder of the configuration folder.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from rollstep.core.errors import Fault, ThemeError

BUILT_IN = Path(__file__).resolve().parent.parent / "themes"
DEFAULT = "night"

COLOURS = {
    "background": "behind everything",
    "surface": "behind the title, the keys and dialogs",
    "text": "what was said",
    "dim": "what matters less, and what is recorded ahead",
    "rule": "lines between panes and turns",
    "evaluator": "the evaluator's steps",
    "target": "the target's steps",
    "tool": "the tool simulator's steps",
    "human": "what a human wrote",
    "key": "keys in the footer",
    "ok": "saved, ended well",
    "warn": "flags",
    "error": "failures, and what is not saved",
    "selection": "behind the selected step",
    "hit": "behind what a search found",
}
"""Every colour of a theme file and what it is for; each is written as "#rrggbb"."""

FIELDS = {"name": "the theme's name in the list", "dark": "true or false", **COLOURS}

_LINE = re.compile(
    r"""^(?P<field>[A-Za-z_-]+)[ ]*:(?:[ ]+(?:"(?P<double>[^"\\]*)"|'(?P<single>[^']*)'"""
    r"""|(?P<plain>[^\s"'#&*!|>%@`\[\]{},][^#]*?)))?[ ]*(?:[ ]\#.*)?$""",
    re.VERBOSE,
)
_COLOUR = re.compile(r"^#[0-9a-fA-F]{6}$")


class Theme(NamedTuple):
    """A theme as read: its id (the file's name), its name, and its colours by field."""

    id: str
    name: str
    dark: bool
    colours: dict[str, str]


def read_theme(path: Path) -> Theme:
    """Read one file. Raises ThemeError with every fault, each with its field and line."""
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        fault = Fault("is not UTF-8 text.", hint="Save it as UTF-8.")
        raise ThemeError(source=str(path), faults=(fault,)) from error
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ThemeError(source=str(path), faults=(Fault(reason),)) from error
    return parse_theme(text, path.stem, str(path))


def parse_theme(text: str, theme_id: str, source: str) -> Theme:
    """A theme from its text."""
    faults: list[Fault] = []
    values: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip() or line.lstrip().startswith("#") or line.rstrip() == "---":
            continue
        found = _LINE.match(line)
        if found is None:
            hint = 'Write one field a line, colours in quotes: text: "#d6dae2".'
            faults.append(Fault("is not `field: value`.", line=number, hint=hint))
            continue
        field = found["field"]
        value = next((v for v in (found["double"], found["single"], found["plain"]) if v), "")
        fault = _fault(field, value, number, field in values)
        if fault is not None:
            faults.append(fault)
        values[field] = (value, number)
    faults += [
        Fault("is missing.", where=field, hint=f"It is {FIELDS[field]}.")
        for field in FIELDS
        if field not in values
    ]
    if faults:
        raise ThemeError(source=source, faults=tuple(faults))
    colours = {field: values[field][0].lower() for field in COLOURS}
    return Theme(theme_id, values["name"][0].strip(), values["dark"][0] == "true", colours)


def _fault(field: str, value: str, line: int, again: bool) -> Fault | None:
    if field not in FIELDS:
        return Fault("is no field of a theme.", line=line, where=field, hint=_nearest(field))
    if again:
        return Fault("is given twice.", line=line, where=field)
    if field == "dark" and value not in ("true", "false"):
        return Fault(f"is {value!r}.", line=line, where=field, hint="Write true or false.")
    if field == "name" and not value.strip():
        return Fault("is empty.", line=line, where=field)
    if field in COLOURS and not _COLOUR.match(value):
        hint = 'Write a colour as "#rrggbb", in quotes: a bare # begins a comment.'
        return Fault(f"is {value!r}." if value else "is empty.", line=line, where=field, hint=hint)
    return None


def _nearest(field: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(field, FIELDS, 1)
    return f"Did you mean {near[0]}?" if near else "The fields are: " + ", ".join(FIELDS) + "."


def theme_files(config: Path | None) -> dict[str, Path]:
    """Every theme file by id, the user's own last and over ours of the same name."""
    folders = [BUILT_IN] + ([config / "themes"] if config is not None else [])
    files: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            for path in sorted((*folder.glob("*.yaml"), *folder.glob("*.yml"))):
                files[path.stem] = path
    return files


def read_themes(config: Path | None) -> tuple[tuple[Theme, ...], tuple[ThemeError, ...]]:
    """Every theme there is, and what is wrong with the files that are none."""
    themes: list[Theme] = []
    problems: list[ThemeError] = []
    for path in theme_files(config).values():
        try:
            themes.append(read_theme(path))
        except ThemeError as error:
            problems.append(error)
    return tuple(themes), tuple(problems)


def find_theme(theme_id: str, config: Path | None) -> Theme:
    """A theme by its id. Raises ThemeError when there is none, or when it is wrong."""
    own = config / "themes" / f"{theme_id}.yaml" if config is not None else None
    for path in (own, BUILT_IN / f"{theme_id}.yaml"):
        if path is not None and re.fullmatch(r"[\w.-]+", theme_id) and path.is_file():
            return read_theme(path)
    known = ", ".join(theme_files(config))
    raise ThemeError(f"There is no theme {theme_id!r}. The themes are: {known}.")
