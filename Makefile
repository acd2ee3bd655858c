# `make demo` and `make test` do all set-up themselves; nothing else need be installed but Python 3.11 and make.
PYTHON ?= python3.11
VENV   ?= .venv
BIN    := $(VENV)/bin
# The CPU build is enough for every test; another build of the same version may be put in its place.
TORCH  ?= torch==2.13.0

.PHONY: demo test lint bench bench-short docs pocket clean

# pip compiles one file after another, all that nobody imports too, which takes longer than all else that it does.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
RARE := /tests?/|transformers/models/|ray/(dashboard|data|rllib|serve|train|tune)/
# What is imported is compiled once, also where the environment says otherwise: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[dev,rouge]'
	touch $(VENV)/.core $@

$(VENV)/.full: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) $(TORCH) -e '.[dev,rouge,hf,mt,serve,inspect,datasets,train,ray]'
	$(BIN)/python -m compileall -qq -j 0 -x '$(RARE)' $(VENV)/lib || true # a library may hold files of another Python
	touch $(VENV)/.core $(VENV)/.dev $@

demo: $(VENV)/.core
	$(BIN)/hesperus demo --out demo

test: $(VENV)/.full
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks pocket recipes
	$(BIN)/ruff format --check src tests benchmarks pocket recipes
	$(BIN)/mypy

bench: $(VENV)/.full
	$(BIN)/python -m benchmarks

bench-short: $(VENV)/.full
	$(BIN)/python -m benchmarks --short

docs: $(VENV)/.dev
	$(BIN)/python docs/build.py

pocket: $(VENV)/.full
	$(BIN)/python -m pocket

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
