package hitrace

import (
	"bytes"
	"iter"
	"math"

	"ohframe/analyzer/trace"
)

// label reads the fields of a marker's label.
type label struct {
	text []byte
	// damaged: a field is spelled out, but its value is no number, negative, or too large.
	damaged bool
}

// Vsync has the fields of a ReceiveVsync marker. Absent fields are zero: 3.1 writes none,
// 3.2 only Now.
type Vsync struct {
	Receiver    []byte          // "rs" for render_service; nil before 5.1
	Now         trace.Monotonic // when the vsync was due
	ExpectedEnd trace.Monotonic // when the frame should be done
	VsyncID     int64           // the distributor's count; zero also for one that is not in 1 to 2⁶³ − 1
	Queued      int             // vsyncs read at once; the latest is the one described
	Damaged     bool            // a field could not be read
}

// vsyncEventSize is the size in bytes of one vsync on the distributor's socket.
const vsyncEventSize = 24

// ParseVsync reads the label of a ReceiveVsync marker.
func ParseVsync(text []byte) Vsync {
	l := label{text: text}
	v := Vsync{Now: l.time("now"), ExpectedEnd: l.time("expectedEnd"), VsyncID: l.id("vsyncId")}
	if name, ok := field(text, "name"); ok {
		v.Receiver = word(name)
	}
	if size, ok := field(text, "dataCount"); ok {
		n, rest := leadingInt(size)
		if n < 0 || !bytes.HasPrefix(rest, []byte("bytes")) || n%vsyncEventSize != 0 {
			l.damaged = true
		} else {
			v.Queued = int(n / vsyncEventSize)
		}
	}
	v.Damaged = l.damaged
	return v
}

// ParseOnVsyncEvent returns the time at which the vsync of an OnVsyncEvent marker was
// due; zero if absent.
func ParseOnVsyncEvent(text []byte) (now trace.Monotonic, damaged bool) {
	l := label{text: text}
	return l.time("now"), l.damaged
}

// VsyncTask has the fields of a UIVsyncTask marker. Absent fields are zero.
type VsyncTask struct {
	Timestamp trace.Monotonic // when the vsync was due
	VsyncID   int64           // zero also for a frame that was forced without a vsync, which has 2⁶⁴ − 1
	// FirstDraw: the frame is the first that is drawn of a window. Versions before 6.0 do not say.
	FirstDraw bool
	// Forced: the frame was forced, without a vsync.
	Forced  bool
	Damaged bool
}

// noVsyncID is the vsync id that ArkUI writes for a frame without a vsync.
var noVsyncID = []byte("18446744073709551615")

// ParseVsyncTask reads the label of a UIVsyncTask marker.
func ParseVsyncTask(text []byte) VsyncTask {
	l := label{text: text}
	t := VsyncTask{Timestamp: l.time("timestamp"), VsyncID: l.id("vsyncID")}
	if id, ok := field(text, "vsyncID"); ok && bytes.HasPrefix(id, noVsyncID) {
		t.Forced = endsWord(id[len(noVsyncID):])
	}
	first, _ := field(text, "firstDrawFrame")
	t.FirstDraw = len(first) > 0 && first[0] == '1'
	t.Damaged = l.damaged
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
	Damaged   bool            // a field after the transaction could not be read
}

// ParseMarsh reads the label of a MarshRSTransactionData marker. It returns false if the
// transaction cannot be read.
func ParseMarsh(text []byte) (m Marsh, ok bool) {
	flag, ok := field(text, "transactionFlag")
	if !ok {
		return m, false
	}
	var rest []byte
	if m.Transaction, m.TID, rest, ok = pair(flag); !ok {
		return Marsh{}, false
	}
	// The fields after the flag only: an isUni or tid before it is not meant.
	l := label{text: rest}
	switch id := l.number("tid"); {
	case id > math.MaxInt32:
		l.damaged = true
	case id > 0:
		m.TID = trace.TID(id)
	}
	m.Timestamp = l.time("timestamp")
	m.Damaged = l.damaged
	return m, true
}

// Transactions returns the transactions that a ProcessCommandUni marker lists, in order,
// and whether each was applied. Others are left for a later frame (" cache [p,i]",
// " cache (p,i)", " skip to[p,i]"). Later ones of the same process wait behind them.
func Transactions(text []byte) iter.Seq2[Transaction, bool] {
	return func(yield func(Transaction, bool) bool) {
		for rest := text; ; {
			open := bytes.IndexAny(rest, "[(")
			if open < 0 {
				return
			}
			before := bytes.TrimRight(rest[:open], " ")
			deferred := bytes.HasSuffix(before, []byte("cache")) || bytes.HasSuffix(before, []byte("skip to"))
			t, _, after, ok := pair(rest[open:])
			if !ok {
				rest = rest[open+1:]
				continue
			}
			if (deferred || rest[open] == '[') && !yield(t, !deferred) {
				return
			}
			rest = after
		}
	}
}

// ParseDoComposition reads the time that a DoComposition marker carries from
// 5.0 on (just before the marker was written); zero before.
func ParseDoComposition(text []byte) trace.Monotonic {
	time, ok := bytes.CutPrefix(text, []byte("RSMainThread::DoComposition:"))
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
func ParseCommit(text []byte) Committed {
	text, _, _ = bytes.Cut(text, []byte("Names:"))
	l := label{text: text}
	return Committed{Now: l.time("now"), VsyncID: l.id("vsyncId"), Rate: l.number("rate")}
}

// CommitScreen returns the id of the screen that the label of a Commit marker names, and false
// if it names none: 6.1 does, and neither builds before nor some after it.
func CommitScreen(text []byte) (id int64, ok bool) {
	text, _, _ = bytes.Cut(text, []byte("Names:"))
	value, ok := field(text, "screenId")
	if !ok {
		return 0, false
	}
	id, rest := leadingInt(value)
	return id, id >= 0 && endsWord(rest)
}

// NumberedScreen returns the id of the screen that a name ends with after prefix, and false if it
// does not: "CompThread_0" of a thread, "PresentFence_0" of a tracker, "rs_process:0" of a process.
func NumberedScreen(name []byte, prefix string) (id int64, ok bool) {
	digits, ok := bytes.CutPrefix(name, []byte(prefix))
	if !ok {
		return 0, false
	}
	id, rest := leadingInt(digits)
	return id, id >= 0 && len(rest) == 0
}

// Fence is a fence by tracker and number.
type Fence struct {
	Tracker  []byte // "Present Fence", "PresentFence_0"
	Number   int64
	Signaled bool // "… has signaled": the display had shown it already
}

// ParseFence reads the label of a PresentFence or PresentFenceWait marker.
func ParseFence(text []byte) (Fence, bool) {
	text, signaled := bytes.CutSuffix(bytes.TrimPrefix(text, []byte("Waiting for ")), []byte(" has signaled"))
	blank := bytes.LastIndexByte(text, ' ')
	if blank <= 0 {
		return Fence{}, false
	}
	n, ok := parseInt(text[blank+1:])
	return Fence{Tracker: text[:blank], Number: n, Signaled: signaled}, ok
}

// Generated has the fields of a GenerateVsyncCount marker. Absent fields are zero.
type Generated struct {
	Period trace.Duration  // the display's refresh period
	Now    trace.Monotonic // just before the marker was written
}

// ParseGenerated reads the label of a GenerateVsyncCount marker.
func ParseGenerated(text []byte) (g Generated, damaged bool) {
	l := label{text: text}
	return Generated{Period: trace.Duration(l.number("period")), Now: l.time("now")}, l.damaged
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

// number returns the field's value, zero where the field is missing or damaged.
func (l *label) number(key string) int64 {
	value, ok := field(l.text, key)
	if !ok {
		return 0
	}
	n, rest := leadingInt(value)
	if n < 0 || !endsWord(rest) {
		l.damaged = true
		return 0
	}
	return n
}

// maxIDDigits is the number of digits of the largest id that a device can write, 2⁶⁴ − 1.
const maxIDDigits = 20

// id returns the id of a vsync. It is zero, unknown, if it is negative or too large, which
// it is on some devices: then it is not damaged.
func (l *label) id(key string) int64 {
	value, ok := field(l.text, key)
	if !ok {
		return 0
	}
	if n, rest := leadingInt(value); n >= 0 && endsWord(rest) {
		return n
	}
	digits := bytes.TrimPrefix(value, []byte("-"))
	n := 0
	for n < len(digits) && isDigit(digits[n]) {
		n++
	}
	l.damaged = l.damaged || n == 0 || n > maxIDDigits || !endsWord(digits[n:])
	return 0
}

// time returns the field's value as number does. A time after trace.MaxTime is damaged,
// too.
func (l *label) time(key string) trace.Monotonic {
	n := l.number(key)
	if n > trace.MaxTime {
		l.damaged = true
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

// pair parses "[pid,index]", with or without blanks and also in parentheses, and the
// "[pid, tid, index]" of one development version. rest is the text after it.
func pair(text []byte) (t Transaction, tid trace.TID, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '[' && text[0] != '(' {
		return t, 0, nil, false
	}
	closing := byte(']')
	if text[0] == '(' {
		closing = ')'
	}
	var numbers [3]int64
	count, i := 0, 1
	for ; count == 0 || text[i-1] == ','; i++ {
		n, after := leadingInt(text[skipBlanks(text, i):])
		if n < 0 || count == len(numbers) {
			return t, 0, nil, false
		}
		numbers[count] = n
		count++
		if i = skipBlanks(text, len(text)-len(after)); i == len(text) {
			return t, 0, nil, false
		}
	}
	if text[i-1] != closing || count < 2 || numbers[0] > math.MaxInt32 || numbers[1] > math.MaxInt32 && count == 3 {
		return t, 0, nil, false
	}
	if count == 3 {
		tid = trace.TID(numbers[1])
	}
	return Transaction{PID: trace.PID(numbers[0]), Index: numbers[count-1]}, tid, text[i:], true
}
