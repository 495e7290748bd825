package perfdata

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/pattern"
)

// Scripts is what the arkts-plugin of hiprofiler wrote: the answers of ArkTS's debugger. Some are
// profiles of its CPU profiler.
type Scripts struct {
	// Messages are the offsets and sizes of the plugin's data, in the order of the file.
	Messages iter.Seq2[int64, int64]
	// PID is the process that was profiled, or 0.
	PID int32
	// Interval is the time between samples, or 0.
	Interval trace.Duration
}

// The limits of a profile. The profiler itself stops at 20,000 nodes and 128 calls.
const (
	maxNodes  = 1 << 20
	scriptKey = 512 // bytes at the beginning of an answer that say what it is
)

// scripts is the source of profiles of ArkTS.
//
// Source: openharmony/arkcompiler_ets_runtime, samples_record.cpp and sampling_processor.cpp;
// openharmony/developtools_smartperf_host, js_heap_result.proto and pbreader_js_memory_parser.cpp.
type scripts struct {
	log      *diag.DamageLog
	tables   *tables
	in       io.ReaderAt
	pid      int32
	period   uint64
	profiles [][]span // that have not been read

	nodes  []node
	index  map[int64]int32 // of nodes, by id
	tid    int32
	time   int64 // µs
	ids    numbers
	deltas numbers
}

// span is a part of the file.
type span struct{ at, size int64 }

// node is a call in a profile.
type node struct {
	frame  int32 // or Unknown, of what is no call
	stack  int32 // or Unknown
	parent int32 // an index of nodes, or Unknown
	depth  int16 // of the stack
	state  nodeState
	idle   bool
	root   bool
}

type nodeState uint8

const (
	nodeNew  nodeState = iota
	nodeOpen           // its callers are being resolved
	nodeDone
	nodeLost // beyond a limit
)

// OpenScripts finds the profiles in the answers of a debugger in the file in. The error is that of in.
func OpenScripts(in io.ReaderAt, s Scripts, o Options) (*Reader, error) {
	l := kinds.NewLog()
	r := &Reader{log: l, tables: newTables(l, o.Limits.WithDefaults().Threads)}
	p := &scripts{
		log: l, tables: r.tables, in: in, pid: s.PID, period: uint64(max(s.Interval, 1)),
	}
	r.source, r.tables.unnamed = p, true
	r.tables.profile.Clock.ID = sample.ClockMonotonic
	r.tables.profile.Events = []sample.Event{{Name: "arkts", Period: uint64(max(s.Interval, 0)), Waiting: true}}
	return r, p.find(s.Messages)
}

// answer matches the beginning of an answer or a notification, but not that of a node of a profile.
var answer = pattern.New(`^\s*\{\s*("id"\s*:\s*-?\d+\s*,\s*"(result|error|method)"|"(result|params|method|error)")`)

// profileKey matches what is before a profile within an answer.
var profileKey = pattern.New(`"result"\s*:\s*\{\s*"profile"\s*:\s*\{`)

// find finds the profiles. An answer may continue in the messages that follow.
func (p *scripts) find(messages iter.Seq2[int64, int64]) error {
	var open []span
	var scan scanner
	drop := func(why diag.Kind) {
		p.log.Add(why)
		open = nil
	}
	total := int64(0)
	head := make([]byte, scriptKey)
	for at, size := range messages {
		head = head[:min(size, scriptKey)]
		if err := readAt(p.in, head, at); err != nil {
			return err
		}
		from, length, ok := result(head)
		if !ok {
			p.log.Add(badMessage)
			continue
		}
		part := span{at + from, min(length, size-from)}
		text := head[from:]
		text = text[:min(int64(len(text)), part.size)]
		if answer().Match(text) || open == nil {
			if open != nil {
				drop(cutProfile)
			}
			key := profileKey().FindIndex(text)
			if key == nil || !answer().Match(text) {
				continue
			}
			skip := int64(key[1] - 1)
			part.at, part.size = part.at+skip, part.size-skip
			total, scan = 0, scanner{}
			open = []span{}
		}
		if total += part.size; total > maxSection {
			drop(largeSection)
			continue
		}
		used, err := scan.read(p.in, part)
		if err != nil {
			return err
		}
		part.size = used
		open = append(open, part)
		if scan.done {
			p.profiles = append(p.profiles, open)
			open = nil
		}
	}
	if open != nil {
		drop(cutProfile)
	}
	return nil
}

// result returns where the answer is in a message, of which head is the beginning, and its length.
func result(head []byte) (from, length int64, ok bool) {
	if len(head) == 0 {
		return 0, 0, true
	}
	field, kind, n := protowire.ConsumeTag(head)
	if n < 0 || field != 1 || kind != protowire.BytesType {
		return 0, 0, false
	}
	v, m := protowire.ConsumeVarint(head[n:])
	if m < 0 || v > math.MaxInt32 {
		return 0, 0, false
	}
	return int64(n + m), int64(v), true
}

// scanner finds the end of a JSON object.
type scanner struct {
	depth           int
	inText, escaped bool
	done            bool
}

// read reads a part of the object, and returns the number of bytes up to its end.
func (s *scanner) read(in io.ReaderAt, part span) (int64, error) {
	const piece = 64 << 10
	b := make([]byte, min(part.size, piece))
	for at := int64(0); at < part.size; {
		b = b[:min(piece, part.size-at)]
		if err := readAt(in, b, part.at+at); err != nil {
			return 0, err
		}
		for i, c := range b {
			switch {
			case s.escaped:
				s.escaped = false
			case s.inText:
				s.escaped, s.inText = c == '\\', c != '"'
			case c == '"':
				s.inText = true
			case c == '{' || c == '[':
				s.depth++
			case c == '}' || c == ']':
				if s.depth--; s.depth == 0 {
					s.done = true
					return at + int64(i) + 1, nil
				}
			}
		}
		at += int64(len(b))
	}
	return part.size, nil
}

// next implements source.
func (p *scripts) next(s *sample.Sample) error {
	for {
		id, more := p.ids.next()
		delta, timed := p.deltas.next()
		switch {
		case !more && !timed:
			if len(p.profiles) == 0 {
				return io.EOF
			}
			if err := p.load(); err != nil {
				return err
			}
			continue
		case more != timed:
			p.log.AddMany(badPair, 1+p.skip())
			continue
		}
		// A delta that is not understood moves all samples that follow.
		const most = 1 << 53
		if p.time += delta; delta < -most || delta > most || p.time < 0 || p.time > int64(trace.MaxTime)/1000 {
			p.log.AddMany(badTime, 1+p.skip())
			continue
		}
		*s = sample.Sample{
			Time: trace.Time(p.time * 1000), PID: p.pid, TID: p.tid, CPU: sample.Unknown, Stack: sample.Unknown, Period: p.period,
		}
		i, known := p.index[id]
		switch {
		case !known:
			p.log.Add(unknownCall)
		case p.nodes[i].idle:
			continue
		case p.nodes[i].state == nodeLost:
			p.log.Add(stacksOver)
		default:
			s.Stack = p.nodes[i].stack
		}
		return nil
	}
}

// skip skips the rest of a profile, and returns the number of its samples.
func (p *scripts) skip() int {
	n := max(p.ids.left(), p.deltas.left())
	p.ids, p.deltas = numbers{}, numbers{}
	return n
}

// scriptProfile is a profile. Times are in µs.
type scriptProfile struct {
	TID        int64           `json:"tid"`
	StartTime  int64           `json:"startTime"`
	Nodes      json.RawMessage `json:"nodes"`
	Samples    json.RawMessage `json:"samples"`
	TimeDeltas json.RawMessage `json:"timeDeltas"`
}

// scriptNode is a node of a profile.
type scriptNode struct {
	ID        int64 `json:"id"`
	CallFrame struct {
		FunctionName string `json:"functionName"`
		URL          string `json:"url"`
		LineNumber   int64  `json:"lineNumber"`
	} `json:"callFrame"`
	Children json.RawMessage `json:"children"`
}

// load reads the next profile, except for its samples.
func (p *scripts) load() error {
	parts := p.profiles[0]
	p.profiles = p.profiles[1:]
	var text []byte
	for _, part := range parts {
		n := len(text)
		text = slices.Grow(text, int(part.size))[:n+int(part.size)]
		if err := readAt(p.in, text[n:], part.at); err != nil {
			return err
		}
	}
	var profile scriptProfile
	if err := json.Unmarshal(text, &profile); err != nil || !isList(profile.Nodes) || !isList(profile.Samples) || !isList(profile.TimeDeltas) {
		p.log.Add(badProfile)
		return nil
	}
	p.tid = p.pid
	if profile.TID > 0 && profile.TID <= math.MaxInt32 {
		p.tid = int32(profile.TID)
	}
	if p.pid == 0 {
		p.pid = p.tid // of a main thread
	}
	if !p.tables.thread(p.pid, p.tid, nil) {
		return nil
	}
	p.readNodes(profile.Nodes)
	p.time, p.ids, p.deltas = profile.StartTime, numbers{profile.Samples}, numbers{profile.TimeDeltas}
	return nil
}

func isList(b json.RawMessage) bool { return len(b) > 0 && b[0] == '[' }

// readNodes reads the calls of a profile.
func (p *scripts) readNodes(list json.RawMessage) {
	p.nodes, p.index = p.nodes[:0], map[int64]int32{}
	callers := map[int64]int32{} // by the id of the call
	d := json.NewDecoder(bytes.NewReader(list))
	for _, err := d.Token(); err == nil && d.More(); {
		var n scriptNode
		err = d.Decode(&n)
		if _, ok := err.(*json.UnmarshalTypeError); ok {
			p.log.Add(badNode)
			err = nil
			continue
		}
		if err != nil {
			break
		}
		if len(p.nodes) == maxNodes {
			p.log.Add(nodesOver)
			continue
		}
		if _, ok := p.index[n.ID]; ok {
			p.log.Add(badNode)
			continue
		}
		i := int32(len(p.nodes))
		p.index[n.ID] = i
		p.nodes = append(p.nodes, p.node(&n))
		if !isList(n.Children) {
			continue
		}
		children := numbers{n.Children}
		for id, ok := children.next(); ok; id, ok = children.next() {
			if _, ok := callers[id]; ok {
				p.log.Add(badNode) // a call has one caller
			} else if len(callers) == maxNodes {
				p.log.Add(nodesOver)
			} else {
				callers[id] = i
			}
		}
	}
	for id, caller := range callers {
		if i, ok := p.index[id]; ok {
			p.nodes[i].parent = caller
		}
	}
	p.resolve()
}

// Nodes of a profile that are no functions.
const (
	nodeRoot    = "(root)"
	nodeProgram = "(program)" // no function of a script was called
	nodeIdle    = "(idle)"
)

// node returns a node without its caller.
func (p *scripts) node(n *scriptNode) node {
	f, t := &n.CallFrame, p.tables
	if f.URL == "" && (f.FunctionName == nodeRoot || f.FunctionName == nodeProgram || f.FunctionName == nodeIdle) {
		return node{frame: sample.Unknown, stack: sample.Unknown, parent: sample.Unknown, root: true, idle: f.FunctionName == nodeIdle}
	}
	frame := t.script(f.FunctionName, []byte(f.URL), f.LineNumber)
	return node{frame: t.frame(frame), stack: sample.Unknown, parent: sample.Unknown}
}

// resolve finds the stacks of all nodes.
func (p *scripts) resolve() {
	var path []int32
	for i := range p.nodes {
		path = path[:0]
		caller := int32(i)
		for caller != sample.Unknown && p.nodes[caller].state < nodeDone {
			n := &p.nodes[caller]
			if n.state == nodeOpen { // the last of path calls itself
				p.log.Add(badNode)
				caller = sample.Unknown
				break
			}
			n.state = nodeOpen
			path = append(path, caller)
			caller = n.parent
		}
		for _, i := range slices.Backward(path) {
			p.call(&p.nodes[i], caller)
			caller = i
		}
	}
}

// call finds the stack of a node, whose caller is an index or Unknown.
func (p *scripts) call(n *node, caller int32) {
	n.state = nodeDone
	if n.root {
		return
	}
	under := int32(sample.Unknown)
	if caller != sample.Unknown {
		c := &p.nodes[caller]
		if c.state == nodeLost {
			n.state = nodeLost
			return
		}
		under, n.depth = c.stack, c.depth
	}
	if n.depth++; n.depth > maxDepth {
		p.log.Add(deepStack)
		under, n.depth = sample.Unknown, 1
	}
	if n.stack = p.tables.push(under, n.frame); n.stack == sample.Unknown {
		n.state = nodeLost
	}
}

// numbers reads a JSON list of numbers.
type numbers struct{ rest []byte }

// next returns the next number, and whether there is one. For anything else than an integer it is
// a number that no file has.
func (n *numbers) next() (int64, bool) {
	text, rest, more := bytes.Cut(n.rest, []byte(","))
	if n.rest = nil; more {
		n.rest = rest
	}
	text = bytes.Trim(text, "[] \t\r\n")
	if len(text) == 0 {
		return 0, more
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		v = math.MinInt64 / 2
	}
	return v, true
}

// left returns the number of numbers that are left.
func (n *numbers) left() int {
	if len(n.rest) == 0 {
		return 0
	}
	return 1 + bytes.Count(n.rest, []byte(","))
}
