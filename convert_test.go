package ohframe_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/tune"
)

func convertBytes(ctx context.Context, r io.Reader, o ohframe.Options) ([]byte, []trace.Warning, error) {
	var out bytes.Buffer
	s, err := ohframe.Convert(ctx, r, &out, ohframe.ConvertOptions{Options: o, Output: exporter.Options{Input: "trace", Version: "test"}})
	if err != nil {
		return nil, nil, err
	}
	return out.Bytes(), s.Warnings, nil
}

// The last time that text may have is one that the converted trace may have. Later ones
// are refused, with the reason.
func TestLastTime(t *testing.T) {
	text := must.Get(os.ReadFile("cmd/ohframe/testdata/frames.ftrace"))(t)
	at := func(seconds string) []byte {
		return bytes.ReplaceAll(text, []byte(" 100."), []byte(" "+seconds+"."))
	}
	last := at("2305843009")
	want := must.Get(ohframe.Read(t.Context(), bytes.NewReader(last), ohframe.Options{}))(t)
	converted, _ := must.Get2(convertBytes(t.Context(), bytes.NewReader(last), ohframe.Options{}))(t)
	got, err := ohframe.Read(t.Context(), bytes.NewReader(converted), ohframe.Options{})
	if err != nil || got.Timeline.Counts().Frames != 9 || want.Timeline.Counts().Frames != 9 {
		t.Errorf("%v: %+v, want %+v and 9 frames", err, got.Timeline.Counts(), want.Timeline.Counts())
	}
	_, err = ohframe.Read(t.Context(), bytes.NewReader(at("2305843010")), ohframe.Options{})
	if !errors.Is(err, ohframe.ErrNotATrace) || !strings.Contains(err.Error(), "time after 2305843009.213693951 s") {
		t.Error(err)
	}
}

// packed puts a text into every kind of container.
func packed(t *testing.T, text []byte) map[string][]byte {
	all := map[string][]byte{
		"plain": text,
		"mark":  append([]byte("\xef\xbb\xbf"), text...),
		"HTML":  []byte("<!DOCTYPE html>\n<script class=\"trace-data\" type=\"application/text\">\n" + string(text) + "</script>"),
	}
	write := func(name string, compress func(io.Writer) io.WriteCloser) {
		var out bytes.Buffer
		w := compress(&out)
		w.Write(text)
		must.Do(t, w.Close())
		all[name] = out.Bytes()
	}
	write("gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	write("zlib", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	write("hitrace -z", func(w io.Writer) io.WriteCloser {
		io.WriteString(w, "TRACE:\n")
		return zlib.NewWriter(w)
	})
	write("zstd", func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		return z
	})
	write("zip", func(w io.Writer) io.WriteCloser {
		z := zip.NewWriter(w)
		f := must.Get(z.Create("trace.ftrace"))(t)
		return struct {
			io.Writer
			io.Closer
		}{f, z}
	})
	return all
}

// The output does not depend on the container of the trace, on how it is read, or on the
// number of workers.
func TestSameBytes(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	want, _ := must.Get2(convertBytes(tune.Tuning{Workers: 1}.In(t.Context()), bytes.NewReader(text), ohframe.Options{}))(t)
	counts := slow.Of([]int{3}, []int{1, 2, 3, 8})
	for name, input := range packed(t, text) {
		for _, workers := range counts {
			for reading, r := range map[string]io.Reader{"at once": bytes.NewReader(input), "in halves": iotest.HalfReader(bytes.NewReader(input))} {
				got, warnings, err := convertBytes(tune.Tuning{Workers: workers}.In(t.Context()), r, ohframe.Options{})
				if err != nil || len(warnings) > 0 || !bytes.Equal(got, want) {
					t.Errorf("%s, %s, %d workers: %d bytes, not the %d of the text; %q, %v", name, reading, workers, len(got), len(want), warnings, err)
				}
			}
		}
	}
}

// The output of a cut trace is the same for any number of workers, and a warning is given.
func TestCut(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	for name, whole := range packed(t, text) {
		if name == "plain" || name == "mark" || name == "zip" {
			continue
		}
		part := whole[:len(whole)*3/4]
		want, warnings, err := convertBytes(tune.Tuning{Workers: 1}.In(t.Context()), bytes.NewReader(part), ohframe.Options{})
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Text, " is truncated after ") {
			t.Errorf("%s: %q, %v", name, warnings, err)
		}
		got, _, err := convertBytes(tune.Tuning{Workers: 4}.In(t.Context()), iotest.OneByteReader(bytes.NewReader(part)), ohframe.Options{})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: byte by byte %d bytes, else %d, %v", name, len(got), len(want), err)
		}
	}
}

// A Perfetto trace is recognised in a container, and so is the output for a text.
func TestPerfetto(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	trace, _ := must.Get2(convertBytes(t.Context(), bytes.NewReader(text), ohframe.Options{}))(t)
	plain := must.Get(ohframe.Read(t.Context(), bytes.NewReader(trace), ohframe.Options{}))(t)
	for name, content := range packed(t, trace) {
		if strings.HasPrefix(name, "HTML") {
			continue // contains text
		}
		_, _, err := convertBytes(t.Context(), bytes.NewReader(content), ohframe.Options{})
		if !errors.Is(err, ohframe.ErrIsPerfetto) {
			t.Errorf("%s: error %v", name, err)
		}
		var copied bytes.Buffer
		s, err := ohframe.Convert(t.Context(), bytes.NewReader(content), &copied, ohframe.ConvertOptions{PassThrough: true})
		if err != nil || !s.PassedThrough || !bytes.Equal(copied.Bytes(), trace) || s.Timeline.String() != plain.Timeline.String() {
			t.Errorf("%s: passed through as %d bytes, want %d; error %v", name, copied.Len(), len(trace), err)
		}
		in, err := ohframe.Read(t.Context(), bytes.NewReader(content), ohframe.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if in.Timeline.String() != plain.Timeline.String() {
			t.Errorf("%s: other frames", name)
		} else if !strings.HasPrefix(in.Format, "Perfetto trace") {
			t.Errorf("%s: read as a %s", name, in.Format)
		}
	}
}

// What is passed through has the warnings that Read has, also without frames.
func TestPassedThroughWarnings(t *testing.T) {
	demo := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	trace, _ := must.Get2(convertBytes(t.Context(), bytes.NewReader(demo), ohframe.Options{}))(t)
	cut := append(trace, 0x0a, 0x7f)
	in := must.Get(ohframe.Read(t.Context(), bytes.NewReader(cut), ohframe.Options{Causes: true}))(t)
	passed := must.Get(ohframe.Convert(t.Context(), bytes.NewReader(cut), io.Discard, ohframe.ConvertOptions{PassThrough: true}))(t)
	if len(in.Warnings) == 0 || !reflect.DeepEqual(passed.Warnings, in.Warnings) {
		t.Errorf("warnings %q, those of Read are %q", passed.Warnings, in.Warnings)
	}
	s := must.Get(ohframe.Convert(t.Context(), strings.NewReader("\x0a\x04\x08\x01\x50\x01\x0a\x7f\x08\x01"), io.Discard, ohframe.ConvertOptions{PassThrough: true}))(t)
	if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0].Text, "truncated: ") {
		t.Errorf("a cut trace without frames: warnings %q", s.Warnings)
	}
}

// A tar archive is passed through whole. Of one that was cut anywhere, before the two blocks of zeros at its end, Perfetto
// shows nothing.
func TestCutArchive(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, size := range []int{700, 0, 2048} {
		must.Do(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: fmt.Sprint(size), Size: int64(size), Format: tar.FormatUSTAR}))
		must.Get(w.Write(bytes.Repeat([]byte("x"), size)))(t)
	}
	must.Do(t, w.Close())
	for n := 512; n <= archive.Len(); n += 128 {
		var copied bytes.Buffer
		_, err := ohframe.Convert(t.Context(), iotest.HalfReader(bytes.NewReader(archive.Bytes()[:n])), &copied, ohframe.ConvertOptions{PassThrough: true})
		if what := (*ohframe.Error)(nil); errors.As(err, &what) != (n < archive.Len()) || what != nil && what.What != "truncated tar archive" {
			t.Errorf("%d bytes of %d: %v", n, archive.Len(), err)
		}
		if err == nil && !bytes.Equal(copied.Bytes(), archive.Bytes()) {
			t.Errorf("%d bytes of %d were copied", copied.Len(), archive.Len())
		}
	}
}

// A trace with more changes of state than the limit allows has frames without causes. Both
// ways to read it say so.
func TestCausesAreLimited(t *testing.T) {
	demo := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	o := ohframe.Options{Causes: true, Limits: trace.Limits{States: 1000}}
	in := must.Get(ohframe.Read(t.Context(), bytes.NewReader(demo), o))(t)
	s := must.Get(ohframe.Convert(t.Context(), bytes.NewReader(demo), io.Discard, ohframe.ConvertOptions{Options: o}))(t)
	for _, warnings := range [][]trace.Warning{in.Warnings, s.Warnings} {
		if !slices.ContainsFunc(warnings, func(w trace.Warning) bool {
			return w.Code == trace.WarnOverLimit && strings.Contains(w.Text, "(limit: states)")
		}) {
			t.Errorf("warnings %q", warnings)
		}
	}
}

// Every line is in one of the counts, and what is not in the output has a reason with a code.
func TestDetails(t *testing.T) {
	demo := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	text := string(demo) + "no line\n"
	last := strings.Count(text, "\n")
	s := must.Get(ohframe.Convert(t.Context(), strings.NewReader(text), io.Discard, ohframe.ConvertOptions{Events: ohframe.NoEvents}))(t)
	l := s.Lines
	if sum := l.Events + l.Outside + l.Headers + l.Logged + l.NotUnderstood; l.Total != last || sum != last || l.NotUnderstood != 1 {
		t.Errorf("%d lines, got %+v", last, *l)
	}
	for _, want := range []trace.Warning{
		{Code: trace.WarnNotUnderstood, Count: 1, Lines: []int{last}, Text: fmt.Sprintf("1 × not a trace line (line %d)", last)},
		{Code: trace.WarnLeftOut, Count: l.Events, Text: fmt.Sprintf("%d × event left out", l.Events)},
	} {
		if !slices.ContainsFunc(s.Details, func(got trace.Warning) bool { return reflect.DeepEqual(got, want) }) {
			t.Errorf("no %+v in %+v", want, s.Details)
		}
	}
	must.Equal(t, s.Exported, 0, "events exported")
}
