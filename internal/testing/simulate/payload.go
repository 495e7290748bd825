package simulate

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// values are the values of the fields of a marker's text, which are named after them.
type values struct {
	name   string
	bytes  int64
	now    monotonic
	end    monotonic
	id     int64
	fd     int64
	count  int64
	pid    trace.PID
	tid    trace.TID
	index  int64
	period trace.Duration
	rate   int
	size   int64
}

// append appends a text with fields.
func (v *values) append(b []byte, text string) []byte {
	for {
		literal, rest, found := strings.Cut(text, "{")
		b = append(b, literal...)
		if !found {
			return b
		}
		field, after, _ := strings.Cut(rest, "}")
		text = after
		n := int64(0)
		switch field {
		case "name":
			b = append(b, v.name...)
			continue
		case "bytes":
			n = v.bytes
		case "now":
			n = int64(v.now)
		case "end":
			n = int64(v.end)
		case "id":
			n = v.id
		case "fd":
			n = v.fd
		case "count":
			n = v.count
		case "pid":
			n = int64(v.pid)
		case "tid":
			n = int64(v.tid)
		case "index":
			n = v.index
		case "period":
			n = int64(v.period)
		case "rate":
			n = int64(v.rate)
		case "size":
			n = v.size
		default:
			panic(fmt.Sprintf("simulate: no field %q", field))
		}
		b = strconv.AppendInt(b, n, 10)
	}
}

// has reports whether the era writes m at all.
func (e *era) has(m mark) bool { return e.text[m] != "" }

// begin appends `B|pid|H:` and the marker. The list, if there is one, belongs
// to the end of the name.
func (e *era) begin(b []byte, pid trace.PID, m mark, v *values, list func([]byte) []byte) []byte {
	b = v.append(e.open(b, 'B', pid), e.text[m])
	if list != nil {
		b = list(b)
	}
	return e.level(append(b, e.nameEnd...), e.levels[m])
}

// end appends `E|pid|`, or `E|pid` for a slice without a level, which is another system's.
func (e *era) end(b []byte, pid trace.PID, level string) []byte {
	b = strconv.AppendInt(append(b, "E|"...), int64(pid), 10)
	if level == "" {
		return b
	}
	b = append(b, '|')
	if e.leveled {
		b = append(b, level...)
	}
	return b
}

// numbered appends a payload with a name and a number: S and F with an id, C with a
// value.
func (e *era) numbered(b []byte, phase byte, pid trace.PID, name, level string, n int64) []byte {
	b = append(append(e.open(b, phase, pid), name...), e.separator...)
	return e.level(strconv.AppendInt(b, n, 10), level)
}

func (e *era) open(b []byte, phase byte, pid trace.PID) []byte {
	b = strconv.AppendInt(append(b, phase, '|'), int64(pid), 10)
	return append(b, "|H:"...)
}

func (e *era) level(b []byte, level string) []byte {
	if !e.leveled {
		return b
	}
	return append(append(b, '|'), level...)
}

// displaySync is the text of a request for vsyncs that ArkUI looks at.
func displaySync(d DisplaySync, v vsync, serves bool) string {
	run := 0
	if serves {
		run = 1
	}
	return fmt.Sprintf("DisplaySyncId[%d] Type[%d] Timestamp[%d] TargetTimestamp[%d]FrameRateRange[0, 120, %d] DrawFPS[%d] VSyncRate[%d] Rate[%d] noSkip[%d]",
		d.ID, d.Type, v.now, v.now.add(v.period*trace.Duration(d.Rate)), v.rate, v.rate/int(d.Rate), v.rate, d.Rate, run)
}
