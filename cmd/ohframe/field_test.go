//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// writeUploads writes uploads in the layout of docs/fleet.md: traces of applications whose frames are
// late by different causes and that hang, events without a trace, and bad ones.
func writeUploads(t *testing.T, dir string) {
	t.Helper()
	demo := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	upload := func(id, kind, file string, content []byte, params map[string]any) {
		all := map[string]any{
			"time": 1795600000500, "bundle_version": "1.1.0", "bundle_name": "com.example.gallery", "pid": 20170, "uid": 20020150,
			"begin_time": 1795600000000, "end_time": 1795600000480, "log_over_limit": false, "external_log": []string{}, "page": "pages/Index",
		}
		folder := filepath.Join(dir, "uploads/date=2026-11-27", id)
		must.Do(t, os.MkdirAll(folder, 0o777))
		if file != "" {
			all["external_log"] = []string{"/data/storage/el2/log/watchdog/" + file}
		}
		if content != nil {
			write(t, filepath.Join(folder, file), content)
		}
		for name, value := range params {
			all[name] = value
		}
		event := must.Get(json.Marshal(map[string]any{"domain": "OS", "name": kind, "eventType": 1, "params": all}))(t)
		write(t, filepath.Join(folder, "event.json"), event)
	}
	upload("3f9c", "MAIN_THREAD_JANK", "MAIN_THREAD_JANK_1795600000000_20170.trace", demo, map[string]any{"user": "u0", "device": "ALN-AL00"})
	const ms = trace.Millisecond
	for i := range 12 {
		c := simulate.Demonstration()
		c.Seed, c.Launches = uint64(i+1), nil
		c.Hangs = append(c.Hangs, simulate.Hang{At: 700 * ms, Length: trace.Duration(260+20*i) * ms, Name: []string{"JSMarshalling", "ParseAlbum", "DecodeThumbnails"}[i%3]})
		if i%4 == 0 {
			c.Injections = nil
		}
		var b bytes.Buffer
		truth := must.Get(simulate.Write(&b, c))(t)
		pid := truth.Hangs[0].PID
		upload(fmt.Sprintf("%04x", 1000+i), "MAIN_THREAD_JANK", fmt.Sprintf("MAIN_THREAD_JANK_%d_%d.trace", 1795600000000+i, pid), b.Bytes(), map[string]any{
			"user": fmt.Sprint("u", i/2), "device": []string{"ALN-AL00", "NOH-AN01"}[i%2], "pid": pid, "bundle_version": []string{"1.0.0", "1.1.0"}[i/6],
		})
	}
	upload("2000", "SCROLL_JANK", "", nil, map[string]any{"user": "u7"})
	upload("2001", "APP_FREEZE", "APP_FREEZE_1.log", nil, map[string]any{"exception": map[string]any{"name": "THREAD_BLOCK_6S"}})
	upload("2002", "MAIN_THREAD_JANK", "MAIN_THREAD_JANK_2.trace", []byte("junk\n"), nil)
}

// The commands of docs/fleet.md work as they are written.
func TestFieldGuide(t *testing.T) {
	slow.SkipRace(t)
	document := must.Get(os.ReadFile("../../docs/fleet.md"))(t)
	dir := t.TempDir()
	if keep := os.Getenv("OHFRAME_FIELD"); keep != "" {
		dir = keep
	}
	writeUploads(t, dir)
	outputs := map[string]string{}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(document), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			if strings.HasPrefix(line, "duckdb ") {
				continue // internal/fleet compares the views of databases
			}
			cmd := exec.Command("sh", "-ec", line)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), noExitSleep)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s%v: %s", line, err, out)
			}
			outputs[strings.TrimSpace(line)] = string(out)
		}
	}
	run := outputs["ohframe fleet run uploads -o dataset"]
	if want := "dataset: 14 traces, 13 measured, "; !strings.HasPrefix(run, want) || !strings.Contains(run, ", 16 events, 3 failures (not_a_trace 1, no_file 2)\n") {
		t.Errorf("the run prints %s", run)
	}
	ranking := outputs["ohframe why dataset --process com.example.gallery"]
	if !strings.Contains(ranking, " 14  13 measured\n") {
		t.Errorf("the ranking counts other traces:\n%s", ranking)
	}
	// Each of the six users has two traces, that is two of the three slices; u0 has the demonstration, too.
	for _, want := range []string{`(?m)^  hang in JSMarshalling +4 +66\.7 % +4 +0 +4 `, `(?m)^  waiting for storage in FlushLayoutTask +[1-6] .*`, "uploads/date=2026-11-27/3f9c/|uploads/date=2026-11-27/03e8/"} {
		if !regexp.MustCompile(want).MatchString(ranking) {
			t.Errorf("no %s in\n%s", want, ranking)
		}
	}
	why := outputs["ohframe why --process 20170 --frame 10046 -- uploads/date=2026-11-27/3f9c/MAIN_THREAD_JANK_1795600000000_20170.trace"]
	if !strings.Contains(why, "Frame 10046 took ") {
		t.Errorf("why prints %s", why)
	}
	// The dataset explains a frame as its trace does.
	stored := outputs["ohframe why dataset --where trace=3f9c/MAIN_THREAD_JANK_1795600000000_20170.trace --process 20170 --frame 10046"]
	if stored != why {
		t.Errorf("the trace has\n%s\nthe dataset\n%s", why, stored)
	}
	// Every command of the ranking that explains a frame works.
	out := must.Get(exec.Command("sh", "-ec", "cd "+dir+" && ohframe why dataset --format json").Output())(t)
	var ranked struct {
		Ranking struct {
			Causes []struct {
				Lost     int64 `json:"lost_ns"`
				Examples []struct{ Why, Open string }
			}
			Traces   int
			Failures map[string]int
			Lost     int64 `json:"lost_ns"`
			Others   int64 `json:"other_causes_lost_ns"`
		}
	}
	if err := json.Unmarshal(out, &ranked); err != nil || len(ranked.Ranking.Causes) < 5 {
		t.Fatalf("%v: %s", err, out)
	}
	// Counts add up: 13 of 14 traces were measured, 2 of 16 events have none.
	of := ranked.Ranking
	lost := of.Others
	for _, c := range of.Causes {
		lost += c.Lost
	}
	if lost != of.Lost || of.Traces != 14 || of.Failures["not_a_trace"] != 1 || of.Failures["no_file"] != 2 {
		t.Errorf("the causes lost %d of %d ns in %d traces, failures %v", lost, of.Lost, of.Traces, of.Failures)
	}
	// Groups have their own names in all tables, and say so if they have several processes.
	for _, test := range []struct {
		args            string
		several, events int
	}{{"--by event,version", 1, 2}, {"--by event,version --process com.example.gallery", 0, 2}, {"--by event,version,process", 0, 2}, {"", 0, 0}} {
		cmd := exec.Command("sh", "-ec", "ohframe report dataset "+test.args)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), noExitSleep)
		out := string(must.Get(cmd.Output())(t))
		if !strings.Contains(out, "dataset 14 traces, 13 measured · 3 failures: ") || strings.Count(out, "--by event,version,process divides them") != test.several || len(regexp.MustCompile(`(?m)^  Event .*`).FindAllString(out, -1)) != test.events {
			t.Errorf("report dataset %s prints\n%s", test.args, out)
		}
	}
	diff := outputs["ohframe diff dataset --base version=1.0.0 --new version=1.1.0 --process com.example.gallery"]
	// Users 0 to 2 have 1.0.0, and 3 to 5 and, with the demonstration, 0 have 1.1.0.
	if !strings.Contains(diff, "3 users of 6 runs") || !strings.Contains(diff, "4 users of 7 runs") {
		t.Errorf("diff prints %s", diff)
	}
	for _, c := range of.Causes {
		cmd := exec.Command("sh", "-ec", c.Examples[0].Why)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), noExitSleep)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", c.Examples[0].Why, err, out)
		}
	}
}
