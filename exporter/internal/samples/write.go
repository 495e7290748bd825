package samples

import (
	"cmp"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
)

// Field numbers of the packets.
const (
	packetSample = 66 // TracePacket.perf_sample

	defaultsSample    = 12 // TracePacketDefaults.perf_sample_defaults
	defaultsTimebase  = 1  // PerfSampleDefaults.timebase
	timebasePeriod    = 1  // PerfEvents.Timebase.period
	timebaseFrequency = 2
	timebaseName      = 10

	sampleCPU   = 1 // PerfSample.cpu
	samplePID   = 2
	sampleTID   = 3
	sampleStack = 4 // PerfSample.callstack_iid
	sampleMode  = 5 // PerfSample.cpu_mode
	sampleCount = 6 // PerfSample.timebase_count

	internedFunction = 5 // InternedData.function_names
	internedFrame    = 6
	internedStack    = 7 // InternedData.callstacks
	internedBuildID  = 16
	internedPath     = 17 // InternedData.mapping_paths
	internedSource   = 18 // InternedData.source_paths
	internedMapping  = 19

	internedID     = 1 // of all of these
	internedText   = 2 // InternedString.str
	mappingBuildID = 2
	mappingPath    = 7 // Mapping.path_string_ids
	frameFunction  = 2
	frameMapping   = 3
	frameAddress   = 4 // Frame.rel_pc
	frameSource    = 5 // Frame.source_path_iid
	frameLine      = 6
	stackFrame     = 2 // Callstack.frame_ids
)

const (
	// maxEvents bounds the events with a sequence, and so with tables, of their own. Others share
	// one.
	maxEvents = 15
	// maxCalls bounds the calls of all stacks. A file can refer to more by stating calls once:
	// this is 200 MB of output.
	maxCalls = 1 << 26
	// maxInterned is the size in bytes at which interned data becomes a packet.
	maxInterned = 64 << 10
)

// Options decide which samples are written, and how.
type Options struct {
	// Process returns the process of a thread, or trace.UnknownPID if the trace does not have it.
	Process func(trace.TID) trace.PID
	// Calls bounds the calls of all stacks. Default: maxCalls.
	Calls int
}

// Summary describes the samples that were written.
type Summary struct {
	Written int
	LeftOut int // without a writer
	// Stackless are samples that were written without their stacks: there are too many calls.
	Stackless int
	// Hash is that of the packets.
	Hash xxh3.Uint128
}

// Write writes a recording on the clock of the trace. Without w it only makes the summary.
func Write(w *packet.Writer, rec *sample.Recording, o Options) Summary {
	s := &writer{
		packets: w, profile: rec.Profile, process: o.Process, calls: cmp.Or(o.Calls, maxCalls),
	}
	var c Summary
	for i := range rec.Samples {
		s.write(&rec.Samples[i])
	}
	if w == nil {
		c.LeftOut = len(rec.Samples)
	} else {
		c.Written = len(rec.Samples)
	}
	c.Stackless, c.Hash = s.stackless, s.hash.Sum128()
	return c
}

// writer writes samples.
type writer struct {
	packets   *packet.Writer // nil to write nothing
	hash      xxh3.Hasher
	profile   *sample.Profile
	sequences [1 + maxEvents]*sequence // by event; the first is that of all other samples
	process   func(trace.TID) trace.PID
	calls     int // that may still be written
	stackless int

	threads  [256]thread // recent ones, by their last bits
	interned []byte
	body     []byte
	packet   []byte
	frames   []int32
}

// sequence is what packets of a sequence may refer to. Numbers of things are their indexes in
// the profile plus one.
type sequence struct {
	id                                          uint64
	stacks, frames, functions, modules, sources set
}

// set is a set of indexes.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

// add adds an index and reports whether it is new.
func (s set) add(i int32) bool {
	word, bit := &s[i/64], uint64(1)<<(i%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// sequence returns the sequence of an event, and begins it for its first sample.
func (w *writer) sequence(event int32, at trace.Time) *sequence {
	i := event + 1
	if i > maxEvents {
		i = 0
	}
	s := w.sequences[i]
	if s == nil {
		p := w.profile
		s = &sequence{
			packet.SampleSequenceID + uint64(i), newSet(len(p.Stacks)), newSet(len(p.Frames)),
			newSet(len(p.Functions)), newSet(len(p.Modules) + 1), newSet(len(p.Modules)), // modules: also the unknown one
		}
		w.sequences[i] = s
		var e sample.Event
		if i > 0 {
			e = p.Events[i-1]
		}
		w.begin(s, e, at)
	}
	return s
}

// begin writes the first packet of a sequence.
func (w *writer) begin(s *sequence, e sample.Event, at trace.Time) {
	timebase := packet.AppendBytes(nil, timebaseName, []byte(cmp.Or(e.Name, "samples")))
	switch {
	case e.Frequency > 0:
		timebase = packet.AppendVarint(timebase, timebaseFrequency, e.Frequency)
	case e.Period > 0:
		timebase = packet.AppendVarint(timebase, timebasePeriod, e.Period)
	}
	defaults := packet.AppendBytes(nil, defaultsSample, packet.AppendBytes(nil, defaultsTimebase, timebase))
	w.append(s, at, packet.StateCleared, packet.FieldDefaults, defaults)
}

// write writes a sample, after what it refers to.
func (w *writer) write(x *sample.Sample) {
	s := w.sequence(x.Event, x.Time)
	stack := x.Stack
	if stack != sample.Unknown && s.stacks.add(stack) && !w.intern(s, stack, x.Time) {
		s.stacks[stack/64] &^= 1 << (stack % 64)
		stack = sample.Unknown
		w.stackless++
	}
	b := w.body[:0]
	if x.CPU >= 0 && x.CPU <= packet.LastCPU {
		b = packet.AppendVarint(b, sampleCPU, uint64(x.CPU))
	}
	b = append(b, w.thread(x.PID, x.TID)...)
	if stack != sample.Unknown {
		b = packet.AppendVarint(b, sampleStack, uint64(stack)+1)
	}
	mode := perfettopb.Profiling_MODE_USER
	if x.Kernel {
		mode = perfettopb.Profiling_MODE_KERNEL
	}
	b = packet.AppendVarint(b, sampleMode, uint64(mode))
	b = packet.AppendVarint(b, sampleCount, x.Period)
	w.append(s, x.Time, packet.StateNeeded, packetSample, b)
	w.body = b
}

// thread is a thread of samples and its encoded fields.
type thread struct {
	pid, tid int32
	fields   []byte
}

// thread returns the encoded process and thread of a sample.
func (w *writer) thread(pid, tid int32) []byte {
	t := &w.threads[uint32(tid)%uint32(len(w.threads))]
	if t.fields != nil && t.pid == pid && t.tid == tid {
		return t.fields
	}
	process := w.process(trace.TID(tid))
	switch {
	case process != trace.UnknownPID:
	case pid > 0 || tid == 0:
		process = trace.PID(pid)
	default: // not that of the idle threads
		process = trace.PID(tid)
	}
	fields := packet.AppendVarint(t.fields[:0], samplePID, uint64(uint32(process)))
	*t = thread{pid, tid, packet.AppendVarint(fields, sampleTID, uint64(uint32(tid)))}
	return t.fields
}

// append writes a packet.
func (w *writer) append(s *sequence, at trace.Time, flags uint64, field protowire.Number, content []byte) {
	p := packet.AppendVarint(w.packet[:0], packet.FieldTimestamp, uint64(at))
	p = packet.AppendVarint(p, packet.FieldSequenceID, s.id)
	p = packet.AppendVarint(p, packet.FieldSequenceFlags, flags)
	w.packet = packet.AppendBytes(p, field, content)
	w.hash.Write(w.packet)
	if w.packets != nil {
		w.packets.WriteEncoded(w.packet)
	}
}

// intern writes a stack and what it refers to. It reports whether the limit permits that.
func (w *writer) intern(s *sequence, stack int32, at trace.Time) bool {
	w.frames = w.frames[:0]
	for i := stack; i != sample.Unknown; i = w.profile.Stacks[i].Parent {
		w.frames = append(w.frames, w.profile.Stacks[i].Frame)
	}
	if w.calls -= len(w.frames); w.calls < 0 {
		w.calls += len(w.frames)
		return false
	}
	slices.Reverse(w.frames)
	b := w.interned[:0]
	for _, f := range w.frames {
		if s.frames.add(f) {
			if b = w.appendFrame(b, s, f); len(b) >= maxInterned {
				w.append(s, at, packet.StateNeeded, packet.FieldInternedData, b)
				b = b[:0]
			}
		}
	}
	b, start := packet.Begin(b, internedStack)
	b = packet.AppendVarint(b, internedID, uint64(stack)+1)
	for _, f := range w.frames {
		b = packet.AppendVarint(b, stackFrame, uint64(f)+1)
	}
	b = packet.End(b, start)
	w.append(s, at, packet.StateNeeded, packet.FieldInternedData, b)
	w.interned = b
	return true
}

// appendFrame appends a frame, its function and its module.
func (w *writer) appendFrame(b []byte, s *sequence, index int32) []byte {
	p := w.profile
	f := &p.Frames[index]
	module := f.Module
	if module == sample.Unknown {
		module = int32(len(p.Modules))
	}
	if s.modules.add(module) {
		b = w.appendModule(b, module)
	}
	script := f.Line > 0 && f.Module != sample.Unknown
	if script && s.sources.add(module) {
		b = appendText(b, internedSource, uint64(module)+1, p.Modules[module].Path)
	}
	function := uint64(f.Function) + 1
	switch {
	case f.Function == sample.Unknown:
		function = uint64(len(p.Functions)) + uint64(index) + 1
		b = appendText(b, internedFunction, function, w.unnamed(f))
	case s.functions.add(f.Function):
		b = appendText(b, internedFunction, function, p.Functions[f.Function].Name)
	}
	b, start := packet.Begin(b, internedFrame)
	b = packet.AppendVarint(b, internedID, uint64(index)+1)
	b = packet.AppendVarint(b, frameFunction, function)
	b = packet.AppendVarint(b, frameMapping, uint64(module)+1)
	if script {
		// Without addresses, functions of one name would be one for Perfetto.
		b = packet.AppendVarint(b, frameAddress, max(f.Address, uint64(f.Line)))
		b = packet.AppendVarint(b, frameSource, uint64(module)+1)
		b = packet.AppendVarint(b, frameLine, uint64(f.Line))
	} else {
		b = packet.AppendVarint(b, frameAddress, f.Address)
	}
	return packet.End(b, start)
}

// unknown is the name of what has no module. Its addresses are arbitrary numbers: with a name for
// each, a flame graph would be wide.
const unknown = "[unknown]"

// unnamed returns what a frame is called whose function is not known.
func (w *writer) unnamed(f *sample.Frame) string {
	if f.Module == sample.Unknown {
		return unknown
	}
	return path.Base(w.profile.Modules[f.Module].Path) + "+0x" + strconv.FormatUint(f.Address, 16)
}

// appendModule appends the file with an index. Kernel code is in a mapping that Perfetto knows
// by its name.
func (w *writer) appendModule(b []byte, index int32) []byte {
	id := uint64(index) + 1
	m := sample.Module{Path: unknown}
	if int(index) < len(w.profile.Modules) {
		m = w.profile.Modules[index]
	}
	if m.Kernel && strings.HasPrefix(m.Path, "[kernel.kallsyms]") {
		m = sample.Module{Path: "kernel"} // only without a build id
	}
	// Perfetto adds a slash.
	b = appendText(b, internedPath, id, strings.TrimPrefix(m.Path, "/"))
	build, err := hex.DecodeString(m.BuildID)
	known := err == nil && len(build) > 0
	if known {
		b = appendText(b, internedBuildID, id, string(build))
	}
	b, start := packet.Begin(b, internedMapping)
	b = packet.AppendVarint(b, internedID, id)
	if known {
		b = packet.AppendVarint(b, mappingBuildID, id)
	}
	b = packet.AppendVarint(b, mappingPath, id)
	return packet.End(b, start)
}

// appendText appends an interned text.
func appendText(b []byte, field protowire.Number, id uint64, text string) []byte {
	b, start := packet.Begin(b, field)
	b = packet.AppendVarint(b, internedID, id)
	b = protowire.AppendString(protowire.AppendTag(b, internedText, protowire.BytesType), text)
	return packet.End(b, start)
}
