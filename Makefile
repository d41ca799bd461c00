# `make` without a target lists the targets. Each one first sets up what it needs in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := build/demo
NATIVE := build/native

# Inputs of the native build. Of the Python files, only the list of packages matters.
SOURCES := CMakeLists.txt $(shell find native -name '*.cpp' -o -name '*.h') $(wildcard src/lookalike/*/__init__.py src/lookalike/*/*/__init__.py)
CPP := $(shell find native benchmarks/native -name '*.cpp' -o -name '*.h' -o -name '*.cu')
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Tests run in one process more than there are cores, at most five: tests of processes, servers and Spark often wait. The
# tests of one file stay together and share its fixtures. Files start in the order of their names. By default, files with
# few tests come last, and those with Spark are among them: one process would run minutes of Spark while the others have
# nothing left to do.
PROCESSES := $(shell $(PYTHON) -c 'import os; print(min(5, 1 + len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))))')
PYTEST := $(BIN)/python -m pytest --numprocesses=$(PROCESSES) --dist=loadfile --no-loadscope-reorder
# Tests of answers and of the kernel. The others (input and output, commands, reports, notices, storage, documentation, Spark)
# do not check what the kernel computes.
OF_PATHS := $(addprefix tests/,answers apps book contracts engines families frequent joins kernel parity planning properties results text trust test_signatures.py)
# Set-up steps run in parallel: Debian packages, the native build and the Python packages are independent.
SET_UP := @$(MAKE) --silent --no-print-directory --jobs=3
# In CI, Debian packages are installed in parallel too. Elsewhere the script may ask, so it runs first.
IN_CI := $(filter true,$(CI))

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-paths native-test check bench fuzz sanitize docs notebooks sdist wheels clean system

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18

demo:  ## find near-duplicate functions in Python's standard library, write a report, and show how to review them
	$(SET_UP) $(VENV)/native.done $(VENV)/run.done
	@$(BIN)/python examples/stdlib.py $(DEMO)/functions.jsonl
	$(BIN)/lookalike dedupe $(DEMO)/functions.jsonl --id id --threshold 0.8 --keep longest \
	    --out $(DEMO)/unique.jsonl --report $(DEMO)/report.html --force
	@$(BIN)/python -c 'import lookalike as la; la.dedupe("$(DEMO)/functions.jsonl", id="id", threshold=0.8, keep="longest").save("$(DEMO)/functions.result", force=True)'
	@echo && echo "To see what was found, open $(CURDIR)/$(DEMO)/report.html in a browser."
	@echo "To review the clusters in a browser, run $(BIN)/lookalike serve $(DEMO)/functions.result and open the address that it prints."

test: $(if $(IN_CI),,system)  ## run the checks and all tests except the slow ones (what CI runs)
	$(SET_UP) $(if $(IN_CI),system) $(VENV)/native.done $(VENV)/dev.done
	@$(MAKE) --no-print-directory check native-test
	$(PYTEST)

test-all:  ## also run slow tests, thorough property tests, every kernel path, arm64, and the native code under sanitizers
	@bash scripts/system-packages.sh all
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	@$(MAKE) --no-print-directory check native-test
	$(PYTEST) -m "not gpu" --hypothesis-profile=thorough
	@$(MAKE) --no-print-directory test-paths SKIP="$$($(BIN)/python -c 'from lookalike import kernel; print(kernel.path())')"
	@$(MAKE) --no-print-directory sanitize

# Without slow tests and Spark, where the path makes no difference. SKIP names a path that is not tested: `make test-all` has
# run all tests on the fastest one.
SKIP ?=

test-paths:  ## run the tests of answers and of the kernel once per kernel path that this machine supports
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	@for path in $$($(BIN)/python -c "from lookalike import kernel; print(*kernel.paths())"); do \
	    test "$$path" = "$(SKIP)" && continue; \
	    LOOKALIKE_KERNEL=$$path $(PYTEST) -m "not slow and not gpu and not spark" $(OF_PATHS) || exit 1; \
	done

native-test:  ## build and run the tests of the native code
	$(SET_UP) $(VENV)/native.done
	@PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(NATIVE) --target native_tests
	$(NATIVE)/native_tests

check:  ## check format, lint, types and the direction of imports
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/ruff format --check --quiet .
	@echo $(BIN)/clang-format --dry-run --Werror native benchmarks/native
	@$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

# The default takes minutes. For the published figures: make bench DOCUMENTS="100000 1000000" ROUNDS=5
DOCUMENTS ?= 10000 100000
ROUNDS ?= 3

bench:  ## measure the kernel, peers, growth and memory on Zipf texts (run other scripts in benchmarks/ directly)
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/python benchmarks/kernel.py 8 $(ROUNDS)
	@for count in $(DOCUMENTS); do $(BIN)/python benchmarks/peers.py --documents $$count --rounds $(ROUNDS) || exit 1; done
	$(BIN)/python benchmarks/growth.py --sizes $(DOCUMENTS) --rounds $(ROUNDS)
	$(BIN)/python benchmarks/memory.py --sizes $(DOCUMENTS)

# `make test-all` includes one minute. For longer: make fuzz MINUTES=10
MINUTES ?= 1

fuzz:  ## feed random and damaged files to the readers, and random arrays to the kernel
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/python -m tools.fuzz --minutes $(MINUTES)

sanitize:  ## run the native tests under AddressSanitizer, UBSan and ThreadSanitizer
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash native/sanitize.sh

docs:  ## regenerate the generated pages of docs/ and build the site in build/site
	$(SET_UP) $(VENV)/native.done $(VENV)/docs.done
	$(BIN)/python tools/cli_reference.py
	$(BIN)/python tools/messages_reference.py
	$(BIN)/python -m tools.python_reference
	$(BIN)/python tools/figures.py
	$(BIN)/python tools/benchmark_chart.py
	@rm -rf build/site
	$(BIN)/python -m sphinx --fail-on-warning --quiet --fresh-env --doctree-dir build/doctrees docs build/site
	@echo "To read the site, open $(CURDIR)/build/site/index.html in a browser."

notebooks:  ## execute the notebooks and store their outputs
	$(SET_UP) $(VENV)/native.done $(VENV)/dev.done
	$(BIN)/python -m tools.notebooks

sdist:  ## build the source distribution in dist/
	$(SET_UP) $(VENV)/build.done
	@$(PIP) build
	$(BIN)/python -m build --sdist --outdir dist .

wheels:  ## build the wheels for this machine in dist/ and test each one (needs Docker on Linux)
	$(SET_UP) $(VENV)/build.done
	@$(PIP) cibuildwheel
	$(BIN)/python -m cibuildwheel --output-dir dist

clean:  ## remove everything that make created
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# Set-up. Each file named *.done marks a finished step.

system:
	@bash scripts/system-packages.sh

$(VENV)/venv.done:
	@$(PYTHON) scripts/check_machine.py
	@echo "Setting up $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

# Build requirements. pip's build isolation would install them again for every build; with them in .venv, an edit in native/
# recompiles only what changed.
$(VENV)/build.done: pyproject.toml constraints.txt | $(VENV)/venv.done
	@$(PIP) $$($(BIN)/python scripts/requirements.py build)
	@touch $@

$(VENV)/native.done: $(SOURCES) $(VENV)/build.done
	@echo "Building the native kernel"
	@$(PIP) --no-deps --no-build-isolation --config-settings=build-dir=$(NATIVE) --editable .
	@touch $@

$(VENV)/run.done: $(VENV)/build.done
	@$(PIP) $$($(BIN)/python scripts/requirements.py run service)
	@touch $@

$(VENV)/docs.done: $(VENV)/build.done
	@echo "Installing what the documentation site needs"
	@$(PIP) $$($(BIN)/python scripts/requirements.py run docs)
	@touch $@

$(VENV)/dev.done: $(VENV)/build.done
	@echo "Installing what tests and checks need"
	@$(PIP) $$($(BIN)/python scripts/requirements.py run dev)
	@touch $@
