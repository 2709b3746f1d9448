"""The command line: arguments to actions. Loads Textual only for the commands that show a screen.

Exit status: 0 when all went well, 1 when a part of the work failed (bad rows, failed rollouts) or
lint or diff have found something, 2 where nothing could be begun (wrong arguments, input that
cannot be read, no place to write), 130 when interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from rollstep.core.errors import ExportError, NotSavedError, PlaceError, RollstepError

from .cli_options import FILE, LIBRARY, MAX_COST, MAX_TOKENS, READ_AS, ROLES, TRUST, QueryCommand

_ELSEWHERE = {
    "author": "cli_models:author_command",
    "config": "cli_settings:config_command",
    "convert": "cli_formats:convert_command",
    "doctor": "cli_models:doctor_command",
    "export": "cli_export:export_command",
    "import": "cli_formats:import_command",
    "key": "cli_models:key_group",
    "library": "cli_library:library_group",
    "replay": "cli_models:replay_command",
    "rerun": "cli_models:rerun_command",
    "review": "cli_review:review_command",
    "stats": "cli_library:stats_command",
    "validate": "cli_formats:validate_command",
}
"""Where the other commands are. Each module is loaded for its own commands only: to open the app
needs none of them.
"""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (place := _ELSEWHERE.get(cmd_name)) is None:
            return super().get_command(ctx, cmd_name)
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(f".{module}", __package__), name)
        return command


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="rollstep", message="%(prog)s %(version)s")
@LIBRARY
@click.pass_context
def app(context: click.Context, library: Path | None) -> int:
    """Step through simulated multi-turn agent rollouts, override any message, go back, export.

    Without a command: the start screen, with samples and recent rollouts.
    """
    if context.invoked_subcommand is not None:
        return 0
    from .commands.show import show_start

    return show_start(library)


@app.command("open")
@click.argument("target")
@click.option("--format", "read_as", metavar="FORMAT", help=READ_AS)
@LIBRARY
@ROLES
@TRUST
def open_command(
    target: str, read_as: str | None, library: Path | None, roles: Path | None, trust: bool
) -> int:
    """Open a project, a seed row, a rollout, or a log of another program.

    A project file, a seed file, a bundle, a log or dataset (docs/formats.md), or a rollout of the
    library.

    TARGET is a path, a rollout's id (or the beginning of it), or ROLLOUT#20 for its step 20;
    FILE.jsonl#17 is the seed row on line 17, LOG#17 the sample of that number. Of a log with
    several samples one is picked on the screen.
    """
    from .commands.show import show_target

    return show_target(target, library, roles, trust, read_as)


@app.command("demo")
@click.argument("sample", default="")
@click.option("--keep", is_flag=True, help="Save what you do in your own library.")
@click.option("--recorded", is_flag=True, help="Its recorded rollout, with overrides and forks.")
@LIBRARY
def demo_command(sample: str, keep: bool, recorded: bool, library: Path | None) -> int:
    """Open a sample project, offline. Nothing is kept without --keep."""
    from .commands.show import show_demo

    return show_demo(sample, keep, recorded, library)


@app.command("run")
@click.argument("projects", nargs=-1, type=FILE, metavar="[PROJECT.yaml]...")
@click.option("--seed-file", type=FILE, metavar="FILE", help="Seed rows (JSONL) to run.")
@click.option("--author", metavar="MODULE:NAME", help="Your own code that makes the projects.")
@click.option("--output-dir", type=FILE, required=True, metavar="DIR", help="Where records go.")
@click.option(
    "--turns",
    type=click.IntRange(min=1),
    help="Turns at most.  [default: 10 for seed rows, else what the project says]",
)
@click.option(
    "--num-projects",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How many seed rows to draw (0 for all), or projects to ask an author for.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the run.")
@click.option(
    "--decider",
    type=click.Choice(["heuristic"]),
    default="heuristic",
    show_default=True,
    help="The evaluator of seed rows that have no --roles.",
)
@click.option("--strict", is_flag=True, help="Do not start when a seed row is bad.")
@click.option("--library", type=FILE, metavar="FILE", help="Keep the rollouts in this library.")
@click.option(
    "--on-break",
    type=click.Choice(["park", "stop", "ignore"]),
    help="At a breakpoint: park the rollout in the library, end it with a stop, or go on."
    "  [default: park, or the configuration's]",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    metavar="N",
    help="Rollouts side by side, where they wait for something.  [default: 16, or the "
    "configuration's]",
)
@click.option("--resume", is_flag=True, help="Go on with this run where it was ended.")
@click.option("--retry-failed", is_flag=True, help="The same, and try again what failed.")
@click.option("--park-flags", is_flag=True, help="Park rollouts with something odd on their path.")
@click.option("--summary", type=FILE, metavar="FILE", help="Write how it went as JSON.")
@MAX_COST
@MAX_TOKENS
@ROLES
@TRUST
def run_command(
    projects: tuple[Path, ...], seed_file: Path | None, author: str | None, **options: Any
) -> int:
    """Run projects or seed rows headless.

    Their turn records are appended to DIR/multi_turn_project.jsonl, in the order in which the
    rollouts are drawn: project files as given, seed rows as --seed shuffles them.
    """
    from .commands.run import RunOptions, run_author, run_project_files, run_seed_file

    options.pop("decider")
    if [seed_file is None, not projects, author is None].count(False) != 1:
        raise click.UsageError("Give one of: --seed-file, project files, --author.")
    if seed_file is not None:
        return run_seed_file(seed_file, RunOptions(**options))
    for name in ("roles", "strict"):
        if options[name]:
            raise click.UsageError(f"--{name} goes with --seed-file only.")
    if author is not None:
        if not options["num_projects"]:
            raise click.UsageError("--author needs --num-projects: how many to ask for.")
        return run_author(author, RunOptions(**options))
    if options["num_projects"]:
        raise click.UsageError("--num-projects goes with --seed-file or --author only.")
    return run_project_files(projects, RunOptions(**options))


@app.command("edits")
@click.argument("rollout")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on a line for each edit.")
@LIBRARY
def edits_command(rollout: str, as_json: bool, library: Path | None) -> int:
    """Print what humans changed in a rollout.

    For each edit its words before and after, by whom, when, why, what followed, and whether it was
    reverted or undone.

    ROLLOUT is its id (or the beginning of it) or a bundle; ROLLOUT#20 tells of step 20 only.
    """
    from .commands.edits import list_edits

    return list_edits(rollout, library, as_json=as_json)


@app.command("lint")
@click.argument("rollout")
@click.option("--branch", metavar="NAME", help="The branch of this name or number.")
@click.option("--all", "every", is_flag=True, help="All branches.")
@click.option("--silenced", is_flag=True, help="Those that were silenced too, with the reason.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on a line for each flag.")
@LIBRARY
def lint_command(
    rollout: str,
    branch: str | None,
    every: bool,
    silenced: bool,
    as_json: bool,
    library: Path | None,
) -> int:
    """Print what is odd in a rollout, and by which rule.

    In the branch that was worked on last, unless told otherwise. The exit status is 1 when
    something is odd that nobody has silenced.

    ROLLOUT is its id (or the beginning of it) or a bundle; ROLLOUT#20 tells of step 20 only.
    """
    from .commands.lint import LintOptions, run_lint

    if branch is not None and every:
        raise click.UsageError("Give --branch or --all, not both.")
    return run_lint(rollout, LintOptions(library, branch, every, as_json, silenced))


@app.command("diff")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@click.option("--json", "as_json", is_flag=True, help="One JSON document, with every step.")
@click.option("--words", is_flag=True, help="One column, changed words as [-old-]{+new+}.")
@click.option(
    "--width", type=click.IntRange(min=40), metavar="N", help="Columns.  [default: the terminal's]"
)
@LIBRARY
def diff_command(
    left: str, right: str, as_json: bool, words: bool, width: int | None, library: Path | None
) -> int:
    """Compare two branches side by side, from the first step that differs.

    A and B are each a rollout's id (or the beginning of it), the session_id of its turn records,
    or a bundle; ROLLOUT@NAME or ROLLOUT@2 is one of its branches, by name or number, ROLLOUT#20
    the branch through step 20. Without either it is the branch that was worked on last.

    The exit status is 0 when all steps are equal, 1 when some differ, 2 when there was trouble.
    """
    from .commands.diff import DiffOptions, run_diff

    return run_diff(left, right, DiffOptions(library, as_json, words, width))


@app.command("list", cls=QueryCommand)
@click.argument("query", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on a line for each.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@LIBRARY
def list_command(query: str, as_json: bool, limit: int, library: Path | None) -> int:
    """List rollouts, those last worked on first; of those that QUERY means (docs/query.md)."""
    from .commands.lists import list_rollouts

    return list_rollouts(library, limit, query, as_json=as_json)


@app.command("samples")
def samples_command() -> int:
    """List the samples that demo opens."""
    from .commands.lists import list_samples

    return list_samples()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status. Errors are words on stderr, never a traceback."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # Names and texts may hold bytes that the terminal's encoding does not have.
            stream.reconfigure(errors="backslashreplace" if stream is not sys.stdin else "replace")
    try:
        result = app.main(
            args=None if arguments is None else list(arguments),
            prog_name="rollstep",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except click.ClickException as error:
        _say(_as_shown(error))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return 130
    except BrokenPipeError:
        _leave_stdout()
        return 1
    except RollstepError as error:
        _say(str(error))
        return _status(error)
    return result if isinstance(result, int) else 0


def _status(error: RollstepError) -> int:
    """2 where nothing could be begun, 1 where a part of the work was done or nothing came of it."""
    if isinstance(error, PlaceError):
        return 2
    return 1 if isinstance(error, NotSavedError | ExportError) else 2


def _say(text: str) -> None:
    from .sanitize import visible

    click.echo(visible(text), err=True)


def _as_shown(error: click.ClickException) -> str:
    """What click would print. It quotes arguments as they are, and a file's name may be one."""
    words = io.StringIO()
    error.show(file=words)
    return words.getvalue().rstrip("\n")


def _leave_stdout() -> None:
    """Nobody reads what we print: let nothing more be printed there on the way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
