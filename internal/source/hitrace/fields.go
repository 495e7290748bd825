package hitrace

import (
	"bytes"
	"iter"

	"ohframe/analyzer/trace"
)

// Fields is a set of fields of a marker that were spelled out but not as a
// number that could be read.
type Fields uint16

// The fields that can be damaged.
const (
	FieldDataCount Fields = 1 << iota
	FieldNow
	FieldExpectedEnd
	FieldVsyncID
	FieldTransactionFlag
	FieldTID
	FieldTimestamp
	FieldPeriod
)

// Vsync has the fields of a ReceiveVsync marker. Absent fields are zero: 3.1 writes none,
// 3.2 only Now.
type Vsync struct {
	Receiver    []byte          // "rs" for render_service; nil before 5.1
	Now         trace.Monotonic // when the vsync was due
	ExpectedEnd trace.Monotonic // when the frame should be done
	VsyncID     int64           // the distributor's count
	Queued      int             // vsyncs read at once; the latest is the one described
	Damaged     Fields          // fields that could not be read
}

// vsyncEventSize is the size in bytes of one vsync on the distributor's socket.
const vsyncEventSize = 24

// ParseVsync reads the label of a ReceiveVsync marker.
func ParseVsync(label []byte) Vsync {
	var v Vsync
	if name, ok := field(label, "name"); ok {
		v.Receiver = word(name)
	}
	if size, ok := field(label, "dataCount"); ok {
		n, rest := leadingInt(size)
		if n < 0 || !bytes.HasPrefix(rest, []byte("bytes")) || n%vsyncEventSize != 0 {
			v.Damaged |= FieldDataCount
		} else {
			v.Queued = int(n / vsyncEventSize)
		}
	}
	v.Now = monotonic(label, "now", FieldNow, &v.Damaged)
	v.ExpectedEnd = monotonic(label, "expectedEnd", FieldExpectedEnd, &v.Damaged)
	v.VsyncID = number(label, "vsyncId", FieldVsyncID, &v.Damaged)
	return v
}

// ParseOnVsyncEvent returns the time at which the vsync of an OnVsyncEvent marker was
// due; zero if absent.
func ParseOnVsyncEvent(label []byte) (now trace.Monotonic, damaged Fields) {
	return monotonic(label, "now", FieldNow, &damaged), damaged
}

// VsyncTask has the fields of a UIVsyncTask marker. Absent fields are zero.
type VsyncTask struct {
	Timestamp trace.Monotonic // when the vsync was due
	VsyncID   int64           // zero also for a frame that was forced without a vsync
	Damaged   Fields
}

// noVsyncID is the vsync id that ArkUI writes for a frame without a vsync.
const noVsyncID = "18446744073709551615"

// ParseVsyncTask reads the label of a UIVsyncTask marker.
func ParseVsyncTask(label []byte) VsyncTask {
	var t VsyncTask
	t.Timestamp = monotonic(label, "timestamp", FieldTimestamp, &t.Damaged)
	if id, ok := field(label, "vsyncID"); ok && !bytes.HasPrefix(id, []byte(noVsyncID)) {
		t.VsyncID = number(label, "vsyncID", FieldVsyncID, &t.Damaged)
	}
	return t
}

// Transaction is the key by which an application's work is found again in
// render_service.
type Transaction struct {
	PID   trace.PID
	Index int64
}

// Marsh has the fields of a MarshRSTransactionData marker.
type Marsh struct {
	Transaction
	TID       trace.TID       // the thread that made it, 6.0 and later; else 0
	Timestamp trace.Monotonic // the vsync of its frame; 0 if absent
	Damaged   Fields          // with FieldTransactionFlag the other fields are invalid
}

// ParseMarsh reads the label of a MarshRSTransactionData marker.
func ParseMarsh(label []byte) Marsh {
	m := Marsh{}
	flag, ok := field(label, "transactionFlag")
	if !ok {
		m.Damaged |= FieldTransactionFlag
		return m
	}
	t, tid, rest, ok := pair(flag)
	if !ok {
		m.Damaged |= FieldTransactionFlag
		return m
	}
	m.Transaction, m.TID = t, tid
	// The fields after the flag only: an isUni or tid before it is not meant.
	switch id := number(rest, "tid", FieldTID, &m.Damaged); {
	case id > 1<<31-1:
		m.Damaged |= FieldTID
	case id > 0:
		m.TID = trace.TID(id)
	}
	m.Timestamp = monotonic(rest, "timestamp", FieldTimestamp, &m.Damaged)
	return m
}

// AppliedTransactions returns the transactions that a ProcessCommandUni marker lists as
// applied, in order. It leaves out deferred ones (" cache [p,i]", " cache (p,i)") and
// skipped ones (" skip to[p,i]").
func AppliedTransactions(label []byte) iter.Seq[Transaction] {
	return func(yield func(Transaction) bool) {
		for rest := label; ; {
			t, next, ok := nextApplied(rest)
			if !ok || !yield(t) {
				return
			}
			rest = next
		}
	}
}

func nextApplied(rest []byte) (t Transaction, next []byte, ok bool) {
	for {
		open := bytes.IndexByte(rest, '[')
		if open < 0 {
			return Transaction{}, nil, false
		}
		before := bytes.TrimRight(rest[:open], " ")
		applied := !bytes.HasSuffix(before, []byte("cache")) && !bytes.HasSuffix(before, []byte("skip to"))
		t, _, after, ok := pair(rest[open:])
		if !ok {
			rest = rest[open+1:]
			continue
		}
		rest = after
		if applied {
			return t, rest, true
		}
	}
}

// DeferredTransactions returns the transactions that a ProcessCommandUni marker lists as
// left for a later frame, in order: " cache [p,i]", " cache (p,i)" and " skip to[p,i]".
// Later ones of the same process wait behind them.
func DeferredTransactions(label []byte) iter.Seq[Transaction] {
	return func(yield func(Transaction) bool) {
		for i, c := range label {
			if c != '[' && c != '(' {
				continue
			}
			before := bytes.TrimRight(label[:i], " ")
			if !bytes.HasSuffix(before, []byte("cache")) && !bytes.HasSuffix(before, []byte("skip to")) {
				continue
			}
			pid, rest := leadingInt(label[skipBlanks(label, i+1):])
			if pid < 0 || pid > 1<<31-1 || len(rest) == 0 || rest[0] != ',' {
				continue
			}
			if index, _ := leadingInt(rest[skipBlanks(rest, 1):]); index >= 0 && !yield(Transaction{trace.PID(pid), index}) {
				return
			}
		}
	}
}

// ParseDoComposition reads the time that a DoComposition marker carries from
// 5.0 on (just before the marker was written); zero before.
func ParseDoComposition(label []byte) trace.Monotonic {
	time, ok := bytes.CutPrefix(label, []byte("RSMainThread::DoComposition:"))
	if !ok { // an early "DoComposition isUni:1" carries no time
		return 0
	}
	n, rest := leadingInt(time[skipBlanks(time, 0):])
	if n <= 0 || n > trace.MaxTime || len(rest) > 0 {
		return 0
	}
	return trace.Monotonic(n)
}

// Committed has the fields of a commit marker. Absent fields are zero (4.0).
type Committed struct {
	Now     trace.Monotonic // the render frame's vsync
	VsyncID int64           // its id, from 5.0.3 on
	Rate    int64           // refresh rate in Hz at the commit
}

// ParseCommit reads the label of a Commit marker. It reads only the fields before the
// layer names, which may contain anything.
func ParseCommit(label []byte) Committed {
	if i := bytes.Index(label, []byte("Names:")); i >= 0 {
		label = label[:i]
	}
	var ignored Fields
	return Committed{
		Now:     monotonic(label, "now", FieldNow, &ignored),
		VsyncID: number(label, "vsyncId", FieldVsyncID, &ignored),
		Rate:    number(label, "rate", FieldPeriod, &ignored),
	}
}

// Fence is a fence by tracker and number.
type Fence struct {
	Tracker  []byte // "Present Fence", "PresentFence_0"
	Number   int64
	Signaled bool // "… has signaled": the display had shown it already
}

// ParseFence reads the label of a PresentFence or PresentFenceWait marker.
func ParseFence(label []byte) (Fence, bool) {
	label = bytes.TrimPrefix(label, []byte("Waiting for "))
	signaled := bytes.HasSuffix(label, []byte(" has signaled"))
	label = bytes.TrimSuffix(label, []byte(" has signaled"))
	blank := bytes.LastIndexByte(label, ' ')
	if blank <= 0 {
		return Fence{}, false
	}
	n, ok := parseInt(label[blank+1:])
	if !ok {
		return Fence{}, false
	}
	return Fence{Tracker: label[:blank], Number: n, Signaled: signaled}, true
}

// Generated has the fields of a GenerateVsyncCount marker. Absent fields are zero.
type Generated struct {
	Period trace.Duration  // the display's refresh period
	Now    trace.Monotonic // just before the marker was written
}

// ParseGenerated reads the label of a GenerateVsyncCount marker.
func ParseGenerated(label []byte) (Generated, Fields) {
	var damaged Fields
	return Generated{
		Period: trace.Duration(number(label, "period", FieldPeriod, &damaged)),
		Now:    monotonic(label, "now", FieldNow, &damaged),
	}, damaged
}

// field returns the text after "key:" and blanks, up to the end of text. Versions differ
// in the spaces after a colon, so none is required.
func field(text []byte, key string) ([]byte, bool) {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(key))
		if i < 0 {
			return nil, false
		}
		i += from
		end := i + len(key)
		if end < len(text) && text[end] == ':' && (i == 0 || endsWord(text[i-1:])) {
			return text[skipBlanks(text, end+1):], true
		}
		from = i + 1
	}
}

// number returns the field's value, zero where the field is missing. A field
// that is there but is no number, or is negative, is added to damaged.
func number(text []byte, key string, f Fields, damaged *Fields) int64 {
	value, ok := field(text, key)
	if !ok {
		return 0
	}
	n, rest := leadingInt(value)
	if n < 0 || !endsWord(rest) {
		*damaged |= f
		return 0
	}
	return n
}

// monotonic returns the field's value as number does. A time after trace.MaxTime is
// damaged, too.
func monotonic(text []byte, key string, f Fields, damaged *Fields) trace.Monotonic {
	n := number(text, key, f, damaged)
	if n > trace.MaxTime {
		*damaged |= f
		return 0
	}
	return trace.Monotonic(n)
}

// leadingInt parses the digits at the beginning of text. It returns -1 for a
// text without digits and for a number that overflows 64 bits.
func leadingInt(text []byte) (n int64, rest []byte) {
	i := 0
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	n, ok := parseInt(text[:i])
	if !ok {
		return -1, text
	}
	return n, text[i:]
}

// word returns text up to the first blank or comma.
func word(text []byte) []byte {
	if i := bytes.IndexAny(text, " ,"); i >= 0 {
		return text[:i]
	}
	return text
}

// pair parses "[pid,index]", with or without blanks, and the "[pid, tid, index]" of one
// development version. rest is the text after it.
func pair(text []byte) (t Transaction, tid trace.TID, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '[' {
		return t, 0, nil, false
	}
	var numbers [3]int64
	count, i := 0, 1
	for {
		n, after := leadingInt(text[skipBlanks(text, i):])
		if n < 0 || count == len(numbers) {
			return t, 0, nil, false
		}
		numbers[count] = n
		count++
		i = skipBlanks(text, len(text)-len(after))
		if i >= len(text) || text[i] != ',' && text[i] != ']' {
			return t, 0, nil, false
		}
		i++
		if text[i-1] == ']' {
			break
		}
	}
	if count < 2 || numbers[0] > 1<<31-1 || numbers[1] > 1<<31-1 && count == 3 {
		return t, 0, nil, false
	}
	if count == 3 {
		tid = trace.TID(numbers[1])
	}
	return Transaction{PID: trace.PID(numbers[0]), Index: numbers[count-1]}, tid, text[i:], true
}
