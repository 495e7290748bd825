package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// numbers are those of the frames of a process that every output has.
type numbers struct {
	frames, judged, late int64
	lost                 int64 // ns; 0 if unknown
	presents             int64 // those that the frame rate is of; -1 if it is of other events
}

// TestCountedOnce compares these numbers in all outputs, for captures, oracles and generated traces: late
// frames with and without causes, judged by deadlines, by buffers and by SurfaceFlinger.
func TestCountedOnce(t *testing.T) {
	slow.SkipRace(t)
	shared := filepath.Join("..", "..", "..", "shared")
	files := []string{"../../testdata/demo.ftrace", "../../testdata/layers.ftrace.gz"}
	more := []string{"../../testdata/*.ftrace.gz", filepath.Join(shared, "oracle", "*.ftrace"), filepath.Join(shared, "traces", "*.ftrace"), filepath.Join(shared, "traces", "android", "*")}
	if !slow.Enabled() {
		more = []string{filepath.Join(shared, "traces", "harmonyos-6.1*.ftrace")}
	}
	for _, pattern := range more {
		list := must.Get(filepath.Glob(pattern))(t)
		files = append(files, list...)
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		content := must.Get(os.ReadFile(file))(t)
		t.Run(filepath.Base(file), func(t *testing.T) { countedOnce(t, content, "trace") })
	}
	if content, err := os.ReadFile(filepath.Join(shared, "traces", "android", "api32_startup_warm.perfetto-trace")); err == nil {
		t.Run("without doFrame", func(t *testing.T) {
			countedOnce(t, bytes.ReplaceAll(content, []byte("Choreographer#doFrame"), []byte("Choreographer#xxFrame")), "trace")
		})
	}
	for i := range slow.Of(1, 40) {
		c := []simulate.Config{simulate.Everything(), simulate.Layered(), simulate.Default()}[i%3]
		c.Seed = uint64(i)
		var content bytes.Buffer
		must.Get(simulate.Write(&content, c))(t)
		text := content.Bytes()
		name := fmt.Sprintf("generated %d", i)
		switch i % 5 { // without markers
		case 1:
			text, name = bytes.ReplaceAll(text, []byte("ProcessCommandUni"), []byte("ProcessCommandXxx")), name+" without commands"
		case 2:
			text, name = bytes.ReplaceAll(text, []byte("sched_"), []byte("sxxxx_")), name+" without scheduling"
		case 3:
			text, name = bytes.ReplaceAll(text, []byte("expectedEnd"), []byte("expectedXxx")), name+" without deadlines"
		}
		t.Run(name, func(t *testing.T) { countedOnce(t, text, "trace.ftrace") })
	}
}

func countedOnce(t *testing.T, content []byte, file string) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, file), content, 0o666))
	run := func(command string) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	var report struct {
		Inputs []struct {
			Processes []struct {
				Kind, Name string
				PID        *int64
				Frames     struct{ Complete, Judged, Late int64 }
				Lost       *int64 `json:"lost_ns"`
				FPS        *struct {
					Event  string
					Frames int64
				}
				Causes []struct {
					Lost int64 `json:"lost_ns"`
				}
			}
		}
	}
	decode(t, run("ohframe report "+file+" --format json || true"), &report) // the exit code is 1 without frames
	if len(report.Inputs) == 0 || len(report.Inputs[0].Processes) == 0 {
		t.Skip("no frames")
	}
	key := func(kind string, pid any) string { return fmt.Sprintf("%s %v", kind, pid) }
	want, names := map[string]numbers{}, map[string]string{}
	for _, p := range report.Inputs[0].Processes {
		pid := any("")
		if p.PID != nil {
			pid = *p.PID
		}
		n := numbers{p.Frames.Complete, p.Frames.Judged, p.Frames.Late, deref(p.Lost), -1}
		if p.FPS != nil && p.FPS.Event == "present" {
			n.presents = p.FPS.Frames
		}
		sum := int64(0)
		for _, c := range p.Causes {
			sum += c.Lost
		}
		if sum != n.lost {
			t.Errorf("%s: the causes lost %d, and its frames %d", p.Name, sum, n.lost)
		}
		if n.late > n.judged || n.judged > n.frames {
			t.Errorf("%s: %+v", p.Name, n)
		}
		want[key(p.Kind, pid)], names[key(p.Kind, pid)] = n, p.Name
	}
	check := func(what string, got map[string]numbers) {
		t.Helper()
		for k, w := range want {
			if g := got[k]; g != w {
				t.Errorf("%s: %s %s has %+v, and the report %+v", what, k, names[k], g, w)
			}
		}
		for k := range got {
			if _, ok := want[k]; !ok {
				t.Errorf("%s: %s is not in the report", what, k)
			}
		}
	}
	withPresents := func(got map[string]numbers) map[string]numbers { // of outputs without presents
		for k, g := range got {
			g.presents = want[k].presents
			got[k] = g
		}
		return got
	}

	got := map[string]numbers{}
	for _, r := range records(t, run("ohframe report "+file+" --format csv")) {
		n := numbers{integer(r["frames.complete"]), integer(r["frames.judged"]), integer(r["frames.late"]), integer(r["lost_ns"]), -1}
		if r["fps.event"] == "present" {
			n.presents = integer(r["fps.frames"])
		}
		if integer(r["causes.lost_ns"]) != n.lost {
			t.Errorf("CSV: %v lost %d", r, n.lost)
		}
		if n.presents == 0 {
			n.presents = want[key(r["kind"], r["pid"])].presents // the number is no measure
		}
		got[key(r["kind"], r["pid"])] = n
	}
	check("report as CSV", got)

	got = map[string]numbers{}
	for _, r := range records(t, run("ohframe frames "+file+" --format csv")) {
		if r["kind"] == "layer" || r["truncated"] == "true" {
			continue
		}
		k := key(r["kind"], r["pid"])
		n := got[k]
		n.frames++
		if r["late"] != "" {
			n.judged++
		}
		if r["late"] == "true" {
			n.late++
			n.lost += integer(r["overrun_ns"])
			if r["verdict"] == "" || r["cause"] == "" {
				t.Errorf("frames: a late frame without a verdict: %v", r)
			}
		}
		got[k] = n
	}
	check("frames", withPresents(got))

	complete := maps.Clone(want) // processes with truncated frames alone are in reports
	maps.DeleteFunc(want, func(_ string, n numbers) bool { return n.frames == 0 })
	answer := ""
	for _, format := range []string{"json", "evidence"} {
		type process struct {
			Kind                 string
			PID                  *int64
			Frames, Judged, Late int64
			Lost                 *int64            `json:"lost_ns"`
			LateFrames           []json.RawMessage `json:"late_frames"`
			Causes               []struct {
				Lost int64 `json:"lost_ns"`
			}
		}
		var why struct {
			Answer    string
			Processes []process
			OnTime    struct{ Processes, Frames, Judged int64 } `json:"on_time"`
			LeftOut   map[string]int                            `json:"left_out"`
		}
		decode(t, run("ohframe why "+file+" --format "+format), &why)
		answer = why.Answer
		onTime := [3]int64{}
		for k, n := range want {
			at := slices.IndexFunc(why.Processes, func(p process) bool { return key(p.Kind, deref(p.PID)) == k })
			if at < 0 {
				if n.late > 0 && why.LeftOut["processes"] == 0 {
					t.Errorf("%s lacks %s, which has %+v", format, k, n)
				}
				onTime[0], onTime[1], onTime[2] = onTime[0]+1, onTime[1]+n.frames, onTime[2]+n.judged
				continue
			}
			p := why.Processes[at]
			if g := (numbers{p.Frames, p.Judged, p.Late, deref(p.Lost), n.presents}); g != n {
				t.Errorf("%s: %s has %+v, and the report %+v", format, k, g, n)
			}
			sum := int64(0)
			for _, c := range p.Causes {
				sum += c.Lost
			}
			if format == "json" && (int64(len(p.LateFrames)) != n.late || sum != n.lost || n.late > 0 && len(p.Causes) == 0) {
				t.Errorf("why: %d late frames are listed, and causes lost %d: %+v", len(p.LateFrames), sum, n)
			}
		}
		if o := why.OnTime; format == "evidence" && why.LeftOut["processes"] == 0 && onTime != [3]int64{o.Processes, o.Frames, o.Judged} {
			t.Errorf("%s: on time are %+v, want %v", format, o, onTime)
		}
	}

	table, page, list := run("ohframe report "+file+" --all"), run("ohframe report "+file+" --format html"), run("ohframe why "+file+" --all")
	// Whether late frames are empty is not counted here.
	squeezed, page := strings.ReplaceAll(strings.Join(strings.Fields(table), " "), "late but empty", "late"), strings.ReplaceAll(page, "late but empty", "late")
	for k, n := range want {
		frames := func(n int64, noun string) string {
			if n != 1 {
				noun += "s"
			}
			return fmt.Sprintf("%d %s", n, noun)
		}
		lost := fmt.Sprintf("Lost %s ms in %s of %d", tenths(n.lost), frames(n.late, "late frame"), n.judged)
		jank := fmt.Sprintf("%d late of %d judged", n.late, n.judged)
		presents := frames(n.presents, "present") + ", "
		for _, x := range []struct {
			what, in, want string
			if_            bool
		}{
			{"report", squeezed, jank, n.late > 0}, {"page", page, jank, n.late > 0},
			{"report", squeezed, lost, n.late > 0 && n.lost > 0}, {"page", page, lost, n.late > 0 && n.lost > 0}, {"why", strings.Join(strings.Fields(list), " "), lost, n.late > 0 && n.lost > 0},
			{"report", squeezed, presents, n.presents >= 0}, {"page", page, presents, n.presents >= 0},
		} {
			if x.if_ && !strings.Contains(x.in, x.want) {
				t.Errorf("%s: no %q of %s %s", x.what, x.want, k, names[k])
			}
		}
	}
	lead := regexp.MustCompile(`(\d+) of (\d+) (frame|buffer)s? late`)
	first := lead.FindString(strings.Join(strings.Fields(table), " "))
	for what, out := range map[string]string{"why": list, "evidence": answer} {
		if got := lead.FindString(strings.Join(strings.Fields(out), " ")); got != first {
			t.Errorf("%s begins with %q, and the report with %q", what, got, first)
		}
	}

	want = complete
	run("ohframe fleet run " + file + " -o dataset")
	byName, sums := map[string]numbers{}, map[string]numbers{}
	for k, n := range want {
		name := names[k] + " " + strings.Fields(k)[0]
		s := byName[name]
		byName[name] = numbers{s.frames + n.frames, s.judged + n.judged, s.late + n.late, 0, 0}
	}
	for _, r := range records(t, run("ohframe report dataset --by process,kind --format csv")) {
		sums[r["process"]+" "+r["kind"]] = numbers{integer(r["frames.complete"]), integer(r["frames.judged"]), integer(r["frames.late"]), 0, 0}
	}
	if !maps.Equal(byName, sums) {
		t.Errorf("the fleet has %v, and the report %v", sums, byName)
	}
	if !bytes.HasPrefix(content, []byte{0x0a}) { // no Perfetto trace
		countedInEngine(t, dir, file, run, want)
	}
}

// countedInEngine checks the numbers of the SQL modules.
func countedInEngine(t *testing.T, dir, file string, run func(string) string, want map[string]numbers) {
	if _, err := engine.Find(); err != nil || testing.Short() {
		return
	}
	run("ohframe convert " + file + " -o trace.pftrace")
	packages := filepath.Join(dir, "ohos")
	run("ohframe sql -o " + packages)
	session := enginetest.Open(t, filepath.Join(dir, "trace.pftrace"), packages)
	table := enginetest.Query(t, session, `
		INCLUDE PERFETTO MODULE ohos.jank;
		INCLUDE PERFETTO MODULE ohos.frames;
		SELECT j.kind, j.pid, j.frames, j.judged, j.late, coalesce(j.lost_ns, 0),
			(SELECT count() FROM ohos_frame f WHERE f.kind = j.kind AND f.upid = j.upid AND f.is_late IS NOT NULL),
			(SELECT count() FROM ohos_frame f WHERE f.kind = j.kind AND f.upid = j.upid AND f.is_late),
			(SELECT coalesce(sum(f.overrun_ns), 0) FROM ohos_frame f WHERE f.kind = j.kind AND f.upid = j.upid AND f.is_late)
		FROM ohos_jank j`)
	seen := 0
	for _, row := range table.Rows {
		n, ok := want[fmt.Sprintf("%v %v", row[0], row[1])]
		if got := fmt.Sprint(row[2:]); !ok || got != fmt.Sprint([]any{n.frames, n.judged, n.late, n.lost, n.judged, n.late, n.lost}) {
			t.Errorf("SQL: %v %v has %s, and the report %+v", row[0], row[1], got, n)
		}
		seen++
	}
	for _, n := range want {
		if n.frames > 0 {
			seen--
		}
	}
	if seen != 0 {
		t.Errorf("SQL: %d processes more than in the report", seen)
	}
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(text), v))
}

// records returns the rows of CSV by the names of the columns.
func records(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func integer(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// tenths formats nanoseconds in milliseconds.
func tenths(ns int64) string { return strconv.FormatFloat(math.Round(float64(ns)/1e5)/10, 'f', 1, 64) }
