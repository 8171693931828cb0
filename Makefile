# Two commands do all set-up on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STUDIES ?= plaudit-studies
STAMP := $(VENV)/.installed-with-tests

.PHONY: run test lint types unit bench reproduction docs clean

run: $(VENV)/.installed  ## a demo race on a built-in profile
	@$(BIN)/plaudit race --profile power:0.5 --items 1000 --algorithm lil-klucb --delta 0.01 --seed 7

test: lint types unit  ## everything that CI checks

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[studies]'
	@touch $@

$(STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/.installed

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP)
	$(BIN)/python -m pytest -n 2

bench: $(STAMP)  ## the numbers of docs/benchmarks.md
	$(BIN)/python -m benchmarks

reproduction: $(STAMP)  ## all studies in full, and docs/reproduction.md from them
	$(BIN)/plaudit study run all --out $(STUDIES)
	$(BIN)/plaudit study report --out $(STUDIES)
	$(BIN)/python docs/bind_reproduction.py $(STUDIES)

docs: $(VENV)/bin/python  ## the documentation as HTML, in docs/_build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
