package reconstruct_test

import (
	"reflect"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// What ps lists beside a trace names processes in full and whatever the trace
// leaves without a name; the trace's own names of threads count before it.
func TestProcessDump(t *testing.T) {
	dump := hitrace.NewProcessDump(10)
	dump.Read(strings.NewReader(`PROCESS DUMP
USER PID PPID VSZ RSS WCHAN PC S NAME COMM
root   2    0   0   0     0  0 S [kthreadd] [kthreadd]
u0   200    1   0   0     0  0 S com.example.paper:snowmountainSuperPaper [ntainSuperPaper]
u0   300    1   0   0     0  0 S com.example.quiet [m.example.quiet]
u0   400    1   0   0     0  0 S com.example.absent [.example.absent]
root 500    2   0   0     0  0 S [kworker/1:2-events] [kworker/1:2-events]
USER PID TID CMD
u0   200 200 ntainSuperPaper
u0   200 201 old name
u0   200 202 Jit thread pool
u0   200 203 scheduled
u0   300 301 quiet worker
u0   300 302 absent worker
root 600 600 over
root 600 601 over
`))
	text := strings.Join([]string{
		" ntainSuperPaper-200  (  200) [000] ....     1.000001: print: B|200|H:x|M62",
		"            name-201  (  200) [000] ....     1.000002: print: B|200|H:x|M62",
		"           <...>-202  (-----) [000] ....     1.000003: cpu_idle: state=1 cpu_id=0",
		"           <...>-203  (  200) [000] ....     1.000004: sched_switch: prev_comm=x prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=helper next_pid=203 next_prio=120",
		"           <...>-301  (-----) [000] ....     1.000005: cpu_idle: state=1 cpu_id=0",
		"     kworker/1:2-500  (  500) [000] ....     1.000006: cpu_idle: state=1 cpu_id=0",
		"           dying-3    (    2) [000] ....     1.000007: cpu_idle: state=1 cpu_id=0",
		"         unknown-900  (-----) [000] ....     1.000008: cpu_idle: state=1 cpu_id=0",
	}, "\n")
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text), hitrace.Options{}, reconstruct.Options{Dump: dump}))(t)
	want := []*analyzer.Process{
		{PID: 2, Name: "kthreadd", Threads: []analyzer.Thread{{TID: 3, Name: "dying"}}},
		{PID: 200, Name: "com.example.paper:snowmountainSuperPaper", Threads: []analyzer.Thread{
			{TID: 200, Name: "ntainSuperPaper"}, {TID: 201, Name: "name"}, {TID: 202, Name: "Jit thread pool"}, {TID: 203, Name: "helper"},
		}},
		{PID: 300, Name: "com.example.quiet", Threads: []analyzer.Thread{{TID: 301, Name: "quiet worker"}}},
		{PID: 500, Name: "kworker/1:2", Threads: []analyzer.Thread{{TID: 500, Name: "kworker/1:2"}}},
	}
	if !reflect.DeepEqual(timeline.Processes, want) {
		for _, p := range timeline.Processes {
			t.Errorf("got %+v", *p)
		}
		for _, p := range want {
			t.Errorf("want %+v", *p)
		}
	}
	must.Equal(t, timeline.Diagnostics.Total(analyzer.NamesOver), 2, "names over the limit")
	must.NoError(t, timeline.Validate())
}
