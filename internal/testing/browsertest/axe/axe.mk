# axe-core for the tests of pages. package-lock.json pins it by version and checksum.
axe_dir := build/axe
axe_installed := $(axe_dir)/node_modules/.package-lock.json

.PHONY: axe
axe: $(axe_installed)

$(axe_installed): internal/testing/browsertest/axe/package.json internal/testing/browsertest/axe/package-lock.json
	@mkdir -p $(axe_dir)
	cp $^ $(axe_dir)
	cd $(axe_dir) && npm ci --ignore-scripts --no-audit --no-fund
