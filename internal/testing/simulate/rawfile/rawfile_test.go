package rawfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"ohframe/internal/testing/simulate"
)

func demo(t *testing.T) []Event {
	t.Helper()
	var text bytes.Buffer
	if _, err := simulate.Write(&text, simulate.Everything()); err != nil {
		t.Fatal(err)
	}
	events, err := Parse(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// Sections follow one another to the end of the file, and pages have all events.
func TestSections(t *testing.T) {
	events := demo(t)
	for _, o := range []SysOptions{{HongMeng: true}, {}, {HongMeng: true, Sections: 4, Backward: true, BaseInfo: true}, {Sections: 4, Bits32: true, NamesFirst: true}} {
		file, sections := Sys(events, o)
		at, n := 12, 0
		for _, s := range sections {
			if s.From != at+8 || file[at] != s.Type || int(binary.LittleEndian.Uint32(file[at+4:])) != s.To-s.From {
				t.Fatalf("%+v: section %+v is not at %d", o, s, at)
			}
			if s.Pages != nil && len(s.Pages)*pageSize != s.To-s.From {
				t.Errorf("%+v: %d pages in %d bytes", o, len(s.Pages), s.To-s.From)
			}
			for _, events := range s.Pages {
				n += events
			}
			at = s.To
		}
		if at != len(file) || n != len(events) {
			t.Errorf("%+v: %d of %d bytes, %d of %d events", o, at, len(file), n, len(events))
		}
	}
}

// Segments follow one another to the end of the part, whose header has its length and
// hash.
func TestSegments(t *testing.T) {
	file, segments := Htrace(demo(t), HtraceOptions{Offset: 1e9})
	at := 1024
	for _, s := range segments {
		if s.From != at+4 || int(binary.LittleEndian.Uint32(file[at:])) != s.To-s.From {
			t.Fatalf("segment %+v is not at %d", s, at)
		}
		at = s.To
	}
	if sum := sha256.Sum256(file[1024:]); at != len(file) || int(binary.LittleEndian.Uint64(file[8:])) != len(file) || !bytes.Equal(file[24:56], sum[:]) {
		t.Errorf("%d of %d bytes, or another length or hash in the header", at, len(file))
	}
}

// A line is taken apart as its writer put it together.
func TestParse(t *testing.T) {
	events, err := Parse([]byte("# tracer: nop\n  a-b c-71    (   70) [003] d..2   100.000042: print: 0xffffffc0106ee2a8: B|70|x: y\n           <...>-9   (-----) [000] .... 1.5: cpu_idle: state=1\n"))
	want := []Event{
		{Comm: "a-b c", TID: 71, PID: 70, CPU: 3, Flags: 1, Preempt: 2, Time: 100_000_042_000, Name: "print", Args: "B|70|x: y"},
		{Comm: "<...>", TID: 9, PID: -1, Time: 1_500_000_000, Name: "cpu_idle", Args: "state=1"},
	}
	if err != nil || len(events) != 2 || events[0] != want[0] || events[1] != want[1] {
		t.Errorf("%+v, %v; want %+v", events, err, want)
	}
	if _, err := Parse([]byte("hello\n")); err == nil {
		t.Error("no line is accepted")
	}
}
