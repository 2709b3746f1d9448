# The two commands of the README are `make demo` and `make test`; the rest is for contributors.
# Each prepares .venv by itself and is quick when nothing has changed. PYTHON=... chooses Python.

VENV ?= .venv
BIN := $(VENV)/bin
export VENV PYTHON
# Set in some containers; it would make every start compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

# Many tests wait for a condition, so that one process a core leaves the cores idle for half the time.
WORKERS ?= $(shell python3 -c "import os; print(min((os.cpu_count() or 1) * 5 // 2, 8))")

.PHONY: demo test test-long test-formats check format bench lock clean environment environment-dev

demo: environment  ## open the app on a sample project, offline
	@$(BIN)/rollstep demo

test: environment-dev  ## the whole suite; ARGS="tests/core -k undo" for a part
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

test-long: environment-dev  ## the tests of minutes, in their long form
	@ROLLSTEP_LONG_TESTS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

# The receivers are large and want a newer Python: an environment of their own.
test-formats:  ## every format through the code of those who receive it
	@VENV=.venv-formats scripts/environment.sh formats
	@HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 USE_TORCH=0 ROLLSTEP_CHECKERS=1 \
		.venv-formats/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib \
		--confcutdir=tests/formats/checkers -n 2 tests/formats/checkers $(ARGS)

check: environment-dev  ## lint, format, types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy -p rollstep.core -p rollstep.tui

format: environment-dev  ## mend what lint and format can mend by themselves
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: environment-dev  ## measure every budget; ARGS="--quick", "--only NAME", "--seed-program PATH"
	@$(BIN)/python -m benchmarks.run $(ARGS)

lock:  ## resolve the dependencies anew, for every Python from 3.11, with hashes
	@scripts/lock.sh

clean:
	rm -rf $(VENV) .venv-formats build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

environment:
	@scripts/environment.sh run

environment-dev:
	@scripts/environment.sh dev
