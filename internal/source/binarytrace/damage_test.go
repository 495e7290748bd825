package binarytrace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

// A file that is cut at or near a boundary has all events of the pieces before the cut,
// and no others.
func TestCut(t *testing.T) {
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
				text := must.Get(io.ReadAll(r))(t)
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
	warnings string // the beginnings of the warnings, separated by bars
	tolerant bool   // none of them is of damage
}

// damaged reports whether one of the warnings is of damage.
func damaged(list []trace.Warning) bool {
	return slices.ContainsFunc(list, func(w trace.Warning) bool { return w.Code == trace.WarnDamaged })
}

func (want *broken) check(t *testing.T) {
	r := must.Get(binarytrace.Open(bytes.NewReader(want.file), int64(len(want.file)), binarytrace.Options{}))(t)
	text := must.Get(io.ReadAll(r))(t)
	warnings := slices.DeleteFunc(strings.Split(want.warnings, "|"), func(w string) bool { return w == "" })
	same := slices.EqualFunc(diag.Texts(r.Warnings()), warnings, strings.HasPrefix)
	if got := len(describe(t, string(text))); got != want.events || !same {
		t.Errorf("%d events, %q; want %d, %q", got, r.Warnings(), want.events, warnings)
	}
	if damaged(r.Warnings()) == want.tolerant {
		t.Errorf("%+v; tolerant: %t", r.Warnings(), want.tolerant)
	}
}

// Damage of every kind is counted, and what is sound is read.
func TestBroken(t *testing.T) {
	all, _ := simulated(t, "harmonyos-6.1")
	events := all[:400]
	hm, hmSections := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true})
	linux, linuxSections := rawfile.Sys(events, rawfile.SysOptions{})
	htrace, _ := rawfile.Htrace(events, rawfile.HtraceOptions{})
	killed, _ := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true, Killed: true})
	pages := func(sections []rawfile.Section) rawfile.Section {
		return sections[slices.IndexFunc(sections, func(s rawfile.Section) bool { return s.Type == 4 && len(s.Pages) > 0 })]
	}
	count := func(is func(e *rawfile.Event) bool) (n int) {
		for i := range events {
			if is(&events[i]) {
				n++
			}
		}
		return n
	}
	n, inHtrace := len(events), count(rawfile.HtraceHas)
	hmFirst, linuxFirst := n-pages(hmSections).Pages[0], n-pages(linuxSections).Pages[0] // without the first page
	// put returns the file with other bytes, insert with another section at the front.
	put := func(file []byte, at int, with ...byte) []byte {
		file = bytes.Clone(file)
		copy(file[at:], with)
		return file
	}
	inHM := func(at int, with ...byte) []byte { return put(hm, pages(hmSections).From+at, with...) }
	inLinux := func(at int, with ...byte) []byte { return put(linux, pages(linuxSections).From+at, with...) }
	insert := func(kind byte, length uint32, content string) []byte {
		section := binary.LittleEndian.AppendUint32([]byte{kind, 0xa5, 0xa5, 0xa5}, length)
		return slices.Insert(bytes.Clone(hm), 12, append(section, content...)...)
	}
	replace := func(old, with string) []byte {
		if len(old) != len(with) || !bytes.Contains(hm, []byte(old)) {
			t.Fatalf("no %q", old)
		}
		return bytes.Replace(hm, []byte(old), []byte(with), 1)
	}
	detail := func(content ...byte) []byte {
		return segment(bytes.Clone(htrace), plugin("ftrace-plugin", field(2, content)))
	}
	most := []byte{0xff, 0xff, 0xff, 0xff}
	marker := append([]byte{8, 1}, field(1109, field(2, []byte("E|1")))...)
	isPrint := func(e *rawfile.Event) bool { return e.Name == "print" }
	for _, test := range []broken{
		{"section of type 0", insert(0, 3, "abc"), n, "1 × section of an unknown type", false},
		{"section of type 200", insert(200, 0, ""), n, "1 × section of an unknown type", false},
		{"KALLSYMS", insert(32, 12, "0xff t name\n"), n, "", true},
		{"last section longer than the file", put(hm, hmSections[len(hmSections)-1].From-4, most...), n, "the file is truncated", false},
		{"bytes at the end", append(bytes.Clone(hm), 1, 2, 3), n, "3 bytes after the last section", false},
		{"recorder killed", killed, n, "the recording was not finished", false},
		{"recorder killed, linux", inLinux(-4, 0, 0, 0, 0)[:pages(linuxSections).To], count(func(e *rawfile.Event) bool { return e.CPU == 0 }), "the recording was not finished", false},
		{"hongmeng page of length 0", inHM(8, make([]byte, 8)...), hmFirst, "", true},
		{"hongmeng page longer than a page", inHM(8, 0xf0, 0xf), n, "1 × damaged page", false},
		{"record over the end of its page", inHM(17+4, 0x88, 0x13), hmFirst, "1 × damaged page", false},
		{"page of an impossible time", inHM(7, 0xff), hmFirst, "1 × page or event with an impossible time", false},
		{"linux page of an impossible time", inLinux(7, 0xff), linuxFirst, "1 × page or event with an impossible time", false},
		{"linux page that commits too much", inLinux(8, 0xf4, 0xf), n, "1 × damaged page", false}, // of zeros that end the page
		{"linux record over the end", inLinux(16, 0, 0, 0, 0, 0xa0, 0x86, 1, 0), linuxFirst, "1 × damaged page", false},
		{"format without id", replace("ID: 32846", "DI: 32846"), n - count(isPrint), fmt.Sprintf("1 × format of an event not understood|%d × event of an unknown id", count(isPrint)), false},
		{"htrace: segment of length 0", append(bytes.Clone(htrace), make([]byte, 4096)...), inHtrace, "4096 bytes after the last section", false},
		{"htrace: varint of 11 bytes", segment(bytes.Clone(htrace), append([]byte{0x08}, bytes.Repeat([]byte{0x80}, 11)...)), inHtrace, "1 × segment that is no message", false},
		{"htrace: length beyond the file", put(htrace, 8, most...), inHtrace, "the file is truncated", false},
		{"htrace: a processor beyond all", detail(append(field(2, []byte{8, 1}), 8, 0xff, 0xff, 0xff, 0xff, 0xf)...), inHtrace, "1 × message that is not understood", false},
		{"htrace: an event of no message", detail(field(2, append([]byte{8, 1}, field(4500, nil)...))...), inHtrace, "1 × event of an unknown id", true},
		{"htrace: markers without text", detail(field(2, append([]byte{8, 1}, field(1109, nil)...))...), inHtrace, "1 × marker without text", true},
		{"htrace: an event without time", detail(append(field(2, marker), field(2, field(1109, nil))...)...), inHtrace + 1, "1 × page or event with an impossible time", false},
	} {
		t.Run(test.name, test.check)
	}
	for want, file := range map[string][]byte{
		"a raw kernel trace without events":                    insert(33, math.MaxUint32, ""),
		"a raw kernel trace without the formats of its events": put(hm, hmSections[0].From-8, 200),
	} {
		_, err := binarytrace.Open(bytes.NewReader(file), int64(len(file)), binarytrace.Options{})
		if e := (*binarytrace.Error)(nil); !errors.As(err, &e) || e.What != want || e.Hint == "" || !errors.Is(err, binarytrace.ErrNoEvents) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	// A field beyond the record leaves the other events.
	file := replace("offset:24;\tsize:4;\tsigned:1;", "offset:99;\tsize:4;\tsigned:1;")
	text, warnings := read(t, file, binarytrace.Options{})
	if got := len(describe(t, text)); len(warnings) != 1 || !strings.Contains(warnings[0], " × event shorter than its fields") || got == 0 || got >= n {
		t.Errorf("%d events of %d, %q", got, n, warnings)
	}
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
		must.Equal(t, comm+"-"+tid+" "+pid, want[i])
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
