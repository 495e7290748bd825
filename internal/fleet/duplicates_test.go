package fleet

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/inputs"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// numbered returns a trace that differs from all others.
func numbered(i int) string { return fmt.Sprintf("%s# %d\n", demo, i) }

// look returns the inputs of a folder that one shard needs, or of all if it is negative, with
// duplicates marked.
func look(t *testing.T, dir string, shard, shards int) []Input {
	t.Helper()
	set := must.Get(inputs.Expand([]string{dir}, inputs.Options{Recursive: true, Only: InShard(shard, shards)}))(t)
	list := Found(set)
	must.Do(t, MarkDuplicates(t.Context(), Files{}, list, 0))
	return list
}

// failuresOf returns the failures of a dataset, by the name of the trace without its folder.
func failuresOf(t *testing.T, dir string) map[string]Failure {
	t.Helper()
	found := map[string]Failure{}
	d := opened(t, dir)
	for k := range d.Shards {
		f := must.Get(d.open(t.Context(), filepath.Join(dir, failuresFolder, partName(k, d.Shards))))(t)
		var failed Failure
		err := f.read(newRecord("failures", failed.cells(nil)), func() { found[filepath.Base(failed.Trace)] = failed })
		f.close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// Of traces with the same content the first by name is measured, in whatever shards they are,
// and whether these are run at once or one by one. The others are failures that name it.
// Traces that differ at their last byte, or only in size, are measured.
func TestDuplicates(t *testing.T) {
	contents := map[string]string{"empty1": "", "empty2": "", "junk1": "junk\n", "junk2": "junk\n"}
	for i := range 8 {
		contents[fmt.Sprintf("%d.ftrace", i)] = numbered(i) // of one size
		contents[fmt.Sprintf("again/%d-copy.ftrace", i)] = numbered(i)
	}
	contents["longer.ftrace"] = numbered(1000)
	contents["line\nend.ftrace"], contents["line\nend copy.ftrace"] = numbered(9), numbered(9)
	dir := folder(t, contents)
	want := map[string]string{"empty1": "", "empty2": "", "junk1": "", "junk2": "junk1", "line\nend.ftrace": "line\nend copy.ftrace"}
	for i := range 8 { // 0.ftrace is before again/0-copy.ftrace
		want[fmt.Sprintf("%d-copy.ftrace", i)] = fmt.Sprintf("%d.ftrace", i)
	}
	const shards = 5
	all, single := t.TempDir(), t.TempDir()
	s := run(t, &Runner{Dir: all}, look(t, dir, -1, 0), Options{Shards: shards})
	if s.Traces != 23 || s.Failures[duplicate] != 10 || s.Failures[empty] != 2 || s.Failures[notATrace] != 1 {
		t.Errorf("%d traces, %v", s.Traces, s.Failures)
	}
	for k := range shards {
		run(t, &Runner{Dir: single}, look(t, dir, k, shards), Options{Shards: shards, Partial: true}, k)
	}
	if !maps.Equal(must.Files(t, single), must.Files(t, all)) {
		t.Error("the shards one by one have other bytes")
	}
	got := map[string]string{}
	for name, f := range failuresOf(t, all) {
		_, first, _ := strings.Cut(f.Message, errDuplicate.Error()+": ")
		if got[name] = filepath.Base(first); first == "" {
			got[name] = ""
		}
		if (f.Reason == duplicate) != (first != "") {
			t.Errorf("%q: %s: %q", name, f.Reason, f.Message)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("failures %q, want %q", got, want)
	}

	// Without the first one the second is measured: a shard that had it is not complete.
	rest := slices.DeleteFunc(look(t, dir, -1, 0), func(in Input) bool { return filepath.Base(in.Name) == "3.ftrace" })
	for i := range rest {
		rest[i].SameAs = ""
	}
	must.Do(t, MarkDuplicates(t.Context(), Files{}, rest, 0))
	s = run(t, &Runner{Dir: all, Resume: true}, rest, Options{Shards: shards})
	if failed := failuresOf(t, all); s.Skipped == shards || failed["3-copy.ftrace"].Trace != "" || failed["4-copy.ftrace"].Trace == "" {
		t.Errorf("%d shards skipped, failures %v", s.Skipped, slices.Collect(maps.Keys(failed)))
	}
}

// A device whose clock was never set shows 1970: when it recorded a trace is unknown.
func TestClockOf1970(t *testing.T) {
	set := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	for unix, known := range map[int64]bool{0: false, (40 * 24 * time.Hour).Nanoseconds(): false, set: true} {
		line := &analyzer.Timeline{Wall: analyzer.WallClock{At: 5e9, Unix: unix}}
		line.Span.Start = 2e9
		got := recorded(line)
		if (got != nil) != known || known && *got != (unix-3e9)/1000 {
			t.Errorf("%d ns after 1970: %v", unix, got)
		}
	}
}

// A third of the files are junk: each is a failure with its reason, and the others are
// measured. Prints the rate.
func TestJunk(t *testing.T) {
	slow.SkipRace(t)
	var truncated bytes.Buffer
	z := gzip.NewWriter(&truncated)
	z.Write([]byte(demo))
	z.Close()
	junk := []struct {
		content func(i int) string
		reason  string
	}{
		{func(int) string { return "" }, empty},
		{func(i int) string { return fmt.Sprintf("Not found: %d\n", i) }, notATrace},
		{func(i int) string { return fmt.Sprintf("\x00\xff\x01 %d", i) }, notATrace},
		{func(i int) string { return truncated.String()[:30] + fmt.Sprint(i) }, notATrace},
		{func(i int) string { return fmt.Sprintf("{\"bundle\": \"a\", \"upload\": %d}\n", i) }, notATrace},
		{func(i int) string {
			return fmt.Sprintf("# tracer: nop\n  a-1 (1) [000] .... %d.000000: tracing_mark_write: B|1|x\n", 1+i)
		}, noFrames},
		{nil, duplicate}, // of the file before
	}
	trace := demo[:strings.LastIndexByte(demo[:len(demo)/4], '\n')+1] // small
	n, want, contents := slow.Of(300, 10_000), map[string]int{}, map[string]string{}
	size := 0
	for i := range n {
		content := fmt.Sprintf("%s# %d\n", trace, i)
		if i%3 == 2 {
			j := junk[i/3%len(junk)]
			want[j.reason]++
			if j.content == nil {
				content = contents[fmt.Sprintf("%06d\n.ftrace", i-1)]
			} else {
				content = j.content(i)
			}
		}
		contents[fmt.Sprintf("%06d\n.ftrace", i)] = content
		size += len(content)
	}
	dir, out := folder(t, contents), t.TempDir()
	start := time.Now()
	s := run(t, &Runner{Dir: out}, look(t, dir, -1, 0), Options{Read: ohframe.Options{Causes: true}})
	took := time.Since(start)
	if !maps.Equal(s.Failures, want) || s.Traces != n {
		t.Errorf("%d traces, failures %v; want %d, %v", s.Traces, s.Failures, n, want)
	}
	if d := opened(t, out); d.Traces != n || Failed(d.Failures) != n/3 {
		t.Errorf("the dataset has %d traces, %d failures", d.Traces, Failed(d.Failures))
	}
	t.Logf("%d files, %.0f MB: %.0f files/s, %.0f MB/s", n, float64(size)/1e6, float64(n)/took.Seconds(), float64(size)/1e6/took.Seconds())
}
