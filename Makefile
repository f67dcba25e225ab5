# Everything runs in a virtual environment made here from nothing but Python 3.11+ and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
BENCH  ?= .venv-bench

.PHONY: help demo test lint docs bench accuracy clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.demo  ## set everything up and run the main job end to end
	$(BIN)/privet demo

test: lint  ## set everything up, lint, and pass every test
	@tests/components.sh
	$(BIN)/pytest --numprocesses 2 --dist worksteal

lint: $(VENV)/.dev  ## ruff and mypy --strict
	$(BIN)/ruff check src tests benchmarks docs examples
	$(BIN)/ruff format --check src tests benchmarks docs examples
	$(BIN)/mypy

docs: $(VENV)/.dev  ## the documentation as a site, in docs/_build
	$(BIN)/sphinx-build --fresh-env --write-all --fail-on-warning --keep-going --quiet docs docs/_build
	@echo "Open docs/_build/index.html."

bench: $(BENCH)/.ready  ## speed against peers, numpy and the machine, measured in one run
	$(BENCH)/bin/python -m benchmarks

accuracy: $(VENV)/.dev  ## the error of shrinking compared with projecting, over many truths
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group accuracy
	$(BIN)/python -m benchmarks.accuracy

clean:  ## remove what was made here
	rm -rf $(VENV) $(BENCH) build dist docs/_build docs/_pictures .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "privet needs Python 3.11 or newer; try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]' --group dev
	touch $@

# The peers' requirements never touch the other environment.
$(BENCH)/.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[all]' --requirement benchmarks/requirements.txt
	touch $@
