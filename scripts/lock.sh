#!/bin/sh
# Writes requirements.lock, requirements-dev.lock and those of the receivers of our exports
# (requirements-formats*.lock) from pyproject.toml: every version pinned,
# every file hashed, one file for Python 3.11 and later on Linux and macOS. Only here is uv needed;
# it resolves for all of them at once, which pip cannot. Versions in the locks stay as they are
# unless pyproject.toml forbids them; scripts/lock.sh --upgrade takes the newest.
set -eu
cd "$(dirname "$0")/.."

if ! command -v uv >/dev/null 2>&1; then
    echo "Making the lock files needs uv: pipx install uv (or pip install uv), then run it again." >&2
    exit 1
fi

compile() {
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-annotate \
        --custom-compile-command "make lock" pyproject.toml "$@"
}

compile --group build --output-file requirements.lock "$@"
# The second follows the first, so that what is tested is what is run.
compile --group dev --constraint requirements.lock --output-file requirements-dev.lock "$@"

# The receivers of our exports. One of them needs Python 3.12; some would bring torch along.
receivers() {
    uv pip compile --quiet --universal --python-version 3.12 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-annotate \
        --custom-compile-command "make lock" "$@"
}

receivers --group formats --output-file requirements-formats.lock "$@"
receivers --no-deps --group formats-alone --output-file requirements-formats-alone.lock "$@"
