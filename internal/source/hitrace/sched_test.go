package hitrace_test

import (
	"testing"

	"ohframe/internal/source/hitrace"
)

func TestParseSwitch(t *testing.T) {
	type task struct {
		comm      string
		tid, prio int32
	}
	for _, test := range []struct {
		system     string
		args       string
		prev, next task
		state      string
	}{
		{"Linux", "prev_comm=demo.app prev_pid=200 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120",
			task{"demo.app", 200, 120}, task{"swapper/1", 0, 120}, "S"},
		{"Linux", "prev_comm=kworker/1:2 prev_pid=33 prev_prio=98 prev_state=R+ ==> next_comm=Present Fence next_pid=103 next_prio=51",
			task{"kworker/1:2", 33, 98}, task{"Present Fence", 103, 51}, "R+"},
		{"Linux", "prev_comm=a prev_pid=1 prev_prio=2 prev_state=D|K ==> next_comm=b next_pid=3 next_prio=4 extra=5",
			task{"a", 1, 2}, task{"b", 3, 4}, "D|K"},
		{"HongMeng", "prev_comm=tppmgr-idle-3 prev_pid=0 prev_prio=-2 prev_state=R+ ==> next_comm=.demo.app next_pid=200 next_prio=53 next_info=3fff,89,3,0,2,0",
			task{"tppmgr-idle-3", 0, -2}, task{".demo.app", 200, 53}, "R+"},
		{"names that look like fields", "prev_comm=x=1 prev_pid prev_pid=7 prev_prio=8 prev_state=S ==> next_comm= next_pid=9 next_prio=1",
			task{"x=1 prev_pid", 7, 8}, task{"", 9, 1}, "S"},
		{"a name with an arrow", "prev_comm=a ==> b prev_pid=7 prev_prio=8 prev_state=S ==> next_comm=c next_pid=9 next_prio=1",
			task{"a ==> b", 7, 8}, task{"c", 9, 1}, "S"},
		{"trace-cmd", "kworker/1:2:33 [98] R+ ==> Present Fence:103 [51]",
			task{"kworker/1:2", 33, 98}, task{"Present Fence", 103, 51}, "R+"},
		{"trace-cmd", "a [1]:2 [-3] D|K ==> :0 [120]", task{"a [1]", 2, -3}, task{"", 0, 120}, "D|K"},
	} {
		s, ok := hitrace.ParseFields([]byte("sched_switch"), []byte(test.args)).(*hitrace.Switch)
		if !ok {
			t.Errorf("%s: %q cannot be parsed", test.system, test.args)
			continue
		}
		prev := task{string(s.PrevComm), int32(s.PrevTID), s.PrevPrio}
		next := task{string(s.NextComm), int32(s.NextTID), s.NextPrio}
		if prev != test.prev || next != test.next || string(s.PrevState) != test.state {
			t.Errorf("%s: %q: %+v in state %q, then %+v", test.system, test.args, prev, s.PrevState, next)
		}
	}
	for _, args := range []string{
		"a:1 [2] S", "a:1 [2] ==> b:3 [4]", "a:1 S ==> b:3 [4]", "a:1 [2] S ==> b:3", "a 1 [2] S ==> b:3 [4]", "a:x [2] S ==> b:3 [4]", "a:1 [2] S ==> b:3 [4294967296]", "a prev_pid=1:1 [2] S ==> b:3 [4]",
		"", "prev_comm=a prev_pid=1 prev_prio=2 prev_state=S", " ==> next_comm=b next_pid=3 next_prio=4",
		"prev_comm=a prev_pid=1 prev_prio=2 ==> next_comm=b next_pid=3 next_prio=4",
		"prev_comm=a prev_pid=1 prev_prio=2 prev_state= ==> next_comm=b next_pid=3 next_prio=4",
		"prev_comm=a prev_pid=x prev_prio=2 prev_state=S ==> next_comm=b next_pid=3 next_prio=4",
		"prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=3",
		"prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=3 next_prio=",
		"prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=2147483648 next_prio=4",
	} {
		if s := hitrace.ParseFields([]byte("sched_switch"), []byte(args)); s != nil {
			t.Errorf("%q is %+v", args, s)
		}
	}
}

func TestParseWakeup(t *testing.T) {
	for _, test := range []struct {
		args           string
		comm           string
		tid, prio, cpu int32
	}{
		{"comm=demo.app pid=200 prio=120 target_cpu=003", "demo.app", 200, 120, 3},
		{"comm=Acquire Fence pid=3302 prio=98 success=1 target_cpu=010", "Acquire Fence", 3302, 98, 10},
		{"comm=idle pid=0 prio=-2 target_cpu=000 next=1", "idle", 0, -2, 0},
		{"a [1]:2:200 [120] CPU:003", "a [1]:2", 200, 120, 3}, // trace-cmd
		{"a:200 [120] success=1 CPU:003", "a", 200, 120, 3},
	} {
		w, ok := hitrace.ParseFields([]byte("sched_wakeup"), []byte(test.args)).(*hitrace.Wakeup)
		if !ok || string(w.Comm) != test.comm || int32(w.TID) != test.tid || w.Prio != test.prio || int32(w.TargetCPU) != test.cpu {
			t.Errorf("%q: %v, %+v", test.args, ok, w)
		}
	}
	for _, args := range []string{
		"a:1 [2]", "a:1 CPU:003", "a:1 [2] CPU:003 more", "a 1 [2] CPU:003",
		"", "comm=a pid=1 prio=2", "comm=a pid=1 prio=2 target_cpu=", "comm=a pid=1 prio=2 target_cpu=x", "pid=1 prio=2 target_cpu=3",
		"comm=a prio=2 target_cpu=3", "comm=a pid=1 target_cpu=3",
	} {
		if w := hitrace.ParseFields([]byte("sched_wakeup"), []byte(args)); w != nil {
			t.Errorf("%q is %+v", args, w)
		}
	}
}
