#!/bin/sh
# Makes the environment in .venv and keeps it in step with the lock files.
#
#   scripts/environment.sh run     what the program needs   (requirements.lock)
#   scripts/environment.sh dev     that and what tests need (requirements-dev.lock)
#   scripts/environment.sh formats what receives our exports (requirements-formats.lock, and
#                                  requirements-formats-alone.lock without what it asks for)
#
# Does nothing when it was done before for the same lock and build files. PYTHON=... chooses the
# interpreter, VENV=... another folder. Uses uv when it is there, else venv and pip.
set -eu

purpose=${1:?run or dev}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
venv=${VENV:-.venv}
# A caller's own settings for Python are not those of the environment that is made here.
unset PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH VIRTUAL_ENV || true

say() { printf '%s\n' "$*" >&2; }

case $purpose in
    run) lock=requirements.lock ;;
    dev) lock=requirements-dev.lock ;;
    formats) lock=requirements-formats.lock ;;
    *) say "environment.sh: say run, dev or formats, not '$purpose'"; exit 2 ;;
esac

# One of the receivers needs a newer Python than we do.
oldest=11
[ "$purpose" = formats ] && oldest=12

new_enough() {
    "$1" -c "import sys; sys.exit(sys.version_info < (3, $oldest))" >/dev/null 2>&1
}

# The newest version that the lock files are tested with comes first. A name may be there and not
# work (pyenv's shims), so each is tried.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        new_enough "$PYTHON" && { echo "$PYTHON"; return; }
        say "PYTHON=$PYTHON is not a Python 3.$oldest or later. Give the path of one that is."
        return 1
    fi
    # pyenv's shims give one version only; the others that it has stand in a folder of its own.
    for name in python3.13 python3.12 python3.11 python3 python \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23]*/bin/python \
        "$(python3 -c 'import sys; print(sys.base_prefix)' 2>/dev/null)"/../3.1[23]*/bin/python; do
        if new_enough "$name"; then echo "$name"; return; fi
    done
    say "This needs Python 3.$oldest or later, and none was found (looked for python3.13, python3.12,"
    say "python3.11, python3). Install one, or say where it is: make PYTHON=/path/to/python3.12 ..."
    return 1
}

make_venv() {
    python=$(find_python) || exit 1
    rm -rf "$venv"
    if command -v uv >/dev/null 2>&1; then
        say "Making $venv with uv and $("$python" --version)."
        uv venv --quiet --python "$("$python" -c 'import sys; print(sys.executable)')" "$venv"
    else
        if ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
            say "$python has no venv module. On Debian and Ubuntu: apt install python3-venv"
            exit 1
        fi
        say "Making $venv with $("$python" --version)."
        "$python" -m venv "$venv"
    fi
}

# Only wheels: a source package would run its build, with build tools that no hash pins.
install_lock() {
    lock_file=$1
    shift
    say "Installing $lock_file (each file checked against its hash)."
    if [ -x "$venv/bin/pip" ]; then
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --only-binary :all: --require-hashes "$@" -r "$lock_file"
    else
        uv pip install --quiet --python "$venv/bin/python" --compile-bytecode \
            --only-binary :all: --require-hashes "$@" -r "$lock_file"
    fi
}

# An editable install of a package whose folders are mapped puts an import hook into every start of
# Python: 27 ms, a seventh of a bare Textual app's start. The committed link typings/rollstep says
# the same as a plain path, so the hook's line gives way to that path.
install_ourselves() {
    PYTHONWARNINGS=ignore; export PYTHONWARNINGS  # setuptools explains at length what -e means
    if [ -x "$venv/bin/pip" ]; then
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --no-deps --no-build-isolation --editable .
    else
        uv pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation \
            --editable .
    fi
    link_ourselves
}

link_ourselves() {
    packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    if [ "$purpose" = formats ]; then
        printf '%s\n' "$root/typings" >"$packages/rollstep.pth"
    fi
    for hook in "$packages"/__editable__.rollstep-*.pth; do
        [ -e "$hook" ] && printf '%s\n' "$root/typings" >"$hook"
    done
    return 0
}

# Where nobody may write bytecode at run time, a start would compile every module again: a bare
# Textual app takes 580 ms so instead of 195. This costs 0.1 s when all is compiled already.
compile() {
    "$venv/bin/python" -m compileall -q -j 0 core tui sample_projects themes
}

fingerprint() {
    cat "$lock" requirements-formats-alone.lock pyproject.toml setup.py scripts/environment.sh | cksum
    printf '%s\n' "$root"
}

made_with_another_python() {
    [ -n "${PYTHON:-}" ] && [ "$(cat "$venv/.rollstep-python" 2>/dev/null)" != "$PYTHON" ]
}

stamp=$venv/.rollstep-$purpose
if made_with_another_python || [ "$(cat "$stamp" 2>/dev/null)" != "$(fingerprint)" ]; then
    # The dev lock holds all of the other, in the same versions, so it serves both purposes.
    if made_with_another_python || ! new_enough "$venv/bin/python"; then
        make_venv
        printf '%s' "${PYTHON:-}" >"$venv/.rollstep-python"
    fi
    install_lock "$lock"
    if [ "$purpose" = formats ]; then
        # They ask for torch and more, which none of what is used here needs; nor does it need ours.
        install_lock requirements-formats-alone.lock --no-deps
        link_ourselves
    else
        install_ourselves
    fi
    fingerprint >"$stamp"
fi
compile
