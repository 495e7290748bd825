package binarytrace

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/kernel"
)

// htraceMagic is the beginning of each part of a file that hiprofiler wrote.
const htraceMagic = "OHOSPROF"

// The header of a part has no padding between its fields.
const (
	htraceHeaderSize = 1024
	htraceLength     = 8  // u64: of the part, with the header
	htraceDataType   = 56 // u32
	htraceBoot       = 60 // u64: CLOCK_BOOTTIME, ns
	htraceRealtime   = 68 // u64: CLOCK_REALTIME, ns
	htraceMonotonic  = 84 // u64: CLOCK_MONOTONIC, ns
	htraceHeaderUsed = 252
)

// dataSegments is the type of a part that has segments: a u32 length and a
// ProfilerPluginData each.
const dataSegments = 0

// dataHiperf is the type of a part that is a recording of hiperf.
const dataHiperf = 1

// maxRecordings is the maximum number of recordings of a file; hiprofiler writes one.
const maxRecordings = 16

// maxScripts is the maximum number of messages of the arkts-plugin of a file. Each is a few
// kilobytes or more.
const maxScripts = 1 << 20

// maxSegment is the maximum size of a segment. hiprofiler's shared memory is smaller.
const maxSegment = 64 << 20

// maxPiece is the size from which on a message with many events is read in several
// pieces. A page of the kernel makes some 20 KB.
const maxPiece = 64 << 10

// Numbers of fields of messages.
//
// Source: openharmony/developtools_profiler, common_types.proto,
// trace_plugin_result.proto, trace_plugin_config.proto; openharmony/developtools_smartperf_host,
// js_heap_config.proto; process_plugin_result.proto,
// hilog_plugin_result.proto.
const (
	pluginName = 1
	pluginData = 3

	configClock = 8

	arktsPID      = 1 // of its configuration
	arktsInterval = 7 // µs

	processInfo   = 1 // of ProcessData, repeated
	processPID    = 1
	processName   = 2
	processParent = 3

	resultStats   = 1
	resultDetail  = 2
	resultSymbols = 5
	resultClocks  = 6
	resultComms   = 8

	statsStatus  = 1
	statsPerCPU  = 2
	statsClock   = 3
	statsEnd     = 1 // a status
	overrun      = 3
	commitOver   = 4
	droppedEvent = 8

	detailCPU   = 1
	detailEvent = 2

	clockID      = 1
	clockTime    = 2
	clockSeconds = 1
	clockNanos   = 2
	idBoot       = 1
	idMonotonic  = 4
)

// htrace is the source of a trace of hiprofiler.
type htrace struct {
	log       *diag.DamageLog
	messages  *[lastMessage]*messageFormat
	names     names
	symbols   map[uint64]string // functions by address
	inHeader  [2]uint64         // boot and monotonic time
	inDetails [2]uint64
	start     uint64 // events that were lost before the recording
	end       uint64 // and before its end
	ended     bool   // statistics of the end were seen
	plugins   []string
	texts     []io.Reader // of the bytrace plugin
}

func (r *Reader) openHtrace(size int64) error {
	h := &htrace{log: r.log, messages: messages(), symbols: map[uint64]string{}}
	h.names.limit = r.options.Limits.Threads
	r.source = h
	if err := r.parts(h, size); err != nil {
		return err
	}
	h.setClock(&r.clock)
	r.log.AddMany(namesOver, h.names.over)
	if h.ended && h.end > h.start {
		r.log.AddMany(lostEvents, int(min(h.end-h.start, 1<<40)))
	}
	switch {
	case len(r.pieces) > 0:
		return nil
	case len(h.texts) > 0:
		r.text = io.MultiReader(h.texts...)
		return nil
	}
	what := "a hiprofiler trace without ftrace data"
	if len(h.plugins) > 0 {
		what += "; it has " + strings.Join(h.plugins, ", ")
	}
	return noEvents(what, "record with the ftrace-plugin and hitrace_categories graphic, ace and sched, or record a text trace with hitrace")
}

// parts walks over all parts.
func (r *Reader) parts(h *htrace, size int64) error {
	var header [htraceHeaderUsed]byte
	for at := int64(0); at < size; {
		if size-at < htraceHeaderSize {
			if at == 0 {
				return noEvents("a hiprofiler trace that is cut within its header", "copy the file again")
			}
			r.log.AddMany(trailing, int(size-at))
			return nil
		}
		if err := readAt(r.in, header[:], at); err != nil {
			return err
		}
		if at > 0 && !IsHtrace(header[:]) {
			r.log.AddMany(trailing, int(min(size-at, 1<<40)))
			return nil
		}
		end := size
		switch length := binary.LittleEndian.Uint64(header[htraceLength:]); {
		case length <= htraceHeaderSize:
			r.log.Add(recovered)
		case length > uint64(size-at):
			r.log.Add(truncated)
		default:
			end = at + int64(length)
		}
		if binary.LittleEndian.Uint32(header[htraceDataType:]) == dataSegments {
			boot, mono := binary.LittleEndian.Uint64(header[htraceBoot:]), binary.LittleEndian.Uint64(header[htraceMonotonic:])
			h.addClocks(&h.inHeader, [2]uint64{boot, mono})
			if unix := binary.LittleEndian.Uint64(header[htraceRealtime:]); at == 0 && boot > 0 && boot <= trace.MaxTime && unix <= maxUnix {
				r.clock.Boot, r.clock.Unix = trace.Time(boot), int64(unix)
			}
			if err := r.segments(h, at+htraceHeaderSize, end); err != nil {
				return err
			}
		} else {
			h.addPlugin(kernel.CString(header[108:236])) // the name of the plugin whose data this is
			if binary.LittleEndian.Uint32(header[htraceDataType:]) == dataHiperf && len(r.recordings) < maxRecordings {
				r.recordings = append(r.recordings, Section{at + htraceHeaderSize, end - at - htraceHeaderSize})
			}
		}
		at = end
	}
	return nil
}

// maxPlugins is the maximum number of plugins that an error lists.
const maxPlugins = 20

func (h *htrace) addPlugin(name []byte) {
	if s := fmt.Sprintf("%.40q", name); len(h.plugins) < maxPlugins && len(name) > 0 && !slices.Contains(h.plugins, strings.Trim(s, `"`)) {
		h.plugins = append(h.plugins, strings.Trim(s, `"`))
	}
}

// segments walks over the segments of a part.
func (r *Reader) segments(h *htrace, at, end int64) error {
	var head [4]byte
	var segment []byte
	for at+4 <= end {
		if err := readAt(r.in, head[:], at); err != nil {
			return err
		}
		at += 4
		n := int64(binary.LittleEndian.Uint32(head[:]))
		if n == 0 {
			return nil // the rest of a file that was mapped to memory
		}
		cut := n > end-at
		if cut {
			r.log.Add(truncated)
			n = end - at
		}
		if n > maxSegment {
			r.log.Add(badSegment)
			at += n
			continue
		}
		segment = slices.Grow(segment[:0], int(n))[:n]
		if err := readAt(r.in, segment, at); err != nil {
			return err
		}
		r.plugin(h, segment, at, cut)
		at += n
	}
	if at < end && r.log.Count(truncated) == 0 {
		r.log.Add(truncated)
	}
	return nil
}

// plugin reads a ProfilerPluginData, which is at an offset of the file. If it is cut,
// so is its last field.
func (r *Reader) plugin(h *htrace, segment []byte, at int64, cut bool) {
	var name, data []byte
	f := kernel.Fields{Rest: segment, Cut: cut}
	for f.Next() {
		switch {
		case f.Number == pluginName:
			name = f.Data
		case f.Number == pluginData && f.IsBytes:
			data = f.Data
		}
	}
	if f.Bad {
		r.log.Add(badSegment)
	}
	switch plugin := string(name); {
	case plugin == "ftrace-plugin" || strings.HasSuffix(plugin, "libftrace_plugin.z.so"):
		r.result(h, data, at+offsetIn(segment, data), cut)
	case plugin == "ftrace-plugin_config":
		for f := (kernel.Fields{Rest: data}); f.Next(); {
			if f.Number == configClock && r.clock.Name == "" {
				r.clock.Name = string(f.Data)
			}
		}
	case plugin == "bytrace_plugin" && len(data) > 0:
		h.texts = append(h.texts, io.NewSectionReader(r.in, at+offsetIn(segment, data), int64(len(data))))
	case plugin == "arkts-plugin":
		h.addPlugin(name)
		switch {
		case len(data) == 0:
		case len(r.scripts.Messages) == maxScripts:
			r.log.Add(scriptsOver)
		default:
			r.scripts.Messages = append(r.scripts.Messages, Section{at + offsetIn(segment, data), int64(len(data))})
		}
	case plugin == "arkts-plugin_config":
		var m kernel.Values
		m.Read(data)
		r.scripts.PID = int32(min(m.Numbers[arktsPID], math.MaxInt32))
		r.scripts.Interval = trace.Duration(min(m.Numbers[arktsInterval], 1e9)) * trace.Microsecond
	case plugin == "process-plugin":
		h.addPlugin(name)
		r.processData(data, cut)
	case plugin == "hilog-plugin":
		h.addPlugin(name)
		r.logData(data, at+offsetIn(segment, data), cut)
	case plugin == "hisysevent-plugin":
		h.addPlugin(name)
		r.eventData(data, at+offsetIn(segment, data), cut)
	case plugin == "ffrt-profiler":
		h.addPlugin(name)
		r.taskData(data, at+offsetIn(segment, data), cut)
	case plugin == "ffrt-profiler_config":
		var m kernel.Values
		m.Read(data)
		r.tasksClock = m.Numbers[tasksClock]
	case !strings.HasSuffix(plugin, "_config"):
		h.addPlugin(name)
	}
}

// maxProcessName is the maximum length of the command of a process in bytes: longer ones are
// arguments.
const maxProcessName = 4 << 10

// kernelThreads is the process that is the parent of all threads of the kernel. The plugin names
// those by what they do at the moment, the trace by what they are.
const kernelThreads = 2

// processData reads a ProcessData: the processes at a moment. A name is that of the command line,
// and begins with a path if the process was started from a file.
func (r *Reader) processData(data []byte, cut bool) {
	var m kernel.Values
	f := kernel.Fields{Rest: data, Cut: cut}
	for f.Next() {
		if f.Number != processInfo || !f.IsBytes || f.CutShort {
			continue
		}
		if !m.Read(f.Data) {
			r.log.Add(badMessage)
			continue
		}
		pid, name := m.Numbers[processPID], kernel.CString(m.Texts[processName])
		if bytes.HasPrefix(name, []byte("/")) {
			name = name[bytes.LastIndexByte(name, '/')+1:]
		}
		switch {
		case pid == 0 || pid > math.MaxInt32 || len(name) == 0 || pid == kernelThreads || m.Numbers[processParent] == kernelThreads:
		case len(name) > maxProcessName:
			r.log.Add(longName)
		case r.processes[trace.PID(pid)] == string(name):
		case r.processes[trace.PID(pid)] == "" && len(r.processes) >= r.options.Limits.Threads:
			r.log.Add(processesOver)
		default:
			if r.processes == nil {
				r.processes = map[trace.PID]string{}
			}
			r.processes[trace.PID(pid)] = string(name)
		}
	}
	if f.Bad {
		r.log.Add(badMessage)
	}
}

// offsetIn returns the offset of part, which is a part of b.
func offsetIn(b, part []byte) int64 { return int64(cap(b) - cap(part)) }

// result reads a TracePluginResult, which is at an offset of the file.
func (r *Reader) result(h *htrace, data []byte, at int64, cut bool) {
	var clocks [2]uint64
	f := kernel.Fields{Rest: data, Cut: cut}
	for f.Next() {
		if !f.IsBytes {
			continue
		}
		switch f.Number {
		case resultDetail:
			r.detail(f.Data, at+offsetIn(data, f.Data), cut)
		case resultStats:
			h.stats(f.Data, &r.clock)
		case resultClocks:
			h.clockDetail(f.Data, &clocks)
		case resultSymbols:
			h.symbol(f.Data)
		case resultComms:
			h.comm(f.Data)
		}
	}
	if f.Bad {
		r.log.Add(badMessage)
	}
	h.addClocks(&h.inDetails, clocks)
}

// detail makes pieces of a FtraceCpuDetailMsg, which is at an offset of the file. Of
// the fields of a message any run can be read by itself.
func (r *Reader) detail(data []byte, at int64, cut bool) {
	if !cut && len(data) <= maxPiece {
		r.wholeDetail(data, at)
		return
	}
	cpu, known := uint64(0), !cut // a zero may be left out
	for f := (kernel.Fields{Rest: data, Cut: cut}); f.Next(); {
		if f.Number == detailCPU {
			cpu, known = f.Value, true
		}
	}
	if !known {
		return // the processor was behind the cut
	}
	if cpu >= maxCPUs {
		r.log.Add(badMessage)
		return
	}
	p := piece{cpu: uint16(cpu)}
	from := 0
	add := func(to int) {
		if p.first.Known() {
			p.at, p.size = at+int64(from), int32(to-from)
			r.pieces = append(r.pieces, p)
		}
		from, p.first = to, 0
	}
	f := kernel.Fields{Rest: data, Cut: cut}
	for {
		start := len(data) - len(f.Rest)
		if !f.Next() {
			break
		}
		end := len(data) - len(f.Rest)
		if end-start > maxPiece { // an event of that size does not exist
			add(start)
			from = end
			r.log.Add(badMessage)
			continue
		}
		if end-from > maxPiece {
			add(start)
		}
		if f.Number == detailEvent && f.IsBytes && !f.CutShort && !p.first.Known() {
			if t := eventTime(f.Data); t <= trace.MaxTime {
				p.first = trace.Time(t)
			}
		}
	}
	add(len(data) - len(f.Rest))
	if f.Bad {
		r.log.Add(badMessage)
	}
}

// wholeDetail makes a piece of a FtraceCpuDetailMsg. Its rest is checked when its events are read.
func (r *Reader) wholeDetail(data []byte, at int64) {
	cpu, known := uint64(0), false
	p := piece{at: at, size: int32(len(data)), unchecked: true}
	f := kernel.Fields{Rest: data}
	for !(known && p.first.Known()) && f.Next() {
		switch {
		case f.Number == detailCPU:
			cpu, known = f.Value, true
		case f.Number == detailEvent && f.IsBytes && !p.first.Known():
			if t := eventTime(f.Data); t <= trace.MaxTime {
				p.first = trace.Time(t)
			}
		}
	}
	if cpu >= maxCPUs {
		r.log.Add(badMessage)
		return
	}
	if p.cpu = uint16(cpu); p.first.Known() {
		r.pieces = append(r.pieces, p)
	} else if f.Bad {
		r.log.Add(badMessage)
	}
}

// eventTime returns the time of a FtraceEvent.
func eventTime(data []byte) uint64 {
	for f := (kernel.Fields{Rest: data}); f.Next(); {
		if f.Number == eventTimestamp {
			return f.Value
		}
	}
	return 0
}

// events implements source.
func (h *htrace) events(list []event, data []byte, p *piece) []event {
	f := kernel.Fields{Rest: data}
	for f.Next() {
		if f.Number != detailEvent || !f.IsBytes {
			continue
		}
		time := eventTime(f.Data)
		if time == 0 || time > trace.MaxTime {
			h.log.Add(badTime)
			continue
		}
		end := len(data) - len(f.Rest)
		list = append(list, event{trace.Time(time), int32(end - len(f.Data)), int32(end)})
	}
	if f.Bad && p.unchecked {
		h.log.Add(badMessage)
	}
	return list
}

// lost implements source. The file has only the number of all lost events.
func (h *htrace) lost([]byte) int { return 0 }

// stats reads a FtraceCpuStatsMsg.
func (h *htrace) stats(data []byte, clock *Clock) {
	var m, cpu kernel.Values
	lost := uint64(0)
	for f := (kernel.Fields{Rest: data}); f.Next(); {
		if f.Number == statsPerCPU {
			cpu.Read(f.Data)
			lost += cpu.Numbers[overrun] + cpu.Numbers[commitOver] + cpu.Numbers[droppedEvent]
		}
	}
	m.Read(data)
	name := strings.TrimSpace(string(m.Texts[statsClock]))
	if isEnd := m.Numbers[statsStatus] == statsEnd; isEnd {
		h.end, h.ended = lost, true
		clock.Name = cmp.Or(name, clock.Name) // at the start the clock may not have been set yet
	} else {
		h.start = lost
		clock.Name = cmp.Or(clock.Name, name)
	}
}

// clockDetail reads a ClockDetailMsg.
func (h *htrace) clockDetail(data []byte, clocks *[2]uint64) {
	var m, time kernel.Values
	m.Read(data)
	time.Read(m.Texts[clockTime])
	ns := time.Numbers[clockSeconds]*1e9 + time.Numbers[clockNanos]
	switch m.Numbers[clockID] {
	case idBoot:
		clocks[0] = ns
	case idMonotonic:
		clocks[1] = ns
	}
}

// addClocks stores the first pair of clocks that is complete.
func (h *htrace) addClocks(known *[2]uint64, clocks [2]uint64) {
	if clocks[0] == 0 || clocks[1] == 0 || clocks[0] > trace.MaxTime || clocks[1] > trace.MaxTime {
		return
	}
	if known[0] == 0 {
		*known = clocks
	} else if (offsetOf(*known) - offsetOf(clocks)).Abs() > trace.Millisecond {
		h.log.Add(twoClocks)
	}
}

// readLag is the longest time between the readings of the two clocks of a pair.
const readLag = 100 * trace.Microsecond

// offsetOf returns the time that the device had slept. The clocks are read one after
// the other, so a difference below readLag counts as 0.
func offsetOf(clocks [2]uint64) trace.Duration {
	d := trace.Duration(clocks[0]) - trace.Duration(clocks[1])
	if d.Abs() < readLag {
		return 0
	}
	return d
}

// setClock derives the offset of the clock.
func (h *htrace) setClock(c *Clock) {
	switch {
	case c.Name == "mono":
		c.Known, c.Source = true, TraceClockMono
	case c.Name != "" && c.Name != "boot":
		// Other clocks have no relation to those of the pair.
	case h.inHeader[0] != 0:
		c.Known, c.Offset, c.Source = true, offsetOf(h.inHeader), ProfilerHeader
	case h.inDetails[0] != 0:
		c.Known, c.Offset, c.Source = true, offsetOf(h.inDetails), ClocksDetail
	}
}

// maxSymbols is the maximum number of names of functions.
const maxSymbols = 1 << 17

// maxName is the maximum length of a name in bytes.
const maxName = 255

// symbol reads a SymbolsDetailMsg: an address and a name.
func (h *htrace) symbol(data []byte) {
	var m kernel.Values
	m.Read(data)
	if name := m.Texts[2]; len(name) > 0 && len(h.symbols) < maxSymbols {
		h.symbols[m.Numbers[1]] = string(name[:min(len(name), maxName)])
	}
}

// comm reads a CommDictMsg: a thread id and a name.
func (h *htrace) comm(data []byte) {
	var m kernel.Values
	m.Read(data)
	name := m.Texts[2]
	h.names.setComm(int32(m.Numbers[1]), slices.Clone(kernel.CString(name[:min(len(name), maxName)])))
}
