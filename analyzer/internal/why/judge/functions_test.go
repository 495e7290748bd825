package judge

import (
	"testing"

	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// A function has 40 % of the excess of a stage in which the thread ran, and 3 samples; or half of
// that of a wait, with one.
func TestSure(t *testing.T) {
	for _, test := range []struct {
		wait          why.Wait
		samples       int
		excess, stage trace.Duration
		want          bool
	}{
		{why.Run, 3, 40, 100, true},
		{why.Run, 2, 40, 100, false},
		{why.Run, 3, 39, 100, false},
		{why.GCRun, 3, 0, 0, false},
		{why.EarlierWork, 3, 1, -5, true},
		{why.WaitIO, 1, 50, 100, true},
		{why.WaitIO, 1, 49, 100, false},
		{why.WaitIO, 1, 0, 0, false},
	} {
		p := functions.KeyTime{Key: functions.Key{Component: functions.Component{Wait: test.wait}}, FunctionSum: why.FunctionSum{Samples: test.samples}}
		must.Equal(t, sure(&p, test.excess, test.stage), test.want, "%+v", test)
	}
}
