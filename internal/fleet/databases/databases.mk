# Databases for the tests of the SQL of fleets: DuckDB, ClickHouse, and of Spark SQL a parser
# and a translator; and a second reader of Parquet files. package-lock.json pins them by version and checksum. Those for other
# systems than Linux on amd64 are left out by hand.
databases_dir := build/databases
databases_installed := $(databases_dir)/node_modules/.package-lock.json

.PHONY: databases
databases: $(databases_installed)

$(databases_installed): internal/fleet/databases/package.json internal/fleet/databases/package-lock.json
	@mkdir -p $(databases_dir)
	cp $^ $(databases_dir)
	cd $(databases_dir) && npm ci --ignore-scripts --no-audit --no-fund
