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
	"ohframe/protos/perfettopb"
)

// The members of an archive. Perfetto takes the manifest first, wherever it is,
// and knows it by its content. Names must be short: of the header of a member
// it reads no more than the 100 bytes that tar had in the beginning. It passes
// over members whose name begins with a dot.
//
// Source: src/trace_processor/importers/archive of Perfetto v58.2.
const (
	manifestMember = "perfetto_manifest.json"
	baseMember     = "base.pftrace"
	newMember      = "new.pftrace"
)

// bootTime is the clock that times without any other are in.
const bootTime = "BOOTTIME"

// manifest tells Perfetto, from v58 on, how the traces of an archive belong
// together. Without it both would be taken for one device's, and be placed by
// the time of day.
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
	Version int `json:"version"` // 1 is the only one
	// TraceTime is the clock of the common timeline.
	TraceTime manifestClock  `json:"trace_time"`
	Files     []manifestFile `json:"files"`
}

type manifestClock struct {
	Clock string `json:"clock"`
	File  string `json:"file"` // on whose machine it is
}

type manifestFile struct {
	Path    string          `json:"path"`
	Machine manifestMachine `json:"machine"`
	Clocks  *manifestClocks `json:"clocks,omitempty"`
}

// manifestMachine keeps processes and processors of either trace apart. Files
// with the same name of a machine are of one.
type manifestMachine struct {
	Name string `json:"name"`
}

// manifestClocks places a file: where a clock of its own reads T, the one that
// it is synchronized to reads T + Offset.
type manifestClocks struct {
	Clock  string         `json:"clock"`
	Offset trace.Duration `json:"offset_ns"`
	SyncTo manifestClock  `json:"sync_to"`
}

// Trace is one of the two traces to merge, as a Perfetto trace.
type Trace struct {
	// Write writes it, not compressed: Perfetto rejects a manifest about files
	// that have to be unpacked. It is called twice and must write the same; an
	// archive states a member's size before its content.
	Write func(io.Writer) error
}

// Merge writes both traces as a tar archive that Perfetto, from v58 on, shows on
// one timeline, on which the first complete frames of the processes that were
// compared begin together. Both sides must have a timeline. The error is that of
// writing a trace or w's.
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
			return fmt.Errorf("%s: the trace changed between its first reading and its second", m.name)
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

// manifest returns the manifest of the archive. The trace whose first frame has
// the later time is the one that the other is moved to: offsets are never
// negative then, and nothing is moved before the beginning of time, where
// Perfetto would drop it.
func (d *Diff) manifest() manifest {
	files := []manifestFile{
		{Path: baseMember, Machine: manifestMachine{"base: " + filepath.Base(d.Base.Name)}},
		{Path: newMember, Machine: manifestMachine{"new: " + filepath.Base(d.New.Name)}},
	}
	base, new := d.firstFrames()
	still, moved, offset := &files[0], &files[1], base.Sub(new)
	if offset < 0 {
		still, moved, offset = moved, still, -offset
	}
	reference := manifestClock{Clock: bootTime, File: still.Path}
	moved.Clocks = &manifestClocks{Clock: bootTime, Offset: offset, SyncTo: reference}
	return manifest{manifestContent{Version: 1, TraceTime: reference, Files: files}}
}

// firstFrames returns when the first complete frames of the processes that were
// compared begin.
func (d *Diff) firstFrames() (base, new trace.Time) {
	for _, p := range d.Pairs {
		if !hasFrames(p.Base) || !hasFrames(p.New) {
			continue // there is no frame for the other's first
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

// withClock says of a trace that has no clock snapshot, which could tell, that
// its times are boot time. Perfetto moves no times of which it does not know
// the clock.
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
