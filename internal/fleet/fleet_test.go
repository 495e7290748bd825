package fleet

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"

	"ohframe"
	"ohframe/internal/atomicfile"
	"ohframe/internal/inputs"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// traces are the project's test traces: most are small, some have no frames, and some
// files are not traces.
func traces(t *testing.T) []Input {
	t.Helper()
	inputs := find(t, "../../testdata/frames", "../../testdata/demo.ftrace", "../../README.md")
	if len(inputs) < 50 {
		t.Fatalf("%d inputs", len(inputs))
	}
	return inputs
}

// find returns the inputs that names stand for.
func find(t testing.TB, names ...string) []Input {
	t.Helper()
	set := must.Get(inputs.Expand(names, inputs.Options{Recursive: true}))(t)
	return Found(set)
}

// start runs the given shards, or all of them without any.
func start(ctx context.Context, r *Runner, inputs []Input, o Options, shards ...int) (*Summary, error) {
	plan, err := NewPlan(inputs, o)
	if err != nil {
		return nil, err
	}
	r.Plan = plan
	if r.Store == nil {
		r.Store = Files{}
	}
	if len(shards) == 0 {
		for k := range plan.Shards {
			shards = append(shards, k)
		}
	}
	return r.Run(ctx, shards)
}

func run(t *testing.T, r *Runner, inputs []Input, o Options, shards ...int) *Summary {
	t.Helper()
	s := must.Get(start(t.Context(), r, inputs, o, shards...))(t)
	return s
}

// rowsBy returns the rows of a trace by table.
func rowsBy(s source, t *ohframe.Trace) (all [tables][]Row) {
	rowsOf(s, t, func(of table, r *Row) { all[of] = append(all[of], *r) })
	return all
}

// folder writes files to a new folder.
func folder(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range contents {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)))
	}
	return dir
}

// demo is a trace.
var demo = func() string {
	content, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		panic(err)
	}
	return string(content)
}()

// opened opens a dataset.
func opened(t testing.TB, dir string) *Dataset {
	t.Helper()
	d := must.Get(Open(t.Context(), Files{}, dir))(t)
	return d
}

// pooledText returns the groups of a dataset as JSON.
func pooledText(t *testing.T, dir string, by ...string) string {
	t.Helper()
	_, text := poolOf(t, []*Dataset{opened(t, dir)}, PoolOptions{Query: Query{By: by}})
	return text
}

var withCauses = ohframe.Options{Causes: true}

// The files do not depend on the number of workers, nor on whether all shards are run at
// once, in order, or twice.
func TestSameBytes(t *testing.T) {
	inputs := traces(t)
	options := Options{Read: withCauses, Shards: 5, Frames: true}
	first := t.TempDir()
	run(t, &Runner{Dir: first, Workers: 1}, inputs, options)
	want := must.Files(t, first)
	if len(want) != 35 {
		t.Fatalf("%d files, want 7 for each of 5 shards", len(want))
	}
	for name, shards := range map[string][][]int{
		"seven workers": {{0, 1, 2, 3, 4}},
		"one by one":    {{4}, {0}, {2}, {0}, {3}, {1}},
		// A scheduler may think that a process is gone, and run its shards again meanwhile.
		"three times at once": {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}},
	} {
		dir := t.TempDir()
		var group sync.WaitGroup
		for _, list := range shards {
			group.Go(func() {
				if _, err := start(t.Context(), &Runner{Dir: dir, Workers: 7}, inputs, options, list...); err != nil {
					t.Error(err)
				}
			})
			if name == "one by one" {
				group.Wait()
			}
		}
		group.Wait()
		if !maps.Equal(must.Files(t, dir), want) {
			t.Errorf("%s: other bytes than one worker", name)
		}
	}
}

// Any split into shards gives the same report, byte for byte.
func TestSplits(t *testing.T) {
	inputs := traces(t)
	want := map[string]string{}
	r := rand.New(rand.NewPCG(3, 4))
	splits := []int{1, 2, 3 + r.IntN(5), 10 + r.IntN(90), 300}
	if !slow.Enabled() || slow.Race {
		splits = splits[:3] // TestSameBytes has more workers
	}
	for range slow.Of(0, 100) {
		splits = append(splits, 1+r.IntN(200))
	}
	for i, shards := range splits {
		dir := t.TempDir()
		run(t, &Runner{Dir: dir, Workers: 1 + r.IntN(4)}, inputs, Options{Read: withCauses, Shards: shards})
		for _, by := range []string{"kind,process", "process", "format"} {
			got := pooledText(t, dir, strings.Split(by, ",")...)
			if i == 0 {
				want[by] = got
			} else if got != want[by] {
				t.Errorf("by %s: %d shards give another report than one", by, shards)
			}
		}
	}
	must.Contain(t, want["process"], "example.gallery")
}

// A trace that cannot be read becomes a failure, and the other traces are measured. Those
// whose lines a terminal cut are counted as unreliable, those whose container is truncated as damaged.
func TestFailures(t *testing.T) {
	var bomb, cut, truncated bytes.Buffer // small compressed, large otherwise
	z := gzip.NewWriter(&bomb)
	z.Write(bytes.Repeat([]byte(" "), 80<<20))
	z.Close()
	z = gzip.NewWriter(&truncated)
	io.WriteString(z, demo)
	z.Close()
	for line := range strings.Lines(demo) {
		cut.WriteString(line[:min(160, len(line)-1)] + "\n")
	}
	dir := folder(t, map[string]string{
		"good.ftrace": demo, "cut.ftrace": cut.String(), "empty": "", "junk": "nothing\n", "bomb.gz": bomb.String(), "truncated.gz": truncated.String()[:truncated.Len()-9],
		"noframes": "# tracer: nop\n  a-1 (1) [000] .... 1.000000: tracing_mark_write: B|1|x\n",
		"panic":    demo, "binary": "\x00\x01\x02\x03",
	})
	inputs := find(t, dir)
	missing := filepath.Join(dir, "missing")
	_, err := os.Stat(missing)
	inputs = append(inputs, Input{Name: missing, Err: err})

	out := t.TempDir()
	r := &Runner{Dir: out, Workers: 2}
	r.read = func(ctx context.Context, in io.Reader, o ohframe.Options) (*ohframe.Trace, error) {
		if filepath.Base(in.(*os.File).Name()) == "panic" {
			panic("a defect at 0x1234\nstack")
		}
		return ohframe.Read(ctx, in, o)
	}
	s := run(t, r, inputs, Options{})
	want := map[string]string{
		"empty": empty, "junk": notATrace, "bomb.gz": overLimit, "noframes": noFrames,
		"panic": crashed, "binary": notATrace, "missing": unreadable,
	}
	if Failed(s.Failures) != len(want) || s.Rows != 9 || s.Traces != len(want)+3 || s.Damaged != 1 || s.Unreliable != 1 {
		t.Errorf("%d failures, %d rows of %d traces, %d damaged, %d unreliable: want %d, 9, %d, 1 and 1; %v", Failed(s.Failures), s.Rows, s.Traces, s.Damaged, s.Unreliable, len(want), len(want)+3, s.Failures)
	}
	d := opened(t, out)
	if d.Damaged != 1 || d.Unreliable != 1 {
		t.Errorf("the dataset has %d damaged and %d unreliable traces, want 1 of each", d.Damaged, d.Unreliable)
	}
	got := map[string]string{}
	f := must.Get(d.open(t.Context(), filepath.Join(out, failuresFolder, partName(0, 1))))(t)
	defer f.close()
	var failed Failure
	must.Do(t, f.read(newRecord("failures", failed.cells(nil)), func() {
		name := filepath.Base(failed.Trace)
		got[name] = failed.Reason
		if name == "panic" && failed.Message != "panic: a defect at 0x1234" {
			t.Errorf("message of the panic: %q", failed.Message)
		}
	}))
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// The missing file may be there the next time.
	if r.Resume = true; run(t, r, inputs, Options{}).Skipped != 0 {
		t.Error("a shard with an unreadable file counts as complete")
	}
}

// A trace that hangs is given up, even if not even the end of its context ends it.
func TestHang(t *testing.T) {
	inputs := []Input{{Name: "../../testdata/demo.ftrace"}}
	forever := make(chan struct{})
	defer close(forever)
	dir := t.TempDir()
	for range 2 { // a shard with a timeout is not complete
		// A run that hangs keeps its runner, so each run has its own.
		r := &Runner{Dir: dir, Resume: true}
		r.read = func(context.Context, io.Reader, ohframe.Options) (*ohframe.Trace, error) {
			<-forever
			return nil, io.EOF
		}
		s := run(t, r, inputs, Options{Timeout: time.Millisecond})
		if s.Failures[timeout] != 1 || s.Skipped != 0 {
			t.Errorf("failures %v, %d shards skipped: want a timeout", s.Failures, s.Skipped)
		}
	}
}

// A store whose disk fills up.
type fullStore struct {
	Files
	left *atomic.Int64 // shards are written at once
}

type fullOutput struct {
	Output
	left *atomic.Int64
}

var errFull = errors.New("no space left on device")

func (s fullStore) Create(ctx context.Context, name string) (Output, error) {
	o, err := s.Files.Create(ctx, name)
	return &fullOutput{o, s.left}, err
}

func (o *fullOutput) Write(b []byte) (int, error) {
	if o.left.Add(-int64(len(b))) < 0 {
		return 0, errFull
	}
	return o.Output.Write(b)
}

// A full disk ends the run with an error, leaves no part of a file, and the run can be
// resumed.
func TestFullDisk(t *testing.T) {
	slow.SkipRace(t)
	inputs := traces(t)
	options := Options{Shards: 6}
	reference := t.TempDir()
	run(t, &Runner{Dir: reference}, inputs, options)
	want := must.Files(t, reference)
	for _, space := range []int64{0, 1000, 30_000, 60_000, 100_000} {
		dir := t.TempDir()
		left := &atomic.Int64{}
		left.Store(space)
		r := &Runner{Store: fullStore{left: left}, Dir: dir, Workers: 1}
		if _, err := start(t.Context(), r, inputs, options); !errors.Is(err, errFull) {
			t.Fatalf("got %v, want that the disk is full", err)
		}
		for name, content := range must.Files(t, dir) {
			if want[name] != content {
				t.Errorf("%s is left, which is not complete", name)
			}
		}
		r.Store, r.Resume = Files{}, true
		run(t, r, inputs, options)
		if !maps.Equal(must.Files(t, dir), want) {
			t.Error("another dataset after the run was resumed")
		}
	}
}

// An interrupted run leaves no failures that are its own.
func TestInterrupted(t *testing.T) {
	inputs := traces(t)
	plan := must.Get(NewPlan(inputs, Options{Shards: 4}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	dir, last := t.TempDir(), plan.Shards[1][len(plan.Shards[1])-1].Name
	r := &Runner{Dir: dir, Workers: 2}
	// The last trace of a shard is interrupted: with its result the shard would be complete.
	r.read = func(ctx context.Context, in io.Reader, o ohframe.Options) (*ohframe.Trace, error) {
		if in.(*os.File).Name() == last {
			cancel()
			return nil, ctx.Err()
		}
		return ohframe.Read(ctx, in, o)
	}
	if _, err := start(ctx, r, inputs, Options{Shards: 4}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the cancellation", err)
	}
	reference := t.TempDir()
	run(t, &Runner{Dir: reference}, inputs, Options{Shards: 4})
	want, got := must.Files(t, reference), must.Files(t, dir)
	for name, content := range got {
		must.Equal(t, want[name], content, "%s", name)
	}
	if len(got) == len(want) {
		t.Error("nothing was interrupted")
	}
}

// Resume skips what is complete, and nothing else.
func TestResume(t *testing.T) {
	inputs := traces(t)
	dir := t.TempDir()
	options := Options{Shards: 4, Version: "1"}
	run(t, &Runner{Dir: dir}, inputs, options)
	want := must.Files(t, dir)
	resumed := func(o Options, inputs []Input) int {
		return run(t, &Runner{Dir: dir, Resume: true}, inputs, o).Skipped
	}
	must.Equal(t, resumed(options, inputs), 4, "of 4 shards skipped")
	part := filepath.Join(dir, tracesFolder, partName(2, 4))
	content := want["traces/"+partName(2, 4)]
	for name, damage := range map[string]func() error{
		"removed":   func() error { return os.Remove(part) },
		"empty":     func() error { return os.WriteFile(part, nil, 0o666) },
		"truncated": func() error { return os.WriteFile(part, []byte(content[:len(content)/2]), 0o666) },
	} {
		must.Do(t, damage())
		if got := resumed(options, inputs); got != 3 || !maps.Equal(must.Files(t, dir), want) {
			t.Errorf("%s: %d of 3 shards skipped, or other bytes", name, got)
		}
	}
	other := options
	other.Version = "2"
	must.Equal(t, resumed(other, inputs), 0, "another version: shards skipped")
	other.Read.Entry.Name = "*.ftrace"
	must.Equal(t, resumed(other, inputs), 0, "other options: shards skipped")
	fewer := slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return shardOf(in.Name, 4) == 1 })
	must.Equal(t, resumed(other, fewer), 3, "other inputs in one shard: shards skipped")
}

// A dataset that is not one run's is an error that names the file, or says what is
// missing.
func TestBadDatasets(t *testing.T) {
	slow.SkipRace(t)
	inputs := traces(t)
	part := func(k int) string { return partName(k, 3) }
	for _, test := range []struct {
		name   string
		damage func(dir string) error
		want   string // in the error; empty for none
	}{
		{"copy", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "traces", "part-00000-of-00003 (1).parquet"), []byte(must.Files(t, dir)["traces/"+part(0)]), 0o666)
		}, "not a part"},
		{"renamed", func(dir string) error {
			return os.Rename(filepath.Join(dir, "traces", part(0)), filepath.Join(dir, "traces", part(1)))
		}, "contains shard 0 of 3"},
		{"another number of shards", func(dir string) error {
			return os.Rename(filepath.Join(dir, "traces", part(0)), filepath.Join(dir, "traces", partName(0, 4)))
		}, "3 and of 4"},
		{"another version", func(dir string) error {
			run(t, &Runner{Dir: dir}, inputs, Options{Shards: 3, Version: "2"}, 1)
			return nil
		}, "version 2"},
		{"other options", func(dir string) error {
			run(t, &Runner{Dir: dir}, inputs, Options{Shards: 3, Version: "1", Read: withCauses}, 1)
			return nil
		}, "other options"},
		{"other traces", func(dir string) error {
			path := filepath.Join(dir, "failures", part(1))
			old, err := os.ReadFile(path)
			run(t, &Runner{Dir: dir}, inputs[:len(inputs)/2], Options{Shards: 3, Version: "1"}, 1)
			return errors.Join(err, os.WriteFile(path, old, 0o666))
		}, "of other traces"},
		{"truncated", func(dir string) error {
			return os.Truncate(filepath.Join(dir, "traces", part(1)), 100)
		}, part(1)},
		{"another schema", func(dir string) error { return replaceSchema(dir, "traces", part(2)) }, `schema "00", this version reads ` + schemaVersion},
		{"another schema of results", func(dir string) error { return replaceSchema(dir, "results", part(2)) }, `schema "00", this version reads ` + schemaVersion},
		{"renamed column", func(dir string) error { return replaceInPart(dir, "traces", part(1), "misaligned", "m1saligned") }, "other columns"},
		{"renamed column of results", func(dir string) error { return replaceInPart(dir, "results", part(0), "recorded", "rec0rded") }, "other columns"},
		{"damaged name of a process", func(dir string) error { return damageDictionary(filepath.Join(dir, "traces", part(0)), "process") }, "process"},
		{"empty folder", func(dir string) error { return os.RemoveAll(filepath.Join(dir, "traces")) }, "no complete shard"},
		{"no folder", func(dir string) error { return os.RemoveAll(dir) }, "no dataset"},
		{"left behind", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "traces", ".ohframe."+crand.Text()), []byte("x"), 0o666)
		}, ""},
	} {
		dir := filepath.Join(t.TempDir(), "dataset")
		run(t, &Runner{Dir: dir}, inputs, Options{Shards: 3, Version: "1"})
		must.Do(t, test.damage(dir))
		_, err := Open(t.Context(), Files{}, dir)
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q in it", test.name, err, test.want)
		}
	}
}

// replaceSchema changes the schema that a part names.
func replaceSchema(dir, folder, name string) error {
	named := keySchema + "\x18" + string(rune(len(schemaVersion))) // and a text of so many bytes
	return replaceInPart(dir, folder, name, named+schemaVersion, named+"00")
}

// replaceInPart replaces a text in a part by one of the same length.
func replaceInPart(dir, folder, name, old, replacement string) error {
	name = filepath.Join(dir, folder, name)
	content, err := os.ReadFile(name)
	return errors.Join(err, os.WriteFile(name, bytes.ReplaceAll(content, []byte(old), []byte(replacement)), 0o666))
}

// damageDictionary changes a byte of the values of a column, which rows refer to.
func damageDictionary(name, column string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	for _, c := range f.Metadata().RowGroups[0].Columns {
		if m := c.MetaData; m.PathInSchema[0] == column {
			content[m.DataPageOffset-1] ^= 1
			return os.WriteFile(name, content, 0o666)
		}
	}
	return fmt.Errorf("%s: no column %s", name, column)
}

// Missing shards are listed, and the others counted.
func TestMissingShards(t *testing.T) {
	inputs := traces(t)
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, inputs, Options{Shards: 5})
	for _, k := range []int{1, 3} {
		must.Do(t, os.Remove(filepath.Join(dir, "failures", partName(k, 5))))
	}
	d := opened(t, dir)
	n := 0
	for _, in := range inputs {
		if k := shardOf(in.Name, 5); k != 1 && k != 3 {
			n++
		}
	}
	if !slices.Equal(d.Missing, []int{1, 3}) || d.Traces != n {
		t.Errorf("missing %v, %d traces: want 1 and 3, %d traces", d.Missing, d.Traces, n)
	}
	if got, want := d.Warnings(), "2 of 5 shards missing: 1, 3; their traces are not counted"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Files damaged at any byte give an error or a report, never a panic.
func TestDamagedParts(t *testing.T) {
	slow.SkipRace(t)
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, traces(t), Options{Read: withCauses})
	name := filepath.Join(dir, "traces", partName(0, 1))
	content := []byte(must.Files(t, dir)["traces/"+partName(0, 1)])
	r := rand.New(rand.NewPCG(5, 6))
	for range slow.Of(100, 300) {
		damaged := bytes.Clone(content)
		for range 1 + r.IntN(5) {
			damaged[r.IntN(len(damaged))] = byte(r.IntN(256))
		}
		must.Do(t, os.WriteFile(name, damaged, 0o666))
		if d, err := Open(t.Context(), Files{}, dir); err == nil {
			groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"kind", "process"}})
		}
	}
}

func TestDimensions(t *testing.T) {
	metadata := must.Get(ReadMetadata(strings.NewReader("\uFEFFOS Version,trace,device\n6.1,a/product=x%2Fy/1.ftrace,d1\n,b.ftrace,\n9,gone,z\n")))(t)
	rule := func(s string) Rule {
		r := must.Get(ParseRule(s))(t)
		return r
	}
	inputs := []Input{{Name: "a/product=x%2Fy/1.ftrace"}, {Name: "b.ftrace"}, {Name: "process=p/kind=k/device=f/c.ftrace"}}
	plan := must.Get(NewPlan(inputs, Options{Metadata: metadata, Rules: []Rule{rule("file=([^/]*)[.]ftrace$"), rule("letter=^[ab]")}}))(t)
	must.EqualSlices(t, plan.Dims, []string{"file", "letter", "os_version", "device", "product"}, "dimensions")
	for name, want := range map[string]string{
		"a/product=x%2Fy/1.ftrace":           "1 a 6.1 d1 x/y",
		"b.ftrace":                           "b b - - -",
		"process=p/kind=k/device=f/c.ftrace": "c - - f -",
	} {
		var got []string
		for _, value := range plan.dims.of(Input{Name: name}) {
			if value == nil {
				got = append(got, "-")
			} else {
				got = append(got, *value)
			}
		}
		must.Equal(t, strings.Join(got, " "), want, "%s", name)
	}
	must.Equal(t, metadata.Unused(inputs), 1, "unused lines")
	for _, bad := range []string{"", "a,b\n", "trace,process\nx,y\n", "trace,a,A\nx,1,2\n", "trace,a\nx,1\nx,2\n", "trace,a\nx\n"} {
		if _, err := ReadMetadata(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	for _, bad := range []string{"x", "X=a", "pid=a", "x=(", "recorded_day=a"} {
		if _, err := ParseRule(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// A trace that is given twice is one; traces of one name in different folders are two.
func TestFound(t *testing.T) {
	dir := folder(t, map[string]string{"a/x": "12", "b/x": "12"})
	var got []string
	for _, in := range find(t, filepath.Join(dir, "b"), dir, filepath.Join(dir, ".", "a", "x")) {
		name, _ := filepath.Rel(dir, in.Name)
		got = append(got, fmt.Sprint(filepath.ToSlash(name), in.Size))
	}
	must.Equal(t, fmt.Sprint(got), "[a/x2 b/x2]")
}

// The shards that are run one by one, each from a look at its own files, are those of a run
// of all: also where a folder of another shard has no trace, and where files of one trace
// are in several shards.
func TestShardFiles(t *testing.T) {
	const shards = 5
	contents := map[string]string{}
	for i := range 3 {
		contents[fmt.Sprintf("build=%d/t%[1]d.ftrace", i)], contents[fmt.Sprintf("build=%d/t%[1]d.pftrace", i)] = numbered(i), ""
		contents[fmt.Sprintf("only%d=x/README.md", i)], contents[fmt.Sprintf("runs/%d.ftrace", i)] = "", numbered(10+i)
		contents[fmt.Sprintf("runs/%d.meta.json", i)] = fmt.Sprintf(`{"trace": "%d.ftrace", "run": {"number": %[1]d, "cold": %t}}`, i, i == 0)
	}
	dir := folder(t, contents)
	all, single := t.TempDir(), t.TempDir()
	run(t, &Runner{Dir: all}, look(t, dir, -1, shards), Options{Shards: shards})
	for k := range shards {
		run(t, &Runner{Dir: single}, look(t, dir, k, shards), Options{Shards: shards, Partial: true}, k)
	}
	if !maps.Equal(must.Files(t, single), must.Files(t, all)) {
		t.Error("other bytes")
	}
	if d, err := Open(t.Context(), Files{}, single); err != nil || d.Traces != 5 || fmt.Sprint(d.Dims) != "[build only0 only1 only2]" {
		t.Errorf("%v, %+v", err, d)
	}
}

// recorded is UTC, wherever the program runs.
func TestRecordedDay(t *testing.T) {
	zone := time.Local
	defer func() { time.Local = zone }()
	time.Local = time.FixedZone("far east", 14*3600)
	if got := day(1749999600_000000); got != "2025-06-15" { // 2025-06-15 15:00 UTC, the 16th there
		t.Errorf("got %s, want the day in UTC", got)
	}
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, traces(t), Options{})
	if got := pooledText(t, dir, "recorded_day"); !strings.Contains(got, `"recorded_day": "2025-06-15"`) || !strings.Contains(got, `"recorded_day": null`) {
		t.Errorf("days: %.3000s", got)
	}
}

func TestMain(m *testing.M) {
	atomicfile.Durable = slow.Enabled()
	os.Exit(m.Run())
}
