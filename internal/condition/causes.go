package condition

import (
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/why"
)

// LostMeasure is the measure of the lost time of all causes. That of the causes with a wait
// is wait.CODE.lost_ms_per_s, and the mean time of a frame in a wait is
// wait.CODE.ms_per_frame.
const LostMeasure = "lost_ms_per_s"

// CauseMeasure returns the code of the wait and the unit of a measure of causes, without a
// wait for LostMeasure. It returns false for other measures.
func CauseMeasure(name string) (wait string, unit stats.Unit, ok bool) {
	if name == LostMeasure {
		return "", stats.MillisecondsPS, true
	}
	if wait, unit = splitWait(name); unit != "" {
		for w := range why.WaitCount {
			if why.Wait(w).String() == wait {
				return wait, unit, true
			}
		}
	}
	return "", "", false
}

// splitWait returns the code of the wait in the name of a measure, which may not exist, and
// the measure's unit; empty for other names.
func splitWait(name string) (wait string, unit stats.Unit) {
	name, ok := strings.CutPrefix(name, "wait.")
	if !ok {
		return "", ""
	}
	if wait, ok = strings.CutSuffix(name, "."+LostMeasure); ok {
		return wait, stats.MillisecondsPS
	}
	if wait, ok = strings.CutSuffix(name, ".ms_per_frame"); ok {
		return wait, stats.Milliseconds
	}
	return "", ""
}
