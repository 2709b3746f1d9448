"""Layers of the configuration, and everything wrong with one said at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.config import loading
from rollstep.core.config.keys import Config, Limit
from rollstep.core.config.loading import Loaded, guide_of, load_config, placed, setting_types
from rollstep.core.config.page import config_page
from rollstep.core.errors import ConfigError, Fault


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_without_a_file_everything_is_as_usual(tmp_path: Path) -> None:
    assert load_config(tmp_path, tmp_path, {}).config == Config()


def test_where_nothing_is_set_no_types_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take 6 ms of every start."""
    monkeypatch.setattr(loading, "setting_types", lambda: pytest.fail("it was asked for them"))
    monkeypatch.setattr(loading.msgspec, "convert", lambda *_: pytest.fail("it converts"))
    assert load_config(tmp_path, tmp_path, {"HOME": "/"}) == Loaded(Config(), {})


def test_the_folder_goes_over_the_user_and_the_environment_over_both(tmp_path: Path) -> None:
    user = write(tmp_path / "user" / "config.toml", 'author = "ana"\n[run]\nconcurrency = 4\n')
    here = write(tmp_path / "work" / "rollstep.toml", "run.concurrency = 8\n")
    below = tmp_path / "work" / "a" / "b"
    below.mkdir(parents=True)
    loaded = load_config(user.parent, below, {"ROLLSTEP_RUN_MAX_COST": "2.5"})
    run = loaded.config.run
    assert (loaded.config.author, run.concurrency, run.max_cost) == ("ana", 8, 2.5)
    assert loaded.sources["run.concurrency"] == str(here)
    assert loaded.sources["run.max_cost"] == "ROLLSTEP_RUN_MAX_COST"


def test_tables_of_the_users_own_names(tmp_path: Path) -> None:
    write(
        tmp_path / "config.toml",
        '[run.limits."openai/gpt-4.1-mini"]\nat_once = 4\n[keys]\nstep = "s"\n'
        '[review]\ntags = {r = "refund"}\n',
    )
    config = load_config(tmp_path, None, {}).config
    assert config.run.limits == {"openai/gpt-4.1-mini": Limit(4)}
    assert config.keys == {"step": "s"}
    assert config.review.tags == {"r": "refund"}


def test_a_folders_tables_go_over_the_users_entry_by_entry(tmp_path: Path) -> None:
    user = write(
        tmp_path / "user" / "config.toml",
        '[keys]\nstep = "x"\nturn = "z"\n[review.tags]\nr = "refund"\n'
        "[run.limits.openai]\nat_once = 4\n",
    )
    here = write(
        tmp_path / "work" / "rollstep.toml",
        '[keys]\nturn = "y"\n[review.tags]\nt = "tone"\n'
        "[run.limits.openai]\nrequests_per_minute = 50\n[run.limits.target]\nat_once = 1\n",
    )
    loaded = load_config(user.parent, here.parent, {})
    assert loaded.config.keys == {"step": "x", "turn": "y"}
    assert loaded.config.review.tags == {"r": "refund", "t": "tone"}
    assert loaded.config.run.limits == {"openai": Limit(4, 50), "target": Limit(1)}
    assert loaded.sources["keys.step"] == str(user)
    page = config_page(loaded)
    assert f'turn = "y"  # {here}' in page
    assert f"at_once = 4  # {user}" in page
    again = write(tmp_path / "again" / "config.toml", page)
    assert load_config(again.parent, None, {}).config == loaded.config
    fault = ConfigError(faults=(Fault("so.", where="keys.step"), Fault("so.", where="keys.turn")))
    assert str(placed(fault, loaded, "keys")).splitlines() == [
        f"{user}: line 2: keys.step: so.",
        f"{here}: line 2: keys.turn: so.",
    ]


def test_every_fault_is_said_with_its_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "config.toml",
        'autor = "ana"\n\n[run]\nconcurrency = 0\non_break = "halt"\n'
        "[run.limits.openai]\nat_onc = 4\n[keys]\nstep = 3\n[nothing]\nx = 1\n",
    )
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path, None, {})
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{path}: line 1: autor: there is no such key. Did you mean author?"
    assert lines[1] == f"{path}: line 4: run.concurrency: expected `int` >= 1."
    assert lines[2].endswith("invalid enum value 'halt'. It is park, stop or ignore.")
    assert "line 6: run.limits.openai: object contains unknown field `at_onc`" in lines[3]
    assert lines[4] == f"{path}: line 9: keys.step: expected `str`, got `int`."
    assert "nothing: there is no such key" in lines[5]
    assert len(lines) == 6


def test_tags_have_one_letter_and_no_more_reasons_than_numbers(tmp_path: Path) -> None:
    reasons = ", ".join(f'"{n}"' for n in range(10))
    path = write(
        tmp_path / "config.toml",
        f'[review]\nreasons = [{reasons}]\n[review.tags]\nr = "refund"\nref = "refunded"\n',
    )
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path, None, {})
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{path}: line 2: review.reasons: expected `array` of length <= 9."
    assert lines[1].startswith(f"{path}: line 5: review.tags.ref: expected `str` of length <= 1")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"run = [", "this is no TOML"),
        (b"author = '\xe9'", "not UTF-8"),
        (b"a = 1\na = 2", "this is no TOML"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "config.toml").write_bytes(content)
    with pytest.raises(ConfigError, match=words):
        load_config(tmp_path, None, {})


def test_a_bad_variable_is_named() -> None:
    with pytest.raises(ConfigError, match="ROLLSTEP_RUN_CONCURRENCY: expected `int` >= 1"):
        load_config(None, None, {"ROLLSTEP_RUN_CONCURRENCY": "0"})
    with pytest.raises(ConfigError, match="ROLLSTEP_REVIEW_REASONS: expected `array` of length"):
        load_config(None, None, {"ROLLSTEP_REVIEW_REASONS": "\n".join("abcdefghij")})
    with pytest.raises(ConfigError, match="ROLLSTEP_REVIEW_SHOW_OTHERS"):
        load_config(None, None, {"ROLLSTEP_REVIEW_SHOW_OTHERS": "perhaps"})


def test_a_guide_stands_beside_the_file_that_names_it(tmp_path: Path) -> None:
    write(tmp_path / "config.toml", '[review]\nguide_file = "guide.md"\n')
    with pytest.raises(ConfigError, match=r"guide\.md cannot be read: No such file"):
        guide_of(load_config(tmp_path, None, {}))
    write(tmp_path / "guide.md", "Be strict.")
    assert guide_of(load_config(tmp_path, None, {})) == "Be strict."
    assert guide_of(load_config(None, None, {"ROLLSTEP_REVIEW_GUIDE": "Be kind."})) == "Be kind."


def test_the_page_is_a_file_that_says_the_same(tmp_path: Path) -> None:
    page = config_page()
    for name in setting_types():
        assert name.rpartition(".")[2] in page
    write(tmp_path / "config.toml", page)
    assert load_config(tmp_path, None, {}).config == Config()


def test_the_page_of_what_is_set_reads_back_the_same(tmp_path: Path) -> None:
    write(
        tmp_path / "config.toml",
        'author = "Ana \\"A\\" \u4e0b"\nkeys.step = "x"\n[run]\nmax_cost = 1.5\n'
        '[run.limits."a b"]\ntokens_per_minute = 9\n[review]\nreasons = ["one"]\ntags.q = "z"\n',
    )
    loaded = load_config(tmp_path, None, {})
    page = config_page(loaded)
    assert f"max_cost = 1.5  # {tmp_path / 'config.toml'}" in page
    again = write(tmp_path / "again" / "config.toml", page)
    assert load_config(again.parent, None, {}).config == loaded.config


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("concurrency = " + "9" * 5_000, "this is no TOML"),
        ("author = " + "[" * 3_000, "this is no TOML"),
        ("run = []", "line 1: run: it is a table: [run]."),
    ],
)
def test_odd_files_are_faults_too(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path, None, {})
    assert words in str(caught.value)


def test_of_thousands_of_faults_some_are_said(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("".join(f"k{n} = 1\n" for n in range(20_000)))
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path, None, {})
    assert len(caught.value.faults) == 30


@pytest.mark.parametrize("name", ["~nosuch/x", r"a\u0000b", "/dev/zero", "."])
def test_a_guide_that_is_no_file(tmp_path: Path, name: str) -> None:
    write(tmp_path / "config.toml", f'[review]\nguide_file = "{name}"\n')
    with pytest.raises(ConfigError, match="cannot be read"):
        guide_of(load_config(tmp_path, None, {}))
