# Everything a fresh machine needs is Python >= 3.11 and the package registry.
PYTHON ?= python3
BIN := .venv/bin

FUZZ_SECONDS ?= 60
PEERS ?= --plot docs/img/crawlers.svg
# Three for two cores: while one waits for servers and time limits, others compute (tests/conftest.py).
# Each collects all tests and loads the package for programs to be forked from: ten seconds of CPU.
TEST_PROCESSES ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count() + 1)")
PYTEST = $(BIN)/pytest --numprocesses $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder -rs
# Folders of tests/ that `make test` leaves out: each has a command of its own, which .ci/run runs, too.
APART := faults browser cluster
SEED ?= $(shell date +%s)
ONE_CORE = $(shell $(PYTHON) -c "import os; print(min(os.sched_getaffinity(0)))")
# Where it is set (images often do), each of the programs that tests and demo start would compile
# all modules again: .5 s of CPU.
unexport PYTHONDONTWRITEBYTECODE
# uv reads no settings of pip: where those name an index (a mirror), it is told.
INDEX := $${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$($(PYTHON) -m pip config get global.index-url 2> /dev/null)}}
INTO := UV_DEFAULT_INDEX="$(INDEX)" $(BIN)/uv pip install --quiet --python
# A lock file names everything: there is nothing left to resolve.
PINNED := --compile-bytecode --require-hashes --no-deps --no-build-isolation --requirement
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url

.PHONY: demo test test-faults test-browser test-cluster test-hard lint bench bench-peers bench-accuracy bench-corpora bench-index bench-copies bench-families bench-learning bench-cluster bench-cluster-scale bench-scale bench-parts bench-pictures bench-browser bench-drops bench-extract bench-pdf fuzz sanitize lock audit soak check-replay check-packages check-container docs keys check-settings clean

demo: .venv/run                ## crawl the bundled demo web and compare with its truth
	$(BIN)/python -m crawler demo

test: .venv/installed          ## all tests but those of the next three; two to four minutes on 2 cores
	$(PYTEST) $(APART:%=--ignore=tests/%)

test-faults: .venv/installed   ## crawls that are attacked, killed or starved; a minute
	$(PYTEST) tests/faults

test-browser: .venv/installed  ## what a real Chromium does and shows; where none is installed it says what it skips
	$(PYTEST) tests/browser

test-cluster: .venv/cluster    ## a crawl in partitions, and both engines on Ray, which it installs (260 MB); a minute and a half
	$(PYTEST) tests/cluster

# An order that fails is repeated by `make test-hard SEED=`. The loops are ended by their ids, whatever
# becomes of the tests.
test-hard: .venv/installed     ## all four suites in random order with many examples, then beside two busy loops, then on one core; Linux
	$(PYTEST) --hypothesis-profile deep --shuffle $(SEED)
	while :; do :; done & one=$$!; while :; do :; done & two=$$!; \
		trap "kill $$one $$two" EXIT; trap "exit 130" INT TERM HUP; $(PYTEST)
	taskset --cpu-list $(ONE_CORE) $(PYTEST)

lint: .venv/installed          ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed         ## end to end on the demo web, then the cost of signing by step
	$(BIN)/python -m benchmarks.end_to_end
	$(BIN)/python -m benchmarks.sign_cost

bench-peers: .venv/bench .venv/crawlers/installed  ## Scrapy and Crawlee at an equal job; PEERS=--quick for two minutes
	$(BIN)/python -m benchmarks.crawlers $(PEERS)

bench-accuracy: .venv/bench    ## every method and installed peers on the near-duplicate sets
	$(BIN)/python -m benchmarks.accuracy --plots

bench-corpora: .venv/installed .venv/corpora/installed  ## `dedup` beside text-dedup, datasketch and rensa, as whole commands
	$(BIN)/python -m benchmarks.corpus_peers

bench-index: .venv/bench       ## index designs beside faiss and others; about ten minutes
	$(BIN)/python -m benchmarks.index --plot docs/img/index-cost.svg

bench-extract: .venv/bench      ## every engine on pages with gold texts (`learned` was trained on them), then whole sites by templates; fifteen minutes
	$(BIN)/python -m benchmarks.extract_engines --sites

bench-drops: .venv/installed   ## bytes and CPU that keeping a dropped page takes; half a minute
	$(BIN)/python -m benchmarks.kept_drops

bench-copies: .venv/installed  ## pages lost and copies kept on whole sites; six minutes
	$(BIN)/python -m benchmarks.copies

bench-families: .venv/installed  ## pages lost and copies kept on small made sites of two hundred kinds; two minutes
	$(BIN)/python -m benchmarks.families --half all

# RECORDED names a folder of sites that `python -m benchmarks.learning.recording` recorded.
bench-learning: .venv/installed  ## new texts by fetches with learned rules about URLs and without, then rivals; made, static and recorded sites
	$(BIN)/python -m benchmarks.learning $(if $(RECORDED),--recorded $(RECORDED))
	$(BIN)/python -m benchmarks.learning.rivals $(if $(RECORDED),--recorded $(RECORDED))

bench-cluster: .venv/installed   ## a crawl in partitions beside one crawl, a link between two, and the judge by role
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.sharded_judge

bench-cluster-scale: .venv/installed ## the judge of a cluster over a million stored pages: CPU, memory, answers; 9 GB and some 20 minutes
	$(BIN)/python -m benchmarks.judge_at_scale

bench-pictures: .venv/installed  ## what hashes of pictures tell of rendered pages, by thresholds; a minute
	$(BIN)/python -m benchmarks.pictures

bench-browser: .venv/installed  ## applications of the npm registry and static sites with a browser: text, CPU, requests; ten minutes
	$(BIN)/python -m benchmarks.browser

bench-parts: .venv/installed   ## `dedup --engine ray` beside one machine, equal or not, on 200,000 made documents; ten minutes
	$(BIN)/python -m benchmarks.in_parts

bench-scale: .venv/bench       ## frontier, judge and store at 10^4, 10^5, 10^6 pages; 13 GB and some 40 minutes
	$(BIN)/python -m benchmarks.scale --plot docs/img/scale.svg

# PDF names directories other than /usr/share/doc.
bench-pdf: .venv/installed      ## PDFs beside pdftotext, and manuals that are there as PDF and as a page; minutes
	$(BIN)/python -m benchmarks.pdf $(PDF)

fuzz: .venv/fuzz               ## entry points under atheris: FUZZ_SECONDS each, FUZZ_TARGETS or all
	$(BIN)/python tests/fuzzing/fuzz.py --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

sanitize: .venv/installed      ## tests of the compiled kernels with every access to memory checked (gcc)
	$(BIN)/python tests/dedup/kernels/sanitize.py

lock: $(BIN)/uv                ## make requirements/*.txt anew from pyproject.toml (UPGRADE=--upgrade)
	$(LOCK) $(UPGRADE) --extra fast --extra dev -o requirements/dev.txt pyproject.toml
	$(LOCK) $(UPGRADE) --extra fast -c requirements/dev.txt -o requirements/run.txt pyproject.toml
	$(LOCK) $(UPGRADE) -c requirements/dev.txt -o requirements/judge.txt requirements/judge.in
	$(LOCK) $(UPGRADE) --extra bench -c requirements/dev.txt -o requirements/bench.txt pyproject.toml
	$(LOCK) $(UPGRADE) --extra cluster -c requirements/dev.txt -o requirements/cluster.txt pyproject.toml
	$(LOCK) $(UPGRADE) --extra fuzz -c requirements/dev.txt -o requirements/fuzz.txt pyproject.toml
	$(LOCK) $(UPGRADE) -c requirements/dev.txt -o requirements/crawlers.txt requirements/crawlers.in
	$(LOCK) $(UPGRADE) -o requirements/corpora.txt requirements/corpora.in
	$(LOCK) $(UPGRADE) -o requirements/replay.txt requirements/replay.in
	$(LOCK) $(UPGRADE) -o requirements/build.txt requirements/build.in
	$(LOCK) $(UPGRADE) -o requirements/uv.txt requirements/uv.in
	$(LOCK) $(UPGRADE) -o requirements/tools.txt requirements/tools.in
	$(LOCK) $(UPGRADE) -o requirements/docs.txt requirements/docs.in

audit: .venv/tools/installed   ## known vulnerabilities of what is locked, where the data can be reached
	.venv/tools/bin/python requirements/audit.py

check-replay: .venv/installed .venv/replay/installed  ## pywb replays all that a crawl archived; half a minute
	$(BIN)/python -m benchmarks.replay

check-packages: .venv/tools/installed  ## build wheel and sdist, install and use each where nothing else is; two to three minutes
	.venv/tools/bin/python -m tools.packages

check-container: .venv/run     ## lint Dockerfile and compose.yaml; where Docker runs, build and use them
	$(BIN)/python -m tools.container

docs: .venv/docs/installed     ## the site of the documentation, in site/; a link that leads nowhere fails
	.venv/docs/bin/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going \
		--doctree-dir .venv/docs/doctrees docs site

check-settings: .venv/crawlers/installed  ## names and defaults in docs/coming-from.md, as Scrapy, Crawlee and trafilatura have them
	.venv/crawlers/bin/python -m tools.settings

keys: .venv/installed          ## fill in the table of docs/configuration.md after a change of the model
	$(BIN)/python -m tools.keys

# The last needs Ray and root: where it can have no network namespaces it says so, and is skipped.
soak: .venv/cluster            ## 200 kills, an hour of faults, 200 crawls in partitions that are killed, then machines that are; two hours
	$(BIN)/python -m benchmarks.soak
	$(PYTEST) --soak tests/cluster/test_kills.py tests/cluster/test_copies_at_once.py
	$(BIN)/pytest --soak -rs tests/cluster/test_three_machines.py

clean:
	rm -rf .venv build site .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-out* fuzz-out *.egg-info crawler/dedup/kernels/_compiled.*

# Installs all the rest, five times as fast as pip.
$(BIN)/uv: requirements/uv.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --require-hashes --no-deps --requirement requirements/uv.txt
	touch $@

# What running needs; `.venv/installed` adds what tests and lint need.
.venv/run: $(BIN)/uv requirements/build.txt requirements/run.txt pyproject.toml $(wildcard crawler/dedup/kernels/*.[ch])
	$(INTO) $(BIN)/python $(PINNED) requirements/build.txt
	$(INTO) $(BIN)/python $(PINNED) requirements/run.txt
	$(INTO) $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

.venv/installed: .venv/run requirements/dev.txt
	$(INTO) $(BIN)/python $(PINNED) requirements/dev.txt
	touch $@

.venv/bench .venv/cluster .venv/fuzz: .venv/%: .venv/installed requirements/%.txt
	$(INTO) $(BIN)/python $(PINNED) requirements/$*.txt
	touch $@

# Environments of their own: tools, docs, and programs that are compared or tried beside ours.
.venv/%/installed: requirements/%.txt $(BIN)/uv
	$(PYTHON) -m venv .venv/$*
	$(INTO) .venv/$*/bin/python $(PINNED) requirements/$*.txt
	touch $@
