"""The commands that have to do with models, and with the machine that rollstep runs on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .cli_options import FILE, LIBRARY, MAX_COST, MAX_TOKENS, TRUST


@click.command("author")
@click.option(
    "--from",
    "source",
    type=FILE,
    required=True,
    metavar="FILE",
    help="Goals (.txt, one a line), seed rows, or runs with a score (JSONL).",
)
@click.option("-n", type=click.IntRange(min=1), required=True, help="How many projects to write.")
@click.option("--model", required=True, metavar="NAME", help="The model that writes them.")
@click.option(
    "-o", "--output-dir", "folder", type=FILE, required=True, metavar="DIR", help="Where they go."
)
@click.option("--api-base", metavar="URL", help="Where the model is, if not at its provider.")
@click.option(
    "--roles", type=FILE, metavar="FILE", help="Who plays them, with which tools: a project file."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the run.")
@click.option(
    "--below", type=float, default=1.0, show_default=True, help="A run failed if its score is less."
)
@click.option("--force", is_flag=True, help="Replace files of the same name.")
@MAX_COST
@MAX_TOKENS
def author_command(source: Path, **options: Any) -> int:
    """Let a model write project files.

    From a list of goals, from seed rows, or from runs of a benchmark that failed: then variations
    of what went wrong. The files' names go to stdout. Each is checked like any other project, says
    in its metadata where it came from, and near-duplicates are dropped.
    """
    from .commands.author import AuthorOptions, run_author

    return run_author(source, AuthorOptions(**options))


@click.command("doctor")
@click.argument("called", nargs=-1, metavar="[MODEL|PROJECT.yaml]...")
@click.option("--call", is_flag=True, help="One small call to each model named. It may cost money.")
@click.option("--api-base", metavar="URL", help="Where the models named are asked.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on a line for each thing.")
@LIBRARY
@TRUST
def doctor_command(
    called: tuple[str, ...],
    call: bool,
    api_base: str | None,
    as_json: bool,
    library: Path | None,
    trust: bool,
) -> int:
    """Look at what rollstep needs here, and say what to do about what is wrong.

    Python, terminal, library, settings, themes, kinds of roles, and keys by name: all offline. With
    --call the models named, or those of project files, are asked one small question each.

    The exit status is 1 when something will not work.
    """
    from .commands.doctor import DoctorOptions, run_doctor

    if call != bool(called):
        raise click.UsageError("--call needs models or project files, and they need --call.")
    return run_doctor(DoctorOptions(library, as_json, called, api_base, trust))


@click.group("key")
def key_group() -> None:
    """Keep the keys of model providers in the system's keyring.

    NAME is that of the variable, as in OPENAI_API_KEY. The environment comes first; the keyring is
    asked when a model is, and the environment has no key.
    """


@key_group.command("set")
@click.argument("name")
def key_set_command(name: str) -> int:
    """Keep a key: it is asked for without being shown, or read from stdin."""
    from .commands.key import set_key

    return set_key(name)


@key_group.command("remove")
@click.argument("name")
def key_remove_command(name: str) -> int:
    """Take a key out of the keyring."""
    from .commands.key import remove_key

    return remove_key(name)


@key_group.command("list")
def key_list_command() -> int:
    """List the names of the keys that are kept."""
    from .commands.key import list_keys

    return list_keys()


@click.command("replay")
@click.argument("rollout")
@click.option("--branch", metavar="NAME", help="The branch of this name or number.")
@click.option(
    "--speed",
    type=click.IntRange(1, 16),
    default=1,
    show_default=True,
    help="How many times as fast it is typed, up to 16.",
)
@click.option("--at-once", is_flag=True, help="Without typing, as where stdout is no terminal.")
@click.option("--plain", is_flag=True, help="Without colours.")
@LIBRARY
def replay_command(rollout: str, library: Path | None, **options: Any) -> int:
    """Play a recorded branch in the terminal, as it went.

    Offline: nothing is asked and nothing is made. In the app, p presents it full screen.

    ROLLOUT is its id (or the beginning of it), the session_id of its turn records, or a bundle;
    ROLLOUT@NAME or ROLLOUT@2 is one of its branches, ROLLOUT#20 the one through step 20.
    """
    from .commands.replay import ReplayOptions, run_replay

    return run_replay(rollout, ReplayOptions(library, **options))


@click.command("rerun")
@click.argument("rollout")
@click.option("--target", metavar="MODEL", help="Who answers as the target instead.")
@click.option("--evaluator", metavar="MODEL", help="Who plays the user instead.")
@click.option("--api-base", metavar="URL", help="The address of a local or other server of MODEL.")
@click.option("--project", is_flag=True, help="The project afresh, not the same messages.")
@click.option("--turns", type=click.IntRange(min=1), help="Turns at most.")
@click.option("--branch", metavar="NAME", help="The branch of this name or number.")
@click.option("--headless", is_flag=True, help="Do not open both side by side afterwards.")
@MAX_COST
@MAX_TOKENS
@TRUST
@LIBRARY
def rerun_command(rollout: str, library: Path | None, **options: Any) -> int:
    """Play a recorded rollout again with another model, as a new one.

    The evaluator says the same messages as in the recording, and calls that are equal to recorded
    ones have the recorded results. With --evaluator, or --project, the evaluator is asked anew.

    MODEL is any litellm model, or python:MODULE:NAME for an object of your own (needs --trust).
    ROLLOUT is named as for replay.
    """
    from .commands.rerun import RerunOptions, check_options, run_rerun

    given = RerunOptions(library, **options)
    check_options(given)
    return run_rerun(rollout, given)
