package fleet

import (
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/place"
	"ohframe/internal/text"
)

// addHangs adds the hangs to the rows of their applications. One without frames gets a row.
func addHangs(rows []Row, hangs []stats.Hang, newRow func(stats.Kind, string, trace.PID) Row) []Row {
	rowOf := map[*analyzer.Process]int{}
	for i := range rows {
		if r := &rows[i]; r.Kind == stats.Application && r.measured != nil {
			rowOf[r.measured.Source] = i
		}
	}
	of := map[int][]stats.Hang{}
	for _, h := range hangs {
		i, found := rowOf[h.Source.Process]
		if !found {
			i = len(rows)
			rowOf[h.Source.Process] = i
			rows = append(rows, newRow(stats.Application, h.Process, h.PID))
		}
		of[i] = append(of[i], h)
	}
	for i := range rows {
		if r := &rows[i]; r.Kind == stats.Application {
			r.addHangs(of[i])
		}
	}
	return rows
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
			list = append(list, rowCause{Cause: Cause{Name: name}})
		}
		c := &list[at]
		c.Frames, c.Lost = c.Frames+1, c.Lost+h.Duration
		if h.Duration > c.worst.Overrun {
			c.worst.Overrun, c.worst.Start = h.Duration, h.Start
		}
	}
	r.Hangs.set(list)
}
