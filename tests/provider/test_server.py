"""The test server itself: the same seed says the same, and it runs as a program."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from .replies import by_seed
from .server import ProviderServer

ROOT = Path(__file__).resolve().parents[2]
TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}},
}


def asked(base: str, model: str, **more: Any) -> Any:
    body = {"model": model, "messages": [{"role": "user", "content": "Hi"}], **more}
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{base}/chat/completions", data)
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.loads(response.read())


def test_what_it_says_follows_from_the_seed_and_the_question() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    assert by_seed("1", body) == by_seed("1", body)
    assert by_seed("1", body) != by_seed("2", body)
    assert by_seed("1", body) != by_seed("1", {**body, "model": "n"})
    with ProviderServer(seed="1") as one, ProviderServer(seed="1") as other:
        assert asked(one.api_base, "m") == asked(other.api_base, "m")


def test_to_a_user_it_answers_with_a_call_of_a_tool_that_fits_its_schema() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": [TOOL]}
    (call,) = by_seed("1", body).calls
    assert call.name == "f"
    assert isinstance(json.loads(call.arguments)["n"], int)
    body["messages"] = [{"role": "tool", "content": "{}"}]
    assert by_seed("1", body).text


def test_as_a_program_it_plays_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"m": [{"text": "One."}, {"fault": "500"}, {"text": "Three."}]}))
    command = [sys.executable, "-m", "tests.provider.server", "--script", str(script)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        base = process.stdout.readline().strip()
        said = []
        for _ in range(4):
            try:
                said.append(asked(base, "m")["choices"][0]["message"]["content"])
            except urllib.error.HTTPError as error:
                said.append(str(error.code))
        process.terminate()
    assert said == ["One.", "500", "Three.", "Three."]
