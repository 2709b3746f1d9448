"""Rules about what the repository holds."""

from __future__ import annotations

import re

from .source import ROOT, tracked_files

# Each is put together from pieces, so that this file does not hold what it forbids.
REGISTRY_HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "crates" + ".io")
PRIVATE_PATHS = ("/" + "work/", "/tmp" + "/dev", "/root" + "/")
INDEX_OPTIONS = (
    "--index" + "-url",
    "--extra-index" + "-url",
    "--find" + "-links",
    "--trusted" + "-host",
)


def found(patterns: tuple[str, ...]) -> list[str]:
    """Where any of these stands in a tracked file: file, line and what."""
    wanted = re.compile("|".join(re.escape(pattern) for pattern in patterns).encode())
    places = []
    for path in tracked_files():
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if hit := wanted.search(line):
                name = path.relative_to(ROOT)
                places.append(f"{name}:{number}: {hit.group().decode()}")
    return places


def test_no_file_names_a_package_registry() -> None:
    """Which registry to use is the business of whoever installs, and of their pip's settings."""
    assert found(REGISTRY_HOSTS) == []


def test_no_file_names_a_place_on_someones_machine() -> None:
    assert found(PRIVATE_PATHS) == []


def test_lock_files_hash_everything_and_name_no_index() -> None:
    for name in (p.name for p in sorted(ROOT.glob("requirements*.lock"))):
        text = (ROOT / name).read_text(encoding="utf-8")
        requirements = [block for block in re.split(r"\n(?=[a-z])", text) if "==" in block]
        assert requirements
        assert [block for block in requirements if "--hash=sha256:" not in block] == []
        assert [option for option in INDEX_OPTIONS if option in text] == []


def test_the_dev_lock_holds_what_the_program_runs_with() -> None:
    """So that what is tested is what is run."""
    run, dev = (
        set(re.findall(r"^[\w.-]+==\S+", (ROOT / name).read_text(encoding="utf-8"), re.M))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert run - dev == set()
    assert "litellm==1.110.2" in run
