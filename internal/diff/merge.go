package diff

import (
	"archive/tar"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/source/unpack"
)

// The members of an archive. Perfetto recognises the manifest by its content and
// reads it first, wherever it is. Names must be short: Perfetto reads only the
// 100-byte name field of a member's header. It skips members whose name begins
// with a dot.
//
// Source: src/trace_processor/importers/archive of Perfetto v58.2.
const (
	manifestMember = unpack.MergedManifest
	traceMember    = unpack.MergedTraces
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
		{traceMember, func(w io.Writer) error { return JoinPackets(w, fixed, shifted, at, shiftedAt, names) }},
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

// Numbers of fields.
const (
	remoteClockSync = 107 // TracePacket.remote_clock_sync
	syncedClocks    = 1   // RemoteClockSync.synced_clocks
	clientClocks    = 2   // RemoteClockSync.SyncedClocks.client_clocks
	hostClocks      = 3
)

// JoinPackets writes two Perfetto traces as one of two machines, which keep their processes and processors
// apart. At one instant, the clock of fixed reads at and that of shifted shiftedAt. Perfetto converts the
// times of shifted. A trace without a clock is one of boot time. names are those of the machines.
//
// Source: ProtoTraceReader of Perfetto v55.3 and v58.2.
func JoinPackets(w io.Writer, fixed, shifted func(io.Writer) error, at, shiftedAt trace.Time, names [2]string) error {
	host, client := bootTime(at), bootTime(shiftedAt)
	sync := message(syncedClocks, append(message(clientClocks, client), message(hostClocks, host)...))
	for _, part := range []struct {
		machine uint32
		clock   []byte
		packets func(io.Writer) error
	}{
		{0, message(6, host), fixed}, // TracePacket.clock_snapshot
		{shiftedMachine, message(remoteClockSync, append(sync, sync...)), shifted}, // Perfetto wants two of them
	} {
		to := perfetto.NewMachineWriter(w, part.machine)
		to.Label = names[part.machine]
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

// Merged is a trace in an archive that Merge wrote.
type Merged struct {
	// Name is that of its machine, such as "base: a.ftrace".
	Name string
	// Moved is by how much later its times are on the timeline of the archive than its own.
	Moved trace.Duration
	// Offset and Size are where its packets are in the archive, in bytes.
	Offset, Size int64
}

// ReadMerged returns the two traces in an archive that Merge wrote, in their order; none of another file.
func ReadMerged(file io.ReaderAt, size int64) []Merged {
	content := io.NewSectionReader(file, 0, size)
	archive := tar.NewReader(content)
	member, err := archive.Next()
	if err != nil || member.Name != manifestMember {
		return nil
	}
	var m struct {
		Content struct {
			Files []struct {
				Machines []struct{ Name string }
			}
		} `json:"perfetto_manifest"`
	}
	const most = 1 << 20
	if json.NewDecoder(io.LimitReader(archive, most)).Decode(&m) != nil || len(m.Content.Files) != 1 || len(m.Content.Files[0].Machines) != 2 {
		return nil
	}
	if member, err = archive.Next(); err != nil || member.Name != traceMember {
		return nil
	}
	start, err := content.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	second, moved, ok := findShifted(bufio.NewReader(archive))
	if !ok {
		return nil
	}
	machines := m.Content.Files[0].Machines
	return []Merged{
		{Name: machines[0].Name, Offset: start, Size: second},
		{Name: machines[1].Name, Moved: moved, Offset: start + second, Size: member.Size - second},
	}
}

// findShifted returns where the packets of the second trace begin in what JoinPackets wrote, and by how much its times are moved.
func findShifted(r *bufio.Reader) (at int64, moved trace.Duration, ok bool) {
	for {
		head, _ := r.Peek(16)
		_, _, tag := protowire.ConsumeTag(head)
		if tag < 0 {
			return 0, 0, false
		}
		length, n := protowire.ConsumeVarint(head[tag:])
		if n < 0 || length > 1<<31 {
			return 0, 0, false
		}
		if number, _, m := protowire.ConsumeTag(head[tag+n:]); m > 0 && number == remoteClockSync {
			packet, err := r.Peek(tag + n + int(min(length, 1<<10)))
			if err != nil {
				return 0, 0, false
			}
			sync := part(part(packet[tag+n:], remoteClockSync), syncedClocks)
			host, ok1 := timeOf(part(sync, hostClocks))
			client, ok2 := timeOf(part(sync, clientClocks))
			return at, host.Sub(client), ok1 && ok2
		}
		if _, err := r.Discard(tag + n + int(length)); err != nil {
			return 0, 0, false
		}
		at += int64(tag+n) + int64(length)
	}
}

// part returns the first field of a number in a message; nil if it has none.
func part(b []byte, field protowire.Number) []byte {
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil
		}
		if number == field && wire == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(b[n:])
			return content
		}
		m := protowire.ConsumeFieldValue(number, wire, b[n:])
		if m < 0 {
			return nil
		}
		b = b[n+m:]
	}
	return nil
}

// timeOf returns the time of the first clock in a ClockSnapshot.
func timeOf(snapshot []byte) (trace.Time, bool) {
	var s perfettopb.ClockSnapshot
	if proto.Unmarshal(snapshot, &s) != nil || len(s.GetClocks()) == 0 {
		return 0, false
	}
	return trace.Time(s.GetClocks()[0].GetTimestamp()), true
}
