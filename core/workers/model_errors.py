"""What litellm raises, in words for people and one word for programs.

The words continue a sentence that begins with who was asked. The provider's own text is cut (some
repeat the whole prompt) and stands behind the key for details.

=============  ===================================================================
kind           what happened
=============  ===================================================================
``auth``       the key is missing or was refused
``rate``       the provider asks us to wait
``quota``      the account is out of credit
``context``    the conversation is longer than the model takes
``stopped``    blocked by a content filter
``network``    no connection, or it was lost
``timeout``    no complete reply in time
``bad_reply``  the server sent something that is not a model reply
``refused``    the request itself is wrong: an unknown model or parameter
``server``     the provider failed
=============  ===================================================================
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from ..errors import RoleError
from .model_keys import key_name

_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit|billing", re.IGNORECASE)
_CONTEXT = re.compile(
    r"context[ _](length|limit|window)|prompt is too long|maximum context|input tokens exceed",
    re.IGNORECASE,
)
_NO_KEY = re.compile(r"missing credentials|api_key client option", re.IGNORECASE)
_NOT_A_REPLY = re.compile(
    r"empty or invalid response|provider returned|: line \d+ column \d+ \(char", re.IGNORECASE
)
_MOST_DETAIL = 4000


def as_role_error(error: Exception, model: str, litellm: ModuleType) -> RoleError:
    """The RoleError for whatever a call to ``model`` raised."""
    text = f"{error} {getattr(error, 'body', None) or ''}"
    kind, words = _kind_and_words(error, text, model, litellm.exceptions)
    return RoleError(words, kind=kind, detail=f"{type(error).__name__}: {error}"[:_MOST_DETAIL])


def _kind_and_words(error: Exception, text: str, model: str, known: Any) -> tuple[str, str]:
    if _NO_KEY.search(text):
        return "auth", f"has no key: {key_name(model)} is not set."
    if isinstance(error, known.AuthenticationError):
        return "auth", f"was refused: the key in {key_name(model)} is not accepted."
    if isinstance(error, known.RateLimitError):
        return _rate_or_quota(error, text)
    if isinstance(error, known.ContextWindowExceededError) or _CONTEXT.search(text):
        return "context", "was sent more than it takes: the conversation is too long for it."
    if _is_policy(error, known):
        return "stopped", "was blocked by the content filter."
    if isinstance(error, known.Timeout):
        return "timeout", "gave no complete reply in time."
    if isinstance(error, known.APIConnectionError) or "Connection error" in text:
        return "network", "could not be reached, or the connection was lost. Press r to retry."
    if isinstance(error, known.NotFoundError):
        return "refused", f"is not known to its provider as {model!r}."
    if isinstance(error, known.BadRequestError):
        return "refused", f"refused the request: {_first_line(error)}"
    if _NOT_A_REPLY.search(text):
        return "bad_reply", "sent something that is not a model reply."
    status = getattr(error, "status_code", None)
    return "server", f"failed ({status or type(error).__name__}): {_first_line(error)}"


def _rate_or_quota(error: Any, text: str) -> tuple[str, str]:
    if _QUOTA.search(text):
        return "quota", "is out of credit. Nothing was lost; press r to retry."
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    wait = headers.get("retry-after")
    how_long = f" {wait} s" if wait and str(wait).isdigit() else ""
    return "rate", f"asked us to wait{how_long}. Press r to retry."


def _is_policy(error: Exception, known: Any) -> bool:
    code = str(getattr(error, "code", ""))
    return isinstance(error, known.ContentPolicyViolationError) or code.startswith("content_")


def _first_line(error: Exception) -> str:
    """The first line of an error's text without litellm's own class names before it."""
    line = str(error).strip().split("\n", 1)[0]
    bare = re.sub(r"^(litellm\.)?(\w+Error: )*(litellm\.\w+: )*(\w+Exception - )?", "", line)
    return bare if len(bare) <= 300 else f"{bare[:300]}…"
