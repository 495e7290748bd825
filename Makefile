# make      lint and test; run it before every commit
# .ci/run   everything that continuous integration runs
.DEFAULT_GOAL := all

include protos/protos.mk
include internal/engine/engine.mk
include internal/release/release.mk
-include fuzz.mk faults.mk

STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: all build test race conformance lint dependencies api docs testdata bench clean

all: lint test

build:
	go build -o bin/ohframe ./cmd/ohframe

test:
	go test ./...

# The race detector slows tests down: -short skips measurements and the engine.
race:
	go test -race -short -timeout 30m ./...

# Tests with Perfetto's engine. They fail instead of being skipped without it.
conformance: engine
	OHFRAME_REQUIRE_ENGINE=1 go test ./internal/engine/... ./exporter/... ./analyzer/perfetto ./sql/... ./internal/serve

lint: protos-lint
	@unformatted=$$(gofmt -l . ); test -z "$$unformatted" || { echo "gofmt: $$unformatted" >&2; exit 1; }
	go vet ./...
	$(STATICCHECK) ./...

dependencies:
	.ci/dependencies

# Rewrites the lists of names that users depend on, after an intended change.
api:
	@mkdir -p testdata/api && rm -f testdata/api/*.txt
	go test ./internal/compatibility ./cmd/ohframe -run '^Test(Go|Schema|SQL|Commands)$$' -count 1 -update-api

# Writes the lists of measures in docs/.
docs:
	OHFRAME_UPDATE_DOCS=1 go test ./internal/diff ./internal/report -run '^TestMeasuresAreDocumented$$' -count 1

# Writes the traces of the tests and the README.
testdata:
	go run ./internal/simulate/cmd/simulate -demo -out testdata/demo.ftrace -truth testdata/demo.frames.json

# Measures ohframe on a trace of BENCH_SIZE relative to wc -l. Writes the trace once.
BENCH_SIZE := 256MB
bench_trace := build/bench-$(BENCH_SIZE).ftrace

$(bench_trace):
	@mkdir -p build
	go run ./internal/simulate/cmd/simulate -capture -size $(BENCH_SIZE) -out $@.tmp && mv $@.tmp $@

bench: build engine $(bench_trace)
	go run ./internal/bench -trace $(bench_trace) -engine

clean:
	rm -rf bin build
