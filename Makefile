# Set-up happens by itself: .venv is made on first use and brought up to date when pyproject.toml changes.
# PYTHON chooses the interpreter when .venv is made:  make test PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.peers
BENCH ?=

.DEFAULT_GOAL := help
.PHONY: help report test quick slow lint types pyright layers doctests coverage wheel bench studies clean distclean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

report: $(READY) ## write two margin reports, iris and breast_cancer, as HTML pages
	@$(BIN)/maxmargin report iris --positive setosa -o margin-report-iris.html
	@$(BIN)/maxmargin report breast_cancer -o margin-report-breast_cancer.html
	@echo
	@echo "The two pages:"
	@echo "  $(CURDIR)/margin-report-iris.html"
	@echo "  $(CURDIR)/margin-report-breast_cancer.html"

# The tests start many processes, which take half the time where bytecode is kept.
test quick slow: export PYTHONDONTWRITEBYTECODE :=

test: $(READY) ## the tests, without the slow ones, on all cores
	@$(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal

quick: $(READY) ## a quarter of the tests, one case of each, on all cores: about a minute
	@$(BIN)/python -m pytest --quick -n auto --dist worksteal

slow: $(READY) ## the slow tests, on all cores
	@$(BIN)/python -m pytest -m slow -n auto --dist worksteal

lint: $(READY) ## ruff: rules and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY) ## mypy --strict: the package, and the modules that the tests share
	@$(BIN)/python -m mypy
	@$(BIN)/python -m mypy tests/kit

pyright: $(READY) ## pyright, a second opinion on the types
	@$(BIN)/basedpyright

doctests: $(READY) ## the examples in the docstrings
	@$(BIN)/python -m pytest -q -W error -p no:cacheprovider --doctest-modules maxmargin

coverage: $(READY) ## lines and branches that the tests without the slow ones reach, as HTML in build/coverage
	@rm -f .coverage .coverage.*
	@$(BIN)/python -m coverage run -m pytest -q -m "not slow"
	@$(BIN)/python -m coverage combine -q
	@$(BIN)/python -m coverage report --skip-covered --skip-empty
	@$(BIN)/python -m coverage html -q -d build/coverage

layers: $(READY) ## import-linter: imports point down only
	@$(BIN)/lint-imports --no-cache

wheel: $(READY) ## build the wheel into dist/
	@rm -rf build dist/maxmargin-*.whl
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

bench: $(PEERS) ## all benchmarks, an hour or so, into docs/benchmarks.md and README.md; they go on where they stopped; BENCH="--scale 0.01" for a first look
	@$(BIN)/python benchmarks/run.py $(BENCH)
	@$(BIN)/python benchmarks/tables.py --into docs/benchmarks.md --into README.md
	@$(BIN)/python benchmarks/growth.py

studies: $(READY) ## repeat the two studies of docs/studies, some ten minutes on two cores, and compare their tables
	@$(BIN)/maxmargin compare docs/studies/online-algorithms.toml -o build/studies/online-algorithms --jobs 2
	@$(BIN)/maxmargin compare docs/studies/shrinking-margin.toml -o build/studies/shrinking-margin
	@for name in online-algorithms shrinking-margin; do \
		if cmp -s build/studies/$$name/results.md docs/studies/$$name/results.md; \
		then echo "$$name: the tables are the committed ones"; \
		else echo "$$name: the tables differ from the committed ones: diff {build,docs}/studies/$$name/results.md"; fi; \
	done

clean: ## delete what was built, the caches and the pages
	@rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis margin-report-*.html
	@find benchmarks maxmargin reports solvers tests -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## clean, and delete .venv
	@rm -rf $(VENV)

$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { \
		echo "maxmargin needs Python 3.11 or later, but there is no '$(PYTHON)'. Try: make PYTHON=/path/to/python3" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "maxmargin needs Python 3.11 or later, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." \
			"Try: make PYTHON=/path/to/python3" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: its venv or ensurepip module is missing" \
			"(on Debian and Ubuntu: apt install python3-venv)." >&2; \
		exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml | $(BIN)/pip
	@echo "Setting up $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable .
	@touch $@

$(PEERS): $(READY)
	@echo "Installing the peers of the benchmarks"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable '.[peers]'
	@touch $@
