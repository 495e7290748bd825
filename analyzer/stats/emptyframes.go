package stats

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// EmptyFrames says what the empty frames of an application cost, and who asked for their
// vsyncs (docs/frames.md 16.8).
type EmptyFrames struct {
	Frames      int      `json:"frames"`       // empty frames
	CPU         *float64 `json:"cpu_ms"`       // how long their threads ran in them; nil if it is unknown
	WithoutSync int      `json:"without_sync"` // those that serve no display sync
	// the display syncs that empty frames serve, at most 20, the one with the most first
	DisplaySyncs []DisplaySync `json:"display_syncs"`
}

// DisplaySync is a request for vsyncs that empty frames served.
type DisplaySync struct {
	ID int64 `json:"id"` // its id
	// who asks: "callback", "animator" or "xcomponent"; nil if the trace has no type
	Type   *string `json:"type"`
	Frames int     `json:"frames"` // frames that serve it
	Empty  int     `json:"empty"`  // empty ones of them
	Share  float64 `json:"share"`  // "empty" / empty frames of the process; a frame may serve several
	// how long the threads of the empty ones ran in them; nil if it is unknown
	CPU *float64 `json:"cpu_ms"`
}

// syncKey is a display sync, in any frame.
type syncKey struct {
	id   int64
	kind analyzer.DisplaySyncType
}

func keyOfSync(s *analyzer.DisplaySync) syncKey { return syncKey{s.ID, s.Type} }

func (k syncKey) compare(o syncKey) int {
	return cmp.Or(cmp.Compare(k.id, o.id), cmp.Compare(k.kind, o.kind))
}

// typeName returns nil for an unknown type.
func (k syncKey) typeName() *string {
	if k.kind == analyzer.UnknownSync {
		return nil
	}
	return optionalText(k.kind.String())
}

// maxDisplaySyncs is the maximum number of display syncs of a process in a report. An
// application has a few.
const maxDisplaySyncs = 20

// emptyFrames returns nil without empty frames, or if it is unknown which are.
func emptyFrames(r *records) *EmptyFrames {
	type cost struct {
		frames, empty int
		cpu           trace.Duration
	}
	var all cost
	costs := map[syncKey]*cost{}
	e := &EmptyFrames{DisplaySyncs: []DisplaySync{}}
	for _, f := range r.frames {
		if f.Kind != analyzer.ApplicationFrame {
			return nil
		}
		empty := f.Facts.Has(analyzer.Empty)
		if empty {
			all.empty++
			all.cpu += f.CPUTime
			if len(f.DisplaySyncs) == 0 {
				e.WithoutSync++
			}
		}
		for i := range f.DisplaySyncs {
			s := keyOfSync(&f.DisplaySyncs[i])
			c := costs[s]
			if c == nil {
				c = &cost{}
				costs[s] = c
			}
			c.frames++
			if empty {
				c.empty++
				c.cpu += f.CPUTime
			}
		}
	}
	if all.empty == 0 {
		return nil
	}
	e.Frames, e.CPU = all.empty, optionalMilliseconds(all.cpu)
	for _, s := range slices.SortedFunc(maps.Keys(costs), func(a, b syncKey) int {
		return cmp.Or(cmp.Compare(costs[b].empty, costs[a].empty), a.compare(b))
	}) {
		c := costs[s]
		if c.empty == 0 || len(e.DisplaySyncs) == maxDisplaySyncs {
			break
		}
		e.DisplaySyncs = append(e.DisplaySyncs, DisplaySync{ID: s.id, Type: s.typeName(), Frames: c.frames, Empty: c.empty, Share: float64(c.empty) / float64(all.empty), CPU: optionalMilliseconds(c.cpu)})
	}
	return e
}

// optionalMilliseconds returns nil for zero, which means unknown.
func optionalMilliseconds(d trace.Duration) *float64 {
	if d == 0 {
		return nil
	}
	return number(d.Milliseconds())
}
