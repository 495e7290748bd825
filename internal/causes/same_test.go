package causes

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// Of frames that only repeat one cause, the list has the latest ones in order of time.
func TestWithoutSame(t *testing.T) {
	const millisecond = trace.Duration(1e6)
	p := &ExplainedProcess{Ranking: &why.Ranking{Costs: []*why.Cost{{}, {}}}}
	for i, late := range []trace.Duration{5, 9, 1, 7, 3, 8, 2} {
		e := &why.Explanation{Frame: &analyzer.Frame{VsyncID: int64(10 + i)}, Lost: late * millisecond}
		p.Late = append(p.Late, e)
		p.Ranking.Costs[0].Late = append(p.Ranking.Costs[0].Late, e)
	}
	p.Ranking.Costs[1].Late = p.Late[2:3] // has two causes
	list, same := p.withoutSame()
	var ids []int64
	for _, e := range list {
		ids = append(ids, e.Frame.VsyncID)
	}
	must.EqualSlices(t, ids, []int64{11, 12, 13, 15})
	must.Equal(t, same, "3 more frames, 2.0 to 5.0 ms late, with the same cause as 11")

	// A single one is listed as well.
	p.Late, p.Ranking.Costs[1].Late = p.Late[:4], nil
	p.Ranking.Costs[0].Late = p.Late
	list, same = p.withoutSame()
	must.Equal(t, len(list), 4)
	must.Equal(t, same, "")
}
