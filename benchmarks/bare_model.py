"""What the gateway is measured against: litellm called by itself, in a process of its own.

``python -m benchmarks.bare_model API_BASE MESSAGES`` answers each line ``CALLS STREAM`` on its
input with the seconds that so many calls took, one after the other.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_MODE"] = "PRODUCTION"

import litellm


async def _call(arguments: dict[str, Any]) -> None:
    response: Any = await litellm.acompletion(**arguments)
    if arguments["stream"]:
        async for _ in response:
            pass


async def main() -> None:
    """Serve until the input ends."""
    arguments: dict[str, Any] = {
        "model": "openai/bench",
        "messages": json.loads(sys.argv[2]),
        "api_base": sys.argv[1],
        "api_key": "none",
        "max_retries": 0,
        "num_retries": 0,
    }
    while line := await asyncio.to_thread(sys.stdin.readline):
        calls, stream = map(int, line.split())
        arguments["stream"] = bool(stream)
        at = time.perf_counter()
        for _ in range(calls):
            await _call(arguments)
        print(time.perf_counter() - at, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
