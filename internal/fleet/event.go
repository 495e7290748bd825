package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/inputs"
)

// Event is an event of HiAppEvent that an application has uploaded beside its files. It gives
// them values of eventDims.
type Event struct {
	// Kind is the event's name, such as "MAIN_THREAD_JANK", and that of its exception, as in
	// "APP_FREEZE THREAD_BLOCK_6S", or "BUSINESS_THREAD_JANK" for a task of another thread than
	// the main one. Empty values are unknown.
	Kind, Version, Device, Page, Scene, User string
	// Bundle and Process are names of the application, PID is UnknownPID if unknown.
	Bundle, Process string
	PID             trace.PID
	// At is when the event was reported, in milliseconds since 1970, and Begin and End those of
	// the task that it is of; zero if unknown.
	At, Begin, End int64
	// Files are the names of the files without folders, in order.
	Files []string
	// NotWritten: the device had no space for the files.
	NotWritten bool
	// Traces is the number of files that are traces beside the event.
	Traces int
	// Missing is the first file that is not there; empty if all are.
	Missing string
	// Err is the error of a file that claims to be an event and is not.
	Err error `fingerprint:"-"`
}

// eventDims are the dimensions that an event gives, in the order of Event.dims. The columns
// scene and page are those of interactions.
var eventDims = []string{"event", "version", "device", "event_page", "event_scene", userDim}

// userDim is the dimension whose values are users.
const userDim = "user"

func (e *Event) dims() []string {
	return []string{e.Kind, e.Version, e.Device, e.Page, e.Scene, e.User}
}

const (
	// eventName is the name of the file of an event, and eventExtension ends others. Files with
	// other names of type JSON are events if their content is one.
	eventName      = "event.json"
	eventExtension = ".event.json"
	// maxEvent is the largest file of an event. APP_FREEZE has some 100 KB of logs and stacks.
	maxEvent = 4 << 20
)

var (
	errNotAnEvent = errors.New("not an event of HiAppEvent")
	errNoFile     = errors.New("no trace beside the event")
	errOtherApp   = errors.New("a trace of another application than the event")
)

// Events are the events among the inputs of a run.
type Events struct {
	ctx     context.Context
	store   Store
	timeout time.Duration
	found   map[string]*Event // by the name of its file
}

// NewEvents returns no events. Read adds them, and gives up a file after the timeout; zero for never.
func NewEvents(ctx context.Context, store Store, timeout time.Duration) *Events {
	return &Events{ctx, store, timeout, map[string]*Event{}}
}

// Read is inputs.Options.Events: it reads a file, and reports whether it is an event or claims
// to be one by its name.
func (e *Events) Read(name string) bool {
	name = cleanName(name)
	event, err := inputs.Within(e.ctx, e.timeout, func() (*Event, error) { return e.read(name) })
	if err != nil {
		if base := path.Base(name); base != eventName && !strings.HasSuffix(base, eventExtension) {
			return false
		}
		event = &Event{Err: err}
	}
	e.found[name] = event
	return true
}

func (e *Events) read(name string) (*Event, error) {
	f, err := e.store.Open(e.ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxEvent+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) == 0:
		return nil, ohframe.ErrEmpty
	case len(content) > maxEvent:
		return nil, fmt.Errorf("%w: the file of an event has more than %d MiB", ohframe.ErrLimit, maxEvent>>20)
	}
	return parseEvent(content)
}

// parseEvent parses an event as the callback of a watcher gets it: an object with domain, name
// and params. What the uploader has added may be in params or beside it.
func parseEvent(content []byte) (*Event, error) {
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(content, []byte("\uFEFF")), &outer); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotAnEvent, err)
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(outer["params"], &params) != nil || params == nil {
		return nil, fmt.Errorf("%w: no params", errNotAnEvent)
	}
	text := func(names ...string) string {
		for _, name := range names {
			for _, object := range []map[string]json.RawMessage{params, outer} {
				if s := scalar(object[name]); s != "" {
					return s
				}
			}
		}
		return ""
	}
	milliseconds := func(name string) int64 {
		n, _ := strconv.ParseFloat(scalar(params[name]), 64)
		if !(n >= firstRecorded/1e6 && n < math.MaxInt64/1e6) { // no clock, or no time; others are int64 in nanoseconds
			return 0
		}
		return int64(n)
	}
	event := &Event{
		Kind: scalar(outer["name"]), Version: text("bundle_version"), Device: text("device", "product", "model"), Page: text("page"),
		Scene: text("scene"), User: text("user", "device_id"), Bundle: text("bundle_name"), Process: text("process_name"), PID: trace.UnknownPID,
		At: milliseconds("time"), Begin: milliseconds("begin_time"), End: milliseconds("end_time"),
		NotWritten: scalar(params["log_over_limit"]) == "true",
	}
	if scalar(outer["domain"]) == "" || event.Kind == "" {
		return nil, fmt.Errorf("%w: no domain or no name", errNotAnEvent)
	}
	var exception struct{ Name string }
	if json.Unmarshal(params["exception"], &exception) == nil && exception.Name != "" {
		event.Kind += " " + exception.Name
	}
	if pid, err := strconv.ParseInt(scalar(params["pid"]), 10, 32); err == nil && pid > 0 {
		event.PID = trace.PID(pid)
	}
	var files []string
	if json.Unmarshal(params["external_log"], &files) != nil {
		files = []string{scalar(params["external_log"])}
	}
	for _, file := range files {
		if base := path.Base(strings.ReplaceAll(file, `\`, "/")); base != "." && base != "/" && base != ".." && !slices.Contains(event.Files, base) {
			event.Files = append(event.Files, base)
		}
	}
	if scalar(params["is_business_jank"]) == "true" || slices.ContainsFunc(event.Files, isBusinessFile) {
		event.Kind += " " + businessJank
	}
	return event, nil
}

// businessJank begins the names of files of a MAIN_THREAD_JANK that is of another thread, which the
// application watches with OH_HiCollie_Init_JankDetection. The system leaves its parameter
// is_business_jank out of the event. Source: hiviewdfx_hiview, event_publish.cpp.
const businessJank = "BUSINESS_THREAD_JANK"

func isBusinessFile(name string) bool { return strings.HasPrefix(name, businessJank+"_") }

// scalar returns a string, number or truth value of JSON as text; empty for others.
func scalar(raw json.RawMessage) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if len(raw) == 0 || decoder.Decode(&value) != nil {
		return ""
	}
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	case bool:
		return strconv.FormatBool(value)
	}
	return ""
}

// AddTo returns the list with the events of a set, and gives the traces theirs. only is
// inputs.Options.Only; it may be nil.
func (e *Events) AddTo(list []Input, set *inputs.Set, only func(path string) bool) []Input {
	return Merge(list, e.Give(list, set, only))
}

// Give gives traces the events of a set, and returns these. Those that were found beside a trace are left
// out if they are of another one.
func (e *Events) Give(list []Input, set *inputs.Set, only func(path string) bool) (added []Input) {
	events := slices.Concat(set.Events, set.Beside)
	if len(events) == 0 {
		return nil
	}
	byName := map[string][]int{} // of traces, also without the extension of a container
	for i, in := range list {
		clean := cleanName(in.Name)
		byName[clean] = append(byName[clean], i)
		if name := inputs.Unpacked(clean); name != clean {
			byName[name] = append(byName[name], i)
		}
	}
	for i, in := range events {
		name := cleanName(in.Path)
		event := e.found[name]
		own := only == nil || only(in.Path)
		if event == nil {
			continue
		}
		for _, file := range event.Files {
			at := byName[strings.TrimSuffix(name, path.Base(name))+file]
			at = slices.DeleteFunc(slices.Clone(at), func(i int) bool {
				// Files that a folder skips are among the others if only some are wanted.
				return own && list[i].Other && inputs.Skips(list[i].Name)
			})
			for _, i := range at {
				if list[i].Event == nil {
					list[i].Event = event
				}
			}
			if len(at) > 0 {
				event.Traces++
			} else {
				event.Missing = cmp.Or(event.Missing, file)
			}
		}
		if i < len(set.Events) || event.Traces > 0 || event.Err != nil {
			added = append(added, Input{Name: name, Size: in.Size, Other: !own, Event: event, IsEvent: true})
		}
	}
	return added
}

// failure returns why an event without an error and without a trace has none; nil if it has one.
func (e *Event) failure() error {
	switch {
	case e.Traces > 0:
		return nil
	case len(e.Files) == 0 && e.NotWritten:
		return fmt.Errorf("%w: the device had no space for it: log_over_limit", errNoFile)
	case len(e.Files) == 0:
		return fmt.Errorf("%w: it names no file", errNoFile)
	}
	return fmt.Errorf("%w: %s is missing or no trace", errNoFile, e.Missing)
}

// check returns an error if no process of a trace is that of the event.
func (e *Event) check(t *analyzer.Timeline) error {
	if len(t.Processes) == 0 || e.Bundle == "" && e.Process == "" && e.PID == trace.UnknownPID {
		return nil
	}
	names := []string{}
	for _, p := range t.Processes {
		if p.PID == e.PID || sameApplication(p.Name, e.Process) || sameApplication(p.Name, e.Bundle) {
			return nil
		}
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s, not %s", errOtherApp, names[0], cmp.Or(e.Process, e.Bundle, e.PID.String()))
}

// shortName is the number of bytes of the names of processes that kernels keep.
const shortName = 15

// sameApplication reports whether a process may have the full name, or be another process of
// that application, such as "com.example.app:render".
func sameApplication(process, full string) bool {
	if process == "" || full == "" {
		return false
	}
	if len(process) >= shortName-1 && (strings.HasSuffix(full, process) || strings.HasPrefix(full, process)) {
		return true
	}
	return process == full || strings.HasPrefix(process, full+":") || strings.HasPrefix(full, process+":")
}

// EventRow is what the dataset has of an event.
type EventRow struct {
	Name     string // of its file
	Dims     []*string
	Process  string // of the application
	PID      trace.PID
	Recorded *int64 // when it was reported, in microseconds since 1970; nil if unknown
	// Length is the time of its task in nanoseconds; nil if unknown.
	Length *int64
	Traces int64 // that were uploaded with it
}

func (r *EventRow) cells(dims []string) []cell {
	list := append([]cell{{"trace", &r.Name}}, dimCells(dims, &r.Dims)...)
	return append(list, cell{"process,dict", &r.Process}, cell{"pid", &r.PID}, cell{"recorded,timestamp(microsecond)", &r.Recorded},
		cell{"event_ns", &r.Length}, cell{"event_traces", &r.Traces})
}

// rowOf returns the row of an event.
func (e *Event) rowOf(name string, dims []*string) *EventRow {
	r := &EventRow{Name: name, Dims: dims, Process: cmp.Or(e.Process, e.Bundle), PID: e.PID, Recorded: e.recorded(), Traces: int64(e.Traces)}
	if e.Begin > 0 && e.End >= e.Begin {
		r.Length = new((e.End - e.Begin) * int64(time.Millisecond))
	}
	return r
}

// recorded returns the time of the event in microseconds since 1970; nil if unknown.
func (e *Event) recorded() *int64 {
	if e.At == 0 {
		return nil
	}
	return new(time.Duration(e.At * int64(time.Millisecond)).Microseconds())
}

// Use sets the options that follow from the event.
func (e *Event) Use(o *ohframe.Options) {
	for _, name := range []string{e.Process, e.Bundle} {
		if name != "" && !slices.Contains(o.Recording.FullNames, name) {
			o.Recording.FullNames = append(slices.Clone(o.Recording.FullNames), name)
		}
	}
}
