# Everything a newcomer needs: `make demo`, `make test`. Each sets up .venv by itself; Python 3.11 or newer is all it wants.
PYTHON ?= python3
BIN := .venv/bin
USED := .venv/.used
STAMP := .venv/.installed

# Tests start hundreds of processes: without byte code on disk each compiles what it imports.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test quick test-all lint bench docs wasm wheel dist clean

demo: $(USED)
	$(BIN)/taut demo

# Beside the tests, since mypy keeps one core busy for more than a minute.
test: $(STAMP)
	@$(MAKE) --no-print-directory -j 2 lint quick

PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

quick: $(STAMP)
	$(PYTEST) -m "not slow"

# Part by part: a process keeps all that it compiles, and the slow tests as one would need more than 20 GB.
FOLDERS := $(sort $(dir $(wildcard tests/*/test_*.py)))
SWEEP := tests/test_capabilities.py
OTHERS := $(filter-out $(SWEEP),$(wildcard tests/test_*.py))

test-all: lint
	@failed=""; for part in $(FOLDERS) $(SWEEP) "$(OTHERS)"; do \
	  $(PYTEST) $$part || failed="$$failed $$part"; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# taut beside its peers, which are installed for it: docs/benchmarks.md, its plots and benchmarks/history.jsonl.
bench: $(STAMP)
	$(BIN)/python -m pip install --quiet -e ".[bench]"
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks

# The site of docs/, with warnings as errors; it needs no network, neither to be built nor to be read.
docs: $(STAMP)
	$(BIN)/python -m sphinx -W --keep-going -q -c docs . build/site
	$(BIN)/python docs/live_gallery.py build/site/docs/live
	@echo "site: build/site/docs/index.html"

# The modules of live pages (src/taut/live/kernels), after a change of the kernels that they are made of.
wasm: $(STAMP)
	$(BIN)/python -m taut.live.build

# A wheel with the machine code of what people do first in it, for this Python and system: dist/*.whl. Some 15 CPU minutes.
wheel: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python shipping/compiled_code.py build/compiled
	TAUT_COMPILED_CODE=build/compiled $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python -m benchmarks.first_runs

# Wheel and sdist, tried in environments of their own: dist/*. With every Python of PYTHONS, and a part of the tests.
PYTHONS ?= $(PYTHON)
dist:
	$(PYTHON) shipping/try_installation.py --tests $(foreach python,$(PYTHONS),--python $(python))

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What a user needs, and on top of it what checks and tests need.
$(USED): pyproject.toml
	$(PYTHON) -c "import sys; sys.exit('taut needs Python 3.11 or newer, this is ' + sys.version.split()[0]) if sys.version_info < (3, 11) else None"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e ".[plot]"
	touch $(USED)

$(STAMP): $(USED)
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	touch $(STAMP)
