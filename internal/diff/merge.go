package diff

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
)

// The members of an archive. Perfetto recognises the manifest by its content and
// reads it first, wherever it is. Names must be short: Perfetto reads only the
// 100-byte name field of a member's header. It skips members whose name begins
// with a dot.
//
// Source: src/trace_processor/importers/archive of Perfetto v58.2.
const (
	manifestMember = "perfetto_manifest.json"
	traceMember    = "both.pftrace"
)

// Merge writes both traces as one, in a tar archive, that Perfetto shows on one timeline: the first
// complete frames of the compared processes begin at the same time there. Both sides must have a
// timeline. base and new write Perfetto traces without compression. They are called twice and must
// write the same bytes, because a member's size precedes its content. Merge returns their errors,
// those of w, and perfetto.ErrSeveralMachines.
func (d *Diff) Merge(w io.Writer, base, new func(io.Writer) error) error {
	fixed, shifted := base, new
	at, shiftedAt := d.firstFrames()
	names := [2]string{"base: " + filepath.Base(d.Base.Name), "new: " + filepath.Base(d.New.Name)}
	if shiftedAt > at { // Perfetto drops events before time zero, so a trace is shifted to later times only
		fixed, shifted, at, shiftedAt = shifted, fixed, shiftedAt, at
		names[0], names[1] = names[1], names[0]
	}
	manifest, err := json.MarshalIndent(manifest(names), "", " ")
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
		{traceMember, func(w io.Writer) error { return JoinPackets(w, fixed, shifted, at, shiftedAt) }},
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
			return errors.New("a trace changed while it was read")
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

type object map[string]any

// manifest names the machines of the trace to Perfetto, from v58 on, and says that the clock of the
// first one is that of the timeline. Before v58, Perfetto skips it: that clock is the trace's first.
//
//	{"perfetto_manifest": {
//	  "version": 1,
//	  "trace_time": {"clock": "BOOTTIME", "file": "both.pftrace", "machine": "base: a.ftrace"},
//	  "files": [{"path": "both.pftrace", "machines": [
//	    {"id": 0, "name": "base: a.ftrace"}, {"id": 1, "name": "new: b.ftrace"}]}]}}
//
// The first key must be the first thing in the file.
//
// Source: docs/reference/perfetto-manifest.md of Perfetto v58.2, and
// src/trace_processor/plugins/perfetto_manifest there, which reads it.
func manifest(machines [2]string) object {
	named := []object{{"id": 0, "name": machines[0]}, {"id": shiftedMachine, "name": machines[1]}}
	return object{"perfetto_manifest": object{
		"version":    1,
		"trace_time": object{"clock": "BOOTTIME", "file": traceMember, "machine": machines[0]},
		"files":      []object{{"path": traceMember, "machines": named}},
	}}
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

// shiftedMachine is the machine of the second trace. The first is the host, machine 0.
const shiftedMachine = 1

// JoinPackets writes two Perfetto traces as one of two machines, which keep their processes and processors
// apart. At one instant, the clock of fixed reads at and that of shifted shiftedAt. Perfetto converts the
// times of shifted. A trace without a clock is one of boot time.
//
// Source: ProtoTraceReader of Perfetto v55.3 and v58.2.
func JoinPackets(w io.Writer, fixed, shifted func(io.Writer) error, at, shiftedAt trace.Time) error {
	host, client := bootTime(at), bootTime(shiftedAt)
	// RemoteClockSync.synced_clocks has client_clocks and host_clocks. Perfetto wants two of them.
	sync := message(1, append(message(2, client), message(3, host)...))
	for _, part := range []struct {
		machine uint32
		clock   []byte
		packets func(io.Writer) error
	}{
		{0, message(6, host), fixed},                                   // TracePacket.clock_snapshot
		{shiftedMachine, message(107, append(sync, sync...)), shifted}, // TracePacket.remote_clock_sync
	} {
		to := perfetto.NewMachineWriter(w, part.machine)
		if _, err := to.Write(message(1, part.clock)); err != nil {
			return err
		}
		if err := part.packets(to); err != nil {
			return err
		}
	}
	return nil
}

// bootTime returns a ClockSnapshot of boot time.
func bootTime(at trace.Time) []byte {
	const bootTime = uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_BOOTTIME)
	clock := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), bootTime)
	// Perfetto takes zero as no time.
	return message(1, protowire.AppendVarint(protowire.AppendTag(clock, 2, protowire.VarintType), uint64(at)+1))
}

func message(field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
}
