# Releases: included by the Makefile at the root. Needs Go, git, node and npm.

# The targets of releases, which must always build.
TARGETS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: release release-check cross cross-vet build/vet

# Builds the archives of the tag that is checked out into build/release.
release:
	go run ./internal/tools/release $(TARGETS)

# Checks that two builds give the same bytes.
release-check:
	internal/tools/release/check.sh $(TARGETS)

# Builds the program for every target. The compiler does not optimize, which takes a
# third of its time: releases and release-check do.
cross cross-vet: export CGO_ENABLED := 0
cross:
	@set -e; for t in $(TARGETS); do echo "go build for $$t"; \
	GOOS=$${t%/*} GOARCH=$${t#*/} go build $(unoptimized) -o /dev/null ./cmd/ohframe; done

# Vets everything, tests too, for two other systems.
cross-vet: build/vet
	GOOS=windows GOARCH=amd64 build/vet ./...
	GOOS=darwin GOARCH=arm64 build/vet ./...

build/vet:
	go build -o $@ ./internal/tools/vet

unoptimized := -trimpath -gcflags='all=-N -l'
