package reconstruct_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// blocksOf is a source of a text in blocks of a number of lines.
type blocksOf struct {
	io.Reader
	text  []byte
	lines int
}

func (b *blocksOf) Next(batch *hitrace.Batch, _ int) error {
	if len(b.text) == 0 {
		return io.EOF
	}
	end := 0
	for n := 0; n < b.lines && end < len(b.text); n++ {
		end += bytes.IndexByte(b.text[end:], '\n') + 1
	}
	batch.AddText(b.text[:end])
	b.text = b.text[end:]
	return nil
}

// perform makes a trace of a script with all that the builder must see in order: threads that
// begin, end and run, calls between them, buffers, silence, events that are lost, traces that follow
// one another. Every three bytes are a line.
func perform(script []byte) string {
	var b strings.Builder
	now := int64(1_000_000) // microseconds
	for ; len(script) >= 3; script = script[3:] {
		who, what, how := actors[script[0]%8], script[1], int(script[2])
		switch step := int64(script[0] / 8); step {
		case 31:
			now -= 500
		case 30:
			now += 25_000
		case 29:
			now += 130_000
		default:
			now += step * 7
		}
		other := actors[how%8]
		tgid := "-----"
		if who.pid >= 0 {
			tgid = fmt.Sprint(who.pid)
		}
		cpu := how >> 3 % 4
		line := func(format string, args ...any) {
			fmt.Fprintf(&b, " %s-%d (%s) [%03d] .... %d.%06d: ", who.comm, who.tid, tgid, cpu, now/1e6, now%1e6)
			fmt.Fprintf(&b, format+"\n", args...)
		}
		pid := max(who.pid, 1)
		n, at := how%16, (1_000_000+int64(how%16)*10_000)*1000
		switch {
		case what < 70:
			line("print: E|%d|", pid)
		case what < 130:
			line("print: B|%d|H:other %d|M62", pid, n)
		case what < 170:
			line("print: B|%d|%s|M62", pid, spellings[int(what+script[2])%len(spellings)](n, pid, at))
		case what < 178:
			line("print: B|%d|%s|M62", pid, [...]string{"H:RequestBuffer", "H:FlushBuffer", "H:AcquireBuffer", "H:RequestBuffer name: a queueId: 7", "H:FlushBuffer name: a queueId: 7 sequence: 3", "H:queue:3"}[n%6])
		case what < 184:
			line("print: C|%d|H:queue|%d|M62", pid, n%4)
		case what < 190:
			line("print: %c|%d|H:%s|0|M62", "SF"[what%2], pid, scenes[n%2])
		case what < 222:
			line("sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120", who.comm, who.tid, [...]string{"S", "R", "D", "S", "R", "S", "S", "X"}[what%8], other.comm, other.tid)
		case what < 232:
			line("sched_wakeup: comm=%s pid=%d prio=120 target_cpu=%03d", other.comm, other.tid, how>>5)
		case what < 236:
			line("sched_waking: comm=%s pid=%d prio=120 target_cpu=%03d", other.comm, other.tid, how>>5)
		case what < 238:
			line("sched_wakeup_new: comm=%s pid=%d prio=120 target_cpu=%03d", other.comm, other.tid, how>>5)
		case what == 238:
			line("task_newtask: pid=%d comm=%s clone_flags=3d0f00 oom_score_adj=0", other.tid, other.comm)
		case what == 239:
			line("sched_process_exit: comm=%s pid=%d prio=120", other.comm, other.tid)
		case what == 240:
			line("sched_process_free: comm=%s pid=%d prio=120", other.comm, other.tid)
		case what < 244:
			line("binder_transaction: transaction=%d dest_node=1 dest_proc=%d dest_thread=%d reply=%d flags=0x%x code=0x1", n, max(other.pid, 1), other.tid, what%2, how>>6)
		case what < 247:
			line("binder_transaction_received: transaction=%d", n)
		case what == 247:
			fmt.Fprintf(&b, "CPU:%d [LOST %d EVENTS]\n", cpu, how)
		case what == 248:
			b.WriteString("# tracer: nop\n")
			now += 3_000_000
		case what == 249:
			line("sched_switch: damaged")
		case what == 250:
			who.comm = "renamed"
			line("print: B|%d|H:other|M62", pid)
		case what == 251 && how < 40:
			tgid = fmt.Sprint(300 - pid)
			line("print: E|%d|", pid)
		default:
			line("cpu_frequency: state=1 cpu_id=%d", cpu)
		}
	}
	return b.String()
}

// A timeline does not depend on how the text is divided into blocks. Each block is scanned on
// its own. In blocks of a line the builder sees one event after another.
func FuzzBlocks(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		script := make([]byte, 3*(20+20*n))
		for i := range script {
			script[i] = byte(random.Uint32())
			if i%3 == 0 && random.IntN(3) > 0 {
				script[i] &= 31 // mostly, time goes on a little
			}
		}
		f.Add(script, byte(n))
	}
	f.Fuzz(func(t *testing.T, script []byte, how byte) {
		if len(script) > 6000 {
			return
		}
		text := perform(script)
		analyze := func(r io.Reader) *analyzer.Timeline {
			timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), r, hitrace.Options{Workers: 2}, reconstruct.Options{Limits: trace.Limits{Threads: 9 - int(how&1)*3}}))(t)
			return timeline
		}
		want := analyze(&blocksOf{text: []byte(text), lines: 1})
		for _, lines := range []int{2, 3 + int(how)%40, 1 << 20} {
			got := analyze(&blocksOf{text: []byte(text), lines: lines})
			if how&1 != 0 { // how many names are over the limit is counted by block
				got.Diagnostics, want.Diagnostics = analyzer.Diagnostics{}, analyzer.Diagnostics{}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("blocks of %d lines:\n%s\nof one:\n%s\n%s", lines, got, want, text)
			}
		}
	})
}
