# Rules for the subset of Perfetto's schema. They need only Go: buf comes through
# the Go module proxy, or compiled by npm after "make buf". Compiling it takes minutes of
# processor time. package-lock.json pins what npm installs by version and checksum.

buf_dir := build/buf
buf_installed := $(buf_dir)/node_modules/.package-lock.json
buf_version := $(shell sed -n 's|.*"@bufbuild/buf": "\(.*\)".*|\1|p' protos/package.json)
BUF = $(if $(wildcard $(buf_installed)),$(buf_dir)/node_modules/.bin/buf,go run github.com/bufbuild/buf/cmd/buf@v$(buf_version))
PROTO_FILES := $(sort $(shell find protos/perfetto -name '*.proto'))
PROTO_GO := internal/perfettopb

.PHONY: buf protos protos-lint protos-stale protos-check

buf: $(buf_installed)

$(buf_installed): protos/package.json protos/package-lock.json
	@mkdir -p $(buf_dir)
	cp $^ $(buf_dir)
	cd $(buf_dir) && npm ci --ignore-scripts --no-audit --no-fund

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

# Checks that the schema is a subset of upstream's, field by field, for a checkout of any release from v55 on.
# OLDER=-older: one that may lack fields, because it is older than the subset.
# Of upstream it builds what Trace needs and the files that extend TracePacket: the rest need not build.
protos-check:
	@test -f '$(UPSTREAM)/protos/perfetto/trace/trace.proto' || \
	{ echo 'protos-check: no checkout of google/perfetto: make protos-check UPSTREAM=DIR' >&2; exit 2; }
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	files=$$(grep -rlE --include='*.proto' 'extend .*TracePacket' '$(UPSTREAM)/protos'; echo '$(UPSTREAM)/protos/perfetto/trace/trace.proto') && \
	$(BUF) build --config buf.yaml -o "$$tmp/ours.binpb" && \
	$(BUF) build '$(UPSTREAM)' --config buf.yaml $$(printf -- '--path %s ' $$files) -o "$$tmp/upstream.binpb" && \
	go run ./internal/tools/subset $(OLDER) "$$tmp/ours.binpb" "$$tmp/upstream.binpb"
