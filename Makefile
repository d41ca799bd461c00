# `make` alone prints what there is. Every target sets up what it needs in .venv, so that one command is enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := build/demo
NATIVE := build/native

# What the build looks at; of Python files only which packages there are.
SOURCES := CMakeLists.txt $(shell find native -name '*.cpp' -o -name '*.h') $(wildcard src/lookalike/*/__init__.py src/lookalike/*/*/__init__.py)
CPP := $(shell find native benchmarks/native -name '*.cpp' -o -name '*.h' -o -name '*.cu')
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Set-up steps run side by side: Debian packages, the native build and the Python packages do not wait for one another.
SET_UP := @$(MAKE) --silent --no-print-directory --jobs=3
# In CI, Debian packages are installed at the same time. Elsewhere the script may ask, and it asks before anything else.
IN_CI := $(filter true,$(CI))

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-paths native-test check bench fuzz sanitize docs clean system

help:  ## print this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18

demo:  ## near-duplicate functions in Python's standard library, with a report to open
	$(SET_UP) $(VENV)/native.done $(VENV)/run.done
	@$(BIN)/python examples/stdlib.py $(DEMO)/functions.jsonl
	$(BIN)/lookalike dedupe $(DEMO)/functions.jsonl --id id --threshold 0.8 --keep longest \
	    --out $(DEMO)/unique.jsonl --report $(DEMO)/report.html --force
	@echo && echo "To see what was found, open $(CURDIR)/$(DEMO)/report.html in a browser."

test: $(if $(IN_CI),,system)  ## checks, then all tests but the long ones (this is what CI runs)
	$(SET_UP) $(if $(IN_CI),system) $(VENV)/native.done $(VENV)/dev.done
	@$(MAKE) --no-print-directory check native-test
	$(BIN)/python -m pytest

test-all:  ## also the long tests, thorough property tests, every path of the kernel, arm64, and the native code under sanitizers
	@bash scripts/system-packages.sh all
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	@$(MAKE) --no-print-directory check native-test
	$(BIN)/python -m pytest -m "not gpu" --hypothesis-profile=thorough
	@$(MAKE) --no-print-directory test-paths
	@$(MAKE) --no-print-directory sanitize

# The long tests are of Spark, interruptions and other machines, on which the path has no bearing.
test-paths:  ## all tests but the long ones, once for every implementation of the kernel that this machine has
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	@for path in $$($(BIN)/python -c "from lookalike import kernel; print(*kernel.paths())"); do \
	    LOOKALIKE_KERNEL=$$path $(BIN)/python -m pytest || exit 1; \
	done

native-test:  ## the tests of the native code alone
	$(SET_UP) $(VENV)/native.done
	@PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(NATIVE) --target native_tests
	$(NATIVE)/native_tests

check:  ## format, lint, types, and the direction of imports
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/ruff format --check --quiet .
	@echo $(BIN)/clang-format --dry-run --Werror native benchmarks/native
	@$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

# By default minutes. The published figures: make bench DOCUMENTS="100000 1000000" ROUNDS=5
DOCUMENTS ?= 10000 100000
ROUNDS ?= 3

bench:  ## measure: kernel, peers, growth and memory on Zipf texts; other scripts in benchmarks/ are run by themselves
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/python benchmarks/kernel.py 8 $(ROUNDS)
	@for count in $(DOCUMENTS); do $(BIN)/python benchmarks/peers.py --documents $$count --rounds $(ROUNDS) || exit 1; done
	$(BIN)/python benchmarks/growth.py --sizes $(DOCUMENTS) --rounds $(ROUNDS)
	$(BIN)/python benchmarks/memory.py --sizes $(DOCUMENTS)

# A minute of it is in `make test-all`. For longer: make fuzz MINUTES=10
MINUTES ?= 1

fuzz:  ## random and damaged files through the readers, random arrays through the kernel
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/python -m tools.fuzz --minutes $(MINUTES)

sanitize:  ## the native code under AddressSanitizer and UBSan
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash native/sanitize.sh

docs:  ## write the generated pages of docs/ again
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/python tools/cli_reference.py
	$(BIN)/python tools/messages_reference.py
	$(BIN)/python tools/figures.py

clean:  ## remove everything that make made
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# Set-up. Each file named *.done stands for a finished step.

system:
	@bash scripts/system-packages.sh

$(VENV)/venv.done:
	@$(PYTHON) scripts/check_machine.py
	@echo "Setting up $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

# What pip's own build isolation would fetch anew at every build; kept here, an edit of native/ only compiles that file.
$(VENV)/build.done: pyproject.toml constraints.txt | $(VENV)/venv.done
	@$(PIP) $$($(BIN)/python scripts/requirements.py build)
	@touch $@

$(VENV)/native.done: $(SOURCES) $(VENV)/build.done
	@echo "Building the native kernel"
	@$(PIP) --no-deps --no-build-isolation --config-settings=build-dir=$(NATIVE) --editable .
	@touch $@

$(VENV)/run.done: $(VENV)/build.done
	@$(PIP) $$($(BIN)/python scripts/requirements.py run)
	@touch $@

$(VENV)/dev.done: $(VENV)/build.done
	@echo "Installing what tests and checks need"
	@$(PIP) $$($(BIN)/python scripts/requirements.py run dev)
	@touch $@
