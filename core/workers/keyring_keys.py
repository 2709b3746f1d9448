"""Keys that the operating system keeps: the keyring (Keychain, Secret Service, KWallet, …).

The ``keyring`` library is loaded when a key is needed that the environment does not have, and never
before: it takes a third of a second, and some keyrings ask a human to unlock them. Whatever is
wrong with a keyring is words, and never the end of anything but the lookup.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from ..errors import RoleError, UsageError
from .model_keys import KEYLESS, KNOWN_KEYS, missing_key, names_for, provider_of
from .secrets import remember

SERVICE_NAME = "rollstep"
"""Under which keys are kept; the user name is the name of the variable."""

PATIENCE = 60.0
"""Seconds that a human has to unlock the keyring."""

_NAMES = "names"
"""The entry that lists the names of the others: a keyring cannot be asked for that."""

_KEPT_KEY, _KEPT_MISS = 300.0, 10.0
"""Seconds for which it is remembered what a lookup found, or that it found nothing."""

T = TypeVar("T")


class KeyringError(UsageError):
    """The keyring cannot be used; why, and what to do."""


class NoKeyring(KeyringError):
    """There is none."""


class _Looked(NamedTuple):
    """What a lookup found, and until when that holds."""

    key: str
    until: float

    def __repr__(self) -> str:
        """Without the key."""
        return f"{type(self).__name__}(until={self.until})"


_looked: dict[str, _Looked] = {}
_looking = threading.Lock()


async def key_for(model: str, address: str | None = None) -> str:
    """The key of a model's provider from the keyring; "" where the environment has one, or where
    none is needed. At an ``address`` of one's own none may be needed, and on this machine none is
    looked for. Raises RoleError where one is needed and there is none.
    """
    names = names_for(model)
    if any(os.environ.get(name) for name in names) or provider_of(model) in KEYLESS:
        return ""
    if address is not None and _is_here(address):
        return ""
    needed = missing_key(model) if address is None else ""
    found, trouble = "", ""
    try:
        found = await _in_background(lambda: _first(names, again=bool(needed)))
    except TimeoutError:
        trouble = f"The keyring gave no answer in {PATIENCE:g} s. Unlock it, then try again."
    except KeyringError as error:
        trouble = str(error)
    if needed and not found:
        raise RoleError(_missing(model, needed, trouble), kind="auth")
    return found


def _is_here(address: str) -> bool:
    """Whether an address is on this machine."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    return host in ("", "localhost", "::1") or host.startswith("127.")


def _missing(model: str, name: str, trouble: str) -> str:
    words = f"The model {model} has no key: {name} is not set"
    if trouble:
        return f"{words}. {trouble}"
    return f"{words}, and the keyring has none. Set it, or keep it with: rollstep key set {name}"


def _first(names: tuple[str, ...], *, again: bool) -> str:
    """The key under the first of these names that has one."""
    with _looking:
        for name in names:
            looked = _looked.get(name)
            fresh = looked is not None and time.monotonic() < looked.until
            if looked is None or not fresh or (again and not looked.key):
                # Also where it fails: a model at an address asks again soon, at every call.
                _looked[name] = _Looked("", time.monotonic() + _KEPT_MISS)
                key = read(name)
                kept = _KEPT_KEY if key else _KEPT_MISS
                looked = _looked[name] = _Looked(key, time.monotonic() + kept)
            if looked.key:
                return looked.key
    return ""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What ``work`` gives, done on a thread that nobody waits for at the end. Raises TimeoutError,
    and whatever ``work`` raises.
    """
    return _begun(work).result(seconds)


async def _in_background(work: Callable[[], T]) -> T:
    async with asyncio.timeout(PATIENCE):
        return await asyncio.wrap_future(_begun(work))


def _begun(work: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except InvalidStateError:
            pass  # whoever waited has given up
        except Exception as error:  # noqa: BLE001 - handed on to whoever waits
            with contextlib.suppress(InvalidStateError):
                future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="keyring").start()
    return future


def read(name: str) -> str:
    """The key that is kept under this name, or "". Raises KeyringError."""
    key = _ask(lambda ring: ring.get_password(SERVICE_NAME, name)) or ""
    if key:
        remember(name, key)
    return str(key)


def keep(name: str, key: str) -> str:
    """Keep a key; the name of the keyring that has it now. Raises KeyringError."""
    remember(name, key)
    _ask(lambda ring: ring.set_password(SERVICE_NAME, name, key))
    if read(name) != key:
        raise KeyringError(f"The {backend()} keeps nothing: set {name} in the environment.")
    _list(lambda names: names | {name})
    _looked.pop(name, None)
    return backend()


def forget(name: str) -> bool:
    """Take a key out of the keyring; whether there was one. Raises KeyringError."""
    there = bool(read(name))
    if there:
        _ask(lambda ring: ring.delete_password(SERVICE_NAME, name))
    _list(lambda names: names - {name})
    _looked.pop(name, None)
    return there


def names() -> tuple[str, ...]:
    """The names of the keys that are kept. Raises KeyringError."""
    known = {name for several in KNOWN_KEYS.values() for name in several} | _listed()
    return tuple(sorted(name for name in known if read(name)))


def remember_kept(seconds: float = 3.0) -> str:
    """Have each key that rollstep keeps in the keyring known as a secret from now on. Why that
    could not be, in words; empty where all are known, and where there is no keyring.
    """

    def read_all() -> None:
        for name in _listed():
            read(name)

    try:
        within(seconds, read_all)
    except TimeoutError:
        return f"The keyring did not answer in {seconds:g} s: its keys are not looked for."
    except NoKeyring:
        return ""
    except KeyringError as error:
        return f"Keys of the keyring are not looked for. {error}"
    return ""


def backend() -> str:
    """What the keyring in use calls itself. Raises KeyringError."""
    return str(_ask(lambda ring: ring.get_keyring().name))


def _listed() -> set[str]:
    try:
        found = json.loads(_ask(lambda ring: ring.get_password(SERVICE_NAME, _NAMES)) or "[]")
    except ValueError:
        return set()
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()


def _list(change: Callable[[set[str]], set[str]]) -> None:
    before = _listed()
    after = change(before)
    if after != before:
        text = json.dumps(sorted(after))
        _ask(lambda ring: ring.set_password(SERVICE_NAME, _NAMES, text))


def _ask(question: Callable[[Any], Any]) -> Any:
    """Ask the keyring library. Its backends raise whatever their system gives them."""
    try:
        import keyring
        import keyring.errors
    except ImportError:
        raise NoKeyring(
            "The keyring library is not installed: keep keys in environment variables, or install "
            "rollstep anew with all that it needs."
        ) from None
    try:
        return question(keyring)
    except keyring.errors.NoKeyringError:
        raise NoKeyring(
            "There is no keyring on this machine: keep keys in environment variables."
        ) from None
    except Exception as error:  # noqa: BLE001 - see above
        said = str(error).strip().split("\n")[0] or type(error).__name__
        raise KeyringError(
            f"The keyring failed ({said}). Unlock or mend it, or keep keys in the environment."
        ) from None
