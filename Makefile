# Everything that the project needs comes with these commands; a machine with Python 3.11 or later
# and nothing else is enough.
PYTHON ?= python3
VENV   ?= .venv
RUN     = $(VENV)/bin/python -m
PORT   ?= 9200
PYTHONS ?= 3.11 3.12 3.13 3.14

.PHONY: image demo test check coverage faults test-pythons chromium screenshots bench fit texts elasticsearch clean

demo: $(VENV)/.installed
	$(VENV)/bin/paperless-fingerprint demo

COVERED ?= tests/unit tests/properties tests/golden tests/integration/test_command_line.py \
	tests/integration/test_old_library.py tests/integration/test_search_command.py

# In two processes: tests wait for a server or a browser more than they work.
test: check chromium
	$(RUN) pytest -n 2 --dist loadgroup --no-loadscope-reorder

# The page tests need a real browser.
chromium:
	tests/install-chromium

# The pictures in docs/, taken from the demo's library.
screenshots: $(VENV)/.installed-for-tests chromium
	$(VENV)/bin/python tests/screenshots.py docs/pictures

check: $(VENV)/.installed-for-tests
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

# How much of the program the tests without servers run through, and not less than the floor in
# pyproject.toml. COVERED=tests asks all of them, which takes its time.
coverage: $(VENV)/.installed-for-tests
	$(RUN) coverage run -m pytest -q $(COVERED)
	$(RUN) coverage report --skip-covered --sort=cover

# The image, built and started without an engine: as root, with buildah and debootstrap.
image: $(VENV)/.installed-for-tests
	$(VENV)/bin/python tools/built_image.py $(ARGS)

# What takes its time: hundreds of kills, full disks, damaged files, a node of Elasticsearch killed. The
# seeds are fixed, and a report comes at the end. PAPERLESS_FINGERPRINT_FAULTS=2 does twice as much.
faults: $(VENV)/.installed-for-tests
	$(RUN) pytest -q tests/faults/long_faults.py tests/faults/long_nodes.py

# The same tests on other Pythons, each in an environment of its own.
test-pythons: $(VENV)/.installed-for-tests
	tests/on-pythons $(VENV)/bin/uv $(VENV)/pythons $(PYTHONS)

bench: $(VENV)/.installed-for-benchmarks
	$(VENV)/bin/python benchmarks/run.py $(ARGS)

# Learns the judgement anew from labelled documents (benchmarks/fit.py says which, and where from).
fit: $(VENV)/.installed-for-benchmarks
	$(VENV)/bin/python benchmarks/fit.py $(ARGS)

# Takes the page's texts out of the sources, and shows what is to be translated.
texts: $(VENV)/.installed-for-tests
	$(VENV)/bin/python tools/texts.py

elasticsearch: $(VENV)/.installed-for-tests
	$(VENV)/bin/python tools/elasticsearch_local --port $(PORT)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[web]'
	touch $@

$(VENV)/.installed-for-tests: $(VENV)/bin/python pyproject.toml
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-for-benchmarks: $(VENV)/bin/python pyproject.toml
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@ $(VENV)/.installed-for-tests $(VENV)/.installed

.PHONY: docs
docs: $(VENV)/.installed-for-tests
	$(VENV)/bin/python -c "from tests.test_docs import HEAD, ROOT; from click.testing import CliRunner; \
	from paperless_fingerprint.cli import main; (ROOT / 'docs' / 'settings.md').write_text( \
	HEAD + CliRunner().invoke(main, ['config', 'show', '--markdown']).stdout)"
