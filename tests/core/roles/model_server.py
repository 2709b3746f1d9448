"""A server on loopback that speaks the OpenAI chat shape: the model's name says what it answers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def chat(content: str | None, *, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """A whole chat completion."""
    message = {"role": "assistant", "content": content, **more}
    return {
        "id": "resp-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": 3,
            "total_tokens": 13,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    }


def fault(message: str, **more: Any) -> dict[str, Any]:
    """An error body."""
    return {"error": {"message": message, **more}}


class ModelServer:
    """Answers by model name with a status and a body (text is sent as it is; None hangs up), and
    keeps the requests. A model called ``silent`` never answers."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, Any]] = {}
        self.requests: list[dict[str, Any]] = []
        self.release = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.requests.append(body)
                if body["model"] == "silent":
                    server.release.wait(60)
                    return
                status, answer = server.answers[body["model"]]
                if answer is None:
                    self.connection.close()
                    return
                data = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                if status == 429:
                    self.send_header("retry-after", "20")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: tests are quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self.release.set()
        self._http.shutdown()
        self._http.server_close()
