package simulate

import (
	"fmt"
	"testing"

	"ohframe/analyzer/trace"
)

// A kind of buffer or frame that no simulation makes is a kind that no test checks.
func TestLayersHappen(t *testing.T) {
	list := BadLayers()
	list["all"] = Layered()
	for seed := range uint64(40) {
		c := AnyLayers(seed)
		c.Era = Eras()[seed%uint64(len(eras))]
		list[fmt.Sprint(seed)] = c
	}
	counts := map[string]int{}
	count := func(what string, facts map[string]bool) {
		for fact, has := range facts {
			if counts[what+fact] += 0; has {
				counts[what+fact]++
			}
		}
	}
	for _, c := range list {
		_, truth := simulated(t, c)
		for _, l := range truth.Layers {
			count("layer of ", map[string]bool{"": l.Framework == "", "flutter": l.Framework == "flutter", "nativevsync": l.Framework == "nativevsync", "choreographer": l.Framework == "choreographer"})
			for _, b := range l.Buffers {
				count("buffer ", map[string]bool{
					"shown": b.Fate == "shown", "dropped": b.Fate == "dropped", "waiting": b.Fate == "waiting", "estimated": b.PresentEstimated,
					"taken before it is ready": b.Acquired != 0 && b.Ready > b.Acquired,
					"ready long after":         b.Ready.Sub(b.Queued) > 10*trace.Millisecond,
					"awaited":                  b.Requested[1].Sub(b.Requested[0]) > 5*trace.Millisecond,
					"taken and dropped":        b.Fate == "dropped" && b.Acquired != 0,
					"never taken":              b.Fate == "dropped" && b.Acquired == 0,
					"queued at no known time":  b.Queued == 0, "shown at no known time": b.Fate == "shown" && b.Present == 0,
					"shown directly": b.Render != nil && b.Render.direct,
				})
			}
		}
		for _, f := range truth.Produced {
			facts := map[string]bool{" empty": f.Empty, " of a render frame": f.Render != nil}
			switch f.Framework {
			case "nativevsync":
				facts[" late"], facts[" late on the GPU"], facts[" coalesced"] = f.LateMain, f.LateGPU, f.Coalesced > 0
			case "flutter":
				facts[" truncated"] = f.Truncated
			case "choreographer":
				facts[" resynced"], facts[" truncated"] = f.resynced != 0, f.Truncated
			case "web":
				delete(facts, " of a render frame")
			case "surfaceflinger":
				facts = map[string]bool{"": true}
			}
			count(f.Framework+" frame", facts)
		}
	}
	for fact, n := range counts {
		if n == 0 {
			t.Errorf("nothing happened: %s", fact)
		}
	}
	if len(counts) < 30 {
		t.Errorf("only %v", counts)
	}
}
