package fleet

import (
	"cmp"
	"slices"

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
	type sum struct {
		name    string
		count   int64
		lost    trace.Duration
		longest trace.Duration
		start   trace.Time
	}
	var list []*sum
	byName := map[string]*sum{}
	for i := range hangs {
		h := &hangs[i]
		name := hangName(h)
		s := byName[name]
		if s == nil {
			s = &sum{name: name}
			list, byName[name] = append(list, s), s
		}
		s.count++
		s.lost += h.Duration
		if h.Duration > s.longest {
			s.longest, s.start = h.Duration, h.Start
		}
	}
	slices.SortFunc(list, func(a, b *sum) int { return cmp.Or(cmp.Compare(b.lost, a.lost), cmp.Compare(a.name, b.name)) })
	if len(list) > maxCauses {
		other := &sum{name: otherCauses}
		for _, s := range list[maxCauses:] {
			other.count, other.lost = other.count+s.count, other.lost+s.lost
		}
		list = append(list[:maxCauses], other)
	}
	for _, s := range list {
		r.Hangs.Names, r.Hangs.Counts = append(r.Hangs.Names, s.name), append(r.Hangs.Counts, s.count)
		r.Hangs.Lost, r.Hangs.Longest = append(r.Hangs.Lost, int64(s.lost)), append(r.Hangs.Longest, int64(s.longest))
		r.Hangs.Starts = append(r.Hangs.Starts, int64(s.start))
	}
}
