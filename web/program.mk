# The program for browsers and the worker that runs it: see worker.ts. Needs Go, node and npm.
web_dir := build/web
web_esbuild = $(plugin_dir)/node_modules/.bin/esbuild

# Functions are inlined only in packages that most of the time is spent in, and in those that these call: 13 % of the
# compressed size. The linker would leave DWARF out.
web_inline = -gcflags='all=-l -dwarf=false' $(foreach p,$(web_fast),-gcflags=$(p)=-dwarf=false)
web_fast := runtime/... internal/runtime/... internal/abi internal/bytealg internal/goarch internal/sync internal/strconv \
	bufio bytes cmp encoding/binary hash/... io maps math math/bits slices strconv strings sync sync/atomic unicode/utf8 \
	github.com/klauspost/... github.com/zeebo/xxh3 google.golang.org/protobuf/encoding/protowire \
	ohframe ohframe/internal/source/... ohframe/analyzer/... ohframe/exporter/... ohframe/internal/place ohframe/internal/refresh ohframe/internal/pattern

# The version of the program is that of a release only: builds from a checkout do not change with each commit.
web_vcs := -buildvcs=false

.PHONY: web web-program web-wasm web-worker web-measure

# The site: all of it is in web_dir.
web: web-program
	$(plugin_dir)/node_modules/.bin/tsc -p web/tsconfig.json
	go run ./internal/tools/site -esbuild $(web_esbuild) -o $(web_dir)

web-program: web-wasm web-worker

web-wasm:
	@mkdir -p $(web_dir)
	web/overlay.sh build/overlay
	GOOS=js GOARCH=wasm go build -trimpath $(web_vcs) -ldflags="-s -w" -tags urfave_cli_no_docs -overlay build/overlay/overlay.json $(web_inline) \
		-o $(web_dir)/ohframe.wasm ./cmd/ohframe
	cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(web_dir)

web-worker: $(plugin_installed)
	@mkdir -p $(web_dir)
	$(plugin_dir)/node_modules/.bin/tsc -p web/tsconfig.worker.json
	$(web_esbuild) web/worker.ts --bundle --format=iife --target=es2022 --charset=utf8 --log-level=warning --outfile=$(web_dir)/worker.js

# Size, and time and memory for a large trace, beside the program's. Close what else runs.
web-measure:
	OHFRAME_REQUIRE_BROWSER=1 OHFRAME_WEB_MEASURE=1 go test ./web -run '^TestWorkerMeasure$$' -v -count 1
