# Rules for the subset of Perfetto's schema. They need only Go: buf comes through
# the Go module proxy.

BUF := go run github.com/bufbuild/buf/cmd/buf@v1.72.0
PROTO_FILES := $(sort $(shell find protos/perfetto -name '*.proto'))
PROTO_GO := internal/perfettopb

.PHONY: protos protos-lint protos-stale protos-check

# Generates the Go code.
protos:
	rm -f $(PROTO_GO)/*.pb.go
	$(BUF) generate

protos-lint:
	$(BUF) lint
	$(BUF) format --diff --exit-code

# Fails if the Go code in the repository does not match the schema.
protos-stale:
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	$(BUF) generate --output "$$tmp" && \
	diff -ru --exclude=doc.go --exclude='*_test.go' "$$tmp/$(PROTO_GO)" $(PROTO_GO) || \
	{ echo 'protos-stale: the generated Go does not match the schema: run make protos' >&2; exit 1; }

# Checks that the schema is a subset of upstream's: a change from the subset to
# upstream must not be breaking. It names upstream's files one by one because the
# rest of a checkout need not build.
protos-check:
	@test -n '$(UPSTREAM)' || \
	{ echo 'protos-check: UPSTREAM is not set: make protos-check UPSTREAM=<checkout of google/perfetto v57.2>' >&2; exit 2; }
	@for f in $(PROTO_FILES); do test -f "$(UPSTREAM)/$$f" || \
	{ echo "protos-check: $(UPSTREAM) has no $$f: is it a checkout of google/perfetto v57.2?" >&2; exit 2; }; done
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	$(BUF) build '$(UPSTREAM)' --config buf.yaml $(PROTO_FILES:%=--path '$(UPSTREAM)/%') -o "$$tmp/upstream.binpb" && \
	$(BUF) breaking "$$tmp/upstream.binpb" --against . $(PROTO_FILES:%=--path %) --config buf.yaml && \
	echo 'protos-check: the schema is a subset of $(UPSTREAM)'
