package fleet

import (
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/place"
	"ohframe/internal/text"
)

// addHangs adds the hangs to the rows of their applications.
func addHangs(rows []Row, hangs []stats.Hang) {
	of := map[*analyzer.Process][]stats.Hang{}
	for _, h := range hangs {
		of[h.Source.Process] = append(of[h.Source.Process], h)
	}
	for i := range rows {
		if r := &rows[i]; r.Kind == stats.Application {
			r.addHangs(of[r.measured.Source])
		}
	}
}

// hangName names the cause of a hang. It is the same in all traces.
func hangName(h *stats.Hang) string {
	return "hang in " + string(place.AppendKey(nil, []byte(text.HangSlice(&h.Source))))
}

func (r *Row) addHangs(hangs []stats.Hang) {
	var list []rowCause
	byName := map[string]int{}
	for i := range hangs {
		h := &hangs[i]
		name := hangName(h)
		at, ok := byName[name]
		if !ok {
			at, byName[name] = len(list), len(list)
			list = append(list, rowCause{PoolCause: stats.PoolCause{Title: name}})
		}
		c := &list[at]
		c.Frames, c.Lost = c.Frames+1, c.Lost+h.Duration
		if h.Duration > c.worst.Overrun {
			c.worst.Overrun, c.worst.Start = h.Duration, h.Start
		}
	}
	r.Hangs.set(list)
}
