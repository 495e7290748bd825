# make faults    damages traces in FAULTS ways and looks at what becomes of them;
#                a tenth as many are loaded into the engine, if there is one
FAULTS := 20000

.PHONY: faults
faults:
	@bash -o pipefail -c 'OHFRAME_FAULTS=$(FAULTS) go test ./internal/testing/faults -count=1 -timeout 6h -v \
	| grep -Ev "^ *(=== |--- PASS)"'
