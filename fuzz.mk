# make fuzz      every fuzz target for FUZZTIME, one after another; with FUZZ=NAME those
#                with that in their folder or name
#
# Go shortens every input that covers new code, by default for up to a minute each, in
# which it runs no others: 20 tries are enough.
#
# The targets are those that the test files declare. What make fails with is kept
# by the tool as a file under testdata/fuzz, which go test runs from then on.
FUZZ :=
FUZZTIME := 60s
FUZZ_PARALLEL := 1

# Lines "DIRECTORY TARGET".
fuzz_targets := grep -rHo --include='*_test.go' '^func Fuzz[[:alnum:]_]*' . | sed 's|/[^/]*:func | |' | sort -u | grep '$(FUZZ)'

.PHONY: fuzz fuzz-list

fuzz:
	@$(fuzz_targets) | while read -r directory target; do \
		echo "== $$directory $$target"; \
		go test -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x -parallel $(FUZZ_PARALLEL) "$$directory" || exit 1; \
	done

fuzz-list:
	@$(fuzz_targets)
