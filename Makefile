# One set of commands for people, hooks and CI. Each target sets up what it needs and reuses what is there.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
CARGO ?= cargo
NPM ?= npm
STRICT ?=
DEMO_PORT ?= 8000
DEMO_ONCE ?=

VENV := .venv
BUILD := .build
DIST := $(BUILD)/downloads
BIN := $(VENV)/bin
MANIFEST := client/probe/Cargo.toml

# The static build where the target is installed, the host's own otherwise: the demo must not need more than
# Rust.
HOST_TARGET := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
STATIC_TARGET := $(subst -gnu,-musl,$(HOST_TARGET))
HAS_STATIC := $(wildcard $(shell rustc --print sysroot 2>/dev/null)/lib/rustlib/$(STATIC_TARGET)/lib)
PROBE_TARGET ?= $(if $(HAS_STATIC),$(STATIC_TARGET),$(HOST_TARGET))
# Setting PROBE_TARGET builds for that one alone.
PROBE_TARGETS ?= $(if $(filter file,$(origin PROBE_TARGET)),,$(PROBE_TARGET))
PROBE := $(DIST)/diskatlas-$(PROBE_TARGET)

export DISKATLAS_PROBE := $(abspath $(PROBE))
export DISKATLAS_STRICT := $(STRICT)

.PHONY: help
help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

# ---- set-up ----------------------------------------------------------------------------------------------

.PHONY: prerequisites
prerequisites: ## Name what this machine lacks to build the rest
	@missing=(); \
	$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || missing+=("Python 3.11 or newer with venv ($(PYTHON); on Debian: python3 python3-venv)"); \
	node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null \
	  || missing+=("Node.js 20 or newer (node)"); \
	command -v $(NPM) >/dev/null || missing+=("npm, which comes with Node.js"); \
	$(CARGO) --version 2>/dev/null \
	  | awk '{ split($$2, v, "."); exit !(v[1] > 1 || v[2] >= 88) } END { if (!NR) exit 1 }' \
	  || missing+=("Rust 1.88 or newer ($(CARGO))"); \
	command -v cc >/dev/null || missing+=("a C compiler and linker (cc; on Debian: gcc)"); \
	if (($${#missing[@]})); then \
	  printf 'Missing on this machine:\n' >&2; printf '  - %s\n' "$${missing[@]}" >&2; \
	  printf 'Install what is named and call make again.\n' >&2; exit 1; \
	fi

# `venv-demo` is what the archive runs with on this machine, `venv` adds what tests and checks need. Both live
# in one folder. The image is built from requirements/base.txt alone.
.PHONY: venv-demo venv
venv-demo: $(BUILD)/venv-demo.stamp ## Install what the demo runs with into .venv
venv: $(BUILD)/venv.stamp ## Install what tests and checks need, too

define install-python
	@mkdir -p $(BUILD)
	@echo "Python: installing $< into $(VENV)"
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement $<
	@touch $@
endef

$(BUILD)/venv-demo.stamp: requirements/demo.txt | prerequisites
	$(install-python)

$(BUILD)/venv.stamp: requirements/dev.txt $(BUILD)/venv-demo.stamp
	$(install-python)

.PHONY: node
node: $(BUILD)/node.stamp ## Install what the front end is built from
$(BUILD)/node.stamp: frontend/package.json frontend/package-lock.json | prerequisites
	@mkdir -p $(BUILD)
	@echo "Front end: installing frontend/package-lock.json"
	@cd frontend && $(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: node-tests
node-tests: $(BUILD)/node-tests.stamp ## Install the linters and verifiers of tests/integrations
NODE_TESTS = $(addprefix tests/integrations/package,.json -lock.json)
$(BUILD)/node-tests.stamp: $(NODE_TESTS) | prerequisites
	@mkdir -p $(BUILD)
	@echo "Tests: installing tests/integrations/package-lock.json"
	@cd tests/integrations && $(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

# ---- building --------------------------------------------------------------------------------------------

.PHONY: build
build: probe frontend ## Build the static probe and the front end

# For every static target that this machine can build for; PROBE_TARGETS names others.
.PHONY: probe
probe: | prerequisites ## Build the probe, its manual page and completions, and the list of them
	@CARGO=$(CARGO) $(PYTHON) -m tools.release build --out $(DIST) $(PROBE_TARGETS:%=--target %)

.PHONY: release
release: venv-demo probe ## Build the probe and sign the list with the key in DISKATLAS_RELEASE_KEY
	@$(BIN)/python -m tools.release sign --out $(DIST)

.PHONY: probe-reproducible
probe-reproducible: | prerequisites ## Build the probe twice in different folders, compare the bytes (minutes)
	@CARGO=$(CARGO) $(PYTHON) -m tools.release reproducible $(PROBE_TARGETS:%=--target %)

FRONTEND_SOURCES = $(shell find frontend \
  -path '*/node_modules' -prune -o -path '*/dist' -prune -o -type f -print 2>/dev/null)

.PHONY: frontend
frontend: $(BUILD)/frontend.stamp ## Build the front end
$(BUILD)/frontend.stamp: $(BUILD)/node.stamp $(FRONTEND_SOURCES)
	@echo "Front end: building"
	@cd frontend && $(NPM) run --silent build
	@touch $@

# ---- the commands ----------------------------------------------------------------------------------------

.PHONY: demo
demo: venv-demo build ## Build, serve and fill the archive from simulated drives (DEMO_PORT, DEMO_ONCE=1)
	@DEMO_PORT=$(DEMO_PORT) DEMO_ONCE=$(DEMO_ONCE) $(BIN)/python -m tools.demo

# `cargo test --no-run` and not `cargo build`: the suite then finds everything compiled with the same
# features.
.PHONY: simtool
simtool: | prerequisites ## Build the tests of the probe and diskatlas-simtool
	@echo "Probe: building the tests and diskatlas-simtool"
	@$(CARGO) test --quiet --locked --manifest-path $(MANIFEST) --all-features --no-run

.PHONY: pictures
pictures: venv ## Take the pictures below docs/user/pictures from a running demo (DEMO_PORT)
	@DEMO_PORT=$(DEMO_PORT) $(BIN)/python -m tools.pictures

# The S3 server that tests use, compiled once, in minutes. Without Go, or modules, they say that it is not
# there: with STRICT=1 they fail.
S3_SERVER := $(BUILD)/tools/bin/versitygw
S3_SERVER_MODULE := github.com/versity/versitygw/cmd/versitygw@v1.8.0
.PHONY: object-storage
object-storage: $(S3_SERVER) ## Build the S3 server that tests use (needs Go)
$(S3_SERVER): | prerequisites
	@echo "Tests: building $(S3_SERVER_MODULE)"
	@mkdir -p $(@D)
	@GOBIN=$(abspath $(@D)) CGO_ENABLED=0 go install -trimpath $(S3_SERVER_MODULE)

# The loader of Docker Compose, for the tests of docker/compose*.yaml.
COMPOSE_CONFIG := $(BUILD)/tools/bin/compose-config
COMPOSE_LOADER := github.com/compose-spec/compose-go/v2
COMPOSE_LOADER_VERSION := v2.16.2
COMPOSE_SOURCE := tests/integrations/compose_config/main.go
.PHONY: compose-config
compose-config: $(COMPOSE_CONFIG) ## Build what reads compose files as Docker Compose does (needs Go)
$(COMPOSE_CONFIG): $(COMPOSE_SOURCE) | prerequisites
	@echo "Tests: building $(COMPOSE_LOADER)@$(COMPOSE_LOADER_VERSION)"
	@mkdir -p $(@D) && rm -rf $(BUILD)/tools/compose-config
	@mkdir $(BUILD)/tools/compose-config && cp $(COMPOSE_SOURCE) $(BUILD)/tools/compose-config
	@cd $(BUILD)/tools/compose-config && go mod init compose-config 2>/dev/null \
	  && go get $(COMPOSE_LOADER)/cli@$(COMPOSE_LOADER_VERSION) \
	  && CGO_ENABLED=0 go build -trimpath -o $(abspath $@)

.PHONY: test
test: venv build simtool node-tests ## Run every suite; with STRICT=1 a skip fails
	@$(MAKE) object-storage || echo "Tests: no S3 server; what needs one is skipped" >&2
	@$(MAKE) compose-config || echo "Tests: compose files are not loaded; that is skipped" >&2
	@$(BIN)/python -m tools.suites $(if $(STRICT),--strict) $(SUITES)

# `make test` has some of the faults; all of them, with a folder and with an S3 server, take a quarter of an
# hour, and as often as ROUNDS says.
.PHONY: test-faults
test-faults: ROUNDS = 1
test-faults: venv object-storage ## Hurt every part of an archive in turn; look for what was lost (ROUNDS)
	@FAULTS_ROUNDS=$(ROUNDS) $(BIN)/python -m pytest -s -rs --no-header tests/faults/field

PROBE_STAGE ?= compiled
.PHONY: test-images
test-images: venv compose-config ## Build the image by buildah, run all its services (PROBE_STAGE, STORE)
	@$(BIN)/python -m tools.image_run --probe $(PROBE_STAGE) $(STORE:%=--store %)

.PHONY: test-vm
test-vm: venv probe simtool ## Boot emulated disks in QEMU and look at what the static probe says and does
	@$(BIN)/python -m pytest -rs --no-header tests/vm

.PHONY: lint
lint: venv node audit ## Check style, types, imports, licences, known holes, lock files and scripts
	@$(BIN)/pre-commit run --all-files --hook-stage pre-push

# From the registry of crates, which is all that a machine for CI can be counted on to reach: compiled once,
# in minutes, with little optimisation as it runs for a second.
DENY := $(BUILD)/tools/bin/cargo-deny
DENY_VERSION := 0.20.2
$(DENY): deny.toml | prerequisites
	@echo "Probe: installing cargo-deny $(DENY_VERSION)"
	@CARGO_PROFILE_RELEASE_LTO=false CARGO_PROFILE_RELEASE_OPT_LEVEL=1 $(CARGO) install --quiet --locked \
	  --root $(BUILD)/tools --version $(DENY_VERSION) cargo-deny
	@touch $@

.PHONY: audit
audit: venv node $(DENY) ## Hold what is built in against deny.toml and the databases of known holes
	@$(BIN)/python -m tools.audit

.PHONY: hooks
hooks: venv ## Let git call the checks: the quick ones before a commit, all before a push
	@$(BIN)/pre-commit install

.PHONY: format
format: venv node ## Rewrite sources in the project's style
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .
	@$(CARGO) fmt --manifest-path $(MANIFEST)
	@cd frontend && $(NPM) run --silent format

.PHONY: bench-probe
bench-probe: venv ## Compare the probe's speed with hdparm, dd and fio, taking turns (root; minutes)
	@$(BIN)/python -m tests.bench $(BENCH)

.PHONY: accuracy
accuracy: venv probe simtool ## Compare extraction with the truth; write docs/reference/accuracy.md
	@$(BIN)/python -m tools.accuracy

RANDOM_DRIVES ?= 20
SEED ?= 1
.PHONY: accuracy-random
accuracy-random: venv probe simtool ## Draw RANDOM_DRIVES drives from each SEED; list what is silently wrong
	@$(BIN)/python -m tools.accuracy --random $(RANDOM_DRIVES) --seed $(SEED) \
	  $(COVERAGE:%=--report %) $(ACCURACY)

RUNS ?= 1000
.PHONY: false-alarms
false-alarms: venv probe simtool ## Measure RUNS simulated drives from SEED on; list those held without cause
	@$(BIN)/python -m tools.false_alarms --runs $(RUNS) --seed $(SEED) $(FALSE_ALARMS)

.PHONY: plausibility-reference
plausibility-reference: venv ## Write docs/reference/plausibility.md from the list of checks
	@$(BIN)/python -m tools.plausibility_reference

.PHONY: bench-extract
bench-extract: venv ## CPU time of extraction per kind, and how it grows with the samples
	@$(BIN)/python -m tools.bench_extract

.PHONY: query-baseline
query-baseline: venv ## Write tests/server/web/query_baseline.json anew: how many queries each page costs
	@DISKATLAS_WRITE_BASELINE=1 $(BIN)/python -m pytest -q tests/server/web/test_query_baseline.py

SIZES ?= 1000,10000,100000
.PHONY: bench-figures
bench-figures: venv ## What each chart costs as SVG (OUT=FOLDER writes the drawings)
	@$(BIN)/python -m tools.bench_figures $(if $(OUT),--out $(OUT))

BENCH_WEB = $(if $(BASE),--base $(BASE)) $(if $(TABLE),--table $(TABLE))
.PHONY: bench-web bench-api bench-release
bench-web: venv frontend ## How long pages take on archives of SIZES runs (TABLE=FILE; BASE=COMMIT in turns)
	@$(BIN)/python -m tests.bench.web pages --sizes $(SIZES) $(BENCH_WEB)
bench-api: venv frontend ## The same for the API
	@$(BIN)/python -m tests.bench.web api --sizes $(SIZES) $(BENCH_WEB)
bench-release: venv ## What a dataset release of them costs: time, memory, growth
	@$(BIN)/python -m tests.bench.web release --sizes $(SIZES) $(if $(TABLE),--table $(TABLE))

CLIENTS ?= 1,4,16
KIND ?= small
ROUNDS ?= 1
.PHONY: bench-ingest
bench-ingest: SIZES = 10000,100000
bench-ingest: RUNS = 200
bench-ingest: venv probe ## What RUNS uploads of a KIND cost until published, also against BASE=COMMIT
	@$(BIN)/python -m tests.bench.ingest --sizes $(SIZES) --clients $(CLIENTS) --kind $(KIND) --runs $(RUNS) \
		--rounds $(ROUNDS) $(if $(BASE),--base $(BASE)) $(if $(TABLE),--table $(TABLE))

.PHONY: bench-refresh
bench-refresh: SIZES = 1000,10000,100000
bench-refresh: ROUNDS = 3
bench-refresh: venv ## What refreshing a model of SIZES runs takes after one more run
	@$(BIN)/python -m tests.bench.refresh --sizes $(SIZES) --rounds $(ROUNDS) $(if $(TABLE),--table $(TABLE))

.PHONY: bench-machines
bench-machines: RUNS = 320
bench-machines: ROUNDS = 2
bench-machines: venv object-storage ## An archive on several hosts: rates, same answers, losses (root, caddy)
	@$(BIN)/python -m tests.bench.machines --runs $(RUNS) --rounds $(ROUNDS) $(if $(TABLE),--table $(TABLE))

.PHONY: verdicts-simulated
verdicts-simulated: venv ## How often claims that hold are called missed, looked at after every drive
	@$(BIN)/python -m tools.verdicts_simulated $(if $(SEED),--seed $(SEED))

.PHONY: bench-mechanisms
bench-mechanisms: venv probe ## How often two mechanisms under one name are flagged wrongly, and missed
	@$(BIN)/python -m tools.bench_mechanisms

.PHONY: requirements
requirements: venv ## Lock the Python dependencies anew
	@for name in base demo dev fuzz; do \
	  $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	    --no-emit-index-url --no-emit-find-links --custom-compile-command 'make requirements' \
	    --upgrade --output-file requirements/$$name.txt requirements/$$name.in; \
	done

.PHONY: kind
kind: venv ## Make the two folders of a new benchmark kind, and its lines in the registries (NAME)
	@$(BIN)/python -m tools.kinds.new $(NAME)
	@$(MAKE) kind-docs openapi

.PHONY: kind-docs
kind-docs: venv ## Write what the kinds' folders say into the pages of docs/
	@$(BIN)/python -m tools.kinds.docs

.PHONY: openapi
openapi: venv ## Write docs/reference/openapi.yaml from the API's code
	@$(BIN)/python -m tools.services run -- env SECRET_KEY=written-once-and-forgotten-0123456789abcdef \
	  $(BIN)/python manage.py spectacular --fail-on-warn --file docs/reference/openapi.yaml

.PHONY: fuzz-api
fuzz-api: venv ## Ask the API everything its description allows, and much else (EXAMPLES; MINUTES at least)
	@end=$$((SECONDS + 60 * $(or $(MINUTES),0))); \
	while API_FUZZ_EXAMPLES=$(or $(EXAMPLES),300) $(BIN)/python -m pytest -q -rs tests/server/api/test_fuzz.py; \
	do ((SECONDS < end)) || exit 0; done; exit 1

# The short run of both is part of `make test`.
INPUTS ?= 1000000
.PHONY: fuzz-parsers
fuzz-parsers: venv ## Give all parsers INPUTS inputs each (an hour; ENGINE=atheris: the archive's by coverage)
ifeq ($(ENGINE),atheris)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/fuzz.txt
	@$(BIN)/python -m tests.fuzz.guided --inputs $(INPUTS)
else
	@FUZZ_INPUTS=$(INPUTS) $(BIN)/python -m pytest -s -q --no-header --timeout=0 tests/fuzz
	@CARGO_PROFILE_DEV_OPT_LEVEL=2 PROPTEST_CASES=$(INPUTS) $(CARGO) test --locked --all-features \
	  --manifest-path $(MANIFEST) --test fuzz -- --nocapture
endif

.PHONY: method-figures
method-figures: venv ## Draw the pictures of the methods' pages anew from the golden runs
	@SECRET_KEY=written-once-and-forgotten-0123456789abcdef $(BIN)/python -m tools.method_figures

.PHONY: golden
golden: venv probe ## Record the contract test's golden runs anew
	@$(BIN)/python -m tests.contract.record $(KINDS)

.PHONY: identities
identities: venv ## Hold the rules for makers' numbers against what real drives say (FILE=other.csv)
	@$(BIN)/python -m tools.identities $(FILE)

.PHONY: clean
clean: ## Remove what was built and installed, and the demo's data
	@rm -rf $(BUILD) $(VENV) .data staticfiles client/probe/target frontend/node_modules frontend/dist \
	  tests/integrations/node_modules server/web/static/built
