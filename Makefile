# Everything runs in a virtual environment made here from nothing but Python 3.11+ and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
BENCH  ?= .venv-bench
PIP    := -m pip install --quiet --disable-pip-version-check
LOCKED := $(PIP) --require-hashes --constraint constraints.txt
COMMITTED = $(shell git log -1 --format=%ct 2>/dev/null)
CODE   := src tests benchmarks docs examples deploy

.PHONY: help demo test lint docs bench peers accuracy intervals scale fuzz mutants randomness release dependencies coverage lock clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.demo  ## set everything up and run the main job end to end
	$(BIN)/privet demo --serve

test: lint  ## set everything up, lint, and pass every test
	@tests/components.sh
	$(BIN)/pytest --numprocesses 2 --dist worksteal

lint: $(VENV)/.dev  ## style, layers, types (two checkers), shell scripts, workflows and containers
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/pyrefly check --python-interpreter-path $(BIN)/python --summary=none
	$(BIN)/shellcheck .ci/run tests/components.sh
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/hadolint deploy/Containerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml

docs: $(VENV)/.dev  ## the documentation as a site, in docs/_build
	$(BIN)/sphinx-build --fresh-env --write-all --fail-on-warning --keep-going --quiet docs docs/_build
	@echo "Open docs/_build/index.html."

bench: $(BENCH)/.ready  ## speed against peers, numpy and the machine, measured in one run
	$(BENCH)/bin/python -m benchmarks

peers: $(BENCH)/.ready  ## an audit of other packages
	PYTHONPATH=. $(BENCH)/bin/privet audit --peers benchmarks.audited_peers:PEERS >benchmarks/PEERS.md || test $$? -eq 5  # as some fail

accuracy: $(VENV)/.dev  ## the error of shrinking compared with projecting, and of scales with what others do
	$(BIN)/python $(LOCKED) --group accuracy
	$(BIN)/python -m benchmarks.scales_peers
	$(BIN)/python -m benchmarks.accuracy

intervals: $(VENV)/.dev  ## every interval, test and standard error, simulated on awkward truths, in benchmarks/INTERVALS.md
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.intervals

scale: $(VENV)/.dev  ## how time and memory grow with people and categories, in benchmarks/GROWTH.md
	$(BIN)/python -m benchmarks.growth

fuzz: $(VENV)/.dev  ## millions of inputs to every reader, and thousands of requests to a real server
	$(BIN)/python $(LOCKED) --group fuzz
	PYTHONPATH=tests/support $(BIN)/python -m fuzzers
	$(BIN)/python tests/support/fuzzing.py 500

mutants: $(VENV)/.dev  ## does a test notice when the code is changed? 200 random changes a module
	$(BIN)/python $(LOCKED) --group mutation
	$(BIN)/python tests/support/mutants.py

randomness: $(VENV)/.dev  ## dieharder over the words that samplers use, in benchmarks/RANDOMNESS.md
	$(BIN)/python tests/support/randomness.py

release: $(VENV)/.dev  ## wheel and source distribution in dist: built twice, and tried on every Python here
	$(BIN)/python $(LOCKED) --group release
	$(if $(COMMITTED),SOURCE_DATE_EPOCH=$(COMMITTED)) $(BIN)/python tests/support/releasing.py dist

dependencies: $(VENV)/.dev  ## what privet[all] installs, as an SBOM in build, its licences, and known vulnerabilities
	$(BIN)/python $(LOCKED) --group release
	$(BIN)/python tests/support/dependencies.py build
	$(BIN)/pip-audit --strict --disable-pip --no-deps --requirement constraints.txt

coverage: $(VENV)/.dev  ## every test once more, with the lines of src that none reaches
	@tests/components.sh
	$(BIN)/pytest --numprocesses 2 --dist worksteal --cov -k "not quickly"  # as tracing takes time

lock: $(BIN)/python  ## the newest versions of everything, with the hashes of their files, in constraints.txt
	$(BIN)/python deploy/install.py --group lock
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-emit-index-url --no-annotate --generate-hashes \
	  --custom-compile-command 'make lock' --all-extras --group dev --group accuracy --group release --group fuzz \
	  --group mutation --group lock --group build --output-file constraints.txt pyproject.toml

clean:  ## remove what was made here
	rm -rf $(VENV) $(BENCH) build dist docs/_build docs/_pictures .coverage .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "privet needs Python 3.11 or newer; try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python deploy/install.py all --editable
	touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python deploy/install.py all,spark --group dev --editable
	touch $@

# The peers' requirements never touch the other environment.
$(BENCH)/.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python $(PIP) --editable '.[all]' --requirement benchmarks/requirements.txt
	touch $@
