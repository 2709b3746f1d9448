"""What goes wrong with a call to a model, in words for people and one word for programs.

The provider's own text is cut (some repeat the whole prompt) and stands behind the key for details.

=================  ===============================================================
kind               what happened
=================  ===============================================================
``auth``           the key is missing, was refused, or may not do this
``rate``           the provider asks us to wait
``quota``          the account is out of credit
``context``        the conversation is longer than the model takes
``policy``         the provider's rules forbid the request
``refused``        the request itself is wrong: a parameter, say
``not_found``      there is no such model
``too_large``      the request is larger than the provider takes
``would_rewrite``  litellm would have changed the request, so it was not sent
``network``        no connection, or it was lost
``timeout``        no complete reply in time
``server``         the provider failed
``bad_reply``      the server sent something that is not a model reply
``empty``          neither text nor a tool call
``stopped``        cut off, or blocked by the content filter, before any text
``overflow``       the reply did not end
=================  ===============================================================

What was answered decides, where an answer came (``by_status``); else where the connection failed.
A failure may be tried again by itself only if nothing of a reply had arrived, and only where the
same request may succeed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from ..errors import RoleError
from ..model.failures import kept
from .model_keys import key_name
from .model_request import ModelRequest
from .rewriting import WAY_OUT
from .secrets import mask
from .watching import NotSentError, TooManyBytesError, Wire

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance|billing"
    r"|insufficient (balance|credit|funds)",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"context[ _](length|limit|window)|prompt is too long|maximum context|input tokens exceed"
    r"|too many tokens",
    re.IGNORECASE,
)
_POLICY = re.compile(
    r"content[ _](policy|filter|management policy|moderation)|safety system|usage policies",
    re.IGNORECASE,
)
_NO_KEY = re.compile(r"missing credentials|api_key client option|missing.{0,20}api key", re.I)
_CONNECTING = frozenset({"ConnectError", "ConnectTimeout", "ClientConnectorError"})
_TIMEOUTS = frozenset({"ReadTimeout", "WriteTimeout", "PoolTimeout", "Timeout", "TimeoutError"})
_LOST = frozenset(
    {
        *("ReadError", "WriteError", "ClientPayloadError", "ConnectionResetError"),
        *("RemoteProtocolError", "StreamEndedError"),
    }
)
_NOT_HTTP = frozenset({"BadStatusLine", "BadHttpMessage", "InvalidHeader", "LocalProtocolError"})
_MOST_DETAIL = 4000
_MOST_WORDS = 300


class ModelError(RoleError):
    """A call's failure. ``again``: may it be tried again by itself? ``wait``: the seconds that the
    provider asks us to wait, if it says.
    """

    def __init__(self, words: str, kind: str, *, again: bool = False, wait: float | None = None):
        super().__init__(words, kind=kind)
        self.again = again
        self.wait = wait


def too_late(request: ModelRequest, arrived: int) -> ModelError:
    """No complete reply within the time limit: the provider may be at work, so it is not asked
    again by itself.
    """
    words = f"No complete reply in {request.timeout:g} s."
    return ModelError(words + kept(arrived), "timeout")


def read_error(
    error: Exception, wire: Wire, request: ModelRequest, arrived: int, wait: float | None
) -> ModelError:
    """The failure that an exception of a call stands for. ``arrived`` counts the characters of the
    reply that had come.
    """
    names = [type(each).__name__ for each in _chain(error)]
    if wire.held_back or NotSentError.__name__ in names:
        words = f"Not sent: {wire.held_back}. {WAY_OUT}"
        return ModelError(words, "would_rewrite")
    if TooManyBytesError.__name__ in names:
        return ModelError("The reply did not end, and was cut off." + kept(arrived), "overflow")
    if wire.status >= 300:
        return by_status(wire.status, _said(wire, error), request, wait)
    if not wire.requests:
        return _before_sending(error, request)
    if wire.status == 0:
        return _without_answer(error, names, request)
    return _amid_reply(error, names, wire, request, arrived, wait)


def by_status(status: int, said: str, request: ModelRequest, wait: float | None) -> ModelError:
    """The failure that an HTTP status stands for; ``said`` is the provider's own text."""
    if status == 401:
        return ModelError(_refused_key(request), "auth")
    if status in (400, 402, 403, 429) and _is_quota(status, said, wait):
        return ModelError("Your account is out of credit. Nothing was lost.", "quota")
    if status == 429:
        words = f"The provider asked us to wait{f' {wait:g} s' if wait else ''}."
        return ModelError(words, "rate", again=True, wait=wait)
    if status in (400, 413, 422) and _CONTEXT.search(said):
        return ModelError("The conversation is too long for this model.", "context")
    if status in (400, 403, 422) and _POLICY.search(said):
        return ModelError(f"Blocked by the content filter{_line(said)}", "policy")
    if status == 403:
        return ModelError(f"The provider does not permit this{_line(said)}", "auth")
    if status == 404:
        return ModelError(f"There is no such model here{_line(said)}", "not_found")
    if status == 413:
        return ModelError("The request is larger than the provider takes.", "too_large")
    if status in (408, 504):
        words = f"No complete reply: the provider gave up waiting ({status})."
        return ModelError(words, "timeout", again=True, wait=wait)
    if status == 409 or status >= 500:
        words = f"The provider failed ({status}){_line(said)}"
        return ModelError(words, "server", again=True, wait=wait)
    return ModelError(f"The provider refused the request ({status}){_line(said)}", "refused")


def _refused_key(request: ModelRequest) -> str:
    key = key_name(request.model)
    if request.key:
        return "The key from the keyring was refused."
    if not os.environ.get(key):
        return f"The server wants a key, and {key} is not set."
    return f"The key in {key} was refused."


def _is_quota(status: int, said: str, wait: float | None) -> bool:
    # Some say "you exceeded your quota" of a limit per minute, and then say how long it lasts.
    for_good = "insufficient_quota" in said or wait is None
    return status == 402 or bool(_QUOTA.search(said) and for_good)


def _before_sending(error: Exception, request: ModelRequest) -> ModelError:
    if _NO_KEY.search(str(error)):
        return ModelError(f"There is no key: {key_name(request.model)} is not set.", "auth")
    return ModelError(f"This request cannot be sent{_line(str(error))}", "refused")


def _without_answer(error: Exception, names: list[str], request: ModelRequest) -> ModelError:
    """The request went out, and no answer began."""
    if not _NOT_HTTP.isdisjoint(names) or "illegal status line" in str(error):
        return _no_reply()
    if not _CONNECTING.isdisjoint(names):
        return ModelError("No connection to the provider.", "network", again=True)
    if not _TIMEOUTS.isdisjoint(names):
        return too_late(request, 0)
    return ModelError("Connection lost before an answer.", "network", again=True)


def _amid_reply(
    error: Exception,
    names: list[str],
    wire: Wire,
    request: ModelRequest,
    arrived: int,
    wait: float | None,
) -> ModelError:
    """The answer had begun, as if all were well."""
    event = _error_event(wire)
    if event is not None and not arrived:
        status, said = event
        return by_status(status, said, request, wait)
    if event is not None:
        words = f"The provider failed in the middle{_line(event[1])}"
        return ModelError(words + kept(arrived), "server")
    if not _TIMEOUTS.isdisjoint(names):
        return too_late(request, arrived)
    # litellm's own way to say that a stream ended too early; without any text it means less.
    if not _LOST.isdisjoint(names) or (arrived and "StopAsyncIteration" in names):
        again = not wire.size
        return ModelError("Connection lost." + kept(arrived), "network", again=again)
    return _no_reply(arrived)


def _no_reply(arrived: int = 0) -> ModelError:
    words = "The server sent something that is not a model reply."
    return ModelError(words + kept(arrived), "bad_reply")


def detail(error: BaseException | None, wire: Wire, secrets: tuple[str, ...] = ()) -> str:
    """What those see who press the key for details: the raw answer, and what litellm made of it.
    Without keys.
    """
    raw = wire.body.decode("utf-8", "replace")
    if len(raw) > _MOST_DETAIL:
        raw = f"{raw[: _MOST_DETAIL // 2]}\n[...]\n{raw[-_MOST_DETAIL // 2 :]}"
    pieces = [f"HTTP status {wire.status}" if wire.status else "No answer", raw]
    if error is not None:
        pieces.append(f"{type(error).__name__}: {error}"[:_MOST_DETAIL])
    return hide("\n\n".join(piece for piece in pieces if piece), secrets)


def hide(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text without the keys of the environment, nor these."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return mask(text)


def _said(wire: Wire, error: Exception) -> str:
    """The provider's own words: of its JSON what names and tells the error, else its text."""
    try:
        told = json.loads(wire.body)
    except ValueError:
        return wire.body.decode("utf-8", "replace") or str(error)
    return _told(told)


def _told(value: Any) -> str:
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict) and isinstance(value.get("error"), dict):
        value = value["error"]
    if not isinstance(value, dict):
        return str(value)
    pieces = [value.get(key) for key in ("message", "error", "detail", "code", "type", "status")]
    return " | ".join(str(piece) for piece in pieces if piece)


def _error_event(wire: Wire) -> tuple[int, str] | None:
    """The status and words of an error that came as an event of the stream, or with status 200."""
    lines = wire.body.split(b"\n") if wire.streams else [wire.body]
    for line in reversed(lines):
        if b'"error"' not in line:
            continue
        try:
            told = json.loads(line.removeprefix(b"data:"))
        except ValueError:
            continue
        if isinstance(told, dict) and told.get("error"):
            code = told["error"].get("code") if isinstance(told["error"], dict) else None
            if isinstance(code, int) and 400 <= code < 600:
                return code, _told(told)
            return 500, _told(told)
    return None


def _line(text: str) -> str:
    """The first line of the provider's words as the end of a sentence, without litellm's own class
    names before it; of a page of HTML nothing but the full stop.
    """
    line = text.strip().split("\n", 1)[0].split(" | ", 1)[0]
    bare = re.sub(r"^(litellm\.)?(\w+Error: )*(litellm\.\w+: )*(\w+Exception - )?", "", line)
    if not bare or bare.startswith("<"):
        return "."
    if len(bare) > _MOST_WORDS:
        return f": {bare[:_MOST_WORDS]}…"
    return f": {bare}" if bare.endswith((".", "!", "?")) else f": {bare}."


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and those that it came from."""
    seen: set[int] = set()
    while id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__ or error
