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

// Merge writes both traces as a tar archive that Perfetto, from v58 on, shows on
// one timeline. The first complete frames of the compared processes begin at the
// same time there. Both sides must have a timeline. base and new write Perfetto traces
// without compression, because Perfetto rejects a manifest of compressed files. They are
// called twice and must write the same bytes, because a member's size precedes its
// content. Merge returns their errors and those of w.
func (d *Diff) Merge(w io.Writer, base, new func(io.Writer) error) error {
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
		{baseMember, withClock(d.Base.Timeline, base)},
		{newMember, withClock(d.New.Timeline, new)},
	} {
		var size, again counter
		if err := m.write(&size); err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Size: int64(size), Mode: 0o644, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		err := m.write(io.MultiWriter(archive, &again))
		if errors.Is(err, tar.ErrWriteTooLong) || err == nil && again != size {
			return fmt.Errorf("%s: the trace changed while it was read", m.name)
		} else if err != nil {
			return err
		}
	}
	return archive.Close()
}

// IsMerged reports whether an archive is one that Merge writes: it begins with a manifest.
func IsMerged(archive io.Reader) bool {
	first, err := tar.NewReader(archive).Next()
	return err == nil && first.Name == manifestMember
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

type object map[string]any

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
// The first key must be the first thing in the file. trace_time is the clock of the common
// timeline. Machines keep the processes and processors of the traces apart. When the clock of
// a file with clocks reads T, the clock sync_to reads T + offset_ns. The trace whose first
// frame is earlier is shifted, so that offsets are never negative: Perfetto drops events
// before time zero.
//
// Source: docs/reference/perfetto-manifest.md of Perfetto v58.2, and
// src/trace_processor/plugins/perfetto_manifest there, which reads it.
func (d *Diff) manifest() object {
	const bootTime = "BOOTTIME" // Perfetto's default clock
	files := []object{
		{"path": baseMember, "machine": object{"name": "base: " + filepath.Base(d.Base.Name)}},
		{"path": newMember, "machine": object{"name": "new: " + filepath.Base(d.New.Name)}},
	}
	base, new := d.firstFrames()
	fixed, shifted, offset := files[0], files[1], base.Sub(new)
	if offset < 0 {
		fixed, shifted, offset = shifted, fixed, -offset
	}
	reference := object{"clock": bootTime, "file": fixed["path"]}
	shifted["clocks"] = object{"clock": bootTime, "offset_ns": offset, "sync_to": reference}
	return object{"perfetto_manifest": object{"version": 1, "trace_time": reference, "files": files}}
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
