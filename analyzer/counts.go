package analyzer

// Counts counts frames, in total and by fact.
type Counts struct {
	Frames     int // complete ones
	Judged     int // known to be late or on time
	Late       int
	Empty      int
	EmptyKnown int // known to be empty or not
	Misaligned int // on either side of a link
	Linked     int // application frames that a render frame picked up
	Presented  int // render frames with a known present time
	Truncated  int // not among Frames
}

// Counts counts the timeline's frames.
func (t *Timeline) Counts() Counts {
	var c Counts
	for _, f := range t.Frames {
		c.add(f)
	}
	return c
}

// ProcessCounts counts the frames of each process that has any, by process id.
func (t *Timeline) ProcessCounts() ([]*Process, map[*Process]Counts) {
	counts := map[*Process]Counts{}
	for _, f := range t.Frames {
		c := counts[f.Process]
		c.add(f)
		counts[f.Process] = c
	}
	var list []*Process
	for _, p := range t.Processes {
		if _, ok := counts[p]; ok {
			list = append(list, p)
		}
	}
	return list, counts
}

func (c *Counts) add(f *Frame) {
	if f.Facts.Has(Truncated) {
		c.Truncated++
		return
	}
	c.Frames++
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	j := f.Judgement()
	count(&c.Judged, j.Judged())
	count(&c.Late, j.Late == Yes)
	count(&c.Empty, j.Empty == Yes)
	count(&c.EmptyKnown, j.Empty != NotSaid)
	count(&c.Misaligned, f.Facts.Has(Misaligned))
	count(&c.Linked, f.Render != nil)
	count(&c.Presented, f.Present.Known())
}
