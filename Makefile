# Two commands do all set-up on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STUDIES ?= plaudit-studies
PORT ?= 8000
CROWD ?= 20
MINUTES ?= 30
SEED ?= 1
STAMP := $(VENV)/.installed-with-tests

.PHONY: run test check changed checked room lint types kernels collected unit suite browser provider bench soak reproduction fewer-votes crowds dishonest-raters evaluate words docs adapters pythons dist wheel sbom audit clean

# The tests start many processes: none should compile again what another has compiled.
export PYTHONDONTWRITEBYTECODE :=

run: $(VENV)/.installed  ## a service with a demo contest and a simulated crowd
	@echo "Vote at http://127.0.0.1:$(PORT)/c/snowman, watch http://127.0.0.1:$(PORT)/c/snowman/results"
	@echo "Votes are kept in plaudit-demo.db: delete it to start over."
	@$(BIN)/plaudit serve --demo --crowd $(CROWD) --database plaudit-demo.db --port $(PORT)

test: $(if $(ROOM),room,checked suite)  ## everything that CI checks; ROOM=race: one room's tests

check: $(STAMP)  ## the inner loop: lint, layers, types, and fast tests of the rooms that changed
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint types changed

changed: $(STAMP)
	@paths=$$($(BIN)/python tests/support/changed_rooms.py) || exit; \
	case "$$paths" in */bounds*|*/compiled*|*/race*|*/simulation*) $(BIN)/python tests/support/warm_kernels.py;; esac; \
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow" tests/test_house.py $$paths

room: $(STAMP) browser provider
	@paths=$$($(BIN)/python tests/support/changed_rooms.py $(ROOM)) && \
	$(BIN)/python -m pytest -n 2 --dist worksteal $$paths

checked:  ## what takes no tests, side by side; Chromium is fetched while pip installs
	@$(MAKE) --no-print-directory --jobs 3 --output-sync kernels browser provider collected types lint

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Python compiles what it imports; most of what is installed is never imported. Kernels are made
# while pip fetches what they do not need.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable .
	@$(BIN)/python -m plaudit.compiled & \
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable '.[studies,service]'
	@touch $@

$(STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/.installed

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/mypy

kernels: $(STAMP)  ## compiles once what all test processes and services share
	$(BIN)/python tests/support/warm_kernels.py

collected: $(STAMP)  ## compiles once what all test processes import
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null || $(BIN)/python -m pytest --collect-only -q | tail -20

unit: kernels suite  ## all tests, and nothing else

suite: $(STAMP) browser provider
	@# Tests of services and pages wait much: more processes than cores. Each takes
	@# files from one end to the other, so that servers and tables are made once.
	@# What they write to is kept in memory where there is room: disks take their time. The
	@# user that PostgreSQL runs as must get there too.
	@folder=$$(mktemp -d); if [ -w /dev/shm ] && \
	  [ "$$(df -k /dev/shm | awk 'END {print $$4}')" -gt 6000000 ]; then \
	  rmdir $$folder; folder=$$(mktemp -d /dev/shm/plaudit-XXXXXX); fi; \
	chmod 755 $$folder; trap "rm -rf $$folder" EXIT; TMPDIR=$$folder $(BIN)/python -m pytest -n 6 --dist worksteal

# Chromium without windows takes two thirds of the time; where only another is to be had, it serves.
browser:  ## Chromium for the tests of the pages, where it may be installed
	@have() { command -v "$$1" >/dev/null; }; \
	any() { have chromium || have chromium-browser || have google-chrome; }; \
	have chromium-headless-shell && exit; \
	if [ "$$(id -u)" = 0 ] && have apt-get; then \
	  (apt-get update -qq && apt-get install -y -qq chromium-headless-shell) >/dev/null 2>&1 || any || \
	  apt-get install -y -qq chromium >/dev/null; \
	else any || echo "No Chromium here: the tests of the pages will be skipped."; fi

# From npm, beside the packages of Python: an OpenID provider that signing in is tested with, and
# axe-core, which looks at the pages.
PROVIDER := $(VENV)/provider/.installed
PROVIDER_FILES := tests/support/provider/package.json tests/support/provider/package-lock.json

provider: $(PROVIDER)

$(PROVIDER): $(PROVIDER_FILES) | $(VENV)/bin/python
	@if command -v npm >/dev/null; then \
	  mkdir -p $(@D) && cp $(PROVIDER_FILES) $(@D) && \
	  npm ci --prefix $(@D) --silent --no-audit --no-fund --ignore-scripts && touch $@ || \
	  echo "npm could not install what it should: tests of signing in and of axe will be skipped."; \
	else echo "No npm here: the tests of signing in and of axe-core will be skipped."; fi

bench: $(STAMP)  ## the numbers of docs/benchmarks.md
	$(BIN)/python -m benchmarks

soak: $(STAMP)  ## faults against the real service, MINUTES on each database (docs/faults.md)
	$(BIN)/python -m benchmarks faults --engine sqlite --minutes $(MINUTES) --seed $(SEED)
	$(BIN)/python -m benchmarks faults --engine postgres --minutes $(MINUTES) --seed $(SEED)

reproduction: $(STAMP)  ## the paper's studies in full, and docs/reproduction.md from them
	$(BIN)/plaudit study run paper --out $(STUDIES)
	$(BIN)/plaudit study report --out $(STUDIES)
	$(BIN)/python docs/bind_reproduction.py $(STUDIES)

fewer-votes: $(STAMP)  ## our own studies in full, and docs/fewer-votes.md from them
	$(BIN)/plaudit study run fewer-votes error-rates --out $(STUDIES)
	$(BIN)/python docs/bind_fewer_votes.py $(STUDIES)

crowds: $(STAMP)  ## the study of crowds in full, and docs/crowds.md from it
	$(BIN)/plaudit study run crowds --out $(STUDIES)
	$(BIN)/python docs/bind_fewer_votes.py $(STUDIES)

dishonest-raters: $(STAMP)  ## the study of attacks in full, and docs/dishonest-raters.md from it
	$(BIN)/plaudit study run dishonest --out $(STUDIES)
	$(BIN)/python docs/bind_fewer_votes.py $(STUDIES)

evaluate: $(STAMP)  ## the study of `evaluate` in full, and docs/evaluate-study.md from it
	$(BIN)/plaudit study run evaluate --out $(STUDIES)
	$(BIN)/python docs/bind_fewer_votes.py $(STUDIES)

words: $(STAMP)  ## the catalogue's template, from all texts of pages and scripts
	$(BIN)/python tests/support/catalogue.py

docs: $(VENV)/bin/python  ## the documentation as HTML, in docs/_build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build

adapters: $(STAMP)  ## the tests of all adapters, with inspect_ai, which `make test` does without
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,inspect]'
	$(BIN)/python -m pytest tests/adapters src/plaudit/adapters tests/docs/test_pages.py -k "adapters or example"

PYTHONS ?= 3.11 3.12 3.13 3.14
pythons: $(STAMP)  ## the tests of the library with every Python of PYTHONS that is here
	@$(BIN)/python release/every_python.py $(PYTHONS)

dist: $(STAMP)  ## the wheel and the sdist, in dist/
	$(BIN)/python -m hatchling build -d dist
	@grep -q '^Homepage = ' pyproject.toml || echo "Before a release, put the project's home into [project.urls]."

wheel: $(VENV)/.installed  ## a package with kernels in it, for processors of this kind, in dist/
	$(BIN)/python -m plaudit.compiled ship
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

# A release installs into an environment of its own: what only tests need is not in the bill.
RELEASE := build/release
RELEASE_TOOLS := build/release-tools

$(RELEASE)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check '.[studies,cluster,service]'
	@touch $@

$(RELEASE_TOOLS)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(RELEASE_TOOLS)
	$(RELEASE_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check 'cyclonedx-bom>=7' 'pip-audit>=2.9'
	@touch $@

sbom: $(RELEASE)/.installed $(RELEASE_TOOLS)/.installed  ## a bill of materials of what a release installs, in build/
	$(RELEASE_TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	  --output-format JSON --output-file build/plaudit.cdx.json $(RELEASE)/bin/python
	@echo "The bill of materials is in build/plaudit.cdx.json."

# pip-audit calls clean what it could not look up, so its report is read again.
audit: $(RELEASE)/.installed $(RELEASE_TOOLS)/.installed  ## known holes in what a release installs; needs a network
	@rm -f build/audit.json
	@$(RELEASE)/bin/python -m pip freeze | grep '==' > build/installed.txt
	-@$(RELEASE_TOOLS)/bin/pip-audit --no-deps --disable-pip --progress-spinner off \
	  --requirement build/installed.txt --format json --output build/audit.json 2>/dev/null
	@$(RELEASE_TOOLS)/bin/python release/read_audit.py build/audit.json

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
