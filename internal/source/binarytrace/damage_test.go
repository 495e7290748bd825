package binarytrace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/source/binarytrace"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

// A file that is cut at or near a boundary has all events of the pieces before the cut,
// and no others.
func TestCut(t *testing.T) {
	slow.SkipRace(t)
	type piece struct{ from, to, events int }
	events, _ := simulated(t, "harmonyos-6.1")
	events = events[:len(events)/8]
	pages := func(sections []rawfile.Section) (list []piece) {
		for _, s := range sections {
			list = append(list, piece{s.From, s.To, 0})
			for i, n := range s.Pages {
				list = append(list, piece{s.From + i*4096, s.From + (i+1)*4096, n})
			}
		}
		return list
	}
	check := func(name string, file []byte, pieces []piece) {
		text, _ := read(t, file, binarytrace.Options{})
		whole := describe(t, text)
		total := 0
		for _, p := range pieces {
			total += p.events
		}
		if total != len(whole) {
			t.Errorf("%s: %d events in the file, %d read", name, total, len(whole))
		}
		for i, p := range pieces {
			if i%slow.Of(7, 1) != 0 {
				continue
			}
			for _, cut := range []int{p.from - 4, p.from, p.from + 17, (p.from + p.to) / 2, p.to - 1, p.to} {
				if cut >= len(file) {
					continue
				}
				least := 0
				for _, q := range pieces {
					if q.to <= cut {
						least += q.events
					}
				}
				r, err := binarytrace.Open(bytes.NewReader(file[:cut]), int64(cut), binarytrace.Options{})
				if err != nil {
					if e := (*binarytrace.Error)(nil); !errors.As(err, &e) || least > 0 {
						t.Errorf("%s cut at %d: %v", name, cut, err)
					}
					continue
				}
				text, err := io.ReadAll(r)
				if err != nil {
					t.Fatal(err)
				}
				got, k := describe(t, string(text)), 0
				for _, e := range whole { // what is left is part of the whole, in its order
					if k < len(got) && got[k] == e {
						k++
					}
				}
				if len(got) < least || k != len(got) {
					t.Errorf("%s cut at %d: %d events of the file and %d others, want %d", name, cut, k, len(got)-k, least)
				}
			}
		}
	}
	for name, o := range map[string]rawfile.SysOptions{"hongmeng": {HongMeng: true, NamesFirst: true, Garbage: true}, "linux": {NamesFirst: true, Sections: 6}} {
		file, sections := rawfile.Sys(events, o)
		check(name, file, pages(sections))
	}
	file, segments := rawfile.Htrace(events, rawfile.HtraceOptions{Padded: true})
	var pieces []piece
	for _, s := range segments {
		pieces = append(pieces, piece{s.From, s.To, bytes.Count(file[s.From:s.To], []byte{0x92, 3})}) // the common fields of each event
	}
	check("htrace", file, pieces)
}

// broken is a damaged file with what is to be read of it.
type broken struct {
	name     string
	file     []byte
	events   int    // that are left
	warning  string // the beginning of the only warning; empty for none
	err      string // the error, instead
	tolerant bool   // strict mode accepts it
}

// Damage of every kind is counted, and what is sound is read.
func TestBroken(t *testing.T) {
	all, _ := simulated(t, "harmonyos-6.1")
	events := all[:400]
	type edit = func(file []byte, s []rawfile.Section) []byte
	n := len(events)
	sys := func(o rawfile.SysOptions, change edit) []byte {
		file, sections := rawfile.Sys(events, o)
		return change(file, sections)
	}
	find := func(sections []rawfile.Section, kind byte) rawfile.Section {
		i := slices.IndexFunc(sections, func(s rawfile.Section) bool { return s.Type == kind && (len(s.Pages) > 0 || kind != 4) })
		return sections[i]
	}
	hm, linux := rawfile.SysOptions{HongMeng: true}, rawfile.SysOptions{}
	put16 := func(b []byte, at int, v uint16) { binary.LittleEndian.PutUint16(b[at:], v) }
	put32 := func(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	insert := func(at int, kind byte, length uint32, content string) edit {
		return func(b []byte, s []rawfile.Section) []byte {
			section := binary.LittleEndian.AppendUint32([]byte{kind, 0xa5, 0xa5, 0xa5}, length)
			return slices.Insert(b, 12, append(section, content...)...)
		}
	}
	first := func(o rawfile.SysOptions) int { // events of the first page
		_, s := rawfile.Sys(events, o)
		return find(s, 4).Pages[0]
	}
	replace := func(old, with string) edit {
		return func(b []byte, s []rawfile.Section) []byte {
			if len(old) != len(with) || !bytes.Contains(b, []byte(old)) {
				t.Fatalf("no %q", old)
			}
			return bytes.Replace(b, []byte(old), []byte(with), 1)
		}
	}
	count := func(name string) (n int) {
		for i := range events {
			if events[i].Name == name {
				n++
			}
		}
		return n
	}
	htrace := func(o rawfile.HtraceOptions, change func(file []byte, s []rawfile.Segment) []byte) []byte {
		file, segments := rawfile.Htrace(events, o)
		return change(file, segments)
	}
	inHtrace := 0
	for i := range events {
		if rawfile.HtraceHas(&events[i]) {
			inHtrace++
		}
	}
	for _, test := range []broken{
		{name: "section of type 0", file: sys(hm, insert(12, 0, 3, "abc")), events: n, warning: "1 × section of an unknown type"},
		{name: "section of type 200", file: sys(hm, insert(12, 200, 0, "")), events: n, warning: "1 × section of an unknown type"},
		{name: "KALLSYMS", file: sys(hm, insert(12, 32, 12, "0xff t name\n")), events: n, tolerant: true},
		{name: "section longer than the file", file: sys(hm, insert(12, 33, math.MaxUint32, "")), err: "a raw kernel trace without events"},
		{name: "last section longer than the file", file: sys(hm, func(b []byte, s []rawfile.Section) []byte {
			put32(b, s[len(s)-1].From-4, math.MaxUint32)
			return b
		}), events: n, warning: "the file is truncated"},
		{name: "bytes at the end", file: sys(hm, func(b []byte, _ []rawfile.Section) []byte { return append(b, 1, 2, 3) }), events: n, warning: "3 bytes after the last section"},
		{name: "recorder killed", file: sys(rawfile.SysOptions{HongMeng: true, Killed: true}, func(b []byte, _ []rawfile.Section) []byte { return b }), events: n, warning: "the recording was not finished"},
		{name: "recorder killed, linux", file: sys(linux, func(b []byte, s []rawfile.Section) []byte {
			first := find(s, 4)
			put32(b, first.From-4, 0)
			return b[:first.To]
		}), events: eventsOn(events, 0), warning: "the recording was not finished"},
		{name: "no formats", file: sys(hm, func(b []byte, s []rawfile.Section) []byte { b[s[0].From-8] = 200; return b }), err: "a raw kernel trace without the formats of its events"},
		{name: "hongmeng page of length 0", file: sys(hm, func(b []byte, s []rawfile.Section) []byte {
			copy(b[find(s, 4).From+8:], make([]byte, 8))
			return b
		}), events: n - first(hm), tolerant: true},
		{name: "hongmeng page longer than a page", file: sys(hm, func(b []byte, s []rawfile.Section) []byte {
			put32(b, find(s, 4).From+8, 4080)
			return b
		}), events: n, warning: "1 × damaged page"},
		{name: "record over the end of its page", file: sys(hm, func(b []byte, s []rawfile.Section) []byte {
			put16(b, find(s, 4).From+17+4, 5000)
			return b
		}), events: n - first(hm), warning: "1 × damaged page"},
		{name: "page of an impossible time", file: sys(hm, func(b []byte, s []rawfile.Section) []byte {
			b[find(s, 4).From+7] = 0xff
			return b
		}), events: n - first(hm), warning: "1 × page or event with an impossible time"},
		{name: "linux page of an impossible time", file: sys(linux, func(b []byte, s []rawfile.Section) []byte {
			b[find(s, 4).From+7] = 0xff
			return b
		}), events: n - first(linux), warning: "1 × page or event with an impossible time"},
		{name: "linux page that commits too much", file: sys(linux, func(b []byte, s []rawfile.Section) []byte {
			put32(b, find(s, 4).From+8, 4084) // of zeros that end the page
			return b
		}), events: n, warning: "1 × damaged page"},
		{name: "linux record over the end", file: sys(linux, func(b []byte, s []rawfile.Section) []byte {
			put32(b, find(s, 4).From+16, 0)
			put32(b, find(s, 4).From+20, 100_000)
			return b
		}), events: n - first(linux), warning: "1 × damaged page"},
		{name: "format without id", file: sys(hm, replace("ID: 32846", "DI: 32846")), events: n - count("print"), warning: ""},
		{name: "field beyond the record", file: sys(hm, replace("offset:24;\tsize:4;\tsigned:1;", "offset:99;\tsize:4;\tsigned:1;")), warning: ""},
		{name: "htrace: segment of length 0", file: htrace(rawfile.HtraceOptions{}, func(b []byte, s []rawfile.Segment) []byte { return append(b, make([]byte, 4096)...) }), events: inHtrace, warning: "4096 bytes after the last section"},
		{name: "htrace: varint of 11 bytes", file: htrace(rawfile.HtraceOptions{}, func(b []byte, s []rawfile.Segment) []byte {
			return segment(b, append([]byte{0x08}, bytes.Repeat([]byte{0x80}, 11)...))
		}), events: inHtrace, warning: "1 × segment that is no message"},
		{name: "htrace: length beyond the file", file: htrace(rawfile.HtraceOptions{}, func(b []byte, s []rawfile.Segment) []byte {
			put32(b, 8, math.MaxUint32)
			return b
		}), events: inHtrace, warning: "the file is truncated"},
		{name: "htrace: a processor beyond all", file: htrace(rawfile.HtraceOptions{}, func(b []byte, s []rawfile.Segment) []byte {
			return segment(b, plugin("ftrace-plugin", field(2, append(field(2, []byte{8, 1}), 8, 0xff, 0xff, 0xff, 0xff, 0xf))))
		}), events: inHtrace, warning: "1 × message that is not understood"},
		{name: "htrace: an event of no message", file: htrace(rawfile.HtraceOptions{}, func(b []byte, s []rawfile.Segment) []byte {
			return segment(b, plugin("ftrace-plugin", field(2, field(2, append([]byte{8, 1}, field(4500, nil)...)))))
		}), events: inHtrace, warning: "1 × event of an unknown id", tolerant: true},
		{name: "htrace: markers without text", file: htrace(rawfile.HtraceOptions{}, func(b []byte, s []rawfile.Segment) []byte {
			return segment(b, plugin("ftrace-plugin", field(2, field(2, append([]byte{8, 1}, field(1109, nil)...)))))
		}), events: inHtrace, warning: "1 × marker without text", tolerant: true},
		{name: "htrace: an event without time", file: htrace(rawfile.HtraceOptions{}, func(b []byte, s []rawfile.Segment) []byte {
			return segment(b, plugin("ftrace-plugin", field(2, append(field(2, append([]byte{8, 1}, field(1109, field(2, []byte("E|1")))...)), field(2, field(1109, nil))...))))
		}), events: inHtrace + 1, warning: "1 × page or event with an impossible time"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := binarytrace.Open(bytes.NewReader(test.file), int64(len(test.file)), binarytrace.Options{})
			if test.err != "" {
				if e := (*binarytrace.Error)(nil); !errors.As(err, &e) || e.What != test.err || e.Hint == "" || !errors.Is(err, binarytrace.ErrNoEvents) {
					t.Errorf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			got, warnings := len(describe(t, string(text))), r.Warnings()
			switch test.name { // with two warnings each
			case "format without id":
				if got != test.events || len(warnings) != 2 || !strings.HasPrefix(warnings[0], "1 × format of an event not understood") || !strings.Contains(warnings[1], " × event of an unknown id") {
					t.Errorf("%d events of %d, %q", got, test.events, warnings)
				}
				return
			case "field beyond the record":
				if len(warnings) != 1 || !strings.Contains(warnings[0], " × event shorter than its fields") || got == 0 || got >= n {
					t.Errorf("%d events of %d, %q", got, n, warnings)
				}
				return
			}
			if got != test.events {
				t.Errorf("%d events, want %d", got, test.events)
			}
			if test.warning == "" && len(warnings) > 0 || test.warning != "" && (len(warnings) != 1 || !strings.HasPrefix(warnings[0], test.warning)) {
				t.Errorf("warnings %q, want %q", warnings, test.warning)
			}
			strict, err := binarytrace.Open(bytes.NewReader(test.file), int64(len(test.file)), binarytrace.Options{Strict: true})
			if err == nil {
				_, err = io.Copy(io.Discard, strict)
			}
			if (err == nil) != test.tolerant {
				t.Errorf("strictly: %v", err)
			}
		})
	}
}

// eventsOn counts the events of a processor.
func eventsOn(events []rawfile.Event, cpu int) (n int) {
	for i := range events {
		if events[i].CPU == cpu {
			n++
		}
	}
	return n
}

// field returns a field of bytes.
func field(number int, data []byte) []byte {
	b := binary.AppendUvarint(nil, uint64(number)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

// plugin returns a ProfilerPluginData.
func plugin(name string, data []byte) []byte {
	return append(field(1, []byte(name)), field(3, data)...)
}

// segment appends a segment to a file of one part.
func segment(file, content []byte) []byte {
	file = append(binary.LittleEndian.AppendUint32(file, uint32(len(content))), content...)
	binary.LittleEndian.PutUint64(file[8:], uint64(len(file)))
	return file
}

// Names are what follows the first blank, whatever blanks are around; a later line
// overrides an earlier one.
func TestNames(t *testing.T) {
	var events []rawfile.Event
	for tid := int32(1); tid <= 7; tid++ {
		events = append(events, rawfile.Event{TID: tid, PID: -1, Time: 5e9 + int64(tid), Name: "print", Args: "E|1"})
	}
	file, _ := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true, NoNames: true})
	add := func(kind byte, content string) {
		file = binary.LittleEndian.AppendUint32(append(file, kind, 1, 2, 3), uint32(len(content)))
		file = append(file, content...)
	}
	add(2, "0 idle/3\n1 a\n2 two words \n3 \tthree\n4 \n5\n1 b\nx y\n6 six")
	add(3, "1 100\n2 x\n3 300\n\n4 -5\n1 101")
	add(2, "7 seven")
	text, warnings := read(t, file, binarytrace.Options{})
	want := []string{"b-1 101", "two words-2 -1", "three-3 300", "<...>-4 -1", "<...>-5 -1", "six-6 -1", "seven-7 -1"}
	for i, e := range describe(t, text) {
		f := strings.SplitN(e, " ", 5) // TIME cpu N PID/TID COMM print: …
		pid, tid, _ := strings.Cut(f[3], "/")
		comm, _, _ := strings.Cut(f[4], " print")
		if got := comm + "-" + tid + " " + pid; got != want[i] {
			t.Errorf("got %q, want %q", got, want[i])
		}
	}
	if len(warnings) > 0 {
		t.Errorf("%q", warnings)
	}
}

// A read error is returned, wherever it happens.
func TestReadErrors(t *testing.T) {
	events, _ := simulated(t, "harmonyos-6.1")
	events = events[:2000]
	sys, _ := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true})
	htrace, _ := rawfile.Htrace(events, rawfile.HtraceOptions{})
	for _, file := range [][]byte{sys, htrace} {
		for fail := range 200 {
			in := &failing{file: file, left: fail}
			r, err := binarytrace.Open(in, int64(len(file)), binarytrace.Options{})
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if in.left >= 0 { // there were no more reads
				if err != nil || fail == 0 {
					t.Errorf("after %d reads: %v", fail, err)
				}
				break
			}
			if !errors.Is(err, errBroken) {
				t.Errorf("after %d reads: %v", fail, err)
			}
		}
	}
}

// failing is a file that cannot be read after some reads.
type failing struct {
	file []byte
	left int
}

var errBroken = errors.New("broken disk")

func (f *failing) ReadAt(b []byte, at int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errBroken
	}
	return bytes.NewReader(f.file).ReadAt(b, at)
}
