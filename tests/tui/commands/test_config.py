"""``rollstep config`` prints, writes a file where there is none, and touches none that is there."""

from __future__ import annotations

from pathlib import Path

from .conftest import RunCli


def test_it_writes_a_file_once_and_never_again(cli: RunCli) -> None:
    _, out, _ = cli("config", "--path")
    path = Path(out.strip())
    assert not path.exists()
    status, out, _ = cli("config", "--write")
    assert status == 0
    assert path.read_text("utf-8").startswith("# Everything that can be set.")
    path.write_text('author = "mira"\n')
    status, _, error = cli("config", "--write")
    assert (status, "there already" in error) == (2, True)
    assert path.read_text("utf-8") == 'author = "mira"\n'
    status, out, _ = cli("config")
    assert status == 0
    assert f'author = "mira"  # {path}' in out


def test_wrong_keys_are_said_by_config_and_by_doctor(cli: RunCli) -> None:
    _, out, _ = cli("config", "--path")
    path = Path(out.strip())
    path.parent.mkdir(parents=True)
    path.write_text('[keys]\nstep = "hyper+q"\nzzz = "a"\n')
    status, _, error = cli("config", "--keys")
    assert status == 2
    assert "'hyper+q' is no key" in error
    assert "keys.zzz: there is no such action" in error
    assert f"{path}: line 3: keys.zzz" in error
    status, out, error = cli("config", "--keys")
    assert (status, "\nstep " in out) == (2, True)
    assert "Above are the keys without a configuration." in error
    _, out, error = cli("doctor")
    assert "keys.zzz: there is no such action" in out + error


def test_doctor_looks_at_all_else_where_the_configuration_is_none(cli: RunCli) -> None:
    _, out, _ = cli("config", "--path")
    path = Path(out.strip())
    path.parent.mkdir(parents=True)
    path.write_text("run = [")
    status, out, _ = cli("doctor")
    assert status == 1
    assert "this is no TOML" in out
    assert "library" in out
    assert "1 problem" in out


def test_a_screen_needs_a_terminal(cli: RunCli, tmp_path: Path) -> None:
    for arguments in (("demo",), ("library",)):
        status, out, error = cli(*arguments, "--library", tmp_path / "l.sqlite")
        assert status == 2
        assert "\x1b" not in out
        assert "needs a terminal" in error
