package ohframe_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/causetext"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

// spelling is a trace in one format.
type spelling struct {
	name string
	file []byte
	// text is the text with the same events.
	text []byte
}

// spellings returns a text trace in binary formats.
func spellings(t *testing.T, text []byte) []spelling {
	t.Helper()
	text = unique(t, text)
	events := must.Get(rawfile.Parse(text))(t)
	known := textOf(text, events, func(e *rawfile.Event) bool { return rawfile.HtraceHas(e) })
	sys := func(o rawfile.SysOptions) []byte {
		file, _ := rawfile.Sys(events, o)
		return file
	}
	htrace := func(o rawfile.HtraceOptions) []byte {
		file, _ := rawfile.Htrace(events, o)
		return file
	}
	return []spelling{
		{"sys of HongMeng", sys(rawfile.SysOptions{HongMeng: true, Sections: 3, Garbage: true}), text},
		{"sys of Linux", sys(rawfile.SysOptions{}), text}, // without BASE_INFO, which states the time of day
		{"htrace", htrace(rawfile.HtraceOptions{ZeroHeader: true, NoDetails: true}), known},
		{"htrace, padded", htrace(rawfile.HtraceOptions{ZeroHeader: true, NoDetails: true, Padded: true, OneDetail: true}), known},
	}
}

var lineTime = regexp.MustCompile(`\] \S+ +\d+\.\d+: `)

// unique returns a text with the header that binary traces have, and with a time of
// its own for each line: where lines of several processors have one time, their order
// depends on the spelling.
func unique(t *testing.T, text []byte) []byte {
	t.Helper()
	events := must.Get(rawfile.Parse(text))(t)
	out := []byte(binarytrace.Header)
	last := int64(0)
	for line := range bytes.Lines(text) {
		at := lineTime.FindIndex(line)
		if at == nil {
			continue
		}
		last = max(last+1, events[0].Time)
		events = events[1:]
		column := bytes.Fields(line[at[0]:])
		out = append(append(append(out, line[:at[0]]...), "] "...), column[1]...)
		out = fmt.Appendf(out, " %s: %s", trace.Time(last), line[at[1]:])
	}
	if len(events) > 0 {
		t.Fatalf("%d lines without a time", len(events))
	}
	return out
}

// textOf returns the lines of the events that keep selects.
func textOf(text []byte, events []rawfile.Event, keep func(*rawfile.Event) bool) []byte {
	var out []byte
	i := 0
	for line := range bytes.Lines(text) {
		if s := bytes.TrimSpace(line); len(s) > 0 && s[0] != '#' && string(s) != "TRACE:" {
			if i++; !keep(&events[i-1]) {
				continue
			}
		}
		out = append(out, line...)
	}
	return out
}

// The frames of a trace that states its clock are those of the truth, to the
// nanosecond: the offset is exact. One that is wrong is not used.
func TestStatedClock(t *testing.T) {
	config := simulate.Everything()
	config.Text.Nanoseconds = true
	var text bytes.Buffer
	truth := must.Get(simulate.Write(&text, config))(t)
	events := must.Get(rawfile.Parse(text.Bytes()))(t)
	const lag = 3210 // between the readings of the two clocks
	offset := int64(truth.Offset)
	mono := slices.Clone(events)
	for i := range mono {
		mono[i].Time -= offset
	}
	for name, test := range map[string]struct {
		events   []rawfile.Event
		options  rawfile.HtraceOptions
		source   analyzer.ClockSource
		offset   trace.Duration
		overrule bool
	}{
		"header":  {events, rawfile.HtraceOptions{Offset: offset + lag, NoDetails: true}, analyzer.ClockHeader, truth.Offset, false},
		"details": {events, rawfile.HtraceOptions{Offset: offset + lag, ZeroHeader: true}, analyzer.ClockDetails, truth.Offset, false},
		"mono":    {mono, rawfile.HtraceOptions{Offset: offset + lag, Mono: true}, analyzer.ClockMono, 0, false},
		"late":    {events, rawfile.HtraceOptions{Offset: offset - 500e9}, analyzer.ClockDoComposition, truth.Offset, true},
		"early":   {events, rawfile.HtraceOptions{Offset: offset + 20e6}, analyzer.ClockDoComposition, truth.Offset, true},
	} {
		file, _ := rawfile.Htrace(test.events, test.options)
		in := must.Get(ohframe.Read(t.Context(), bytes.NewReader(file), ohframe.Options{}))(t)
		clock := in.Timeline.Clock
		if apart := (clock.Offset - test.offset).Abs(); clock.Source != test.source || clock.Overruled != 0 != test.overrule || !test.overrule && apart != 0 || apart > trace.Millisecond {
			t.Errorf("%s: clock %+v, want %d from %s", name, clock, test.offset, test.source)
		}
		if warned := slices.ContainsFunc(in.Warnings, func(w trace.Warning) bool {
			return w.Code == trace.WarnClock && strings.Contains(w.Text, "stated clock offset")
		}); warned != test.overrule {
			t.Errorf("%s: warnings %q", name, in.Warnings)
		}
		given := trace.Duration(5)
		in, err := ohframe.Read(t.Context(), bytes.NewReader(file), ohframe.Options{Recording: ohframe.Recording{ClockOffset: &given}})
		if err != nil || in.Timeline.Clock.Source != analyzer.ClockGiven || in.Timeline.Clock.Offset != given {
			t.Errorf("%s: a given offset is not used: %+v, %v", name, in.Timeline.Clock, err)
		}
	}
}

// A binary trace is read from every kind of input, and in containers.
func TestBinaryInputs(t *testing.T) {
	demo := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	for _, s := range spellings(t, demo) {
		want := must.Get(ohframe.Read(t.Context(), bytes.NewReader(s.text), ohframe.Options{}))(t)
		path := filepath.Join(t.TempDir(), "trace")
		must.Do(t, os.WriteFile(path, s.file, 0o600))
		file := must.Get(os.Open(path))(t)
		defer file.Close()
		var zipped, zippedTwo, gzipped bytes.Buffer
		z := zip.NewWriter(&zipped)
		two := zip.NewWriter(&zippedTwo)
		for archive, names := range map[*zip.Writer][]string{z: {"trace.sys"}, two: {"a.sys", "b.sys"}} {
			for _, name := range names {
				w := must.Get(archive.Create(name))(t)
				w.Write(s.file)
			}
			archive.Close()
		}
		g := gzip.NewWriter(&gzipped)
		g.Write(s.file)
		g.Close()
		read := func(name string, r interface{ Read([]byte) (int, error) }, o ohframe.Options, format string) {
			got, err := ohframe.Read(t.Context(), r, o)
			if err != nil {
				t.Errorf("%s, %s: %v", s.name, name, err)
				return
			}
			if got.Timeline.String() != want.Timeline.String() || !strings.HasSuffix(got.Format, format) {
				t.Errorf("%s, %s: other frames, or another format: %s", s.name, name, got.Format)
			}
		}
		read("file", file, ohframe.Options{}, " trace")
		read("stream", iotest.HalfReader(bytes.NewReader(s.file)), ohframe.Options{}, " trace")
		read("zip", bytes.NewReader(zipped.Bytes()), ohframe.Options{}, " trace in zip")
		read("gzip", bytes.NewReader(gzipped.Bytes()), ohframe.Options{}, " trace in gzip")
		read("zip of two", bytes.NewReader(zippedTwo.Bytes()), ohframe.Options{Entry: ohframe.Entry{Name: "b.sys"}}, " trace in zip")
		var e *ohframe.Error
		if _, err := ohframe.Read(t.Context(), bytes.NewReader(zippedTwo.Bytes()), ohframe.Options{}); !errors.As(err, &e) || !strings.Contains(e.What, "a.sys, b.sys") || !errors.Is(err, ohframe.ErrEntry) {
			t.Errorf("%s, zip of two: %v", s.name, err)
		}
	}
}

// The text of a binary trace is read like the trace itself.
func TestWriteText(t *testing.T) {
	demo := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	write := func(file []byte, o ohframe.TextOptions) string {
		t.Helper()
		var out strings.Builder
		must.Get(ohframe.WriteText(t.Context(), bytes.NewReader(file), &out, o))(t)
		return out.String()
	}
	if got := write(demo, ohframe.TextOptions{}); got != string(demo) {
		t.Error("a text trace is not copied as it is")
	}
	edge := func(s string) trace.Edge {
		e := must.Get(trace.ParseEdge(s))(t)
		return e
	}
	for _, s := range spellings(t, demo) {
		exact := write(s.file, ohframe.TextOptions{})
		a := must.Get(ohframe.Read(t.Context(), strings.NewReader(exact), ohframe.Options{}))(t)
		b := must.Get(ohframe.Read(t.Context(), bytes.NewReader(s.file), ohframe.Options{}))(t)
		if a.Timeline.String() != b.Timeline.String() {
			t.Errorf("%s: the text has other frames", s.name)
		}
	}
	for content, want := range map[string]error{"": ohframe.ErrEmpty, "16666666\n": ohframe.ErrNotATrace, "hello": nil} {
		if _, err := ohframe.WriteText(t.Context(), strings.NewReader(content), &strings.Builder{}, ohframe.TextOptions{}); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", content, err, want)
		}
	}
	o := ohframe.TextOptions{}
	o.Window.From = edge("9999")
	for _, s := range append(spellings(t, demo), spelling{"text", demo, demo}) {
		if _, err := ohframe.WriteText(t.Context(), bytes.NewReader(s.file), &strings.Builder{}, o); !errors.Is(err, ohframe.ErrOutsideWindow) {
			t.Errorf("%s: %v, want %v", s.name, err, ohframe.ErrOutsideWindow)
		}
	}
}

// A page of a .sys file of Linux says that events were lost before it. Causes and counts
// are those of the text that says the same.
func TestLostEventsOfSys(t *testing.T) {
	for seed := range slow.Of[uint64](1, 3) {
		var text bytes.Buffer
		scene := simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 90, Cause: simulate.CauseLostSwitches, Seed: seed}
		must.Get(scene.Generate(&text))(t)
		events := must.Get(rawfile.Parse(text.Bytes()))(t)
		read := func(b []byte) (int, []string) {
			trace := must.Get(ohframe.Read(t.Context(), bytes.NewReader(b), ohframe.Options{Causes: true}))(t)
			var late []string
			for f := range trace.Timeline.Complete() {
				if e := trace.Causes.Of(f); e.Lost > 0 {
					late = append(late, fmt.Sprint(f.VsyncID, e.Outcome, e.Confidence, e.Unknown, causetext.Sentence(trace.Causes, e)))
				}
			}
			return trace.Quality.LostEvents, late
		}
		lost, want := read(text.Bytes())
		if lost == 0 || len(want) == 0 || !strings.Contains(want[0], "cause unknown") {
			t.Fatalf("%d events lost: %q", lost, want)
		}
		for _, o := range []rawfile.SysOptions{{}, {Bits32: true, Garbage: true}, {Sections: 4, Backward: true}} {
			file, _ := rawfile.Sys(events, o)
			if n, got := read(file); n != lost || !slices.Equal(got, want) {
				t.Errorf("%+v: %d events lost, want %d: %q, want %q", o, n, lost, got, want)
			}
		}
	}
}
