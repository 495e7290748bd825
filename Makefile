# make         lint and test; run it before every commit
# .ci/run      everything that continuous integration runs
# make nightly  what takes longer
.DEFAULT_GOAL := all

include protos/protos.mk
include internal/testing/engine/engine.mk
include internal/tools/release/release.mk
include internal/fleet/databases/databases.mk
include internal/testing/browsertest/axe/axe.mk
include internal/ui/plugin/plugin.mk
include web/program.mk
-include fuzz.mk faults.mk nightly.mk

VET := go vet
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: all build test slow race memory conformance lint dependencies api docs counterfactual power bench profile outputs beam clean

all: lint test

build:
	go build -o bin/ohframe ./cmd/ohframe

test:
	go test ./...

# All tests in full: "go test" runs those that measure, repeat a check over many
# inputs or open huge pages in part or not at all (internal/testing/slow). "make lint" vets.
slow:
	OHFRAME_SLOW=1 go test -vet=off -timeout 30m ./...

# Peak memory of each command and format with as many processes and frames as the limits allow.
memory:
	OHFRAME_MEMORY=1 go test ./cmd/ohframe -run '^TestMemoryAtLimits$$' -v -count 1 -timeout 60m

# Only of packages whose code runs in several goroutines.
# -short leaves out the engine, which the race detector does not see. Without checkptr, the
# library's panic over a damaged Parquet file can be recovered from, as in a normal build.
race:
	go test -race -gcflags=github.com/parquet-go/parquet-go=-d=checkptr=0 -short -vet=off -timeout 30m $$(.ci/race-packages)

# Tests with Perfetto's engine. They fail instead of being skipped without it.
conformance: engine
	OHFRAME_REQUIRE_ENGINE=1 go test ./internal/testing/engine/... ./exporter/pftrace/... ./internal/source/perfetto ./internal/sql/... ./internal/serve

lint: protos-lint
	.ci/tracked
	@unformatted=$$(gofmt -l . ); test -z "$$unformatted" || { echo "gofmt: $$unformatted" >&2; exit 1; }
	$(VET) ./...
	$(STATICCHECK) ./...

dependencies:
	.ci/dependencies

# Rewrites the lists of names that users depend on, after an intended change.
api:
	@mkdir -p testdata/api && rm -f testdata/api/*.txt
	go test . ./internal/fleet ./cmd/ohframe -run '^Test(Go|Schema|SQL|Columns|Commands)$$' -count 1 -update-api

# Measures how often diff and report --over find a change where there is none, and where there is one. Prints tables, of
# which docs/dev/verification.md has the main rows.
power:
	OHFRAME_POWER=1 go test ./internal/diff -run '^Test(Trend)?Power$$' -count 1 -v -timeout 120m

# Writes what follows from the comments of fields: the lists in docs/, and the columns of SQL. And the lists of
# measures, the outputs of queries in docs/ (with Perfetto's engine), and the folder ui.
docs:
	OHFRAME_UPDATE_DOCS=1 go test ./internal/causes ./internal/condition ./internal/diff ./internal/frametable ./internal/report ./internal/sql ./exporter/internal/annotation -run '^Test(MeasuresAreDocumented|(Evidence|Trend)?Schema|Columns|Document)$$' -count 1
	OHFRAME_UPDATE_DOCS=1 go test ./internal/sql -run 'Guide$$' -count 1
	go run ./cmd/ohframe ui -o ui >/dev/null

# Measures ohframe against its aims on BENCH_TRACES, by default one of BENCH_SIZE MB that is
# written once, and on a fleet of BENCH_FLEET traces of 1 MB. BENCH_BEFORE is the program of
# another commit.
BENCH_SIZE := 256
BENCH_TRACES = $(bench_trace)
BENCH_FLEET := 1000
bench_trace := build/bench-$(BENCH_SIZE)MB.ftrace

$(bench_trace):
	@mkdir -p build
	go run ./internal/testing/simulate/cmd/simulate -capture $(BENCH_SIZE) >$@.tmp && mv $@.tmp $@

bench: build engine $(BENCH_TRACES)
	go run ./internal/tools/bench -engine -fleet $(BENCH_FLEET) $(if $(BENCH_BEFORE),-before $(BENCH_BEFORE)) $(BENCH_TRACES)

# Profiles conversions: releases are optimized by that. Write it again after a large change of hot code.
profile: $(bench_trace)
	go run ./internal/tools/bench -profile internal/tools/release/cpu.pprof $(bench_trace)

# Prints one line for each output of all commands, in all formats, on all traces at hand. OUTPUTS_BEFORE
# is such a list of another commit: then only what differs is printed.
outputs: build engine
	go run ./internal/tools/outputs $(if $(OUTPUTS_BEFORE),-before $(OUTPUTS_BEFORE)) testdata $(wildcard ../shared/traces ../shared/oracle)

# Explains late frames of generated traces with one to three causes, simulates the traces again without a
# cause, and prints by how much less the frames are late. Prints how many gain what is said.
counterfactual:
	OHFRAME_SLOW=1 go test ./analyzer/why -run '^TestCounterfactual$$' -count 1 -v

# The nested module, which the core does not need. It is built with the flags of
# releases, so release-check finds the packages of both in the cache.
beam:
	cd fleet/beam && export CGO_ENABLED=0 && go vet -trimpath ./... && go test -trimpath -vet=off ./...

clean:
	rm -rf bin build
