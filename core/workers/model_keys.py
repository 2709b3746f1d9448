"""Where the key of a model's provider is looked for: environment variables, as litellm names them.

Known here, so that a missing key is said at once; litellm takes seconds to load before it would.
"""

from __future__ import annotations

import os
import re

_ANTHROPIC = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
_OPENAI = ("OPENAI_API_KEY",)
KNOWN_KEYS: dict[str, tuple[str, ...]] = {
    "anthropic": _ANTHROPIC,
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": (
        "FIREWORKS_API_KEY",
        "FIREWORKS_AI_API_KEY",
        "FIREWORKSAI_API_KEY",
        "FIREWORKS_AI_TOKEN",
    ),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY", "MISTRAL_AZURE_API_KEY"),
    "openai": _OPENAI,
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "together_ai": (
        "TOGETHERAI_API_KEY",
        "TOGETHER_API_KEY",
        "TOGETHER_AI_API_KEY",
        "TOGETHER_AI_TOKEN",
    ),
    "xai": ("XAI_API_KEY",),
}
"""By the provider before the ``/`` of a model's name; any one of the variables will do."""

KEYLESS = frozenset({"bedrock", "ollama", "ollama_chat", "sagemaker", "vertex_ai"})
"""Providers that are asked without a key, or with credentials of another kind."""

_BARE = {"gpt-": "openai", "claude-": "anthropic"}
"""How names without a provider begin that litellm knows."""


def key_name(model: str) -> str:
    """The variable that a model's key is expected in."""
    return names_for(model)[0]


def names_for(model: str) -> tuple[str, ...]:
    """The variables that a model's key may stand in."""
    provider = provider_of(model) or "openai"
    made_up = f"{re.sub(r'[^A-Za-z0-9]', '_', provider).upper()}_API_KEY"
    return KNOWN_KEYS.get(provider, (made_up,))


def missing_key(model: str) -> str:
    """The variable that has to be set before this model can be asked; the empty string where
    nothing is missing, or nothing is known.
    """
    known = KNOWN_KEYS.get(provider_of(model), ())
    return "" if not known or any(os.environ.get(name) for name in known) else known[0]


def provider_of(model: str) -> str:
    """The provider that a model's name names; the empty string where it names none."""
    if "/" in model:
        return model.partition("/")[0]
    return next((who for start, who in _BARE.items() if model.startswith(start)), "")
