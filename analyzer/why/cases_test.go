package why_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/why/record"
)

// Each file of testdata/why has the cases of one rule of docs/why.md: a comment with the
// rule, and pairs of frames and what is found about them. Frames are lines such as
//
//	8 × FlushBuild( run 2 ) FlushLayoutTask( run 3 io 1.5 )
//
// All numbers are milliseconds. A frame of the application begins on its vsync and does one
// thing after the other; a name with parentheses is a slice, with _ for spaces. S:501( … ) is
// a wait in state S that thread 501 ends, after it did what is in the parentheses. S:20 1.5 is
// one that thread 20 ends without running before. A line that begins with main( is a frame of
// render_service, with its steps on the way to the display. What follows idle is done after the
// work on the frame, but before its ReceiveVsync ends. The lines before the first frame are
// settings:
//
//	period 10   the refresh period, which is the time to the deadline as well; 1.5 of
//	            them for render_service
//	every 100   from one vsync to the next
//	show …      what the lines say besides the outcome and the shares
//
// Frames are numbered from 1. The player has the words for what a thread does.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/why/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Comment) == 0 || len(archive.Files) == 0 || len(archive.Files)%2 > 0 {
				t.Fatal("a case has a comment and pairs of frames and verdicts")
			}
			for i := 0; i < len(archive.Files); i += 2 {
				frames, verdicts := archive.Files[i], archive.Files[i+1]
				if frames.Name != "frames" || verdicts.Name != "verdicts" {
					t.Fatalf("files %s and %s", frames.Name, verdicts.Name)
				}
				if got := found(t, string(frames.Data)); got != string(verdicts.Data) {
					t.Errorf("%s\n%s\ngot:\n%swant:\n%s", archive.Comment, frames.Data, got, verdicts.Data)
				}
			}
		})
	}
}

// found returns what is found about frames.
func found(t *testing.T, frames string) string {
	p := &player{period: 10_000, every: 100_000}
	p.change(1, 500, "S", 0)
	p.change(1, 1000, "S", 0)
	for line := range strings.Lines(frames) {
		p.play(t, strings.Fields(strings.ReplaceAll(line, ")", " ) ")))
	}
	zero := trace.Duration(0)
	recorder := record.New(trace.DefaultLimits())
	timeline, _, err := analyzer.Analyze(t.Context(), strings.NewReader(p.inOrder()), hitrace.Options{Strict: true}, analyzer.Options{ClockOffset: &zero}, recorder.Sink())
	if err != nil {
		t.Fatal(err)
	}
	causes := judged(t, recorder, timeline)
	list := slices.SortedFunc(timeline.Complete(), func(a, b *analyzer.Frame) int { return cmp.Compare(a.VsyncID, b.VsyncID) })
	if len(list) != p.frames {
		t.Errorf("%d complete frames, want %d", len(list), p.frames)
	}
	var b strings.Builder
	last, from, to := "", int64(0), int64(0)
	flush := func() {
		switch {
		case last == "":
		case from == to:
			fmt.Fprintf(&b, "%d %s\n", from, last)
		default:
			fmt.Fprintf(&b, "%d-%d %s\n", from, to, last)
		}
	}
	for _, f := range list {
		e := causes.Of(f)
		text := p.describe(causes, e)
		if text == last {
			to = f.VsyncID
			continue
		}
		flush()
		last, from, to = text, f.VsyncID, f.VsyncID
	}
	flush()
	return b.String()
}

// describe returns the verdict on a frame; nothing for one that was on time.
func (p *player) describe(c *why.Causes, e *why.Explanation) string {
	var b strings.Builder
	switch {
	case e.Overrun > 0:
		fmt.Fprintf(&b, "late %s: %s", ms(e.Overrun), e.Outcome)
		if p.shows("confidence") {
			fmt.Fprintf(&b, ", %s", e.Confidence)
		}
		if p.shows("basis") {
			fmt.Fprintf(&b, ", %s", e.Basis)
		}
		if p.shows("root") && e.Root != nil {
			fmt.Fprintf(&b, " of %d", e.Root.VsyncID)
		}
		if p.shows("sentence") {
			fmt.Fprintf(&b, ": %s", causetext.Sentence(c, e))
			break
		}
		p.describeShares(&b, e.Shares)
		if p.shows("slices") {
			for _, x := range e.Slices {
				fmt.Fprintf(&b, "; %s %s+%s", x.Slice, ms(x.Running), ms(x.Waiting))
			}
		}
		if p.shows("others") {
			longest := slices.MaxFunc(e.Pieces, func(a, b why.Piece) int { return cmp.Compare(len(a.Others), len(b.Others)) })
			for _, o := range longest.Others {
				fmt.Fprintf(&b, "; %s %s %s", o.Thread, o.Wait, ms(o.Time))
			}
		}
	case e.Shown != nil && e.Shown.Late > 0:
		fmt.Fprintf(&b, "shown late %s", ms(e.Shown.Late))
		if p.shows("sentence") {
			fmt.Fprintf(&b, ": %s", causetext.Shown(c, e))
			break
		}
		p.describeShares(&b, e.Shown.Shares)
	case e.PickUp != nil:
		fmt.Fprintf(&b, "picked up late %s: %s", ms(e.PickUp.Late), e.PickUp.Reason)
	}
	return b.String()
}

func (p *player) describeShares(b *strings.Builder, shares []why.Share) {
	for i, s := range shares {
		fmt.Fprintf(b, "%s %s %s", map[bool]string{true: ":", false: ","}[i == 0], s.Wait, ms(s.Share))
		for _, x := range []struct {
			what string
			is   bool
			text string
		}{
			{"stage", s.Stage != why.NoStage, "in " + s.Stage.String()},
			{"slice", s.Slice != "", "in " + s.Slice},
			{"value", true, "of " + ms(s.Value)},
			{"usual", s.Usual > 0, "usual " + ms(s.Usual)},
			{"cores", s.Cores != nil, "on " + causetext.Cores(s.Cores)},
		} {
			if p.shows(x.what) && x.is {
				fmt.Fprintf(b, " %s", x.text)
			}
		}
		if k := s.Culprit; p.shows("culprit") && k != nil {
			fmt.Fprintf(b, " by %s, %s", k.Thread, k.Wait)
			if k.Slice != "" {
				fmt.Fprintf(b, " in %s", k.Slice)
			}
		}
		if p.shows("function") && s.Function != "" {
			fmt.Fprintf(b, " (%s)", s.Function)
		}
		if p.shows("advice") {
			fmt.Fprintf(b, " advice %s", s.Advice)
		}
	}
}

func (p *player) shows(what string) bool { return slices.Contains(p.show, what) }

// ms returns a time in milliseconds without zeros at the end.
func ms(d trace.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(trace.Millisecond), 'f', -1, 64)
}

// player writes a trace of frames.
type player struct {
	script
	period, every int // in microseconds
	show          []string
	frames        int
	vsync         int // of the frame
	index         int // of the vsync
	tid           int // the frame's thread
	cpu           int // where it runs
}

// number returns a time in microseconds.
func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int(n*1000 + 0.5)
}

// play plays one line.
func (p *player) play(t *testing.T, words []string) {
	t.Helper()
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "period":
		p.period = number(t, words[1])
		return
	case "every":
		p.every = number(t, words[1])
		return
	case "show":
		p.show = words[1:]
		return
	}
	count := 1
	if len(words) > 2 && words[1] == "×" {
		count, words = number(t, words[0])/1000, words[2:]
	}
	for range count {
		for line := range slices.Values(split(words, "/")) {
			p.index++
			p.vsync += p.every
			// A thread that is still busy begins later.
			p.at = max(p.at, p.vsync)
			switch line[0] {
			case "main(":
				p.renderFrame(t, line)
			case "work":
				p.tid, p.cpu = 1000, 1
				p.change(1, 0, "R", 1000)
				p.begin(1000, "Task")
				p.at += number(t, line[1])
				p.end(1000)
				p.change(1, 1000, "S", 0)
			default:
				p.appFrame(t, line)
			}
		}
	}
}

func split(words []string, at string) (lists [][]string) {
	for {
		i := slices.Index(words, at)
		if i < 0 {
			return append(lists, words)
		}
		lists, words = append(lists, words[:i]), words[i+1:]
	}
}

// receive begins a frame's ReceiveVsync.
func (p *player) receive(tid, length int) {
	p.frames++
	p.tid, p.cpu = tid, 1
	p.wake(0, 1, tid)
	p.change(1, 0, "R", tid)
	now := (scriptStart + p.vsync) * 1000
	p.begin(tid, fmt.Sprintf("ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", now, now+length*1000, p.index))
}

func (p *player) appFrame(t *testing.T, words []string) {
	p.receive(500, p.period)
	p.begin(500, "OnVsyncEvent")
	lists := split(words, "idle")
	p.do(t, lists[0])
	p.end(500)
	for _, idle := range lists[1:] {
		p.do(t, idle)
	}
	p.end(500)
	p.change(p.cpu, 500, "S", 0)
}

// renderFrame plays main( … ) draw 1 delay 1 commit 1 display 1. Each step is done by a thread
// of its own; in the delay nobody does anything.
func (p *player) renderFrame(t *testing.T, words []string) {
	end := closing(words, 0)
	p.receive(1000, p.period*3/2)
	p.begin(1000, "RSMainThread::DoComposition")
	p.do(t, words[1:end])
	p.end(1000)
	p.end(1000)
	p.change(p.cpu, 1000, "S", 0)
	steps := map[string]int{}
	for i := end + 1; i+1 < len(words); i += 2 {
		steps[words[i]] = number(t, words[i+1])
	}
	step := func(tid, cpu, d int, name string) {
		p.change(cpu, 0, "R", tid)
		p.begin(tid, name)
		p.at += d
		p.end(tid)
		p.change(cpu, tid, "S", 0)
	}
	defer func(at int) { p.at = at }(p.at) // the next frame may begin meanwhile
	if d := steps["draw"]; d > 0 {
		step(1001, 2, d, "RenderFrame")
	}
	if steps["commit"] == 0 {
		return
	}
	p.at += steps["delay"]
	p.change(3, 0, "R", 1002)
	p.begin(1002, fmt.Sprintf("CommitLayers rate:100,now:%d,vsyncId:%d,size:1,Names:demo,zorder: 0,", (scriptStart+p.vsync)*1000, p.index))
	p.begin(1002, fmt.Sprintf("Present Fence %d", p.index))
	p.end(1002)
	p.at += steps["commit"]
	p.end(1002)
	p.change(3, 1002, "S", 0)
	step(1003, 4, steps["display"], fmt.Sprintf("Waiting for Present Fence %d", p.index))
}

// inOrder returns the lines in order of time.
func (p *player) inOrder() string {
	lines := slices.Collect(strings.Lines(p.String()))
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(stamp.FindString(a), stamp.FindString(b)) })
	return strings.Join(lines, "")
}

// closing returns the index of the word that closes the parenthesis of words[i].
func closing(words []string, i int) int {
	depth := 0
	for ; i < len(words); i++ {
		switch {
		case strings.HasSuffix(words[i], "("):
			depth++
		case words[i] == ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(words)
}

// do plays what the frame's thread does.
func (p *player) do(t *testing.T, words []string) {
	t.Helper()
	for i := 0; i < len(words); i++ {
		if name, ok := strings.CutSuffix(words[i], "("); ok {
			end := closing(words, i)
			within := words[i+1 : end]
			count, repeated := strings.CutSuffix(name, "×")
			state, tid, waits := strings.Cut(name, ":")
			switch {
			case repeated: // 100×( … )
				for range number(t, count) / 1000 {
					p.do(t, within)
				}
			case name == "call": // a call to another process, which begins to serve it 1 ms later
				p.line(p.tid, p.cpu, "binder_transaction: transaction=7 dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=0x10 code=0x37")
				p.change(p.cpu, p.tid, "S", 0)
				p.wake(p.tid, p.cpu, 601)
				p.at += 1000
				caller := p.tid
				p.as(601, func() {
					p.line(601, p.cpu, "binder_transaction_received: transaction=7")
					p.do(t, within)
					p.line(601, p.cpu, "binder_transaction: transaction=8 dest_node=0 dest_proc=500 dest_thread=%d reply=1 flags=0x0 code=0x0", caller)
				})
				p.change(p.cpu, 0, "R", p.tid)
				p.line(p.tid, p.cpu, "binder_transaction_received: transaction=8")
			case waits && len(state) == 1: // S:501( … )
				p.wait(state, number(t, tid)/1000, func() { p.do(t, within) })
			default:
				p.begin(p.tid, strings.ReplaceAll(name, "_", " "))
				p.do(t, within)
				p.end(p.tid)
			}
			i = end
			continue
		}
		word, operand, _ := strings.Cut(words[i], ":")
		if word == "F" { // the function of the last wait, and :1 if the kernel counts it as storage
			name, iowait, _ := strings.Cut(operand, ":")
			p.line(p.tid, 10, "sched_blocked_reason: pid=%d iowait=%s caller=%s+0x1/0x2", p.tid, cmp.Or(iowait, "0"), name)
			continue
		}
		other := 0
		if operand != "" {
			other = number(t, operand) / 1000
		}
		if i++; i >= len(words) {
			t.Fatalf("%s needs a number", word)
		}
		d := number(t, words[i])
		switch word {
		case "run":
			p.at += d
		case "S", "D": // waits until another thread, which has not run before, wakes it
			p.blocked(word, other, d)
		case "io": // waits for storage
			p.blocked("D", 20, d)
			p.line(p.tid, p.cpu, "sched_blocked_reason: pid=%d iowait=1 caller=io_schedule+0x1/0x2", p.tid)
		case "timer": // sleeps
			p.blocked("S", 0, d)
		case "own": // waits for a thread of its process, which runs
			p.wait("S", 501, func() { p.at += d })
		case "other": // for one of another process
			p.wait("S", 601, func() { p.at += d })
		case "render": // for the render thread, whatever that does
			p.blocked("S", 1001, d)
		case "unwoken": // waits, and nobody wakes it
			p.change(p.cpu, p.tid, "S", 0)
			p.at += d
			p.change(p.cpu, 0, "R", p.tid)
		case "storage": // waits while a request is at work: to write, if an operand says another one is complete
			kind := map[bool]string{true: "R", false: "W"}[other == 0]
			p.line(p.tid, p.cpu, "block_rq_issue: 8,0 %s 4096 () 128 + 8 [x]", kind)
			p.change(p.cpu, p.tid, "S", 0)
			p.at += d
			p.line(20, 10, "block_rq_complete: 8,0 %s () %d + 8 [0]", kind, 128+other)
			p.wake(20, 10, p.tid)
			p.change(p.cpu, 0, "R", p.tid)
		case "preempted": // by a thread
			other = cmp.Or(other, 700)
			p.change(p.cpu, p.tid, "R+", other)
			p.at += d
			p.change(p.cpu, other, "S", p.tid)
		case "woken": // and has to wait for its CPU, which a thread has, or which sleeps
			p.change(p.cpu, p.tid, "S", other)
			p.at += 30
			p.wake(501, 10, p.tid)
			p.at += d
			p.change(p.cpu, other, "S", p.tid)
		case "handler": // interrupts, one within the other
			p.line(p.tid, p.cpu, "irq_handler_entry: irq=7 name=x")
			p.at += d / 2
			p.line(p.tid, p.cpu, "softirq_entry: vec=1 [action=TIMER]")
			p.at += d / 2
			p.line(p.tid, p.cpu, "softirq_exit: vec=1 [action=TIMER]")
			p.line(p.tid, p.cpu, "irq_handler_exit: irq=7 ret=handled")
		case "lost": // nobody knows: the thread is switched out twice
			p.change(p.cpu, p.tid, "S", 0)
			p.at += d
			p.change(p.cpu, p.tid, "R+", 0)
			p.change(p.cpu, 0, "R", p.tid)
		case "on": // goes to a CPU
			p.change(p.cpu, p.tid, "R+", 0)
			p.cpu = d / 1000
			p.change(p.cpu, 0, "R", p.tid)
		case "clock": // a CPU has so many MHz from now on
			i++
			p.line(0, 9, "cpu_frequency: state=%d cpu_id=%d", number(t, words[i]), d/1000)
		case "take": // applies the transaction of a frame
			p.begin(p.tid, fmt.Sprintf("RSMainThread::ProcessCommandUni [500,%d]", d/1000))
			p.end(p.tid)
		case "send": // sends a transaction with this number
			p.begin(p.tid, fmt.Sprintf("MarshRSTransactionData cmdCount:1 transactionFlag:[500,%d]", d/1000))
			p.end(p.tid)
		case "oneway": // calls another process; at 1, it should reply
			p.line(p.tid, p.cpu, "binder_transaction: transaction=9 dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=0x%d code=0x37", 11-d/1000)
		default:
			t.Fatalf("%q has no meaning", word)
		}
	}
}

// blocked blocks the thread until another one, on CPU 10, ends the wait.
func (p *player) blocked(state string, waker, d int) {
	p.change(p.cpu, p.tid, state, 0)
	p.at += d
	p.wake(waker, 10, p.tid)
	p.change(p.cpu, 0, "R", p.tid)
}

// wait blocks the thread until another one did something and wakes it.
func (p *player) wait(state string, tid int, do func()) {
	p.change(p.cpu, p.tid, state, 0)
	p.as(tid, do)
	p.change(p.cpu, 0, "R", p.tid)
}

// as has another thread do something on the next CPU, from 11 up, and then wake this one.
func (p *player) as(tid int, do func()) {
	caller, cpu := p.tid, p.cpu
	p.tid, p.cpu = tid, max(11, cpu+1)
	p.change(p.cpu, 0, "R", tid)
	do()
	p.wake(tid, p.cpu, caller)
	p.change(p.cpu, tid, "S", 0)
	p.tid, p.cpu = caller, cpu
}
