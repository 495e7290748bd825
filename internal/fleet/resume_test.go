package fleet

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/version"
)

// notHashed are the options that the hash leaves out, with the reason.
var notHashed = map[string]string{
	"Read.Samples.Input":          "fleets read no samples beside traces: a shard has none",
	"Version":                     "a value of its own in each part",
	"Timeout":                     "a shard with a timeout is run again",
	"Shards":                      "in the names of parts",
	"Partial":                     "only which inputs are known",
	"Read.Recording.SystemEvents": "fleets read no file beside a trace",
	"Metadata.rows":               "Metadata.hash is that of the table",
}

// Only these options are left out of the hash that --resume compares.
func TestNotHashed(t *testing.T) {
	left := map[string]bool{}
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ.PkgPath() == "regexp" {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Tag.Get(version.FingerprintTag) == "-" {
				left[path+f.Name] = true
				continue
			}
			walk(path+f.Name+".", f.Type)
		}
	}
	walk("", reflect.TypeFor[Options]())
	for name := range left {
		if notHashed[name] == "" {
			t.Errorf("%s is left out of the hash without a reason", name)
		}
	}
	for name := range notHashed {
		if !left[name] {
			t.Errorf("%s is hashed", name)
		}
	}
}

// The hash has the options, with limits that are not set as their defaults.
func TestHashOptions(t *testing.T) {
	hash := func(o Options) string {
		plan := must.Get(NewPlan([]Input{{Name: "a"}}, o))(t)
		return plan.hash
	}
	if hash(Options{Read: ohframe.Options{Recording: ohframe.Recording{ClockOffset: new(trace.Duration)}}}) == hash(Options{}) {
		t.Error("another clock has the same hash")
	}
	if hash(Options{Read: ohframe.Options{Limits: trace.Limits{}.WithDefaults()}}) != hash(Options{}) {
		t.Error("the default limits have another hash than no limits")
	}
}

// A description beside a trace gives the full name and the clock, and changing it, or the
// trace, makes --resume measure the trace again.
func TestDescriptions(t *testing.T) {
	lab := t.TempDir()
	name, description := filepath.Join(lab, "a.ftrace"), filepath.Join(lab, "a.meta.json")
	past := time.Now().Add(-time.Hour)
	write := func(path, content string, at time.Time) {
		t.Helper()
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
		must.Do(t, os.Chtimes(path, at, at))
	}
	write(name, demo, past)
	dir := t.TempDir()
	measure := func(want string, skipped, ignored int) {
		t.Helper()
		s := run(t, &Runner{Dir: dir, Resume: true}, find(t, lab), Options{Shards: 1})
		if s.Skipped != skipped || s.Ignored != ignored {
			t.Errorf("%d shards skipped and %d descriptions ignored, want %d and %d", s.Skipped, s.Ignored, skipped, ignored)
		}
		d := opened(t, dir)
		groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"process"}}))(t)
		if !slices.ContainsFunc(groups, func(g *Group) bool { return g.Key[0] != nil && *g.Key[0] == want }) {
			t.Errorf("no process is named %s", want)
		}
	}
	measure("example.gallery", 0, 0)
	measure("example.gallery", 1, 0)
	write(description, `{"trace": "a.ftrace", "app": {"bundle": "com.example.gallery"}}`, past)
	measure("com.example.gallery", 0, 0)
	measure("com.example.gallery", 1, 0)
	write(description, `{`, past)
	measure("example.gallery", 0, 1)
	must.Do(t, os.Remove(description))
	measure("example.gallery", 0, 0)
	write(name, demo, time.Now().Add(time.Hour))
	measure("example.gallery", 0, 0)

	// The clock of a recording.
	write(description, `{"trace": "a.ftrace", "clock": "mono"}`, past)
	plan := func(chosen bool) (got ohframe.Options) {
		r := &Runner{Dir: t.TempDir()}
		r.read = func(ctx context.Context, in io.Reader, o ohframe.Options) (*ohframe.Trace, error) {
			got = o
			return ohframe.Read(ctx, in, o)
		}
		run(t, r, find(t, lab), Options{ClockChosen: chosen})
		return got
	}
	if o := plan(false); o.Recording.ClockOffset == nil || *o.Recording.ClockOffset != 0 {
		t.Errorf("clock offset %v, want that of the description", o.Recording.ClockOffset)
	}
	if o := plan(true); o.Recording.ClockOffset != nil {
		t.Errorf("clock offset %v, want the chosen one", o.Recording.ClockOffset)
	}
}

// Without a number there is a shard for 1000 traces or a GiB. A folder without traces is an
// error: a file system that is not mounted looks like it.
func TestShards(t *testing.T) {
	if _, err := NewPlan(nil, Options{}); err == nil {
		t.Error("no error")
	}
	for _, test := range []struct {
		traces int
		size   int64
		want   int
	}{{1, 0, 1}, {1000, 0, 1}, {1001, 0, 2}, {2, 1 << 30, 2}} {
		var list []Input
		for i := range test.traces {
			list = append(list, Input{Name: strconv.Itoa(i), Size: test.size})
		}
		if plan, err := NewPlan(list, Options{}); err != nil || len(plan.Shards) != test.want {
			t.Errorf("%d traces of %d bytes: %d shards, want %d, %v", test.traces, test.size, len(plan.Shards), test.want, err)
		}
	}
}
