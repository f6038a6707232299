# Two commands for a newcomer: `make demo` and `make test`. Only Python 3.11 or newer is needed.

PYTHON ?= python3
JOBS ?= 2
BENCH ?=
N ?= 1000
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEVELOP := $(VENV)/.develop

# Each check starts fresh processes: they are not to compile the sources every time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-long check tables format perf bench fuzz fuzz-corners fuzz-pairs fuzz-text fuzz-inputs torture attack stretches mutants breaks regression docs clean

demo: $(READY)
	@echo; echo "== examples/ring_buffer.c: a program that is safe"
	@$(BIN)/counterpoint check examples/ring_buffer.c --timeout 60
	@echo; echo "== examples/fill.c: a loop over an array, proved by its invariants"
	@$(BIN)/counterpoint check examples/fill.c --timeout 60
	@echo; echo "== examples/median.c: a program with a bug"
	@$(BIN)/counterpoint check examples/median.c --timeout 60; test $$? -eq 1

# Neighbours share what their worker has compiled: each worker begins with tests that follow one another.
test: $(DEVELOP)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-long: $(DEVELOP)
	$(BIN)/python -m pytest -m long -n $(JOBS) --dist worksteal

check: $(DEVELOP)
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

tables: $(DEVELOP)
	$(BIN)/python -c 'from counterpoint.semantics.access_rules import rendered; print(rendered(), end="")' > docs/access-rules.md

perf: $(DEVELOP)
	$(BIN)/python -m pytest tests/perf --benchmark-only --override-ini addopts=-q

regression: $(DEVELOP)
	COUNTERPOINT_REGRESSION=all $(BIN)/python -m pytest -n $(JOBS) tests/test_regression.py

fuzz: $(DEVELOP)
	$(BIN)/python tests/fuzz.py --programs $(N) --jobs $(JOBS)

fuzz-corners: $(DEVELOP)
	cd tests && ../$(BIN)/python -m fuzz_corners --programs $(N) --jobs $(JOBS) --out ../build/fuzz-corners

fuzz-pairs: $(DEVELOP)
	cd tests && ../$(BIN)/python -m fuzz_corners --pairs --programs $(N) --jobs $(JOBS) --out ../build/fuzz-pairs

fuzz-text: $(DEVELOP)
	$(BIN)/python tests/fuzz_text.py --programs $(N) --jobs $(JOBS)

mutants: $(DEVELOP)
	cd tests && ../$(BIN)/python -m mutants_semantics --json ../mutants.jsonl

fuzz-inputs: $(DEVELOP)
	cd tests && ../$(BIN)/python -m fuzz_inputs --inputs $(N)

attack: $(DEVELOP)
	$(BIN)/python tests/attack_results.py --mutants $(N)
	$(BIN)/python tests/attack_witnesses.py --mutants $(N)
	$(BIN)/python tests/attack_unrollings.py --mutants $(N)
	$(BIN)/python tests/attack_proofs.py --mutants $(N)
	$(BIN)/python tests/attack_region_graphs.py --mutants $(N)
	$(BIN)/python tests/attack_unrollings.py --mutants $(N) --strict
	$(BIN)/python tests/attack_proofs.py --mutants $(N) --strict
	$(BIN)/python tests/attack_region_graphs.py --mutants $(N) --strict

stretches: $(DEVELOP)
	$(BIN)/python tests/stretches.py --programs $(N)

torture: $(DEVELOP)
	$(BIN)/python tests/torture.py --jobs $(JOBS) --json torture.jsonl
	$(BIN)/python tests/torture.py --jobs $(JOBS) --json torture-mutants.jsonl --mutate

breaks: $(DEVELOP)
	$(BIN)/python tests/soundness_breaks.py

# The site in build/site: the pages of docs/ and the interfaces of all rooms, from docstrings.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/mkdocs build

bench: $(READY)
	@test -n "$(BENCH)" || { echo "name sets, folders or tasks: make bench BENCH=path" >&2; exit 2; }
	$(BIN)/counterpoint bench $(BENCH) --timeout 30 --jobs $(JOBS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(READY): $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

$(DEVELOP): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
