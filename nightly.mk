# make nightly    what is too long for .ci/run, which it comes after
#
# Needs what .ci/run installs: the engine, databases, a browser, shells.
.PHONY: nightly wine mutations

nightly: export OHFRAME_REQUIRE_ENGINE := 1
nightly: export OHFRAME_REQUIRE_DATABASES := 1
nightly: export OHFRAME_REQUIRE_BROWSER := 1
nightly: export OHFRAME_REQUIRE_SHELLS := 1
nightly: engine databases axe
	$(MAKE) slow
	OHFRAME_SLOW=1 go test -race -gcflags=github.com/parquet-go/parquet-go=-d=checkptr=0 -vet=off -timeout 60m -run TestScripts ./cmd/ohframe
	$(MAKE) beam
	$(MAKE) release-check TARGETS="linux/amd64 windows/arm64"
	$(MAKE) cross TARGETS="linux/arm64 darwin/amd64 darwin/arm64 windows/amd64"
	$(MAKE) wine
	$(MAKE) fuzz

# The program for Windows, under Wine, writes the same bytes as the one for this system.
wine:
	.ci/wine

# Changes rules one at a time, and fails if the tests do not catch one. MUTATION is a part of a file's name,
# or of the text that is changed.
mutations:
	go run ./internal/tools/mutations -only "$(MUTATION)" internal/tools/mutations/list.txt
