"""Everything that a role can do wrong."""

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from rollstep.core.errors import RoleError
from rollstep.core.model.messages import TargetReply, ToolResult

NOT_A_ROLE = 42


def raises(view):
    raise ValueError(f"no [/b] such order; the key is {os.environ.get('CANARY_API_KEY')}")


async def raises_async(view):
    raise LookupError("later")


def raises_a_role_error(view):
    raise RoleError("out of credit", kind="quota", detail="body", partial="half of it")


def raises_the_unprintable(view):
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError("no words either")

    raise Odd


def exits(view):
    sys.exit(3)


def hangs(view):
    while True:
        time.sleep(0.01)


def hangs_busily(view):
    while True:
        pass


def dies(view):
    print("last words, with", os.environ.get("CANARY_API_KEY"))
    sys.stdout.flush()
    os._exit(7)


def crashes(view):
    ctypes.string_at(0)


def gives_none(view):
    return None


def gives_a_number(view):
    return 42


def gives_another_roles_payload(view):
    return ToolResult("x", ())


def gives_malformed_parts(view):
    return TargetReply(("just text",))


def gives_the_unwritable(view):
    return TargetReply((object(),))


def gives_too_much(view):
    return "x" * 40_000_000


def gives_a_bad_call(view):
    return {"tool_calls": [{"arguments": {}}]}


def gives_an_object_as_result(view):
    return {"when": object()}


def gives_not_a_number(view):
    return {"n": float("nan")}


def takes_nothing():
    return "x"


def takes_too_much(view, other):
    return "x"


class NoMethod:
    pass


class FailsToStart:
    def __init__(self):
        raise OSError("no database here")


class WantsOptions:
    def __init__(self, *, path):
        self.path = path

    def reply(self, view):
        return self.path


def starts_another_process(view):
    """Leaves the id of a process that it started, then hangs."""
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(view.project.goal).write_text(f"{os.getpid()} {started.pid}")
    threading.Event().wait()


def says_its_id(view):
    return str(os.getpid())


def writes_its_id_and_hangs(view):
    Path(view.project.goal).write_text(str(os.getpid()))
    while True:
        pass
