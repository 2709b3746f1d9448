"""The commands that take in and look at files in the formats of other programs."""

from __future__ import annotations

from pathlib import Path

import click

from .cli_options import BESIDE_CALL, FILE, GREETING, LIBRARY, READ_AS


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILES...")
@click.option("--format", "format_name", metavar="FORMAT", help=READ_AS)
@LIBRARY
def import_command(files: tuple[Path, ...], format_name: str | None, library: Path | None) -> int:
    """Take trajectories that other programs wrote into the library.

    FILES are files in any format that is read (see docs/formats.md), or folders of them. Records
    that the library holds already are passed over: an import that was stopped goes on when it is
    asked for again.

    The exit status is 1 when some records were skipped, and 2 when there was nothing else.
    """
    from .commands.imports import run_import
    from .commands.lists import library_path

    return run_import(files, library_path(library), format_name)


@click.command("convert")
@click.argument("source", metavar="IN", type=FILE)
@click.argument("output", metavar="OUT")
@click.option(
    "--format",
    "format_name",
    default="",
    metavar="FORMAT",
    help="What to write.  [default: told from the name of OUT, where only one format fits]",
)
@click.option("--from", "read_as", metavar="FORMAT", help=READ_AS)
@BESIDE_CALL
@GREETING
@click.option("--redact", is_flag=True, help="Put a marker where a secret stands.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def convert_command(
    source: Path,
    output: str,
    format_name: str,
    read_as: str | None,
    beside_call: str | None,
    greeting: str | None,
    redact: bool,
    force: bool,
) -> int:
    """Write a file, or a folder of them, in another format.

    Record by record, without a library; what the other format cannot hold is told. OUT is a file,
    a folder where it ends in a slash, or - for stdout; it is whole or not there.

    The exit status is 1 when some records were skipped, and 2 when none can be read.
    """
    from .commands.convert import ConvertOptions, run_convert

    chosen = {"beside_call": beside_call, "greeting": greeting}
    choices = {name: value for name, value in chosen.items() if value is not None}
    options = ConvertOptions(format_name, read_as, force, redact, choices)
    return run_convert(source, output, options)


@click.command("validate")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILES...")
@click.option("--format", "format_name", metavar="FORMAT", help=READ_AS)
def validate_command(files: tuple[Path, ...], format_name: str | None) -> int:
    """Print what is wrong or odd in files, record by record.

    What cannot be read, and what the rules of the record's format forbid, as a trainer or another
    reader of it would find it.

    The exit status is 1 when some records are refused, and 2 when all are.
    """
    from .commands.validate import run_validate

    return run_validate(files, format_name)
