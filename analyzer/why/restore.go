package why

import "ohframe/analyzer"

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
		c.findRoot(e)
	}
	return c
}
