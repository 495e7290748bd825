package why

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Restore returns the causes of frames of t that Explain found and that were stored since.
// It sets Explanation.Root and the names of culprits. The caller sets Causes.Scheduled,
// Woken and Functions.
func Restore(t *analyzer.Timeline, list []*Explanation) *Causes {
	names := threadNames(t)
	c := &Causes{Frames: make(map[*analyzer.Frame]*Explanation, len(list))}
	for _, e := range list {
		c.Frames[e.Frame] = e
		for i := range e.Shares {
			if culprit := e.Shares[i].Culprit; culprit != nil {
				n := names[culprit.TID]
				culprit.Process, culprit.Thread = n.process, n.thread
			}
		}
	}
	for _, e := range list {
		c.FindRoot(e)
	}
	return c
}

type named struct{ process, thread string }

func threadNames(t *analyzer.Timeline) map[trace.TID]named {
	names := map[trace.TID]named{}
	for _, p := range t.Processes {
		for _, th := range p.Threads {
			names[th.TID] = named{p.Name, th.Name}
		}
	}
	return names
}
