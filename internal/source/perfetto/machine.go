package perfetto

import (
	"errors"
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrSeveralMachines: packets of the trace say that another machine recorded them.
var ErrSeveralMachines = errors.New("the trace has packets of several machines")

// MachineWriter copies the packets of a trace as those of one machine, so that several traces can
// follow each other in one. Compressed packets are unpacked, because Perfetto reads the machine from
// the packets inside. What Read skips as damaged is left out: nothing follows a packet that is cut.
// It has no limits: it is for traces that Read has read.
type MachineWriter struct {
	// Label is added to the names of the tracks that belong to no process, as the UI labels processes of several machines. May be empty.
	Label   string
	w       io.Writer
	machine []byte // the field that is added to a packet
	rest    []byte // the beginning of a packet
	out     []byte
	garbage bool
	nested  bool  // the packets are those in a compressed packet
	err     error // of writing
	decoder decoder
}

// NewMachineWriter returns a writer of packets of the given machine to w. Machine 0 is Perfetto's host.
func NewMachineWriter(w io.Writer, machine uint32) *MachineWriter {
	m := &MachineWriter{w: w}
	if machine != 0 {
		m.machine = protowire.AppendVarint(protowire.AppendTag(nil, packetMachine, protowire.VarintType), uint64(machine))
	}
	return m
}

// Write takes a part of the trace. The error is ErrSeveralMachines or that of the underlying writer.
func (m *MachineWriter) Write(b []byte) (int, error) {
	if m.garbage {
		return len(b), nil
	}
	m.rest = append(m.rest, b...)
	left := m.rest
	for len(left) > 0 {
		number, wire, n := protowire.ConsumeTag(left)
		content, size := []byte(nil), n
		if n >= 0 {
			content, size = protowire.ConsumeBytes(left[n:])
		}
		if size < 0 && errors.Is(protowire.ParseError(size), io.ErrUnexpectedEOF) {
			break
		}
		if m.garbage = size < 0 || number != tracePacket || wire != protowire.BytesType; m.garbage {
			break
		}
		if m.err = m.packet(content); m.err != nil {
			return 0, m.err
		}
		left = left[n+size:]
	}
	m.rest = append(m.rest[:0], left...)
	return len(b), nil
}

// packet writes a packet.
func (m *MachineWriter) packet(content []byte) error {
	var p packet
	if !p.parse(content) {
		return nil
	}
	switch {
	case p.machine != 0:
		return ErrSeveralMachines
	case p.kind == packetCompressed || p.kind == packetZstdCompressed:
		r, err := m.decoder.inflate(&p)
		if err != nil || m.nested {
			return nil // damaged
		}
		inner := &MachineWriter{Label: m.Label, w: m.w, machine: m.machine, nested: true}
		_, _ = io.Copy(inner, r) // another error is damage
		return inner.err
	}
	if m.Label != "" {
		content = m.labelled(content)
	}
	m.out = protowire.AppendTag(m.out[:0], tracePacket, protowire.BytesType)
	m.out = protowire.AppendVarint(m.out, uint64(len(content)+len(m.machine)))
	m.out = append(append(m.out, content...), m.machine...)
	_, err := m.w.Write(m.out)
	return err
}

// Numbers of fields.
const (
	trackDescriptor = 60 // TracePacket.track_descriptor
	trackName       = 2  // TrackDescriptor.name
	trackProcess    = 3
	trackThread     = 4
	trackParent     = 5
)

// labelled returns a packet with the label in the name of one of the exporter's tracks that belong to no process.
func (m *MachineWriter) labelled(content []byte) []byte {
	for rest := content; len(rest) > 0; {
		number, wire, n := protowire.ConsumeTag(rest)
		size := protowire.ConsumeFieldValue(number, wire, rest[n:])
		if number != trackDescriptor || wire != protowire.BytesType {
			rest = rest[n+size:]
			continue
		}
		track, _ := protowire.ConsumeBytes(rest[n:])
		name := ""
		for fields := track; len(fields) > 0; {
			number, wire, n := protowire.ConsumeTag(fields)
			if n < 0 {
				return content
			}
			size := protowire.ConsumeFieldValue(number, wire, fields[n:])
			switch {
			case size < 0 || number == trackProcess || number == trackThread || number == trackParent:
				return content
			case number == trackName && wire == protowire.BytesType:
				text, _ := protowire.ConsumeBytes(fields[n:])
				name = string(text)
			}
			fields = fields[n+size:]
		}
		if name != "Late frames" && name != "Layers" { // others' names may mean something to their modules
			return content
		}
		at := len(content) - len(rest)
		track = protowire.AppendString(protowire.AppendTag(slices.Clone(track), trackName, protowire.BytesType), name+" ("+m.Label+")") // the last one counts
		out := protowire.AppendBytes(protowire.AppendTag(slices.Clone(content[:at]), trackDescriptor, protowire.BytesType), track)
		return append(out, rest[n+size:]...)
	}
	return content
}
