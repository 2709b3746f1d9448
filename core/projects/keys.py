"""The keys of a mapping as they count: duplicates refused, merge keys (``<<``) carried out."""

from __future__ import annotations

from ..errors import Fault
from .scalars import key_path, shown
from .yaml_nodes import Items, Mapping, Node, Scalar

Entry = tuple[Scalar, Node]


def own_entries(mapping: Mapping, path: str, faults: list[Fault]) -> list[Entry]:
    """The mapping's entries in file order, merged ones last; what is written in the mapping itself
    wins over what is merged into it, and of two merged mappings the first.
    """
    seen: dict[str, Scalar] = {}
    entries: list[Entry] = []
    merged: list[Mapping] = []
    for key, value in mapping.entries:
        if not isinstance(key, Scalar):
            message = "a key has to be a text."
            faults.append(Fault(message, key.line, key.column, path))
        elif key.plain and key.text == "<<":
            merged += _merge_sources(value, path, faults)
        elif (first := seen.get(key.text)) is not None:
            message = f"duplicate key: first at line {first.line}, again at line {key.line}."
            where = key_path(path, key.text)
            faults.append(Fault(message, key.line, key.column, where, "Keep one of them."))
        else:
            seen[key.text] = key
            entries.append((key, value))
    for source in merged:
        for key, value in own_entries(source, path, []):
            if key.text not in seen:
                seen[key.text] = key
                entries.append((key, value))
    return entries


def _merge_sources(value: Node, path: str, faults: list[Fault]) -> list[Mapping]:
    sources = value.items if isinstance(value, Items) else [value]
    if all(isinstance(source, Mapping) for source in sources):
        return [source for source in sources if isinstance(source, Mapping)]
    found = shown(value.text) if isinstance(value, Scalar) else "a list of something else"
    message = f"<< takes a mapping or a list of mappings, found {found}."
    hint = 'Put "<<" in quotes if it is meant as a key.'
    faults.append(Fault(message, value.line, value.column, path, hint))
    return []
