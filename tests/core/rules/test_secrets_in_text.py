"""Secrets in texts: known values, and the shapes of well-known keys."""

from __future__ import annotations

import time

import pytest
from rollstep.core.rules.secrets_in_text import find_secrets, redacted

BLOCK = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("secret", "name"),
    [
        ("sk-ant-api03-" + "aB3_" * 8, "an Anthropic key"),
        ("sk-proj-" + "aB3_" * 8, "an OpenAI key"),
        ("sk-" + "aB3d" * 12, "a key"),
        ("AKIAIOSFODNN7EXAMPLE", "an AWS access key"),
        ("ghp_" + "a1B2" * 9, "a GitHub token"),
        ("github_pat_" + "a1B2" * 9, "a GitHub token"),
        ("glpat-" + "a1B2" * 5, "a GitLab token"),
        ("AIza" + "a1B2-" * 7, "a Google API key"),
        ("hf_" + "aBcD" * 9, "a Hugging Face token"),
        ("xoxb-1234567890-abcdef", "a Slack token"),
        ("sk_live_" + "a1B2" * 6, "a Stripe key"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_X",
            "a JSON Web Token",
        ),
        (BLOCK, "a private key"),
        (BLOCK.replace("\n", "\\n"), "a private key"),
    ],
)
def test_well_known_shapes_are_found_where_they_stand(secret: str, name: str) -> None:
    for before, after in (("", ""), ("key: ", "\n"), ('{"k": "', '"}'), ("日本 ", "。")):
        text = f"{before}{secret}{after}"
        (found,) = find_secrets(text)
        assert (text[found.start : found.end], found.name) == (secret, name)
        assert redacted(text) == f"{before}[redacted: {name}]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn is a library",
        "sk-this-is-a-long-name-in-words-with-dashes",
        "task-0123456789abcdef0123456789",
        "AKIA is the beginning of a key",
        "MAKIAIOSFODNN7EXAMPLE",
        "https://example.org/ghp_docs",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "-----BEGIN RSA PRIVATE KEY----- and no end",
        "order 4471, 49.00",
    ],
)
def test_what_only_looks_a_little_like_one_is_left(text: str) -> None:
    assert find_secrets(text) == ()
    assert redacted(text) is text


def test_known_values_are_found_by_name_wherever_they_stand() -> None:
    known = {"hunter22": "MAIL_PASSWORD", "hunter22-and-more": "OTHER_KEY"}
    found = find_secrets("a hunter22 b hunter22-and-more hunter22", known)
    assert [each.name for each in found] == ["MAIL_PASSWORD", "OTHER_KEY", "MAIL_PASSWORD"]
    assert redacted("x hunter22", known) == "x [redacted: MAIL_PASSWORD]"


def test_overlapping_ones_are_replaced_together() -> None:
    key = "sk-" + "aB3d" * 12
    text = f"<{key}>"
    assert redacted(text, {key[:30]: "A_KEY", f"<{key[:8]}": "B_KEY"}).endswith(">")
    assert "aB3d" not in redacted(text, {key[:30]: "A_KEY", f"<{key[:8]}": "B_KEY"})


@pytest.mark.parametrize(
    "piece",
    ["-----BEGIN PRIVATE KEY-----", "sk-ant-", "eyJeyJeyJ.", "AKIA", "ghp_", "PRIVATE KEY-----"],
)
def test_texts_made_to_be_slow_are_not(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    before = time.process_time()
    find_secrets(text)
    assert time.process_time() - before < 2
