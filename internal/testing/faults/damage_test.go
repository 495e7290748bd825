package faults

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// splice puts other bytes into the place of some of a source's.
type splice struct {
	from, to int
	text     []byte
}

// damage is a kind of it.
type damage struct {
	name string
	// single damages are of one line, or of two beside each other, so that
	// nearly all frames must come out as they were.
	single bool
	// foreign damages bring what another trace says, perhaps of another clock.
	foreign bool
	do      func(h *hand) []splice
}

// hand is what does damage to a source: the same for the same case.
type hand struct {
	*rand.Rand
	*source
	other *source // of which lines are pasted in
}

// any returns a line, of which half tell of frames.
func (h *hand) any() int {
	if len(h.telling) > 0 && h.IntN(2) == 0 {
		return h.telling[h.IntN(len(h.telling))]
	}
	return h.IntN(h.count())
}

// run returns the first line of a run and the one after it.
func (h *hand) run(longest int) (from, to int) {
	from = h.any()
	return from, min(h.count(), from+2+h.IntN(longest-1))
}

// each calls do with every line that is drawn, of which there are share by 1.
func (h *hand) each(share float64, do func(i int)) {
	for i := range h.count() {
		if h.Float64() < share {
			do(i)
		}
	}
}

// offset returns an offset within the bytes of a line, not at its beginning.
func (h *hand) offset() int {
	i := h.any()
	return h.start[i] + 1 + h.IntN(max(1, h.start[i+1]-h.start[i]-1))
}

func (h *hand) lose(from, to int) splice { return splice{h.start[from], h.start[to], nil} }

// loseAll loses the lines for which it is so.
func (h *hand) loseAll(so func(i int, l *line) bool) []splice {
	var list []splice
	for i := range h.lines {
		if so(i, &h.lines[i]) {
			list = append(list, h.lose(i, i+1))
		}
	}
	return list
}

func (h *hand) double(i int) splice { return splice{h.start[i+1], h.start[i+1], h.whole(i)} }

// whole returns a line with a line end even if it is the last and has none.
func (h *hand) whole(i int) []byte {
	if l := h.line(i); !bytes.HasSuffix(l, []byte("\n")) {
		return append(bytes.Clone(l), '\n')
	}
	return h.line(i)
}

func (h *hand) swap(i, j int) []splice {
	if i == j {
		return nil
	}
	return []splice{{h.start[i], h.start[i+1], h.whole(j)}, {h.start[j], h.start[j+1], h.whole(i)}}
}

// far returns a line some way from another, at the most so far.
func (h *hand) far(i, most int) int {
	return max(0, min(h.count()-1, i+h.IntN(2*most+1)-most))
}

func (h *hand) flip(at int) splice {
	return splice{at, at + 1, []byte{h.text[at] ^ 1<<h.IntN(8)}}
}

// flips flips a bit in a share of all bytes, at least in one.
func (h *hand) flips(share float64) []splice {
	var list []splice
	for range max(1, int(share*float64(len(h.text)))) {
		list = append(list, h.flip(h.IntN(len(h.text))))
	}
	return list
}

// vsyncTime is the first number of a line that is none of seconds.
var vsyncTime = regexp.MustCompile(`\b[0-9]{9,}\b`)

// digit changes one of the digits from one offset to another.
func (h *hand) digit(from, to int) []splice {
	var digits []int
	for at := from; at < to; at++ {
		if c := h.text[at]; c >= '0' && c <= '9' {
			digits = append(digits, at)
		}
	}
	if len(digits) == 0 {
		return nil
	}
	at := digits[h.IntN(len(digits))]
	return []splice{{at, at + 1, []byte{'0' + (h.text[at]-'0'+1+byte(h.IntN(9)))%10}}}
}

// words returns the words that a source has.
func (h *hand) words() []hitrace.Word {
	var list []hitrace.Word
	for i := range h.lines {
		if w := h.lines[i].Word; w != hitrace.Other && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

func (h *hand) word() hitrace.Word {
	words := h.words()
	if len(words) == 0 {
		return hitrace.Other
	}
	return words[h.IntN(len(words))]
}

// endsOf returns the lines that end the slices of a word.
func (h *hand) endsOf(word hitrace.Word) map[int]bool {
	ends := map[int]bool{}
	open := map[trace.TID][]hitrace.Word{}
	for i := range h.lines {
		l := &h.lines[i]
		stack := open[l.TID]
		switch l.Marker.Phase {
		case hitrace.Begin:
			open[l.TID] = append(stack, l.Word)
		case hitrace.End:
			if n := len(stack); n > 0 {
				if stack[n-1] == word {
					ends[i] = true
				}
				open[l.TID] = stack[:n-1]
			}
		}
	}
	return ends
}

// character takes three bytes, of which one alone is none.
const character = "帧"

var damages = []damage{
	{name: "begin cut off at a line", do: func(h *hand) []splice { return []splice{h.lose(0, h.any())} }},
	{name: "begin cut off within a line", do: func(h *hand) []splice { return []splice{{0, h.offset(), nil}} }},
	{name: "begin cut off within a character", do: func(h *hand) []splice {
		return []splice{{0, h.offset(), []byte(character[1+h.IntN(2):])}}
	}},
	{name: "end cut off at a line", do: func(h *hand) []splice { return []splice{h.lose(h.any(), h.count())} }},
	{name: "end cut off within a line", do: func(h *hand) []splice { return []splice{{h.offset(), len(h.text), nil}} }},
	{name: "end cut off within a character", do: func(h *hand) []splice {
		return []splice{{h.offset(), len(h.text), []byte(character[:1+h.IntN(2)])}}
	}},

	{name: "line lost", single: true, do: func(h *hand) []splice { i := h.any(); return []splice{h.lose(i, i+1)} }},
	{name: "run of lines lost", do: func(h *hand) []splice { return []splice{h.lose(h.run(300))} }},
	{name: "1 % of lines lost", do: func(h *hand) (list []splice) {
		h.each(0.01, func(i int) { list = append(list, h.lose(i, i+1)) })
		return list
	}},
	{name: "10 % of lines lost", do: func(h *hand) (list []splice) {
		h.each(0.1, func(i int) { list = append(list, h.lose(i, i+1)) })
		return list
	}},
	{name: "all of a marker lost", do: func(h *hand) []splice {
		word := h.word()
		ends := h.endsOf(word)
		return h.loseAll(func(i int, l *line) bool { return l.ok && word != hitrace.Other && (l.Word == word || ends[i]) })
	}},
	{name: "all begins of a marker lost", do: func(h *hand) []splice {
		word := h.word()
		return h.loseAll(func(_ int, l *line) bool { return word != hitrace.Other && l.Word == word })
	}},
	{name: "all ends of a marker lost", do: func(h *hand) []splice {
		ends := h.endsOf(h.word())
		return h.loseAll(func(i int, l *line) bool { return ends[i] })
	}},
	{name: "all of a processor lost", do: func(h *hand) []splice {
		cpu := h.lines[h.any()].CPU
		return h.loseAll(func(_ int, l *line) bool { return l.ok && l.CPU == cpu })
	}},

	{name: "line doubled", single: true, do: func(h *hand) []splice { return []splice{h.double(h.any())} }},
	{name: "1 % of lines doubled", do: func(h *hand) (list []splice) {
		h.each(0.01, func(i int) { list = append(list, h.double(i)) })
		return list
	}},
	{name: "run of lines doubled", do: func(h *hand) []splice {
		from, to := h.run(300)
		return []splice{{h.start[to], h.start[to], append(bytes.Clone(h.text[h.start[from]:h.start[to-1]]), h.whole(to-1)...)}}
	}},

	{name: "neighbours swapped", single: true, do: func(h *hand) []splice { i := h.any(); return h.swap(max(1, i)-1, max(1, i)) }},
	{name: "1 % of neighbours swapped", do: func(h *hand) (list []splice) {
		last := -1
		h.each(0.01, func(i int) {
			if i > last+1 {
				list = append(list, h.swap(i-1, i)...)
				last = i
			}
		})
		return list
	}},
	{name: "lines swapped over a distance", do: func(h *hand) []splice { i := h.any(); return h.swap(i, h.far(i, 1000)) }},
	{name: "line moved over a distance", do: func(h *hand) []splice {
		i := h.any()
		to := h.start[h.far(i, 1000)]
		return []splice{h.lose(i, i+1), {to, to, h.whole(i)}}
	}},

	{name: "bit flipped", single: true, do: func(h *hand) []splice { return []splice{h.flip(h.offset() - 1)} }},
	{name: "digit changed", single: true, do: func(h *hand) []splice { i := h.any(); return h.digit(h.start[i], h.start[i+1]) }},
	{name: "digit of a line's time changed", single: true, do: func(h *hand) []splice {
		i := h.any()
		at := bytes.Index(h.line(i), []byte("] "))
		colon := bytes.IndexByte(h.line(i)[at+1:], ':')
		if at < 0 || colon < 0 {
			return nil
		}
		return h.digit(h.start[i]+at, h.start[i]+at+1+colon)
	}},
	{name: "digit of a vsync's time changed", single: true, do: func(h *hand) []splice {
		var carried [][]int
		for i := range h.lines {
			if w := h.lines[i].Word; w == hitrace.GenerateVsyncCount || w == hitrace.DoComposition || w == hitrace.ReceiveVsync {
				if at := vsyncTime.FindIndex(h.line(i)); at != nil {
					carried = append(carried, []int{h.start[i] + at[0], h.start[i] + at[1]})
				}
			}
		}
		if len(carried) == 0 {
			return nil
		}
		at := carried[h.IntN(len(carried))]
		return h.digit(at[0], at[1])
	}},
	{name: "digit of a thread's first line changed", single: true, do: func(h *hand) []splice {
		tid := h.lines[h.any()].TID
		i := slices.IndexFunc(h.lines, func(l line) bool { return l.ok && l.TID == tid && l.Kind == hitrace.MarkerEvent })
		if i < 0 {
			return nil
		}
		return h.digit(h.start[i]+bytes.LastIndex(h.line(i), []byte(": ")), h.start[i+1])
	}},
	{name: "bits flipped in 1 of 100,000 bytes", do: func(h *hand) []splice { return h.flips(1e-5) }},
	{name: "bits flipped in 1 of 10,000 bytes", do: func(h *hand) []splice { return h.flips(1e-4) }},
	{name: "bits flipped in 1 of 1,000 bytes", do: func(h *hand) []splice { return h.flips(1e-3) }},
	{name: "bytes zeroed", do: func(h *hand) []splice {
		at := h.offset()
		n := min(1<<h.IntN(13), len(h.text)-at)
		return []splice{{at, at + n, make([]byte, n)}}
	}},

	{name: "line end lost", single: true, do: func(h *hand) []splice {
		i := h.any()
		return []splice{{h.start[i+1] - 1, h.start[i+1], nil}}
	}},
	{name: "line end inserted", single: true, do: func(h *hand) []splice {
		at := h.offset()
		return []splice{{at, at, []byte("\n")}}
	}},
	{name: "line ends of both kinds", do: func(h *hand) (list []splice) {
		h.each(0.5, func(i int) {
			end, text := h.start[i+1], []byte("\r\n")
			n := 1
			if bytes.HasSuffix(h.line(i), text) {
				n, text = 2, []byte("\n")
			}
			list = append(list, splice{end - n, end, text})
		})
		return list
	}},
	{name: "binary pasted in", do: func(h *hand) []splice {
		at, text := h.offset(), make([]byte, 1+h.IntN(20000))
		for i := range text {
			text[i] = byte(h.Uint32())
		}
		return []splice{{at, at, text}}
	}},
	{name: "lines of another trace pasted in", foreign: true, do: func(h *hand) []splice {
		from := h.IntN(h.other.count())
		to := min(h.other.count(), from+1+h.IntN(400))
		at := h.start[h.any()]
		return []splice{{at, at, append(bytes.Clone(h.other.text[h.other.start[from]:h.other.start[to]]), '\n')}}
	}},
}

// broken is a source after damage was done to it.
type broken struct {
	*source
	text  []byte
	hits  hits
	notes []string // what was done, in words
}

// breakSource does a case's damage.
func breakSource(s *source, d *damage, other *source, number uint64) *broken {
	h := &hand{rand.New(rand.NewPCG(number, hash(s.name+"/"+d.name))), s, other}
	list := d.do(h)
	slices.SortStableFunc(list, func(a, b splice) int { return a.from - b.from })
	b := &broken{source: s, hits: hits{threads: map[trace.TID][]int{}, named: map[trace.TID]bool{}, references: map[string]bool{}}}
	at := 0 // all of the source before that is done
	for i := 0; i < len(list); {
		first, last := s.lineAt(list[i].from), s.lineAt(list[i].to-1)
		b.text = append(b.text, s.text[at:max(at, s.start[first])]...)
		at = max(at, s.start[first])
		from := len(b.text)
		for last = max(first, last); ; last++ {
			for ; i < len(list) && (list[i].from < s.start[last+1] || last+1 == s.count()); i++ {
				p := list[i]
				if p.from < at {
					continue // within another
				}
				b.text = append(append(b.text, s.text[at:p.from]...), p.text...)
				at = p.to
				last = max(last, s.lineAt(p.to-1))
			}
			b.text = append(b.text, s.text[at:max(at, s.start[last+1])]...)
			at = max(at, s.start[last+1])
			// Without its end, a line goes on with the next one.
			if last+1 == s.count() || len(b.text) == from || b.text[len(b.text)-1] == '\n' {
				break
			}
		}
		b.take(first, last, b.text[from:])
	}
	b.text = append(b.text, s.text[at:]...)
	return b
}

// lineAt returns the line that an offset is in; that of the end is the last.
func (s *source) lineAt(offset int) int {
	i, found := slices.BinarySearch(s.start, offset)
	if !found {
		i--
	}
	return min(i, s.count()-1)
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
