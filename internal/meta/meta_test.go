package meta

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var sample = Meta{
	Trace: "a.ftrace", Ohframe: "1.0", HDC: "3.1.0e",
	Device: Device{ID: "0123", Model: "ALN-AL00", System: "OpenHarmony-5.0.0.71", API: 12, RefreshHz: 120},
	App:    &App{Bundle: "com.example.app", PIDs: []int{1}, Version: "2"},
	Tags:   []string{"graphic", "ace"}, BufferKB: 32768, Clock: "mono",
	Begun: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Entries: 10, Written: 20,
	Run: &Run{Number: 3, Commands: []Command{{Step: "drive", Command: "x", Seconds: 1}}},
}

func TestReadWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	if _, err := Read(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := sample.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil || !reflect.DeepEqual(*got, sample) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"text":  "hello",
		"list":  "[]",
		"types": `{"tags": 1}`,
		"large": `{"trace": "` + strings.Repeat("x", maxSize) + `"}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if m, err := Read(path); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got %+v, %v", name, m, err)
		}
	}
	if _, err := Read(dir); err == nil {
		t.Error("a folder is read")
	}
}

func TestRuns(t *testing.T) {
	for _, x := range []struct {
		name string
		runs []Run
		want []int
		err  error
	}{
		{"in the order of their numbers", []Run{{Number: 10}, {Number: 9}, {Number: 2}}, []int{2, 9, 10}, nil},
		{"without the cold one", []Run{{Number: 1, Cold: true}, {Number: 2}}, []int{2}, nil},
		{"only cold ones", []Run{{Number: 1, Cold: true}}, []int{1}, nil},
		{"without the invalid ones", []Run{{Number: 1, Problem: "hot"}, {Number: 2}}, []int{2}, nil},
		{"only invalid ones", []Run{{Number: 1, Problem: "hot"}}, nil, ErrNoRuns},
		{"none", nil, nil, ErrNoRuns},
	} {
		dir := t.TempDir()
		for i, run := range x.runs {
			m := Meta{Trace: string(rune('a'+i)) + ".ftrace", Run: &run}
			if err := m.Write(filepath.Join(dir, string(rune('a'+i))+Extension)); err != nil {
				t.Fatal(err)
			}
		}
		alone := Meta{Trace: "alone.ftrace"} // a recording that is no run
		if err := alone.Write(filepath.Join(dir, "alone"+Extension)); err != nil {
			t.Fatal(err)
		}
		list, err := Runs(dir)
		var got []int
		for _, r := range list {
			got = append(got, r.Meta.Run.Number)
			if filepath.Dir(r.Path) != dir || filepath.Base(r.Path) != r.Meta.Trace {
				t.Errorf("%s: path %s", x.name, r.Path)
			}
		}
		if !reflect.DeepEqual(got, x.want) || !errors.Is(err, x.err) {
			t.Errorf("%s: got %v, %v", x.name, got, err)
		}
	}
}

// A description cannot name a file outside its folder.
func TestRunsElsewhere(t *testing.T) {
	for _, name := range []string{"", "../a.ftrace", "/etc/passwd", "..", "sub/a.ftrace"} {
		dir := t.TempDir()
		m := Meta{Trace: name, Run: &Run{Number: 1}}
		if err := m.Write(filepath.Join(dir, "a"+Extension)); err != nil {
			t.Fatal(err)
		}
		if list, err := Runs(dir); err == nil {
			t.Errorf("%q: got %v", name, list)
		}
	}
}

func TestAttributes(t *testing.T) {
	got := map[string]string{}
	for _, a := range sample.Attributes() {
		got[strings.TrimPrefix(a.Key, "ohframe.recording.")] = a.Value
	}
	want := map[string]string{
		"app": "com.example.app", "app_version": "2", "device_model": "ALN-AL00", "device_system": "OpenHarmony-5.0.0.71", "device_api": "12",
		"refresh_hz": "120", "clock": "mono", "tags": "graphic ace", "buffer_kb": "32768", "begun": "2026-01-02T03:04:05Z", "run": "3",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if list := (&Meta{}).Attributes(); len(list) > 0 {
		t.Errorf("nothing is known: got %v", list)
	}
}
