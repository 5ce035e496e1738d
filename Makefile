# Everything a fresh machine needs is Python >= 3.11 and the package registry.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench bench-accuracy bench-index clean

demo: .venv/installed          ## crawl the bundled demo web and compare with its truth
	$(BIN)/python -m crawler demo

test: .venv/installed          ## the whole test suite, under 5 minutes on 2 cores
	$(BIN)/pytest --numprocesses auto --dist loadfile

lint: .venv/installed          ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed         ## end to end on the demo web: pages/s, CPU ms a page, memory
	$(BIN)/python -m benchmarks.end_to_end

bench-accuracy: .venv/bench    ## every method and installed peers on the near-duplicate sets
	$(BIN)/python -m benchmarks.accuracy --plots

bench-index: .venv/bench       ## index designs beside faiss and others; about ten minutes
	$(BIN)/python -m benchmarks.index --plot docs/img/index-cost.svg

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-out* *.egg-info

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[fast,dev]'
	touch $@

.venv/bench: .venv/installed
	$(BIN)/pip install --quiet --editable '.[bench]'
	touch $@
