# make fuzz      every fuzz target for FUZZTIME, one after another
#
# The targets are those that the test files declare. What make fails with is kept
# by the tool as a file under testdata/fuzz, which go test runs from then on.
FUZZTIME := 60s
FUZZ_PARALLEL := 1

# Lines "DIRECTORY TARGET".
fuzz_targets := grep -rHo --include='*_test.go' '^func Fuzz[[:alnum:]_]*' . | sed 's|/[^/]*:func | |' | sort -u

.PHONY: fuzz fuzz-list

fuzz:
	@$(fuzz_targets) | while read -r directory target; do \
		echo "== $$directory $$target"; \
		go test -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x -parallel $(FUZZ_PARALLEL) "$$directory" || exit 1; \
	done

fuzz-list:
	@$(fuzz_targets)
