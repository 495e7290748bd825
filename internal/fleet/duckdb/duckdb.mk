# DuckDB for the tests of the SQL of fleets. package-lock.json pins its packages by
# version and checksum. Those for other systems than Linux on amd64 are left out by hand.
duckdb_dir := build/duckdb
duckdb_installed := $(duckdb_dir)/node_modules/.package-lock.json

.PHONY: duckdb
duckdb: $(duckdb_installed)

$(duckdb_installed): internal/fleet/duckdb/package.json internal/fleet/duckdb/package-lock.json
	@mkdir -p $(duckdb_dir)
	cp $^ $(duckdb_dir)
	cd $(duckdb_dir) && npm ci --ignore-scripts --no-audit --no-fund
