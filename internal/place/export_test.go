package place

import (
	"iter"
	"maps"
	"slices"

	"ohframe/analyzer/why"
)

// AllCauses returns every combination of what advice depends on: waits, rows of the table
// and stages, reasons that differ in their advice, readers and competitors.
func AllCauses() iter.Seq[Cause] {
	distinct := map[Place]bool{}
	for _, row := range table {
		distinct[row.Place] = true
	}
	for s := range why.Stage(why.StageCount) {
		distinct[Place{Stage: s}] = true
	}
	places := slices.Collect(maps.Keys(distinct))
	interrupts := map[why.Wait]string{why.WaitNet: "NET_RX"}
	reasons := []string{"", gcIdle, gcExternal}
	return func(yield func(Cause) bool) {
		for w := range why.Wait(why.WaitCount) {
			for _, p := range places {
				for _, reason := range reasons {
					for _, reader := range []Reader{Application, System, Producer, Android} {
						for _, competitor := range []Competitor{NoCompetitor, OwnThread, OtherThread, Logger} {
							for n := range 32 {
								if !yield(Cause{w, p, reason, reader, competitor, n&4 != 0, n&1 != 0, n&2 != 0, n&8 != 0, n&16 != 0, interrupts[w]}) {
									return
								}
							}
						}
					}
				}
			}
		}
	}
}
