package ohframe_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe"
	"ohframe/analyzer/sample"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
)

// recorded returns a trace with a recording of hiperf.
func recorded(t *testing.T, r simulate.Recording) (text, perf []byte) {
	t.Helper()
	var a, b bytes.Buffer
	scene := simulate.Scene{Kernel: simulate.KernelLinux, Cause: "more_work", Seed: 3}
	must.Get(scene.GenerateWithSamples(&a, &b, r))(t)
	return a.Bytes(), b.Bytes()
}

func compressed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write(data))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

// Samples beside a trace and within it, plain and compressed, are the same.
func TestSamples(t *testing.T) {
	text, perf := recorded(t, simulate.Recording{Clock: simulate.ClockMonotonic})
	text = unique(t, text)
	events := must.Get(rawfile.Parse(text))(t)
	htrace, _ := rawfile.Htrace(events, rawfile.HtraceOptions{Recording: perf})
	read := func(in, perf []byte, o ohframe.Options) (*ohframe.Trace, error) {
		o.Causes = true
		if perf != nil {
			o.Samples.Input = bytes.NewReader(perf)
		}
		return ohframe.Read(t.Context(), bytes.NewReader(in), o)
	}
	want := must.Get(read(text, perf, ohframe.Options{}))(t)
	if len(want.Samples.Samples) < 100 || want.Samples.Alignment.HitRate() < 0.9 {
		t.Fatalf("%d samples, %+v", len(want.Samples.Samples), want.Samples.Alignment)
	}
	for name, in := range map[string]struct{ trace, perf []byte }{
		"compressed":                  {text, compressed(t, perf)},
		"within the trace":            {htrace, nil},
		"within a compressed trace":   {compressed(t, htrace), nil},
		"beside a trace with another": {htrace, perf},
	} {
		got, err := read(in.trace, in.perf, ohframe.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got.Samples.Samples) != len(want.Samples.Samples) || got.Samples.Samples[50].Time != want.Samples.Samples[50].Time {
			t.Errorf("%s: %d samples, %+v", name, len(got.Samples.Samples), got.Samples.Alignment)
		}
	}
	if got, err := read(htrace, nil, ohframe.Options{Samples: ohframe.Samples{None: true}}); err != nil || got.Samples != nil {
		t.Errorf("none: %v, %v", got.Samples, err)
	}
	offset := want.Samples.Alignment.Offset
	got, err := read(text, perf, ohframe.Options{Samples: ohframe.Samples{Offset: &offset}})
	if err != nil || got.Samples.Alignment.Source != sample.Given || got.Samples.Samples[50].Time != want.Samples.Samples[50].Time {
		t.Errorf("given: %+v, %v", got.Samples, err)
	}
}

// Samples that cannot be used are an error if they were given, and a warning if they are optional
// or the trace has them. The error does not name the containers of the trace.
func TestUnusableSamples(t *testing.T) {
	text, perf := recorded(t, simulate.Recording{Clock: simulate.ClockMonotonic})
	plain := text
	text = compressed(t, text)
	for name, samples := range map[string][]byte{
		"a trace":      plain,
		"an empty one": nil,
		"a cut one":    perf[:60],
	} {
		for _, convert := range []bool{false, true} {
			o := ohframe.Options{Causes: true, Samples: ohframe.Samples{Input: bytes.NewReader(samples)}}
			var err error
			if convert {
				_, err = ohframe.Convert(t.Context(), bytes.NewReader(text), io.Discard, ohframe.ConvertOptions{Options: o})
			} else {
				_, err = ohframe.Read(t.Context(), bytes.NewReader(text), o)
			}
			if !errors.Is(err, ohframe.ErrSamples) || strings.Contains(err.Error(), "gzip") {
				t.Errorf("%s, convert %t: %v", name, convert, err)
			}
			if convert {
				continue
			}
			o.Samples.Input, o.Samples.Optional = bytes.NewReader(samples), true
			if got, err := ohframe.Read(t.Context(), bytes.NewReader(text), o); err != nil || got.Samples != nil || len(got.Warnings) == 0 {
				t.Errorf("%s, optional: %+v, %v", name, got, err)
			}
		}
	}
	events := must.Get(rawfile.Parse(unique(t, plain)))(t)
	htrace, _ := rawfile.Htrace(events, rawfile.HtraceOptions{Recording: perf[:60]})
	got := must.Get(ohframe.Read(t.Context(), bytes.NewReader(htrace), ohframe.Options{Causes: true}))(t)
	if got.Samples != nil || !strings.Contains(fmt.Sprint(got.Warnings), "the samples are not used: ") {
		t.Errorf("%v, %q", got.Samples, got.Warnings)
	}
}

// samplesIn returns the packets of samples in a converted trace.
func samplesIn(t *testing.T, data []byte) (list []string) {
	t.Helper()
	var pb perfettopb.Trace
	must.Do(t, proto.Unmarshal(data, &pb))
	for _, p := range pb.GetPacket() {
		if s := p.GetPerfSample(); s != nil {
			list = append(list, fmt.Sprint(p.GetTimestamp(), s.GetCpu(), s.GetPid(), s.GetTid(), s.GetCpuMode(), s.GetTimebaseCount(), s.GetCallstackIid()))
		}
	}
	return list
}

// A conversion has the same samples whether they are beside the trace or within it, and is read
// like the trace.
func TestConvertSamples(t *testing.T) {
	text, perf := recorded(t, simulate.Recording{Clock: simulate.ClockMonotonic})
	text = unique(t, text)
	events := must.Get(rawfile.Parse(text))(t)
	htrace, _ := rawfile.Htrace(events, rawfile.HtraceOptions{Recording: perf})
	convert := func(in, perf []byte) []byte {
		o := ohframe.ConvertOptions{Options: ohframe.Options{Causes: true}}
		if perf != nil {
			o.Samples.Input = bytes.NewReader(perf)
		}
		var out bytes.Buffer
		must.Get(ohframe.Convert(t.Context(), bytes.NewReader(in), &out, o))(t)
		return out.Bytes()
	}
	beside, within := convert(text, perf), convert(htrace, nil)
	want := samplesIn(t, beside)
	if got := samplesIn(t, within); len(want) < 100 || !slices.Equal(got, want) {
		t.Errorf("%d samples within the trace, %d beside it", len(got), len(want))
	}
	again := must.Get(ohframe.Read(t.Context(), bytes.NewReader(beside), ohframe.Options{Causes: true}))(t)
	original := must.Get(ohframe.Read(t.Context(), bytes.NewReader(text), ohframe.Options{Causes: true, Samples: ohframe.Samples{Input: bytes.NewReader(perf)}}))(t)
	if again.Timeline.String() != original.Timeline.String() || fmt.Sprint(again.Warnings) != fmt.Sprint(original.Warnings) {
		t.Errorf("converted and read again: other frames, or warnings %q, want %q", again.Warnings, original.Warnings)
	}
}
