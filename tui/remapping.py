"""Other keys for actions, from the configuration: ``[keys] step = "s f10"``.

The registry is changed once, before any screen is loaded, since screens make their bindings from it
as they are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, NamedTuple

from rollstep.core.errors import ConfigError, Fault

from . import actions
from .actions import Action
from .library import actions as library

if TYPE_CHECKING:
    from rollstep.core.config.loading import Loaded

_SIGNS = {":": "colon", "?": "question_mark", " ": "space"}
_NAMED = frozenset(
    (
        *("space", "enter", "tab", "escape", "backspace", "delete", "insert", "home", "end"),
        *("up", "down", "left", "right", "pageup", "pagedown", *(f"f{n}" for n in range(1, 25))),
    )
)
_FIXED = ("palette", "help", "cancel", "quit")
"""What must be found whatever else is changed."""


class Remapped(NamedTuple):
    """All actions with the keys that the configuration gives them: the registry, and those that
    only the library screen has.
    """

    registry: tuple[Action, ...]
    library: tuple[Action, ...]


def remapped(loaded: Loaded) -> Remapped:
    """The actions with these keys. A key taken from another action of a screen is gone there.

    Raises ConfigError with every fault: no such action, no such key, a key for two actions of one
    screen, an action that must keep a key and has none.
    """
    overrides = loaded.config.keys
    if not overrides:
        return Remapped(actions.ACTIONS, library.OWN)
    try:
        return _read(overrides)
    except ConfigError as error:
        from rollstep.core.config.loading import placed

        raise placed(error, loaded, "keys") from error


def apply_keys(loaded: Loaded) -> None:
    """Make these the keys of the program. Raises ConfigError."""
    if loaded.config.keys:
        found = remapped(loaded)
        actions.use(found.registry)
        library.use(found.library)


def _read(overrides: Mapping[str, str]) -> Remapped:
    faults: list[Fault] = []
    own_ids = {action.id for action in library.OWN}
    new: dict[str, tuple[str, ...]] = {}
    given: dict[str, list[str]] = {}
    for action_id, text in overrides.items():
        if action_id not in actions.BY_ID and action_id not in own_ids:
            faults.append(_no_action(action_id, own_ids))
            continue
        keys = []
        for word in text.split():
            key = _key(word)
            if key is None:
                faults.append(Fault(f"{word!r} is no key.", where=f"keys.{action_id}", hint=_HINT))
                continue
            others = [each for each in given.get(key, ()) if _meet(each, action_id, own_ids)]
            if others:
                taken = f"{word!r} is given to {others[0]} too."
                faults.append(Fault(taken, where=f"keys.{action_id}"))
            elif key not in keys:
                given.setdefault(key, []).append(action_id)
                keys.append(key)
        new[action_id] = tuple(keys)

    def changed(action: Action) -> Action:
        here = given.items()
        gone = {key for key, ids in here if any(_meet(i, action.id, own_ids) for i in ids)}
        return _with(action, new, gone)

    registry = tuple(
        _with(action, new, {key for key, ids in given.items() if not own_ids.issuperset(ids)})
        for action in actions.ACTIONS
    )
    own = tuple(map(changed, library.OWN))
    faults += _without_keys(registry, own)
    if faults:
        raise ConfigError(faults=tuple(faults))
    return Remapped(registry, own)


def _meet(one: str, other: str, own_ids: set[str]) -> bool:
    """Whether two actions are on one screen."""
    if one == other:
        return False
    if one in own_ids or other in own_ids:
        return all(each in own_ids or each in library.SHARED for each in (one, other))
    return True


def _without_keys(registry: tuple[Action, ...], own: tuple[Action, ...]) -> list[Fault]:
    """Actions that must be found, and cannot be."""
    taken = {key for action in own for key in action.keys}
    faults = []
    for action in registry:
        if action.id in _FIXED and not action.keys:
            where = "it has no key left."
        elif action.id in _FIXED and action.id in library.SHARED and taken.issuperset(action.keys):
            where = "it has no key left in the library."
        else:
            continue
        faults.append(Fault(where, where=f"keys.{action.id}", hint="Give it another."))
    return faults


_HINT = "Keys are letters, signs, ctrl+x, f1 to f24, and names such as space, enter, pagedown."


def _with(action: Action, new: Mapping[str, tuple[str, ...]], gone: Set[str]) -> Action:
    keys = new.get(action.id)
    if keys is None:
        keys = tuple(key for key in action.keys if key not in gone)
    if keys == action.keys:
        return action
    return action._replace(keys=keys, short=_shown(keys[0]) if keys else ":")


def _no_action(action_id: str, own_ids: set[str]) -> Fault:
    from difflib import get_close_matches  # only mistakes need it

    near = get_close_matches(action_id, [*actions.BY_ID, *own_ids], n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]}?" if near else "`rollstep config --keys` lists them."
    return Fault("there is no such action.", where=f"keys.{action_id}", hint=hint)


def _key(word: str) -> str | None:
    """Textual's name for a key as people write it; None where there is none."""
    if len(word) == 1:
        return word if word.isalnum() else _sign(word)
    *modifiers, last = word.lower().split("+")
    if any(modifier not in ("ctrl", "shift") for modifier in modifiers):
        return None
    if last in _NAMED or (modifiers and len(last) == 1 and last.isalnum()):
        return "+".join([*modifiers, last])
    return word if word in _known_signs() else None


def _sign(char: str) -> str | None:
    from textual.keys import _character_to_key

    if not char.isprintable():
        return None
    return _SIGNS.get(char) or _character_to_key(char)


def _known_signs() -> frozenset[str]:
    """Names of signs that the registry uses itself: right_square_bracket and so on."""
    every = (*actions.ACTIONS, *library.OWN)
    return frozenset(key for action in every for key in action.keys if "_" in key)


_SHOWN = {"pagedown": "PgDn", "pageup": "PgUp", "escape": "Esc"}


def _shown(key: str) -> str:
    for char, name in _SIGNS.items():
        if name == key and char != " ":
            return char
    if "_" in key:
        from textual.keys import _get_unicode_name_from_key, key_to_character

        return key_to_character(key) or _get_unicode_name_from_key(key)
    if key.startswith("ctrl+"):
        return f"Ctrl+{key[5:].upper()}"
    return key if len(key) == 1 else _SHOWN.get(key, key.capitalize())
