package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/inputs"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// uploads returns the inputs of a folder with events: those of a shard, or all if shard is negative.
func uploads(t *testing.T, dir string, shard, shards int) []Input {
	t.Helper()
	events := NewEvents(t.Context(), Files{}, 0)
	o := inputs.Options{Recursive: true, Only: InShard(shard, shards), Events: events.Read}
	set := must.Get(inputs.Expand([]string{dir}, o))(t)
	list := events.AddTo(Found(set), set, o.Only)
	must.Do(t, MarkDuplicates(t.Context(), Files{}, list, 0))
	return list
}

// jank returns an event of the demonstration's application, with further parameters.
func jank(files []string, params map[string]any) string {
	all := map[string]any{
		"time": 1795600000500, "bundle_version": "1.2.0", "bundle_name": "com.example.gallery", "pid": 20170, "uid": 20020150,
		"begin_time": 1795600000000, "end_time": 1795600000480, "log_over_limit": false,
	}
	var logs []string
	for _, f := range files {
		logs = append(logs, "/data/storage/el2/log/watchdog/"+f)
	}
	all["external_log"] = logs
	maps.Copy(all, params)
	content, err := json.Marshal(map[string]any{"domain": "OS", "name": "MAIN_THREAD_JANK", "eventType": 1, "params": all})
	if err != nil {
		panic(err)
	}
	return string(content)
}

// An event in the form that HiAppEvent gives it to a watcher, and forms that are not events.
func TestParseEvent(t *testing.T) {
	got := must.Get(parseEvent([]byte(`{"domain":"OS","name":"SCROLL_JANK","eventType":1,"params":{"ability_name":"EntryAbility","begin_time":1710322495739,
		"bundle_name":"com.example.myapplication1","bundle_version":"1.0.0","duration":801,"external_log":["/data/storage/el2/log/watchdog/SCROLL_JANK_20250402192812_6033.txt"],
		"log_over_limit":false,"process_name":"com.example.myapplication1","time":1710322497495,"total_app_frames":98}, "user": 7}`)))(t)
	want := &Event{
		Kind: "SCROLL_JANK", Version: "1.0.0", User: "7", Bundle: "com.example.myapplication1", Process: "com.example.myapplication1", PID: trace.UnknownPID,
		At: 1710322497495, Begin: 1710322495739, Files: []string{"SCROLL_JANK_20250402192812_6033.txt"},
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for content, check := range map[string]func(*Event) bool{
		jank([]string{"a.trace"}, map[string]any{"device": "ALN-AL00", "page": "pages/Index", "scene": "list", "device_id": "d1"}): func(e *Event) bool {
			return slices.Equal(e.dims(), []string{"MAIN_THREAD_JANK", "1.2.0", "ALN-AL00", "pages/Index", "list", "d1"}) && e.PID == 20170 && e.End-e.Begin == 480
		},
		jank(nil, map[string]any{"device_id": "d1", "user": "u1", "product": "P"}): func(e *Event) bool { return e.User == "u1" && e.Device == "P" && e.Files == nil },
		jank(nil, map[string]any{"time": 1795, "external_log": "/x/../b.trace", "pid": "x"}): func(e *Event) bool {
			return e.At == 0 && slices.Equal(e.Files, []string{"b.trace"}) && e.PID == trace.UnknownPID
		},
		jank(nil, map[string]any{"time": 5e14, "end_time": 9.3e12}): func(e *Event) bool { return e.At == 0 && e.End == 0 && e.rowOf("", nil).Recorded == nil },
		jank([]string{"..", "", "a/../../b"}, nil):                  func(e *Event) bool { return slices.Equal(e.Files, []string{"watchdog", "b"}) },
		`{"domain":"OS","name":"APP_FREEZE","params":{"exception":{"name":"THREAD_BLOCK_6S","message":"m"},"time":"1e400"}}`: func(e *Event) bool {
			return e.Kind == "APP_FREEZE THREAD_BLOCK_6S" && e.At == 0
		},
		`{"domain":"OS","name":"APPFREEZE_WARNING","params":{"exception":{"name":"THREAD_BLOCK_3S"},"external_log":["/data/storage/el2/log/hiappevent/APPFREEZE_WARNING_1_2.log"]}}`: func(e *Event) bool {
			return e.Kind == "APPFREEZE_WARNING THREAD_BLOCK_3S"
		},
		jank([]string{"/data/storage/el2/log/watchdog/BUSINESS_THREAD_JANK_1795600000000_20170.trace"}, nil): func(e *Event) bool { return e.Kind == "MAIN_THREAD_JANK BUSINESS_THREAD_JANK" },
		jank(nil, map[string]any{"is_business_jank": true}):                                                  func(e *Event) bool { return e.Kind == "MAIN_THREAD_JANK BUSINESS_THREAD_JANK" },
		jank(nil, map[string]any{"is_business_jank": false}):                                                 func(e *Event) bool { return e.Kind == "MAIN_THREAD_JANK" },
	} {
		if e, err := parseEvent([]byte(content)); err != nil || !check(e) {
			t.Errorf("%s: %+v, %v", content, e, err)
		}
	}
	for _, content := range []string{"", "{", "[]", "null", `"OS"`, `{"domain":"OS","name":"A"}`, `{"domain":"OS","name":"A","params":3}`, `{"domain":"OS","params":{}}`, `{"name":"A","params":{}}`, `{"domain":["OS"],"name":"A","params":{}}`} {
		if e, err := parseEvent([]byte(content)); !errors.Is(err, errNotAnEvent) {
			t.Errorf("%s: %+v, %v", content, e, err)
		}
	}
}

// The event gives its traces the dimensions that nothing else does, also packed ones, and traces
// without an event have none.
func TestEventDimensions(t *testing.T) {
	lines := slices.DeleteFunc(strings.SplitAfter(demo, "\n"), func(line string) bool { return strings.Contains(line, "realtime_ts") })
	clockless := strings.Join(lines, "")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(clockless + "# c\n"))
	z.Close()
	dir := folder(t, map[string]string{
		"a/event.json":            jank([]string{"a.trace"}, map[string]any{"user": "u1", "device": "ALN", "page": "P", "scene": "S"}),
		"a/a.trace":               clockless + "# a\n",
		"version=9/b/event.json":  jank([]string{"b.trace"}, nil),
		"version=9/b/b.trace":     clockless + "# b\n",
		"flat/1.json":             jank([]string{"1.trace", "2.trace"}, map[string]any{"user": "u2"}),
		"flat/2.json":             jank([]string{"2.trace"}, map[string]any{"user": "u3"}), // the first event counts
		"flat/1.trace":            clockless + "# 1\n",
		"flat/2.trace":            clockless + "# 2\n",
		"flat/report.json":        `{"version": 3}`, // skipped, as in folders without events
		"flat/none.ftrace":        clockless + "# none\n",
		"flat/1.meta.json":        "{}",
		"other/2.trace":           clockless + "# other\n", // the name is in another folder
		".hidden/event.json":      jank(nil, nil),
		"packed/event.json":       jank([]string{"c.trace"}, map[string]any{"bundle_version": "2"}),
		"packed/c.trace.gz":       packed.String(),
		"date=1/event.json":       jank([]string{"d.trace"}, map[string]any{"time": 5}),
		"date=1/d.trace":          clockless + "# d\n",
		"date=1/unrelated.ftrace": clockless + "# e\n",
	})
	out := t.TempDir()
	rule := must.Get(ParseRule("scene_of=a/a"))(t)
	s := run(t, &Runner{Dir: out}, uploads(t, dir, -1, 0), Options{Rules: []Rule{rule}})
	if s.Traces != 9 || s.Events != 6 || Failed(s.Failures) != 0 {
		t.Errorf("%+v", s)
	}
	d := opened(t, out)
	if !maps.Equal(d.Events, map[string]int{"MAIN_THREAD_JANK": 6}) || d.Traces != 9 {
		t.Errorf("%v, %d traces", d.Events, d.Traces)
	}
	found := map[string]string{}
	var r Row
	f := must.Get(d.open(t.Context(), d.parts[ofFrames][0]))(t)
	defer f.close()
	must.Do(t, f.read(newRecord("traces", r.cells(wanted{dims: eventDims, table: ofFrames})), func() {
		name, _ := filepath.Rel(dir, r.Trace)
		recorded := "-"
		if r.Recorded != nil {
			recorded = time.UnixMicro(*r.Recorded).UTC().Format("15:04:05.000")
		}
		var values []string
		for _, v := range r.Dims {
			values = append(values, view.KeyText(v))
		}
		found[filepath.ToSlash(name)] = strings.Join(values, " ") + " " + recorded
	}))
	at := time.UnixMilli(1795600000500).UTC().Format("15:04:05.000")
	want := map[string]string{
		"a/a.trace":               "MAIN_THREAD_JANK 1.2.0 ALN P S u1 " + at,
		"version=9/b/b.trace":     "MAIN_THREAD_JANK 9 – – – – " + at,
		"flat/1.trace":            "MAIN_THREAD_JANK 1.2.0 – – – u2 " + at,
		"flat/2.trace":            "MAIN_THREAD_JANK 1.2.0 – – – u2 " + at,
		"flat/none.ftrace":        "– – – – – – -",
		"other/2.trace":           "– – – – – – -",
		"packed/c.trace.gz":       "MAIN_THREAD_JANK 2 – – – – " + at,
		"date=1/d.trace":          "MAIN_THREAD_JANK 1.2.0 – – – – -", // the clock was not set
		"date=1/unrelated.ftrace": "– – – – – – -",
	}
	if !maps.Equal(found, want) {
		for _, name := range slices.Sorted(maps.Keys(want)) {
			must.Equal(t, found[name], want[name], "%s", name)
		}
	}
}

// Bad uploads are failures, each with its reason, and the rest is measured.
func TestBadUploads(t *testing.T) {
	contents := map[string]string{}
	want := map[string]string{}
	var good []string
	for i := range 3 {
		name := fmt.Sprintf("good %d\n/", i)
		contents[name+"event.json"] = jank([]string{"a\nb.trace"}, map[string]any{"user": fmt.Sprint(i)})
		contents[name+"a\nb.trace"] = demo + fmt.Sprintf("# %d\n", i)
		good = append(good, name)
	}
	for name, c := range map[string]struct {
		event, trace string
		reason       string // of the event
		traceReason  string
	}{
		"missing":   {jank([]string{"MAIN_THREAD_JANK_1.trace"}, nil), "", noFile, ""},
		"nofile":    {jank(nil, map[string]any{"log_over_limit": true}), "", noFile, ""},
		"cut":       {jank([]string{"x.trace"}, nil)[:100], demo + "# cut\n", notAnEvent, ""},
		"list":      {"[]", "", notAnEvent, ""},
		"list 2":    {"[]", "", notAnEvent, ""}, // not a duplicate: it is no event
		"empty":     {"", "", empty, ""},
		"again":     {jank([]string{"a\nb.trace"}, map[string]any{"user": "0"}), demo + "# 0\n", duplicate, duplicate},
		"junk":      {jank([]string{"x.trace"}, nil), "no trace\n", "", notATrace},
		"other":     {jank([]string{"x.trace"}, map[string]any{"pid": 5, "bundle_name": "org.example.other"}), demo + "# other\n", "", otherApp},
		"same name": {jank([]string{"x.trace"}, map[string]any{"pid": 5}), demo + "# same name\n", "", ""},
		"1970":      {jank([]string{"x.trace"}, map[string]any{"time": 86400000}), demo + "# 1970\n", "", ""},
	} {
		contents["z "+name+"/event.json"] = c.event
		if c.trace != "" {
			contents["z "+name+"/x.trace"] = c.trace
		}
		if c.reason != "" {
			want["z "+name+"/event.json"] = c.reason
		}
		if c.traceReason != "" {
			want["z "+name+"/x.trace"] = c.traceReason
		}
	}
	dir := folder(t, contents)
	// A file of 100 MB that begins like an event, also with a name that no event has to have.
	for _, name := range []string{"huge/event.json", "huge/other.json"} {
		os.MkdirAll(filepath.Join(dir, "huge"), 0o777)
		f := must.Get(os.Create(filepath.Join(dir, name)))(t)
		f.WriteString(`{"domain":"OS","name":"MAIN_THREAD_JANK","params":{"x":"` + name)
		must.Do(t, errors.Join(f.Truncate(100<<20), f.Close()))
	}
	want["huge/event.json"] = overLimit
	out := t.TempDir()
	s := run(t, &Runner{Dir: out}, uploads(t, dir, -1, 0), Options{})
	got := map[string]string{}
	d := opened(t, out)
	var failure Failure
	f := must.Get(d.open(t.Context(), filepath.Join(out, failuresFolder, partName(0, 1))))(t)
	defer f.close()
	must.Do(t, f.read(newRecord("failures", failure.cells(nil)), func() {
		name, _ := filepath.Rel(dir, failure.Trace)
		got[filepath.ToSlash(name)] = failure.Reason
		if failure.Message == "" {
			t.Errorf("%s: no message", name)
		}
	}))
	if !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// All events but those with a bad file or that were uploaded twice are counted.
	if n := d.Events["MAIN_THREAD_JANK"]; n != 3+6 || s.Events != 3+6 || s.Traces != 3+6 {
		t.Errorf("%d events of %d, %d traces", n, s.Events, s.Traces)
	}
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{userDim}}))(t)
	if len(groups) != len(good)+1 || groups[3].Key[0] != nil || groups[3].Traces != 3 { // cut, same name, 1970
		t.Errorf("%d groups", len(groups))
	}
}

// A dataset with events does not depend on which processes run its shards.
func TestEventShards(t *testing.T) {
	contents := map[string]string{}
	for i := range 12 {
		files := []string{"x.trace"}
		if i%4 == 1 {
			files = []string{"x.txt"}
			contents[fmt.Sprintf("%d/x.txt", i)] = "stacks are no trace\n"
		} else if i%4 != 3 {
			contents[fmt.Sprintf("%d/x.trace", i)] = demo + fmt.Sprintf("# %d\n", i)
		}
		contents[fmt.Sprintf("%d/event.json", i)] = jank(files, map[string]any{"user": fmt.Sprint(i)})
	}
	dir := folder(t, contents)
	options := Options{Shards: 5}
	all, each := t.TempDir(), t.TempDir()
	s := run(t, &Runner{Dir: all}, uploads(t, dir, -1, 0), options)
	if s.Failures[noFile] != 6 || Failed(s.Failures) != 6 {
		t.Errorf("failures %v", s.Failures)
	}
	options.Partial = true
	for k := range 5 {
		run(t, &Runner{Dir: each}, uploads(t, dir, k, 5), options, k)
	}
	if want, got := must.Files(t, all), must.Files(t, each); !maps.Equal(got, want) || len(want) != 30 {
		t.Errorf("%d files, want the %d of one process", len(got), len(want))
	}
	// Another event makes the shards of its traces run again.
	resumed := func() int {
		return run(t, &Runner{Dir: all, Resume: true}, uploads(t, dir, -1, 0), Options{Shards: 5}).Skipped
	}
	must.Equal(t, resumed(), 5, "of 5 shards skipped")
	name := filepath.Join(dir, "0", "event.json")
	info := must.Get(os.Stat(name))(t)
	must.Do(t, errors.Join(os.WriteFile(name, []byte(jank([]string{"x.trace"}, map[string]any{"user": "9"})), 0o666), os.Chtimes(name, info.ModTime(), info.ModTime())))
	want := map[int]bool{shardOf(cleanName(name), 5): true, shardOf(cleanName(filepath.Join(dir, "0", "x.trace")), 5): true}
	must.Equal(t, resumed(), 5-len(want), "of 5 shards skipped")
}

// hanging writes a trace with the hangs, and returns what is true of them.
func hanging(t *testing.T, seed uint64, hangs ...simulate.Hang) (string, []simulate.HangTruth) {
	t.Helper()
	c := simulate.Demonstration()
	c.Seed, c.Hangs, c.Launches = seed, hangs, nil
	var b bytes.Buffer
	truth := must.Get(simulate.Write(&b, c))(t)
	if len(truth.Hangs) != len(hangs) {
		t.Fatalf("%d hangs of %d", len(truth.Hangs), len(hangs))
	}
	return b.String(), truth.Hangs
}

// ranked returns the causes of a dataset.
func ranked(t *testing.T, d *Dataset, by ...string) *causes.Overall {
	t.Helper()
	return must.Get(must.Get(NewRanking(Query{By: by}, d.Dims))(t).Of(t.Context(), []*Dataset{d}))(t)
}

// Causes are ranked by the users that lost time by them: those of late frames, with the numbers of
// the report, and those of hangs, with the truth. The traces themselves have the same causes as the dataset.
func TestRanking(t *testing.T) {
	const ms = trace.Millisecond
	contents, want := map[string]string{}, map[string]*causes.Ranked{}
	longest := map[string]causes.Example{}
	users := map[string]map[string]bool{}
	for i := range 4 {
		hangs := []simulate.Hang{{At: 700 * ms, Length: trace.Duration(300+i) * ms, Name: fmt.Sprintf("Decode %d", i)}}
		if i == 3 {
			hangs = append(hangs, simulate.Hang{At: 3400 * ms, Length: 400 * ms, Name: "Sync"})
		}
		content, truth := hanging(t, uint64(i+1), hangs...)
		user := fmt.Sprintf("u%d", i/2)
		contents[fmt.Sprintf("%d/event.json", i)] = jank([]string{"x.trace"}, map[string]any{"user": user, "pid": truth[0].PID})
		contents[fmt.Sprintf("%d/x.trace", i)] = content
		for _, h := range truth {
			name := "hang in " + strings.TrimRight(h.Name, " 0123") // without what differs
			if want[name] == nil {
				want[name], users[name] = &causes.Ranked{}, map[string]bool{}
			}
			c := want[name]
			c.Hangs++
			c.Traces++
			c.Lost += h.Duration
			users[name][user] = true
			if h.Duration > longest[name].Late {
				longest[name] = causes.Example{PID: h.PID, Start: h.Start, Late: h.Duration}
			}
		}
	}
	dir, out := folder(t, contents), t.TempDir()
	list := uploads(t, dir, -1, 0)
	run(t, &Runner{Dir: out}, list, Options{Read: withCauses, Shards: 3})
	d := opened(t, out)
	o := ranked(t, d)
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{}}))(t)
	for _, c := range groups[0].Causes {
		if c.Title != otherCauses {
			want[c.Title] = &causes.Ranked{Frames: c.Frames, Lost: c.Lost}
		} else if o.Others != c.Lost {
			t.Errorf("other causes %s, want %s", o.Others, c.Lost)
		}
	}
	if len(o.Causes) != len(want) || o.Unit != userDim || len(o.By) != 0 || o.Traces != 4 {
		t.Errorf("%d causes of %ss in %d traces, want %d", len(o.Causes), o.Unit, o.Traces, len(want))
	}
	for i, c := range o.Causes {
		w := want[c.Title]
		if w == nil || c.Frames != w.Frames || c.Hangs != w.Hangs || c.Lost != w.Lost || c.Of != 2 {
			t.Errorf("%s: got %+v, want %+v", c.Title, c, w)
			continue
		}
		if c.Hangs > 0 {
			e, we := c.Examples[0](), longest[c.Title]
			if c.Units != len(users[c.Title]) || c.Traces != w.Traces || e.PID != we.PID || e.Start != we.Start || e.Late != we.Late {
				t.Errorf("%s: got %+v, want %+v", c.Title, c, w)
			}
		}
		if before := o.Causes[max(0, i-1)]; c.Units > before.Units && !strings.HasPrefix(c.Title, "a little") {
			t.Errorf("%s is not in order", c.Title)
		}
	}
	if report, err := Pool(t.Context(), "", []*Dataset{d}, PoolOptions{Query: Query{By: []string{causeDim}}}); err == nil {
		t.Errorf("a report by cause: %v", report)
	}
	if _, err := NewRanking(Query{By: []string{layerDim}}, nil); err == nil {
		t.Error("a ranking by layer")
	}
	for _, by := range [][]string{nil, {"process", "version"}, {sceneDim}} {
		read := NewRankingDataset(d.Dims, nil)
		for _, in := range list {
			if !in.IsEvent {
				options := withCauses
				in.Event.Use(&options)
				read.Add(in.Name, ValuesOf(in), must.Get(ohframe.Read(t.Context(), strings.NewReader(contents[path.Base(path.Dir(in.Name))+"/x.trace"]), options))(t))
			}
		}
		traces, dataset := ranked(t, read, by...), ranked(t, d, by...)
		traces.Dir, traces.Events, traces.Failures = dataset.Dir, dataset.Events, dataset.Failures // two events are the same
		for _, format := range causes.Formats {
			var got, want bytes.Buffer
			must.Do(t, errors.Join(traces.Write(&got, format, true, text.Style{}), dataset.Write(&want, format, true, text.Style{})))
			if got.String() != want.String() || got.Len() == 0 {
				t.Errorf("%s by %v: the traces have other causes than the dataset", format, by)
			}
		}
	}
}

// Without users, devices are counted, and without these, traces. A row without a value counts as its trace.
func TestRankingUnits(t *testing.T) {
	rows := []Row{}
	for i, device := range []string{"a", "a", "b", "", ""} {
		row := Row{Trace: fmt.Sprint(i), Kind: "app", Process: "p", Dims: []*string{nil, nil}}
		if device != "" {
			row.Dims[0] = &device
		}
		row.Causes.Names, row.Causes.Frames, row.Causes.Lost = []string{"io", otherCauses}, []int64{1, 7}, []int64{10, 5}
		row.Causes.VsyncIDs, row.Causes.Starts, row.Causes.Overruns = []int64{9, 0}, []int64{int64(i), 0}, []int64{int64(10 + i), 0}
		rows = append(rows, row)
	}
	o := ranked(t, dataset(t, rows), "process")
	c := o.Causes[0]
	if o.Unit != deviceDim || len(o.Causes) != 1 || c.Units != 4 || c.Of != 4 || c.Traces != 5 || c.Frames != 5 || c.Lost != 50 || o.Others != 25 || o.Lost != 75 || c.Share != 50.0/75 {
		t.Errorf("%+v, %+v", o, c)
	}
	if first, last := c.Examples[0](), c.Examples[len(c.Examples)-1](); len(c.Examples) != maxWorst || first.Trace != "4" || first.Late != 14 || last.Trace != "2" || *c.Key["process"] != "p" || c.Process != "p" {
		t.Errorf("%+v, %+v", first, last)
	}
}

// What slows everything a little is last, however many users it slows.
func TestRankingOfVariation(t *testing.T) {
	var rows []Row
	for i, names := range [][]string{{"io", "a little slower everywhere"}, {"a little slower everywhere"}, {"lock", "a little slower everywhere"}} {
		row := Row{Trace: fmt.Sprint(i), Kind: "app", Process: fmt.Sprint("p", i), Dims: []*string{nil, nil}}
		for k, name := range names {
			row.Causes.Names, row.Causes.Frames, row.Causes.Lost = append(row.Causes.Names, name), append(row.Causes.Frames, 1), append(row.Causes.Lost, int64(10+i-k))
			row.Causes.VsyncIDs, row.Causes.Starts, row.Causes.Overruns = append(row.Causes.VsyncIDs, 9), append(row.Causes.Starts, 1), append(row.Causes.Overruns, 10)
		}
		rows = append(rows, row)
	}
	var got []string
	for _, c := range ranked(t, dataset(t, rows)).Causes {
		got = append(got, c.Title+" of "+c.Process)
	}
	must.EqualSlices(t, got, []string{"lock of p2", "io of p0", "a little slower everywhere of "})
}

// The commands about an example: a hang is a part of a trace, and a trace that no command can name has none.
func TestExampleCommands(t *testing.T) {
	for _, test := range []struct {
		of   Worst
		want string
	}{
		{Worst{PoolFrame: stats.PoolFrame{Trace: "a b", PID: 7, VsyncID: 5}}, "ohframe why --process 7 --frame 5 -- 'a b'"},
		{Worst{PoolFrame: stats.PoolFrame{Trace: "a", PID: 7, VsyncID: 5}, flags: []string{"--entry x"}}, "ohframe why --process 7 --entry x --frame 5 -- a"},
		{Worst{PoolFrame: stats.PoolFrame{Trace: "a", PID: 7, Start: 3e9, Overrun: 1e9}, hang: true}, "ohframe why --process 7 --from 3.000000000 --to 4.000000001 -- a"},
		{Worst{PoolFrame: stats.PoolFrame{Trace: "a", PID: 7, Start: 3e9, Overrun: 1e9}}, "ohframe why --process 7 -- a"},
		{Worst{PoolFrame: stats.PoolFrame{Trace: "-", PID: 7, VsyncID: 5}}, ""},
		{Worst{PoolFrame: stats.PoolFrame{Trace: "a\n", PID: 7, VsyncID: 5}}, ""},
	} {
		e := test.of.example()
		if e.Why != test.want || (e.Open == "") != (e.Why == "") {
			t.Errorf("%+v: %q, %q, want %q", test.of, e.Why, e.Open, test.want)
		}
	}
}

// Units are users, otherwise devices.
func TestUnitDim(t *testing.T) {
	for _, test := range []struct {
		dims []string
		want string
	}{{[]string{deviceDim, userDim}, userDim}, {[]string{deviceDim}, deviceDim}, {[]string{"build"}, ""}} {
		must.Equal(t, unitDim(test.dims), test.want, "%v", test.dims)
	}
}

// A pattern that matches no process is an error, not a fleet without late frames.
func TestNoProcess(t *testing.T) {
	d := dataset(t, []Row{{Trace: "t", Kind: "app", Process: "com.example.a", Dims: []*string{nil, nil}}})
	for _, test := range []struct {
		process string
		fails   bool
	}{{"example.a", false}, {"", false}, {"nosuch", true}} {
		_, report := Pool(t.Context(), "", []*Dataset{d}, PoolOptions{Query: Query{Process: test.process}})
		_, ranking := must.Get(NewRanking(Query{Process: test.process}, d.Dims))(t).Of(t.Context(), []*Dataset{d})
		if (report != nil) != test.fails || (ranking != nil) != test.fails {
			t.Errorf("%q: %v, %v", test.process, report, ranking)
		}
	}
}

// blockingStore opens the files of one name never.
type blockingStore struct {
	Files
	name    string
	forever chan struct{}
}

func (s blockingStore) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if filepath.Base(name) == s.name {
		<-s.forever
	}
	return s.Files.Open(ctx, name)
}

// A file that cannot be opened ends neither the search for events nor that for duplicates.
func TestBlocked(t *testing.T) {
	dir := folder(t, map[string]string{
		"a/event.json": jank([]string{"x.trace"}, nil), "a/x.trace": demo,
		"b/foo.json": "{}", "b/p.event.json": jank([]string{"y.trace"}, nil), "b/y.trace": demo,
	})
	for _, name := range []string{"event.json", "foo.json", "p.event.json", "y.trace"} {
		store := blockingStore{name: name, forever: make(chan struct{})}
		defer close(store.forever)
		const limit = 20 * time.Millisecond
		events := NewEvents(t.Context(), store, limit)
		set := must.Get(inputs.Expand([]string{dir}, inputs.Options{Recursive: true, Events: events.Read}))(t)
		list := events.AddTo(Found(set), set, nil)
		must.Do(t, MarkDuplicates(t.Context(), store, list, limit))
		s := run(t, &Runner{Dir: t.TempDir(), Store: store}, list, Options{Timeout: limit})
		if name != "foo.json" && s.Failures[timeout] == 0 { // which no event has to be called
			t.Errorf("%s: %v", name, s.Failures)
		}
	}
}
