package judge

import (
	"cmp"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

const (
	// limiterWithin is how far apart a change of a limit and the event that says why may be. Services
	// write events beside their work, with times in milliseconds.
	limiterWithin = trace.Second
	// maxLimiter bounds the text about a limit, in bytes.
	maxLimiter = 200
	// maxLimiters is the number of events that are used. The system writes a few in a minute.
	maxLimiters = 1 << 14
)

// limiter is an event that says why the system limits processors.
type limiter struct {
	at   trace.Time
	text string
}

// limiters are what the system says about limits of processors, each in order of time.
type limiters struct {
	levels []limiter // thermal levels; the text is empty while the device is cool
	others []limiter
}

// Limiters returns the events of the system, in JSON, that say why it limits processors.
//
// Source of the names: hisysevent.yaml of openharmony/powermgr_thermal_manager and of
// openharmony/resourceschedule_resource_schedule_service.
func Limiters(events func(func([]byte)) error) (list []hitrace.SystemEvent, err error) {
	err = events(func(line []byte) {
		e, ok := hitrace.ParseSystemEvent(line)
		if !ok || len(list) == maxLimiters {
			return
		}
		switch e.Domain + "/" + e.Name {
		case "THERMAL/THERMAL_LEVEL_CHANGED", "RSS/LIMIT_REQUEST", "RSS/LIMIT_BOOST", "RSS/LIMIT_FREQUENCY":
			list = append(list, e)
		}
	})
	return list, err
}

// newLimiters returns what the kernel recorded and what the events say, which are those of Limiters.
// The trace must state the time of day.
func newLimiters(r *threads.Record, t *analyzer.Timeline, events []hitrace.SystemEvent) limiters {
	var l limiters
	for _, c := range r.Cooling {
		l.others = append(l.others, limiter{c.At, c.Text})
	}
	for i := range events {
		e, at := &events[i], t.Wall.TraceTime(events[i].Unix)
		if e.Domain == "THERMAL" {
			l.levels = append(l.levels, limiter{at, levelOf(e)})
		} else {
			l.others = append(l.others, limiter{at, described(e)})
		}
	}
	for _, list := range [...][]limiter{l.levels, l.others} {
		slices.SortStableFunc(list, func(a, b limiter) int { return cmp.Compare(a.at, b.at) })
	}
	return l
}

// levelOf returns the thermal level that an event states; empty for level 0.
func levelOf(e *hitrace.SystemEvent) string {
	for i := range e.Members {
		if m := &e.Members[i]; m.Name == "LEVEL" && m.Text() != "0" {
			return cut("thermal level " + m.Text())
		}
	}
	return ""
}

// described returns an event with its own members, as it spells them.
func described(e *hitrace.SystemEvent) string {
	words := []string{e.Domain + "/" + e.Name}
	for i := range e.Members {
		if m := &e.Members[i]; !strings.HasSuffix(m.Name, "_") { // these are the system's
			words = append(words, m.Name+"="+m.Text())
		}
	}
	return cut(strings.Join(words, " "))
}

func cut(s string) string {
	if len(s) <= maxLimiter {
		return s
	}
	return strings.ToValidUTF8(s[:maxLimiter], "") + "…"
}

// reason returns what is known of a limit that changed last at since, for a frame that ended at end:
// the thermal level, which applies until the next one, and the other event that is closest to the change.
func (l *limiters) reason(since, end trace.Time) string {
	var words []string
	for i := len(l.levels) - 1; i >= 0; i-- {
		if level := &l.levels[i]; level.at < end {
			if level.text != "" {
				words = append(words, level.text)
			}
			break
		}
	}
	closest, within := "", limiterWithin+1
	for i := range l.others {
		if d := l.others[i].at.Sub(since).Abs(); d < within {
			closest, within = l.others[i].text, d
		}
	}
	if closest != "" {
		words = append(words, closest)
	}
	return strings.Join(words, "; ")
}
