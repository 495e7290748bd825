package perfdata_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/slow"
)

const (
	index1 = "entry/src/main/ets/pages/Index.ets"
	util   = "entry/src/main/ets/common/Util.ets"
)

// messages returns a file of messages of the arkts-plugin, and where they are.
func messages(answers ...string) ([]byte, perfdata.Scripts) {
	file := []byte("OHOSPROF")
	type span struct{ at, size int64 }
	var list []span
	for _, a := range answers {
		m := perffile.Message(1, a)
		list = append(list, span{int64(len(file)), int64(len(m))})
		file = append(file, m...)
	}
	return file, perfdata.Scripts{PID: 10, Interval: 500 * trace.Microsecond, Messages: func(yield func(at, size int64) bool) {
		for _, m := range list {
			if !yield(m.at, m.size) {
				return
			}
		}
	}}
}

// readScripts reads all profiles.
func readScripts(file []byte, s perfdata.Scripts, o perfdata.Options) (*sample.Profile, []sample.Sample, []string, error) {
	r, err := perfdata.OpenScripts(bytes.NewReader(file), s, o)
	if err != nil {
		return nil, nil, nil, err
	}
	var list []sample.Sample
	for {
		var s sample.Sample
		if err := r.Next(&s); err == io.EOF {
			return r.Profile(), list, diag.Texts(r.Warnings()), nil
		} else if err != nil {
			return nil, nil, nil, err
		}
		list = append(list, s)
	}
}

// scriptLines returns a line for each sample: µs, thread, and its calls with the innermost first.
func scriptLines(p *sample.Profile, list []sample.Sample) []string {
	var lines []string
	for _, s := range list {
		text := fmt.Sprintf("%d %d/%d", s.Time/1000, s.PID, s.TID)
		for f := range p.Calls(s.Stack) {
			text += " " + p.Functions[f.Function].Name
			if f.Module != sample.Unknown {
				text += fmt.Sprintf("@%s:%d", p.Modules[f.Module].Path, f.Line)
			}
		}
		lines = append(lines, text)
	}
	return lines
}

func checkScripts(t *testing.T, answers, warnings []string, want ...string) *sample.Profile {
	t.Helper()
	file, s := messages(answers...)
	p, list, got, err := readScripts(file, s, perfdata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lines := scriptLines(p, list); !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	must.EqualSlices(t, got, warnings, "warnings")
	r := must.Get(perfdata.OpenScripts(bytes.NewReader(file), s, perfdata.Options{}))(t)
	for next := (sample.Sample{}); err == nil; err = r.Next(&next) {
	}
	must.Equal(t, damaged(r.Warnings()), len(warnings) > 0, "damaged")
	return p
}

// script is a profile in which build calls sort, and a native function is called by sort.
func script() *perffile.Script {
	return &perffile.Script{
		TID: 12, StartTime: 1_000_000,
		Nodes: append(perffile.ScriptRoot(4, 7),
			perffile.ScriptCall(4, "build", index1, 20, 5, 8),
			perffile.ScriptCall(5, "sort", util, 7, 6),
			perffile.ScriptCall(6, "push(BUILTIN)", "", 0),
			perffile.ScriptCall(7, "(garbage collector)", "", -1),
			perffile.ScriptCall(8, "sort(AINT-D)(DEOPT:NotInt)", util, 7)),
		Samples:    []int{4, 5, 6, 3, 2, 8, 7, 1},
		TimeDeltas: []int64{100, 500, 500, 500, 500, 500, 500, 500},
	}
}

// scriptSamples are the samples of script: each delta is the time since the sample before. What is
// idle is no sample, and without a function of a script there is no stack.
var scriptSamples = []string{
	"1000100 10/12 build@" + index1 + ":20",
	"1000600 10/12 sort@" + util + ":7 build@" + index1 + ":20",
	"1001100 10/12 push(BUILTIN) sort@" + util + ":7 build@" + index1 + ":20",
	"1002100 10/12",
	"1002600 10/12 sort@" + util + ":7 build@" + index1 + ":20",
	"1003100 10/12 (garbage collector)",
	"1003600 10/12",
}

func TestScripts(t *testing.T) {
	p := checkScripts(t, []string{`{"id":3,"result":{}}`, script().Answer()}, nil, scriptSamples...)
	if p.Clock.ID != sample.ClockMonotonic || !slices.Equal(p.Events, []sample.Event{{Name: "arkts", Period: 500_000, Waiting: true}}) {
		t.Errorf("%v %+v", p.Clock, p.Events)
	}
	if len(p.Functions) != 4 || len(p.Modules) != 2 || len(p.Stacks) != 4 { // of both nodes of sort together
		t.Errorf("%+v %+v %+v", p.Functions, p.Modules, p.Stacks)
	}
}

// Functions without a name are those of their lines.
func TestScriptNames(t *testing.T) {
	s := &perffile.Script{TID: 12, Nodes: perffile.ScriptRoot(4, 5, 6, 7, 8, 9)}
	want := []string{"anonymous:20", "anonymous:57", "anonymous:20", "anonymous", "anonymous(NAPI)", "a(b)"}
	for i, name := range []string{"anonymous", "", "anonymous(AOT)", "", "anonymous(NAPI)", "a(b)(CINT)"} {
		line := []int{20, 57, 20, -1, 0, 3}[i]
		s.Nodes = append(s.Nodes, perffile.ScriptCall(4+i, name, util, line))
		s.Samples, s.TimeDeltas = append(s.Samples, 4+i), append(s.TimeDeltas, 1)
		want[i] = fmt.Sprintf("%d 10/12 %s@%s:%d", i+1, want[i], util, max(line, 0))
	}
	if p := checkScripts(t, []string{s.Answer()}, nil, want...); len(p.Functions) != 5 {
		t.Errorf("%+v", p.Functions)
	}
}

// A profile may be in several messages, beside other answers and snapshots of the heap, and there
// may be several profiles.
func TestScriptMessages(t *testing.T) {
	whole := script().Answer()
	heap := `{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"{\"profile\":{}}"}}`
	for _, size := range []int{60, 64, 100, 700, len(whole) - 1} {
		list := []string{heap, `{"id":1,"result":{}}`}
		for part := range slices.Chunk([]byte(whole), size) {
			list = append(list, string(part))
		}
		checkScripts(t, append(list, heap), nil, scriptSamples...)
	}
	other := script()
	other.TID, other.StartTime, other.Samples, other.TimeDeltas = 0, 5_000_000, []int{4}, []int64{1}
	checkScripts(t, []string{whole, other.Answer()}, nil, append(slices.Clone(scriptSamples), "5000001 10/10 build@"+index1+":20")...)
	quoted := script()
	quoted.Nodes[3].Call.Function, quoted.Samples, quoted.TimeDeltas = `}]}"\`, []int{4}, []int64{1}
	checkScripts(t, []string{quoted.Answer(), heap}, nil, `1000001 10/12 }]}"\@`+index1+":20")
	// smartperf writes parts of traces with a bad end.
	checkScripts(t, []string{strings.TrimSuffix(whole, "}}") + `}"`}, nil, scriptSamples...)
}

// Damage is counted, and what is sound is read.
func TestScriptDamage(t *testing.T) {
	const build = " 10/12 build@" + index1 + ":20"
	edit := func(f func(s *perffile.Script)) string {
		s := script()
		s.Samples, s.TimeDeltas = []int{4, 4}, []int64{100, 500}
		f(s)
		return s.Answer()
	}
	whole := script().Answer()
	for name, test := range map[string]struct {
		answers  []string
		warnings string
		want     []string
	}{
		"cut":                     {[]string{whole[:len(whole)-30]}, "1 × profile of ArkTS that ends early; skipped", nil},
		"cut, then a whole one":   {[]string{whole[:300], whole}, "1 × profile of ArkTS that ends early; skipped", scriptSamples},
		"no JSON":                 {[]string{strings.Replace(whole, `"tid"`, `tid`, 1), whole}, "1 × profile of ArkTS that is not understood; skipped", scriptSamples},
		"no samples":              {[]string{strings.Replace(whole, `"samples"`, `"sample"`, 1)}, "1 × profile of ArkTS that is not understood; skipped", nil},
		"a start that is no time": {[]string{strings.Replace(whole, `:1000000`, `:"x"`, 1)}, "1 × profile of ArkTS that is not understood; skipped", nil},
		"an unknown id":           {[]string{edit(func(s *perffile.Script) { s.Samples[0] = 99 })}, "1 × sample of ArkTS in a call that its profile does not have; without its stack", []string{"1000100 10/12", "1000600" + build}},
		"no number":               {[]string{strings.Replace(edit(func(s *perffile.Script) {}), `[4,4]`, `[{},4]`, 1)}, "1 × sample of ArkTS in a call that its profile does not have; without its stack", []string{"1000100 10/12", "1000600" + build}},
		"few times":               {[]string{edit(func(s *perffile.Script) { s.Samples = append(s.Samples, 5, 5) })}, "2 × sample of ArkTS without a time, or time without a sample; skipped", []string{"1000100" + build, "1000600" + build}},
		"few samples":             {[]string{edit(func(s *perffile.Script) { s.Samples = s.Samples[:0] })}, "2 × sample of ArkTS without a time, or time without a sample; skipped", nil},
		"a huge delta":            {[]string{edit(func(s *perffile.Script) { s.TimeDeltas[1] = 1 << 62 })}, "1 × sample with an impossible time; skipped", []string{"1000100" + build}},
		"a negative time":         {[]string{edit(func(s *perffile.Script) { s.TimeDeltas[0] = -2_000_000 })}, "2 × sample with an impossible time; skipped", nil},
		"a negative delta":        {[]string{edit(func(s *perffile.Script) { s.TimeDeltas[1] = -50 })}, "", []string{"1000100" + build, "1000050" + build}},
		"a start of 2⁶³":          {[]string{edit(func(s *perffile.Script) { s.StartTime = 1<<63 - 1 })}, "2 × sample with an impossible time; skipped", nil},
		"a node twice":            {[]string{edit(func(s *perffile.Script) { s.Nodes = append(s.Nodes, perffile.ScriptCall(4, "other", "", 1)) })}, "1 × call of ArkTS that is not understood, or has several callers; skipped", []string{"1000100" + build, "1000600" + build}},
		"two callers":             {[]string{edit(func(s *perffile.Script) { s.Nodes[5-1].Children = []int{4} })}, "1 × call of ArkTS that is not understood, or has several callers; skipped", []string{"1000100" + build, "1000600" + build}},
		"an id that is no number": {[]string{strings.Replace(edit(func(s *perffile.Script) {}), `"id":8`, `"id":"8"`, 1)}, "1 × call of ArkTS that is not understood, or has several callers; skipped", []string{"1000100" + build, "1000600" + build}},
		"a cycle": {[]string{edit(func(s *perffile.Script) {
			s.Nodes = append(perffile.ScriptRoot(), perffile.ScriptCall(4, "a", "", 0, 5), perffile.ScriptCall(5, "b", "", 0, 4))
		})}, "1 × call of ArkTS that is not understood, or has several callers; skipped", []string{"1000100 10/12 a b", "1000600 10/12 a b"}},
		"a call of itself": {[]string{edit(func(s *perffile.Script) {
			s.Nodes = append(perffile.ScriptRoot(), perffile.ScriptCall(4, "a", "", 0, 4))
		})}, "1 × call of ArkTS that is not understood, or has several callers; skipped", []string{"1000100 10/12 a", "1000600 10/12 a"}},
	} {
		t.Run(name, func(t *testing.T) {
			warnings := []string{test.warnings}
			if test.warnings == "" {
				warnings = nil
			}
			checkScripts(t, test.answers, warnings, test.want...)
		})
	}
	t.Run("no message", func(t *testing.T) {
		file, s := messages(whole)
		file[8] = 0x08 // a number
		if _, list, warnings, err := readScripts(file, s, perfdata.Options{}); err != nil || len(list) > 0 || !slices.Equal(warnings, []string{"1 × message that is not understood; skipped"}) {
			t.Errorf("%d samples, %q, %v", len(list), warnings, err)
		}
	})
	t.Run("cut within a message", func(t *testing.T) {
		file, s := messages(whole)
		all := s.Messages
		s.Messages = func(yield func(at, size int64) bool) {
			all(func(at, size int64) bool { return yield(at, size-50) })
		}
		if _, list, warnings, err := readScripts(file, s, perfdata.Options{}); err != nil || len(list) > 0 || !slices.Equal(warnings, []string{"1 × profile of ArkTS that ends early; skipped"}) {
			t.Errorf("%d samples, %q, %v", len(list), warnings, err)
		}
	})
}

// A chain of calls longer than the limit keeps the innermost ones, in time that is linear.
func TestScriptDepth(t *testing.T) {
	hostiletest.CheckLinear(t, slow.Of(10_000, 100_000), func(n int) func() {
		s := &perffile.Script{StartTime: 1, Nodes: perffile.ScriptRoot(4)}
		for i := range n {
			s.Nodes = append(s.Nodes, perffile.ScriptCall(4+i, fmt.Sprint("f", i), "a.ets", i, 5+i))
		}
		s.Samples, s.TimeDeltas = []int{3 + n}, []int64{1}
		file, messages := messages(s.Answer())
		return func() {
			p, list, warnings, err := readScripts(file, messages, perfdata.Options{})
			if err != nil || len(list) != 1 {
				t.Fatal(len(list), err)
			}
			depth := 0
			for f := range p.Calls(list[0].Stack) {
				depth++
				if want := fmt.Sprint("f", n-depth); p.Functions[f.Function].Name != want {
					t.Fatalf("call %d: %s, want %s", depth, p.Functions[f.Function].Name, want)
				}
			}
			if want := (n-1)%1024 + 1; depth != want || len(warnings) != 1 || !strings.HasSuffix(warnings[0], "× stack of more than 1024 calls; the innermost are used") {
				t.Errorf("%d calls, want %d; %q", depth, want, warnings)
			}
		}
	})
}

// Threads beyond the limit have no samples.
func TestScriptThreads(t *testing.T) {
	other := script()
	other.TID = 13
	file, m := messages(script().Answer(), other.Answer())
	_, list, warnings, err := readScripts(file, m, perfdata.Options{Limits: trace.Limits{Threads: 1}})
	if err != nil || len(list) != len(scriptSamples) || !slices.Equal(warnings, []string{"1 × thread or process beyond the limit (limit: threads); skipped"}) {
		t.Errorf("%d samples, %q, %v", len(list), warnings, err)
	}
}

// The limits of a profile are exceeded by a few, and reported.
func TestScriptLimits(t *testing.T) {
	slow.Skip(t)
	s := script()
	s.Samples, s.TimeDeltas = []int{4, 1 << 21}, []int64{1, 1}
	text := s.Answer()
	var nodes strings.Builder
	for i := range 1<<20 - len(s.Nodes) + 3 {
		fmt.Fprintf(&nodes, `,{"id":%d}`, 1<<20+i)
	}
	fmt.Fprintf(&nodes, `,{"id":%d}],"samples"`, 1<<21)
	text = strings.Replace(text, `],"samples"`, nodes.String(), 1)
	file, m := messages(text)
	_, list, warnings, err := readScripts(file, m, perfdata.Options{})
	want := []string{"1 × sample of ArkTS in a call that its profile does not have; without its stack", "4 × call of ArkTS beyond 1 Mi of a profile; skipped"}
	if err != nil || len(list) != 2 || !slices.Equal(warnings, want) {
		t.Errorf("%d samples, %q, %v", len(list), warnings, err)
	}
	part := strings.Repeat(" ", 32<<20)
	file, m = messages(text[:300], part, part, text[300:])
	if _, list, warnings, err := readScripts(file, m, perfdata.Options{}); err != nil || len(list) > 0 || !slices.Equal(warnings, []string{"1 × section or message larger than 64 MiB; skipped"}) {
		t.Errorf("%d samples, %q, %v", len(list), warnings, err)
	}
}

// hiperf's names of functions of scripts have the place at which a thread was in them. The samples
// are of one function of the source file, whatever the place.
func TestScriptSymbols(t *testing.T) {
	names := []string{
		"build:[url:entry|entry|1.0.0|src/main/ets/pages/Index.ts:20:5]", "build:[url:entry|entry|1.0.0|src/main/ets/pages/Index.ts:31:9]",
		":[url:entry|@a/b|1.0.0|src/main/ets/A.ts:7:1]", "render:[https://a.example:8080/app.js:3:4]",
		"operator:[]", "list:[1:2]", "x:[url:a.ts:1:b]", "plain",
	}
	want := []string{
		"build@Index.ts:20", "build@Index.ts:31", "anonymous:7@A.ts:7", "render@app.js:3", "operator:[]@entry.hap:0", "list:[1:2]@entry.hap:0", "x:[url:a.ts:1:b]@entry.hap:0", "plain@entry.hap:0",
	}
	const start = 0x900000
	symbols := perffile.Symbols{Path: "/data/entry.hap", Type: 6}
	records := [][]byte{perffile.Comm(10, 10, "com.app", false), perffile.Mmap2(10, start, 0x1000, 0, "/data/entry.hap")}
	messages := [][]byte{perffile.Message(4, perffile.Message(1, 10, 2, 10, 3, "com.app"))}
	file := perffile.Message(1, 0, 2, "/data/entry.hap")
	for i, name := range names {
		symbols.Symbols = append(symbols.Symbols, perffile.Sym(start+uint64(i), 0, name))
		records = append(records, perffile.Sample(false, 7, start+uint64(i), 10, 10, uint64(i+1), 0, 1, nil))
		messages = append(messages, perffile.Message(1, perffile.Message(1, i+1, 2, 10, 3, perffile.Message(1, start+i, 2, 0, 3, i), 4, 1)))
		file = append(file, perffile.Message(3, name)...)
	}
	data := &perffile.File{Events: []perffile.Event{cycles}, Records: records, Features: map[int][]byte{192: perffile.SymbolTable(symbols)}}
	for form, b := range map[string][]byte{"perf.data": data.Bytes(), "report": perffile.Report(append(messages, perffile.Message(3, file))...)} {
		p, list, _ := whole(t, b)
		var got []string
		for _, s := range list {
			f := &p.Frames[p.Stacks[s.Stack].Frame]
			function := p.Functions[f.Function]
			if function.Module != f.Module || f.Address == 0 {
				t.Errorf("%s: %+v of %+v", form, f, function)
			}
			got = append(got, fmt.Sprintf("%s@%s:%d", function.Name, p.Modules[f.Module].Name(), f.Line))
		}
		must.EqualSlices(t, got, want, "%s", form)
		if a, b := p.Frames[p.Stacks[list[0].Stack].Frame], p.Frames[p.Stacks[list[1].Stack].Frame]; a.Function != b.Function {
			t.Errorf("%s: two functions: %+v, %+v", form, a, b)
		}
	}
}

// FuzzScripts reads answers, which a zero byte ends.
func FuzzScripts(f *testing.F) {
	whole := script().Answer()
	f.Add([]byte(whole))
	f.Add([]byte(whole[:400] + "\x00" + whole[400:] + "\x00" + `{"id":1,"result":{}}`))
	s := script()
	s.Samples[3], s.TimeDeltas[4], s.Nodes[3].Children = 77, -1<<40, []int{4, 1, 9}
	f.Add([]byte(s.Answer() + "\x00" + whole[:700]))
	f.Fuzz(func(t *testing.T, answers []byte) {
		file, m := messages(strings.Split(string(answers), "\x00")...)
		o := perfdata.Options{Limits: fuzzLimits}
		p, list, warnings, err := readScripts(file, m, o)
		if err != nil {
			t.Fatal(err)
		}
		checkProfile(t, p)
		for _, s := range list {
			if !index(s.Stack, len(p.Stacks)) || s.Time < 0 || s.Time > trace.MaxTime || s.Event != 0 {
				t.Fatalf("%+v", s)
			}
			calls := 0
			for range p.Calls(s.Stack) {
				calls++
			}
			if calls > 1024 {
				t.Errorf("%d calls", calls)
			}
		}
		p2, list2, warnings2, _ := readScripts(file, m, o)
		if !reflect.DeepEqual(p, p2) || !slices.Equal(list, list2) || !slices.Equal(warnings, warnings2) {
			t.Error("not the same the second time")
		}
	})
}
