// Package meta reads and writes the file that "ohframe record" puts beside a trace:
// NAME.meta.json says how NAME.ftrace was recorded. A folder of such pairs is the
// result of "ohframe record --runs".
package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Extension is the end of the names of these files.
const Extension = ".meta.json"

// Samples is the end of the name of the recording of hiperf that was made with a trace.
const Samples = ".perf.data"

// Events is the end of the name of the output of hisysevent of the time of a trace.
const Events = ".events"

// Meta says how a trace was recorded. Unknown values are zero.
type Meta struct {
	// Trace is the name of the trace, which is in the same folder.
	Trace string `json:"trace"`
	// Ohframe and HDC are the versions of the programs.
	Ohframe string `json:"ohframe"`
	HDC     string `json:"hdc"`
	Device  Device `json:"device"`
	App     *App   `json:"app,omitempty"`
	// Tags are those recorded, MissingTags those that the device does not have.
	Tags        []string `json:"tags"`
	MissingTags []string `json:"missing_tags,omitempty"`
	// BufferKB is the size of the buffer of each CPU.
	BufferKB int `json:"buffer_kb"`
	// Clock is the clock of the times in the trace, for example "mono" or "boot".
	Clock string `json:"clock"`
	// Begun and Ended are times of this computer's clock.
	Begun time.Time `json:"begun"`
	Ended time.Time `json:"ended"`
	// Entries is the number of events in the trace, Written how many were recorded; the
	// difference was overwritten before it was read.
	Entries int64 `json:"entries"`
	Written int64 `json:"written"`
	// DebugUI are ArkUI's debug parameters that were set, in the form NAME=VALUE. They slow
	// the application down.
	DebugUI []string `json:"debug_ui,omitempty"`
	// Perf is set if hiperf was to sample beside the recording.
	Perf *Perf `json:"perf,omitempty"`
	// Session identifies the call of ohframe that recorded. Runs of one session have the
	// day, the temperature and the state of the device in common.
	Session string `json:"session,omitempty"`
	// Run is set for one of several runs.
	Run *Run `json:"run,omitempty"`
}

// Device is the device that recorded.
type Device struct {
	// ID is a hash of the device's key. The key of a USB device is its serial number.
	ID        string  `json:"id"`
	Model     string  `json:"model"`
	System    string  `json:"system"`
	Software  string  `json:"software,omitempty"`
	API       int     `json:"api,omitempty"`
	Kernel    string  `json:"kernel,omitempty"`
	CPUs      int     `json:"cpus,omitempty"`
	RefreshHz float64 `json:"refresh_hz,omitempty"`
	// Battery, in percent, and Temperature, in °C, are those before the recording.
	Battery     int     `json:"battery,omitempty"`
	Temperature float64 `json:"temperature,omitempty"`
	// Charging says whether the battery was charged then; nil if unknown.
	Charging *bool `json:"charging,omitempty"`
}

// App is the application that was recorded.
type App struct {
	Bundle  string `json:"bundle"`
	PIDs    []int  `json:"pids,omitempty"`
	Version string `json:"version,omitempty"`
}

// Perf says what hiperf sampled.
type Perf struct {
	// Command is that of hiperf.
	Command string `json:"command"`
	// File is the name of its recording, which is in the same folder; empty without one.
	File string `json:"file,omitempty"`
	// Samples are those in the file, Lost those for which the kernel had no space.
	Samples int64 `json:"samples"`
	Lost    int64 `json:"lost,omitempty"`
	// Problem says why the recording is incomplete or missing; empty if it is complete.
	Problem string `json:"problem,omitempty"`
}

// Run is one of several recordings of the same thing.
type Run struct {
	// Number counts from 1, in the order of recording. Two sides that are recorded in turn are
	// counted together.
	Number int `json:"number"`
	// Cold: nothing of the application was in caches yet. Comparisons leave it out.
	Cold bool `json:"cold,omitempty"`
	// Problem says why the run is invalid; empty for a valid one.
	Problem string `json:"problem,omitempty"`
}

// Hot is the temperature in °C from which on phones slow down. A run that begins above it is
// invalid. Unverified.
const Hot = 42

// maxSize is the number of bytes of the largest file that is read. A file has a few kB.
const maxSize = 1 << 20

// Open opens a file beside a trace, which nobody has named: a description, samples, events. It is
// an error if that is a folder, a device or a pipe, which may block or never end. If it does not
// exist, the error is fs.ErrNotExist.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errNoFile}
	}
	return os.Open(path)
}

var errNoFile = errors.New("not a file")

// Read reads a file as Open opens it.
func Read(path string) (*Meta, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Parse(f)
}

// Parse reads the content of a file, also of one that is not on this machine.
func Parse(r io.Reader) (*Meta, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("more than %d bytes", maxSize)
	}
	m := &Meta{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("not the description of a recording: %w", err)
	}
	return m, nil
}

// Write writes the content of a file.
func (m *Meta) Write(w io.Writer) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Check returns an error unless Trace is the name of a file in the same folder.
func (m *Meta) Check() error {
	if m.Trace == "" || filepath.Base(m.Trace) != m.Trace || m.Trace == ".." {
		return fmt.Errorf("%q is not the name of a trace beside it", m.Trace)
	}
	return nil
}

// Attribute is a fact with its name in a Perfetto trace.
type Attribute struct{ Key, Value string }

// Attributes returns the facts that a Perfetto trace stores, those that are known.
func (m *Meta) Attributes() (list []Attribute) {
	add := func(key string, known bool, value any) {
		if known {
			list = append(list, Attribute{"ohframe.recording." + key, fmt.Sprint(value)})
		}
	}
	app, d := m.App, m.Device
	if app == nil {
		app = &App{}
	}
	add("app", app.Bundle != "", app.Bundle)
	add("app_version", app.Version != "", app.Version)
	add("device_model", d.Model != "", d.Model)
	add("device_system", d.System != "", d.System)
	add("device_software", d.Software != "", d.Software)
	add("device_api", d.API != 0, d.API)
	add("refresh_hz", d.RefreshHz != 0, d.RefreshHz)
	add("clock", m.Clock != "", m.Clock)
	add("tags", len(m.Tags) > 0, strings.Join(m.Tags, " "))
	add("buffer_kb", m.BufferKB != 0, m.BufferKB)
	add("debug_ui", len(m.DebugUI) > 0, strings.Join(m.DebugUI, " "))
	if m.Perf != nil {
		add("perf", true, m.Perf.Command)
	}
	add("session", m.Session != "", m.Session)
	add("begun", !m.Begun.IsZero(), m.Begun.UTC().Format(time.RFC3339))
	if m.Run != nil {
		add("run", true, m.Run.Number)
	}
	return list
}
