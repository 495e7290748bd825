# The schema subset: included by the Makefile at the root. Needs Go alone; buf
# itself comes through the Go module proxy.

BUF := go run github.com/bufbuild/buf/cmd/buf@v1.72.0
PROTO_FILES := $(sort $(shell find protos -name '*.proto'))
PROTO_GO := protos/perfettopb

.PHONY: protos protos-lint protos-stale protos-check

# Writes the generated Go anew.
protos:
	rm -f $(PROTO_GO)/*.pb.go
	$(BUF) generate

protos-lint:
	$(BUF) lint
	$(BUF) format --diff --exit-code

# Fails when the Go in the repository is not what the schema gives.
protos-stale:
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	$(BUF) generate --output "$$tmp" && \
	diff -ru --exclude=doc.go --exclude='*_test.go' "$$tmp/$(PROTO_GO)" $(PROTO_GO) || \
	{ echo 'protos-stale: the generated Go does not match the schema: run make protos' >&2; exit 1; }

# Proves that the schema is a subset of upstream's: going from the subset to
# upstream must break nothing. Upstream's files are named one by one because the
# rest of a checkout need not build.
protos-check:
	@test -n '$(UPSTREAM)' || \
	{ echo 'protos-check: say where upstream is: make protos-check UPSTREAM=<checkout of google/perfetto v57.2>' >&2; exit 2; }
	@for f in $(PROTO_FILES); do test -f "$(UPSTREAM)/$$f" || \
	{ echo "protos-check: $(UPSTREAM) has no $$f: is it a checkout of google/perfetto v57.2?" >&2; exit 2; }; done
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	$(BUF) build '$(UPSTREAM)' --config buf.yaml $(PROTO_FILES:%=--path '$(UPSTREAM)/%') -o "$$tmp/upstream.binpb" && \
	$(BUF) breaking "$$tmp/upstream.binpb" --against . --config buf.yaml && \
	echo 'protos-check: the schema is a subset of $(UPSTREAM)'
