package diff

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
)

// The members of an archive. Perfetto recognises the manifest by its content and
// reads it first, wherever it is. Names must be short: Perfetto reads only the
// 100-byte name field of a member's header. It skips members whose name begins
// with a dot.
//
// Source: src/trace_processor/importers/archive of Perfetto v58.2.
const (
	manifestMember = "perfetto_manifest.json"
	baseMember     = "base.pftrace"
	newMember      = "new.pftrace"
)

// bootTime is Perfetto's default clock.
const bootTime = "BOOTTIME"

// manifest describes to Perfetto, from v58 on, how the traces of an archive relate.
// Without it, Perfetto assumes one device and aligns the traces by time of day.
//
//	{"perfetto_manifest": {
//	  "version": 1,
//	  "trace_time": {"clock": "BOOTTIME", "file": "base.pftrace"},
//	  "files": [
//	    {"path": "base.pftrace", "machine": {"name": "base: a.ftrace"}},
//	    {"path": "new.pftrace", "machine": {"name": "new: b.ftrace"},
//	     "clocks": {"clock": "BOOTTIME", "offset_ns": 1000,
//	                "sync_to": {"file": "base.pftrace", "clock": "BOOTTIME"}}}]}}
//
// The key must be the first thing in the file.
//
// Source: docs/reference/perfetto-manifest.md of Perfetto v58.2, and
// src/trace_processor/plugins/perfetto_manifest there, which reads it.
type manifest struct {
	Content manifestContent `json:"perfetto_manifest"`
}

type manifestContent struct {
	Version int `json:"version"` // always 1
	// TraceTime is the clock of the common timeline.
	TraceTime manifestClock  `json:"trace_time"`
	Files     []manifestFile `json:"files"`
}

type manifestClock struct {
	Clock string `json:"clock"`
	File  string `json:"file"` // a file of the clock's machine
}

type manifestFile struct {
	Path    string          `json:"path"`
	Machine manifestMachine `json:"machine"`
	Clocks  *manifestClocks `json:"clocks,omitempty"`
}

// manifestMachine separates the processes and processors of the traces. Files
// with the same machine name belong to one machine.
type manifestMachine struct {
	Name string `json:"name"`
}

// manifestClocks places a file: when its Clock reads T, the clock SyncTo reads
// T + Offset.
type manifestClocks struct {
	Clock  string         `json:"clock"`
	Offset trace.Duration `json:"offset_ns"`
	SyncTo manifestClock  `json:"sync_to"`
}

// Trace is one of the two traces to merge, as a Perfetto trace.
type Trace struct {
	// Write writes the trace without compression: Perfetto rejects a manifest of
	// compressed files. It is called twice and must write the same bytes, because
	// a member's size precedes its content.
	Write func(io.Writer) error
}

// Merge writes both traces as a tar archive that Perfetto, from v58 on, shows on
// one timeline. The first complete frames of the compared processes begin at the
// same time there. Both sides must have a timeline. It returns the errors of the
// traces' Write functions and of w.
func (d *Diff) Merge(w io.Writer, base, new Trace) error {
	manifest, err := json.MarshalIndent(d.manifest(), "", " ")
	if err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	for _, m := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{manifestMember, func(w io.Writer) error {
			_, err := w.Write(append(manifest, '\n'))
			return err
		}},
		{baseMember, withClock(d.Base.Timeline, base.Write)},
		{newMember, withClock(d.New.Timeline, new.Write)},
	} {
		var size counter
		if err := m.write(&size); err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Size: int64(size), Mode: 0o644, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		var again counter
		err := m.write(io.MultiWriter(archive, &again))
		if errors.Is(err, tar.ErrWriteTooLong) || err == nil && again != size {
			return fmt.Errorf("%s: the trace changed while it was read", m.name)
		} else if err != nil {
			return err
		}
	}
	return archive.Close()
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// manifest returns the manifest of the archive. It shifts the trace whose first
// frame is earlier, so that offsets are never negative: Perfetto drops events
// before time zero.
func (d *Diff) manifest() manifest {
	files := []manifestFile{
		{Path: baseMember, Machine: manifestMachine{"base: " + filepath.Base(d.Base.Name)}},
		{Path: newMember, Machine: manifestMachine{"new: " + filepath.Base(d.New.Name)}},
	}
	base, new := d.firstFrames()
	fixed, shifted, offset := &files[0], &files[1], base.Sub(new)
	if offset < 0 {
		fixed, shifted, offset = shifted, fixed, -offset
	}
	reference := manifestClock{Clock: bootTime, File: fixed.Path}
	shifted.Clocks = &manifestClocks{Clock: bootTime, Offset: offset, SyncTo: reference}
	return manifest{manifestContent{Version: 1, TraceTime: reference, Files: files}}
}

// firstFrames returns the starts of the first complete frames of the compared
// processes.
func (d *Diff) firstFrames() (base, new trace.Time) {
	for _, p := range d.Pairs {
		if !hasFrames(p.Base) || !hasFrames(p.New) {
			continue // only one of the traces has frames
		}
		if !base.Known() || p.Base.Observed.From < base {
			base = p.Base.Observed.From
		}
		if !new.Known() || p.New.Observed.From < new {
			new = p.New.Observed.From
		}
	}
	return base, new
}

// withClock adds a clock snapshot to a trace without one: its times are boot time.
// Perfetto does not shift times of an unknown clock.
//
// Source: ProtoTraceReader::TimestampTokenizeAndPushToSorter and
// ParseClockSnapshot in Perfetto v58.2.
func withClock(t *analyzer.Timeline, write func(io.Writer) error) func(io.Writer) error {
	if t.Clock.Source != analyzer.ClockUnknown || t.Wall.At.Known() {
		return write
	}
	return func(w io.Writer) error {
		snapshot, err := proto.Marshal(&perfettopb.Trace{Packet: []*perfettopb.TracePacket{{
			Data: &perfettopb.TracePacket_ClockSnapshot{ClockSnapshot: &perfettopb.ClockSnapshot{
				Clocks: []*perfettopb.ClockSnapshot_Clock{{
					ClockId:   proto.Uint32(uint32(perfettopb.BuiltinClock_BUILTIN_CLOCK_BOOTTIME)),
					Timestamp: proto.Uint64(uint64(t.Span.Start)),
				}},
			}},
		}}})
		if err != nil {
			return err
		}
		if _, err := w.Write(snapshot); err != nil {
			return err
		}
		return write(w)
	}
}
