package perfdata_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/perffile"
)

// fuzzLimits are small, so that inputs reach them.
var fuzzLimits = trace.Limits{Threads: 20}

// readAll reads a file until its end or an error.
func readAll(file []byte) (p *sample.Profile, list []sample.Sample, warnings []trace.Warning, err error) {
	r, err := perfdata.Open(bytes.NewReader(file), int64(len(file)), perfdata.Options{Limits: fuzzLimits})
	if err != nil {
		return nil, nil, nil, err
	}
	for {
		var s sample.Sample
		if err = r.Next(&s); err != nil {
			if again := r.Next(&s); err == io.EOF && again != io.EOF {
				err = again
			}
			return r.Profile(), list, r.Warnings(), err
		}
		list = append(list, s)
	}
}

// checkFile checks what must be true for any file: reading ends, with one of our errors or with
// samples whose indexes are valid, in the same way each time.
func checkFile(t *testing.T, file []byte) {
	t.Helper()
	p, list, warnings, err := readAll(file)
	if err != io.EOF {
		if e := (*perfdata.Error)(nil); !errors.As(err, &e) || p != nil {
			t.Fatalf("error %T %v", err, err)
		}
		return
	}
	checkProfile(t, p)
	for _, s := range list {
		if !index(s.Stack, len(p.Stacks)) || !index(s.Event, len(p.Events)) || s.CPU < sample.Unknown || s.Time < 0 || s.Time > trace.MaxTime {
			t.Fatalf("%+v of %d stacks, %d events", s, len(p.Stacks), len(p.Events))
		}
		calls := 0
		for range p.Calls(s.Stack) {
			calls++
		}
		if calls > 1024 {
			t.Errorf("%d calls", calls)
		}
		if !slices.ContainsFunc(p.Threads, func(t sample.Thread) bool { return t.TID == s.TID }) {
			t.Errorf("no thread of %+v", s)
		}
	}
	again, samples, others, _ := readAll(file)
	if !reflect.DeepEqual(again, p) || !slices.Equal(samples, list) || !reflect.DeepEqual(others, warnings) {
		t.Error("not the same the second time")
	}
}

func index(i int32, n int) bool { return i >= sample.Unknown && int(i) < n }

func checkProfile(t *testing.T, p *sample.Profile) {
	t.Helper()
	texts := []string{p.Command, p.Recorded}
	for i, s := range p.Stacks {
		if s.Parent < sample.Unknown || int(s.Parent) >= i || s.Frame < 0 || int(s.Frame) >= len(p.Frames) {
			t.Fatalf("stack %d: %+v of %d frames", i, s, len(p.Frames))
		}
	}
	for _, f := range p.Frames {
		if !index(f.Module, len(p.Modules)) || !index(f.Function, len(p.Functions)) {
			t.Fatalf("%+v of %d modules, %d functions", f, len(p.Modules), len(p.Functions))
		}
	}
	for _, f := range p.Functions {
		if !index(f.Module, len(p.Modules)) {
			t.Fatalf("%+v of %d modules", f, len(p.Modules))
		}
		texts = append(texts, f.Name)
	}
	for _, m := range p.Modules {
		texts = append(texts, m.Path, m.BuildID)
	}
	for _, e := range p.Events {
		texts = append(texts, e.Name)
	}
	for _, thread := range p.Threads {
		texts = append(texts, thread.Name)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || len(text) > 3*1023 { // a bad byte becomes three
			t.Errorf("%q", text)
		}
	}
	if len(p.Threads) > fuzzLimits.Threads {
		t.Errorf("%d threads", len(p.Threads))
	}
}

func FuzzFile(f *testing.F) {
	for _, name := range []string{"report_test.data", "fp.compress.data", "dwarf.compress.data", "perfCompressed.data"} {
		if file, ok := tryReal(name); ok {
			f.Add(file)
		}
	}
	small := app(
		perffile.Sample(true, 7, 1, 10, 10, 1, 0, 1, nil, perffile.StackID(2, 2, 23)),
		perffile.Sample(false, 8, 0x500110, 10, 10, 1000, 3, 99, []uint64{perffile.User, 0x500110, 0x500004}),
		perffile.Fork(20, 10), perffile.Lost(2), perffile.Record(71, 0, words(8, 0)), words(1),
	)
	small.Features[197] = perffile.StackTable(10, 23, perffile.Call{Index: 1, Address: 0x500004}, perffile.Call{Index: 2, Caller: 1, Address: 0x500110})
	f.Add(small.Bytes())
	small.Events[0].Flags |= perffile.SampleIDs | perffile.UseClockID
	small.Events[0].Fields |= perffile.Servers
	f.Add(small.Bytes())
	small.Features[192] = perffile.SymbolTable(perffile.Symbols{Path: "/lib/libapp.so", Type: 8, Symbols: []perffile.Symbol{perffile.Sym(0x500110, 0, "a:[url:b.ts:1:2]")}})
	f.Add(small.Bytes())
	symbols := perffile.Symbols{Path: "/lib/libapp.so", Type: 2, Vaddr: 0x2000, Offset: 0x1000, Symbols: []perffile.Symbol{perffile.Sym(0x2000, 0x200, "main")}}
	small.Features = map[int][]byte{128: perffile.SimpleperfOldFiles(symbols), 132: perffile.SimpleperfFiles(symbols)}
	f.Add(small.Bytes())
	f.Add(perffile.Report(
		perffile.Message(5, perffile.Message(1, "hw-cpu-cycles", 2, "hiperf record")),
		perffile.Message(1, perffile.Message(1, 1000, 2, 11, 3, perffile.Message(1, 16, 2, 0, 3, 0), 4, 77, 5, 0)),
		perffile.Message(4, perffile.Message(1, 11, 2, 10, 3, "worker")),
		perffile.Message(3, perffile.Message(1, 0, 2, "/lib/libapp.so", 3, "_ZN3app6layoutEi")),
	))
	f.Fuzz(func(t *testing.T, file []byte) { checkFile(t, file) })
}
