package hitrace_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// dumped is what a dump says of an id.
type dumped struct {
	process, thread string
	pid             trace.PID
}

func TestProcessDump(t *testing.T) {
	const (
		processes = "USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM                       \n"
		threads   = "USER           PID   TID CMD            \n"
		old       = "USER      PID   PPID  VSIZE  RSS   WCHAN            PC  NAME\n"
	)
	for _, test := range []struct {
		name, text string
		want       map[trace.TID]dumped
	}{
		{"Android 8", "PROCESS DUMP\n" + processes +
			"root             1     0 2199108   4424 0       0 S init                        [init]\n" +
			"root             2     0       0      0 0       0 S [kthreadd]                  [kthreadd]\n" +
			"u0_a166       3346   767 1581176  35840 0       0 S com.example.paper:snowmountainSuperPaper [ntainSuperPaper]\n" +
			threads +
			"root             1     1 init\n" +
			"u0_a166       3346  3346 ntainSuperPaper\n" +
			"u0_a166       3346  3351 Jit thread pool\n" +
			"u0_a166       3346  3352 J pool\n",
			map[trace.TID]dumped{
				1: {"init", "init", 1}, 2: {"", "kthreadd", 2},
				3346: {"com.example.paper:snowmountainSuperPaper", "ntainSuperPaper", 3346}, 3351: {"", "Jit thread pool", 3346}, 3352: {"", "J pool", 3346},
				767: {"", "", trace.UnknownPID},
			}},
		{"before Android 8", old + "root 1 0 1324 856 SyS_epoll_ 00070cd8 S test1\n" + processes + "u 2 1 2 3 0 0 S after [x]\n",
			map[trace.TID]dumped{1: {"", "", trace.UnknownPID}, 2: {"after", "", 2}}},
		{"ps -A and ps -AT", "USER PID PPID VSZ RSS WCHAN ADDR S NAME\nshell 7 1 2 3 0 0 S /system/bin/sh -c x\n" +
			"USER PID TID PPID VSZ RSS WCHAN ADDR S CMD\nshell 7 8 1 2 3 0 0 S R worker\n",
			map[trace.TID]dumped{7: {"/system/bin/sh -c x", "", 7}, 8: {"", "R worker", 7}}},
		{"the last row counts", processes + "u 7 1 2 3 0 0 S zygote64 [main]\n" + processes + "u 7 1 2 3 0 0 S com.example [om.example]\n" + processes + "u 8 1 2 3 0 0 S other [x]\n",
			map[trace.TID]dumped{7: {"com.example", "", 7}, 8: {"other", "", 8}}},
		{"a process ends", processes + "u 7 1 2 3 0 0 S com.example.app [ample.app]\n" + processes + "u 7 1 2 3 0 0 Z [ample.app] [ample.app]\n",
			map[trace.TID]dumped{7: {"com.example.app", "ample.app", 7}}},
		{"an id of a process becomes a thread's", processes + "u 7 1 2 3 0 0 S gone [x]\n" + threads + "u 5 7 worker\n",
			map[trace.TID]dumped{7: {"", "worker", 5}}},
		{"CR LF, no end", "PROCESS DUMP\r\n" + strings.TrimSpace(threads) + "\r\nu 5 6 worker  \r\nu 5 7 last",
			map[trace.TID]dumped{6: {"", "worker", 5}, 7: {"", "last", 5}}},
		{"no rows", "u 5 6 before\n9 before\n" + threads + "u x 6 a\nu 5 y b\nu 5\nu 5 7\n\nu 2147483648 7 c\nu 5 8x d\nUSER PID NOTHING\nu 5 9 e\nUSER NAME\nu f\n",
			map[trace.TID]dumped{5: {"", "", trace.UnknownPID}, 6: {"", "", trace.UnknownPID}, 7: {"", "", trace.UnknownPID}, 8: {"", "", trace.UnknownPID}, 9: {"", "", trace.UnknownPID}}},
		{"long lines and names", threads + "u 5 6 " + strings.Repeat("é", 300) + "\n" + "u 5 7 " + strings.Repeat("x", 5000) + "\nu 5 8 after\n",
			map[trace.TID]dumped{6: {"", strings.Repeat("é", 127) + "\uFFFD", 5}, 7: {"", "", trace.UnknownPID}, 8: {"", "after", 5}}},
	} {
		d := hitrace.NewProcessDump(100)
		must.Do(t, d.Read(iotest.OneByteReader(strings.NewReader(test.text))))
		for tid, want := range test.want {
			thread, pid := d.Thread(tid)
			must.Equal(t, (dumped{d.Process(trace.PID(tid)), thread, pid}), want, "%s: %d", test.name, tid)
		}
	}
	must.Equal(t, hitrace.NewProcessDump(1).Read(iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF, "error")
	var none *hitrace.ProcessDump
	if thread, pid := none.Thread(1); none.Process(1)+thread != "" || pid != trace.UnknownPID || none.Over() != 0 {
		t.Error("a dump that is not there has names")
	}
}

// What is kept is names, not the lines that they are from.
func TestProcessDumpLimits(t *testing.T) {
	slow.SkipRace(t)
	const rows, most = 5000, 8 << 20
	d := hitrace.NewProcessDump(rows)
	rest := " name" + strings.Repeat("x", 4000) + "\n"
	row := func(b []byte, i int) []byte { return append(fmt.Appendf(b, "u 1 %d", i%(rows+5)), rest...) }
	hostiletest.CheckPeak(t, most, func() {
		d.Read(io.MultiReader(strings.NewReader("USER PID TID CMD\n"), hostiletest.Stream(2*rows, row)))
	})
	if name, _ := d.Thread(rows - 1); len(name) != 255 || d.Over() != 5 {
		t.Errorf("the last name is %q, %d over", name, d.Over())
	}
}
