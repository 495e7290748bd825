# make         lint and test; run it before every commit
# .ci/run      everything that continuous integration runs
# make nightly  what takes longer
.DEFAULT_GOAL := all

include protos/protos.mk
include internal/engine/engine.mk
include internal/release/release.mk
include internal/fleet/duckdb/duckdb.mk
include internal/browsertest/axe/axe.mk
-include fuzz.mk faults.mk nightly.mk

STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: all build test slow race memory conformance lint dependencies api docs causes diff-power bench bench-fleet beam clean

all: lint test

build:
	go build -o bin/ohframe ./cmd/ohframe

test:
	go test ./...

# All tests in full: "go test" runs those that measure, repeat a check over many
# inputs or open huge pages in part or not at all (internal/slow). "make lint" vets.
slow:
	OHFRAME_SLOW=1 go test -vet=off -timeout 30m ./...

# Peak memory of each command and format with as many processes and frames as the limits allow.
memory:
	OHFRAME_MEMORY=1 go test ./cmd/ohframe -run '^TestMemoryAtLimits$$' -v -count 1 -timeout 60m

# -short leaves out the engine, which the race detector does not see.
race:
	go test -race -short -vet=off -timeout 30m ./...

# Tests with Perfetto's engine. They fail instead of being skipped without it.
conformance: engine
	OHFRAME_REQUIRE_ENGINE=1 go test ./internal/engine/... ./exporter/... ./analyzer/perfetto ./sql/... ./internal/serve

lint: protos-lint
	.ci/tracked
	@unformatted=$$(gofmt -l . ); test -z "$$unformatted" || { echo "gofmt: $$unformatted" >&2; exit 1; }
	go vet ./...
	$(STATICCHECK) ./...

dependencies:
	.ci/dependencies

# Rewrites the lists of names that users depend on, after an intended change.
api:
	@mkdir -p testdata/api && rm -f testdata/api/*.txt
	go test ./internal/compatibility ./internal/fleet ./cmd/ohframe -run '^Test(Go|Schema|SQL|Columns|Commands)$$' -count 1 -update-api

# Measures how often diff finds a change where there is none, and where there is one.
diff-power:
	OHFRAME_POWER=1 go test ./internal/diff -run '^TestPower$$' -count 1 -v -timeout 60m

# Writes the lists of measures, and what recording prints, in docs/.
docs:
	OHFRAME_UPDATE_DOCS=1 go test ./internal/diff ./internal/report -run '^TestMeasuresAreDocumented$$' -count 1
	OHFRAME_UPDATE_DOCS=1 go test ./cmd/ohframe -run '^TestRecord(Document|Failures)$$' -count 1

# Compares the causes of late frames with those of many generated traces, and writes
# the table in docs/why.md.
causes:
	OHFRAME_UPDATE_DOCS=1 go test ./analyzer/why -run '^TestInjectedCauses$$' -count 1 -v -timeout 60m

# Measures ohframe on a trace of BENCH_SIZE relative to wc -l. Writes the trace once.
BENCH_SIZE := 256MB
bench_trace := build/bench-$(BENCH_SIZE).ftrace

$(bench_trace):
	@mkdir -p build
	go run ./internal/simulate/cmd/simulate -capture -size $(BENCH_SIZE) -out $@.tmp && mv $@.tmp $@

bench: build engine $(bench_trace)
	go run ./internal/bench -trace $(bench_trace) -engine

# Measures fleets: traces of 1 MB, ten of them different, against frames on one file of
# the same bytes; and a report over generated rows.
BENCH_TRACES := 1000
BENCH_ROWS := 1000000
bench_fleet := build/bench-fleet-$(BENCH_TRACES)

$(bench_fleet):
	@mkdir -p $@.tmp
	for seed in 1 2 3 4 5 6 7 8 9 10; do \
	  go run ./internal/simulate/cmd/simulate -capture -size 1MB -seed $$seed -out $@.tmp/$$seed-0.ftrace || exit 1; \
	  for copy in $$(seq 1 $$(($(BENCH_TRACES) / 10 - 1))); do cp $@.tmp/$$seed-0.ftrace $@.tmp/$$seed-$$copy.ftrace || exit 1; done; \
	done
	mv $@.tmp $@

bench-fleet: build $(bench_fleet)
	cat $(bench_fleet)/*.ftrace > $(bench_fleet).ftrace
	for i in 1 2 3; do \
	  rm -rf $(bench_fleet).dataset; \
	  bash -c 'time bin/ohframe frames $(bench_fleet).ftrace --format csv -o /dev/null --limit traces=$(BENCH_TRACES)' || exit 1; \
	  bash -c 'time bin/ohframe fleet run $(bench_fleet) -o $(bench_fleet).dataset --no-causes' || exit 1; \
	  rm -rf $(bench_fleet).dataset; \
	  bash -c 'time bin/ohframe fleet run $(bench_fleet) -o $(bench_fleet).dataset' || exit 1; \
	done
	du -sb $(bench_fleet).dataset
	BENCH_ROWS=$(BENCH_ROWS) go test ./internal/fleet -run '^$$' -bench Report -benchtime 3x -timeout 1h

# The nested module, which the core does not need. It is built with the flags of
# releases, so release-check finds the packages of both in the cache.
beam:
	cd fleet/beam && export CGO_ENABLED=0 && go vet -trimpath ./... && go test -trimpath -vet=off ./...

clean:
	rm -rf bin build
