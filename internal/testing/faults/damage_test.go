package faults

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// damage is a kind of damage.
type damage struct {
	name string
	// single damage is to one line, or to two lines next to each other.
	single bool
	// foreign damage adds lines of another trace, whose clock may differ.
	foreign bool
	do      func(h *hand) []byte
}

// hand damages a source, in the same way for the same case.
type hand struct {
	*rand.Rand
	*source
	other *source // lines of this one are pasted in
}

// any returns the index of a line. Half of them are markers of frames.
func (h *hand) any() int {
	if len(h.markers) > 0 && h.IntN(2) == 0 {
		return h.markers[h.IntN(len(h.markers))]
	}
	return h.IntN(len(h.lines))
}

// run returns the first index of a run of up to 300 lines and the one after it.
func (h *hand) run() (from, to int) {
	from = h.any()
	return from, min(len(h.lines), from+2+h.IntN(299))
}

// edit returns the text with lines from up to to replaced by others.
func (h *hand) edit(from, to int, by ...[]byte) []byte {
	return slices.Concat(slices.Concat(h.lines[:from]...), slices.Concat(by...), slices.Concat(h.lines[to:]...))
}

// each returns the text with every line replaced by the result of a function.
func (h *hand) each(do func(i int, line []byte) []byte) []byte {
	var text []byte
	for i, line := range h.lines {
		text = append(text, do(i, line)...)
	}
	return text
}

// lose returns the text without the lines for which a function is true.
func (h *hand) lose(is func(i int) bool) []byte {
	return h.each(func(i int, line []byte) []byte {
		if is(i) {
			return nil
		}
		return line
	})
}

// within returns the text with something done at an offset within a line.
func (h *hand) within(do func(line []byte, at int) []byte) []byte {
	i := h.any()
	line := bytes.Clone(h.lines[i])
	return h.edit(i, i+1, do(line, h.IntN(len(line))))
}

// digit returns the text with one digit changed in the part of a line that a pattern finds.
func (h *hand) digit(i int, pattern *regexp.Regexp) []byte {
	line := bytes.Clone(h.lines[i])
	part := pattern.FindIndex(line)
	if part == nil {
		return h.edit(i, i+1, line)
	}
	var digits []int
	for at := part[0]; at < part[1]; at++ {
		if line[at] >= '0' && line[at] <= '9' {
			digits = append(digits, at)
		}
	}
	if len(digits) > 0 {
		at := digits[h.IntN(len(digits))]
		line[at] = '0' + (line[at]-'0'+1+byte(h.IntN(9)))%10
	}
	return h.edit(i, i+1, line)
}

// flips returns the text with a bit flipped in a share of all bytes.
func (h *hand) flips(share float64) []byte {
	text := slices.Concat(h.lines...)
	for range max(1, int(share*float64(len(text)))) {
		text[h.IntN(len(text))] ^= 1 << h.IntN(8)
	}
	return text
}

// ends returns the lines that end the slices of a word.
func (h *hand) ends(word hitrace.Word) map[int]bool {
	ends := map[int]bool{}
	open := map[trace.TID][]hitrace.Word{}
	for i := range h.lines {
		e := h.events[i]
		stack := open[e.TID]
		switch e.Marker.Phase {
		case hitrace.Begin:
			open[e.TID] = append(stack, e.Word)
		case hitrace.End:
			if n := len(stack); n > 0 {
				ends[i] = stack[n-1] == word
				open[e.TID] = stack[:n-1]
			}
		}
	}
	return ends
}

// word returns the word of a marker of the source.
func (h *hand) word() hitrace.Word {
	if len(h.markers) == 0 {
		return hitrace.Other
	}
	return h.events[h.markers[h.IntN(len(h.markers))]].Word
}

// character has three bytes.
const character = "帧"

var (
	anywhere  = regexp.MustCompile(`.+`)
	lineTime  = regexp.MustCompile(`\d+\.\d+: `)
	vsyncTime = regexp.MustCompile(`\b[0-9]{9,}\b`)
)

var damages = []damage{
	{name: "begin cut off within a line", do: func(h *hand) []byte {
		i := h.any()
		return slices.Concat(h.lines[i][h.IntN(len(h.lines[i])):], slices.Concat(h.lines[i+1:]...))
	}},
	{name: "begin cut off within a character", do: func(h *hand) []byte {
		return slices.Concat([]byte(character[1+h.IntN(2):]), slices.Concat(h.lines[h.any():]...))
	}},
	{name: "end cut off within a line", do: func(h *hand) []byte {
		i := h.any()
		return slices.Concat(slices.Concat(h.lines[:i]...), h.lines[i][:h.IntN(len(h.lines[i]))])
	}},
	{name: "end cut off within a character", do: func(h *hand) []byte {
		return append(slices.Concat(h.lines[:h.any()]...), character[:1+h.IntN(2)]...)
	}},

	{name: "line lost", single: true, do: func(h *hand) []byte { i := h.any(); return h.edit(i, i+1) }},
	{name: "run of lines lost", do: func(h *hand) []byte { return h.edit(h.run()) }},
	{name: "10 % of lines lost", do: func(h *hand) []byte { return h.lose(func(int) bool { return h.IntN(10) == 0 }) }},
	{name: "all begins of a marker lost", do: func(h *hand) []byte {
		word := h.word()
		return h.lose(func(i int) bool { return word != hitrace.Other && h.events[i].Word == word })
	}},
	{name: "all ends of a marker lost", do: func(h *hand) []byte {
		ends := h.ends(h.word())
		return h.lose(func(i int) bool { return ends[i] })
	}},
	{name: "all of a processor lost", do: func(h *hand) []byte {
		e, ok := h.events[h.any()]
		return h.lose(func(i int) bool { f, is := h.events[i]; return ok && is && f.CPU == e.CPU })
	}},

	{name: "line doubled", single: true, do: func(h *hand) []byte { i := h.any(); return h.edit(i, i, h.lines[i]) }},
	{name: "run of lines doubled", do: func(h *hand) []byte {
		from, to := h.run()
		return h.edit(from, from, h.lines[from:to]...)
	}},
	{name: "neighbours swapped", single: true, do: func(h *hand) []byte {
		i := max(1, h.any())
		return h.edit(i-1, i+1, h.lines[i], h.lines[i-1])
	}},
	{name: "1 % of neighbours swapped", do: func(h *hand) []byte {
		lines := slices.Clone(h.lines)
		for i := 1; i < len(lines); i++ {
			if h.IntN(100) == 0 {
				lines[i-1], lines[i] = lines[i], lines[i-1]
			}
		}
		return slices.Concat(lines...)
	}},
	{name: "line moved over a distance", do: func(h *hand) []byte {
		lines, i := slices.Clone(h.lines), h.any()
		to := max(0, min(len(lines)-1, i+h.IntN(2001)-1000))
		return slices.Concat(slices.Insert(slices.Delete(lines, i, i+1), to, h.lines[i])...)
	}},

	{name: "bit flipped", single: true, do: func(h *hand) []byte {
		return h.within(func(line []byte, at int) []byte { line[at] ^= 1 << h.IntN(8); return line })
	}},
	{name: "bits flipped in 1 of 10,000 bytes", do: func(h *hand) []byte { return h.flips(1e-4) }},
	{name: "bits flipped in 1 of 1,000 bytes", do: func(h *hand) []byte { return h.flips(1e-3) }},
	{name: "digit changed", single: true, do: func(h *hand) []byte { return h.digit(h.any(), anywhere) }},
	{name: "digit of a line's time changed", single: true, do: func(h *hand) []byte { return h.digit(h.any(), lineTime) }},
	{name: "digit of a vsync's time changed", single: true, do: func(h *hand) []byte { return h.digit(h.any(), vsyncTime) }},
	{name: "bytes zeroed", do: func(h *hand) []byte {
		text := slices.Concat(h.lines...)
		at := h.IntN(len(text))
		clear(text[at:min(len(text), at+1<<h.IntN(13))])
		return text
	}},

	{name: "line end lost", single: true, do: func(h *hand) []byte {
		i := h.any()
		return h.edit(i, i+1, bytes.TrimSuffix(h.lines[i], []byte("\n")))
	}},
	{name: "line end inserted", single: true, do: func(h *hand) []byte {
		return h.within(func(line []byte, at int) []byte { return slices.Insert(line, at, '\n') })
	}},
	{name: "line ends of both kinds", do: func(h *hand) []byte {
		return h.each(func(_ int, line []byte) []byte {
			end := []string{"\n", "\r\n"}[h.IntN(2)]
			return append(bytes.TrimRight(bytes.Clone(line), "\r\n"), end...)
		})
	}},
	{name: "binary pasted in", do: func(h *hand) []byte {
		return h.within(func(line []byte, at int) []byte {
			noise := make([]byte, 1+h.IntN(20000))
			for i := range noise {
				noise[i] = byte(h.Uint32())
			}
			return slices.Insert(line, at, noise...)
		})
	}},
	{name: "lines of another trace pasted in", foreign: true, do: func(h *hand) []byte {
		from := h.IntN(len(h.other.lines))
		to := min(len(h.other.lines), from+1+h.IntN(400))
		i := h.any()
		return h.edit(i, i, append(slices.Clone(h.other.lines[from:to]), []byte("\n"))...)
	}},
}
