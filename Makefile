# Every target sets up what it needs and redoes nothing that is up to date.
#
#   make demo               a conversation remembered, forgotten and found again, in a minute
#   make test               every test on every graph server; GRAPH=embedded|neo4j5|neo4j2026|all, ARGS=… for pytest
#   make check              format, lint, types, layers, dead code
#   make help               all of them

GRAPH ?= all
WORKERS ?= 3
PORT ?= 7687
DATA ?= .neo4j-data
ARGS ?=
INPUTS ?= 10000
PYTHON ?=

BIN := .venv/bin
RUN_STAMP := .venv/.ready-to-run
DEVELOP_STAMP := .venv/.ready-to-develop
SETUP_INPUTS := pyproject.toml requirements.lock memorygraph/_version.py tools/setup_environment.py tools/system_packages.py
CODE := memorygraph cypher/memorygraph_cypher forgetting/memorygraph_forgetting api/memorygraph_api tests tools

# Where the system keeps certificates, uv trusts the same ones as pip, Maven and apt do.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem /etc/pki/tls/certs/ca-bundle.crt),)
export UV_SYSTEM_CERTS ?= true
endif

# The first Python of the versions that memorygraph runs on.
FIND_PYTHON := for p in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
  if "$$p" -c 'import sys; raise SystemExit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1; \
  then echo "$$p"; exit 0; fi; done; \
  echo "Python 3.11, 3.12 or 3.13 is needed and none is on the path: install one, or name it with make PYTHON=…." >&2; exit 1

# Which Neo4j releases the chosen graph servers need: none for embedded.
comma := ,
space := $(subst ,, )
ifeq ($(GRAPH),all)
NEO4J_RELEASES := neo4j5 neo4j2026
else
NEO4J_RELEASES := $(filter neo4j5 neo4j2026,$(subst $(comma),$(space),$(GRAPH)))
endif

.PHONY: help setup demo test crash fuzz check format docs bench neo4j lock clean
.DEFAULT_GOAL := help

help: ## these lines
	@sed -n 's/^\([a-z0-9]*\):.*## /  make \1\t/p' Makefile | expand -t 18

$(RUN_STAMP): $(SETUP_INPUTS)
	@python=$$($(FIND_PYTHON)) && "$$python" tools/setup_environment.py run
	@touch $@

$(DEVELOP_STAMP): $(SETUP_INPUTS)
	@python=$$($(FIND_PYTHON)) && "$$python" tools/setup_environment.py develop
	@touch $(RUN_STAMP) $@

setup: $(DEVELOP_STAMP) ## the virtual environment .venv with everything in requirements.lock
	@echo "Ready: $(BIN)/memorygraph"

demo: $(RUN_STAMP) ## the engine at work in the terminal; GRAPH=neo4j5 or neo4j2026 for a real Neo4j, ARGS=--json
ifneq ($(filter neo4j5 neo4j2026,$(GRAPH)),)
	@$(BIN)/python -m tools.neo4j_server with $(GRAPH) $(BIN)/memorygraph demo $(ARGS)
else
	@$(BIN)/memorygraph demo $(ARGS)
endif

test: $(DEVELOP_STAMP) ## the default suite; GRAPH=embedded|neo4j5|neo4j2026|all, WORKERS=3, ARGS='-k name'
	@$(if $(NEO4J_RELEASES),$(BIN)/python -m tools.neo4j_server fetch $(NEO4J_RELEASES))
	@$(BIN)/python -m pytest --graph=$(GRAPH) -n $(WORKERS) --dist loadgroup --no-loadscope-reorder $(ARGS)

crash: $(DEVELOP_STAMP) ## the long runs: processes killed with -9 again and again, ten that write at once
	@$(if $(NEO4J_RELEASES),$(BIN)/python -m tools.neo4j_server fetch $(NEO4J_RELEASES))
	@$(BIN)/python -m pytest --graph=$(GRAPH) -m crash -n $(WORKERS) --dist loadgroup --no-loadscope-reorder $(ARGS)

fuzz: $(DEVELOP_STAMP) ## every kind of input to the verbs that write; INPUTS=10000 to each
	@$(if $(NEO4J_RELEASES),$(BIN)/python -m tools.neo4j_server fetch $(NEO4J_RELEASES))
	@FUZZ_INPUTS=$(INPUTS) $(BIN)/python -m pytest --graph=$(GRAPH) -m fuzz -n $(WORKERS) --dist loadgroup --no-loadscope-reorder $(ARGS)

check: $(DEVELOP_STAMP) ## ruff, mypy --strict, pyright, import-linter, vulture
	@failed=0; for tool in "ruff format --check" "ruff check" mypy pyright "lint-imports --no-logo" "python tools/dead_code.py"; do \
	  echo "== $$tool"; $(BIN)/$$tool || failed=1; done; exit $$failed

format: $(DEVELOP_STAMP) ## put the code into ruff's form, and mend what ruff can mend
	@$(BIN)/ruff check --fix --exit-zero .
	@$(BIN)/ruff format .

docs: $(DEVELOP_STAMP) ## write the pages, tables and pictures that are made from the code; ARGS=--check
	@failed=0; for maker in tools.reference tools.illustrations; do $(BIN)/python -m $$maker $(ARGS) || failed=1; done; exit $$failed

bench: $(DEVELOP_STAMP) ## one benchmark: NAME=write; its last line is BENCH {…}; ARGS=--help
	@$(BIN)/python -m tests.benchmarks "$(NAME)" $(ARGS)

neo4j: $(RUN_STAMP) ## Neo4j 5.26 in the foreground; PORT=7687 DATA=folder
	@$(BIN)/python -m tools.neo4j_server run neo4j5 --port $(PORT) --data "$(DATA)"

lock: $(DEVELOP_STAMP) ## refresh requirements.lock within the bounds of pyproject.toml; ARGS=--upgrade
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" --extra embedded --group dev $(ARGS) -o requirements.lock pyproject.toml

clean: ## remove what was built and fetched: .venv, caches, Neo4j's jars; the data of `make neo4j` stays
	@rm -rf .venv .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
