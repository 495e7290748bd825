package simulate

import (
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// speller writes marker payloads in an era's spelling.
type speller struct {
	*era
	marks          [markCount]template
	names          [markCount]string // up to the first value
	taken, skipped template
	cached         []template
}

func newSpeller(e *era) *speller {
	s := &speller{era: e, taken: parseTemplate(e.taken), skipped: parseTemplate(e.skipped)}
	for m, text := range e.text {
		s.marks[m] = parseTemplate(text)
		s.names[m] = text
		if i := strings.IndexAny(text, " ,[{"); i > 0 {
			s.names[m] = strings.TrimRight(text[:i], ":")
		}
	}
	for _, text := range e.cached {
		s.cached = append(s.cached, parseTemplate(text))
	}
	return s
}

// has reports whether the era writes m at all.
func (s *speller) has(m mark) bool { return s.text[m] != "" }

// begin appends `B|pid|H:` and the marker. The list, if there is one, belongs
// to the end of the name.
func (s *speller) begin(b []byte, pid trace.PID, m mark, v *values, list func([]byte) []byte) []byte {
	b = s.open(b, 'B', pid)
	b = s.marks[m].append(b, v)
	if list != nil {
		b = list(b)
	}
	b = append(b, s.nameEnd...)
	return s.level(b, s.levels[m])
}

// end appends `E|pid|`, or `E|pid` for a slice without a level, which is another system's.
func (s *speller) end(b []byte, pid trace.PID, level string) []byte {
	b = append(b, "E|"...)
	b = strconv.AppendInt(b, int64(pid), 10)
	if level == "" {
		return b
	}
	b = append(b, '|')
	b = append(b, s.sliceEnd...)
	if s.leveled {
		b = append(b, level...)
	}
	return b
}

// numbered appends a payload with a name and a number: S and F with an id, C with a
// value.
func (s *speller) numbered(b []byte, phase byte, pid trace.PID, name, level string, n int64) []byte {
	b = s.open(b, phase, pid)
	b = append(b, name...)
	b = append(b, s.separator...)
	b = strconv.AppendInt(b, n, 10)
	return s.level(b, level)
}

func (s *speller) open(b []byte, phase byte, pid trace.PID) []byte {
	b = append(b, phase, '|')
	b = strconv.AppendInt(b, int64(pid), 10)
	return append(b, "|H:"...)
}

func (s *speller) level(b []byte, level string) []byte {
	if !s.leveled {
		return b
	}
	b = append(b, '|')
	return append(b, level...)
}
