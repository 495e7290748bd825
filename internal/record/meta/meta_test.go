package meta

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ohframe/internal/testing/must"
)

var sample = Meta{
	Trace: "a.ftrace", Ohframe: "1.0", HDC: "3.1.0e",
	Device: Device{ID: "0123", Model: "ALN-AL00", System: "OpenHarmony-5.0.0.71", API: 12, RefreshHz: 120},
	App:    &App{Bundle: "com.example.app", PIDs: []int{1}, Version: "2"},
	Tags:   []string{"graphic", "ace"}, BufferKB: 32768, Clock: "mono",
	Begun: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Entries: 10, Written: 20,
	DebugUI: []string{"persist.ace.debug.enabled=1", "persist.ace.trace.layout.enabled=true"},
	Session: "5e55", Run: &Run{Number: 3},
}

func TestReadWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	if _, err := Read(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	var text bytes.Buffer
	must.Do(t, errors.Join(sample.Write(&text), os.WriteFile(path, text.Bytes(), 0o666)))
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
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
		if m, err := Read(path); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got %+v, %v", name, m, err)
		}
	}
	if _, err := Read(dir); err == nil {
		t.Error("a folder is read")
	}
}

// A description cannot name a file outside its folder.
func TestCheck(t *testing.T) {
	for name, inside := range map[string]bool{"a.ftrace": true, "": false, "../a.ftrace": false, "/etc/passwd": false, "..": false, "sub/a.ftrace": false} {
		if err := (&Meta{Trace: name}).Check(); (err == nil) != inside {
			t.Errorf("%q: got %v", name, err)
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
		"refresh_hz": "120", "clock": "mono", "tags": "graphic ace", "buffer_kb": "32768", "begun": "2026-01-02T03:04:05Z", "run": "3", "session": "5e55",
		"debug_ui": "persist.ace.debug.enabled=1 persist.ace.trace.layout.enabled=true",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if list := (&Meta{}).Attributes(); len(list) > 0 {
		t.Errorf("nothing is known: got %v", list)
	}
}
