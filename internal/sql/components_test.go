package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// componentsText is a trace of items of components of three processes; one has a frame.
func componentsText() string {
	var text strings.Builder
	at := 0
	line := func(pid int, format string, args ...any) {
		at += 500
		fmt.Fprintf(&text, "example-%d (%d) [001] .... 1.%06d: print: %s\n", pid, pid, at, fmt.Sprintf(format, args...))
	}
	slice := func(pid int, format string, args ...any) {
		line(pid, "B|%d|H:%s", pid, fmt.Sprintf(format, args...))
		line(pid, "E|%d", pid)
	}
	for i := range 30 {
		slice(200, "CustomNode:BuildItem [Card][self:%d][parent:37]", i)
		slice(300, "CustomNode:BuildRecycle 价格[0]")
		if i%3 == 0 {
			slice(200, "CustomNode:BuildRecycle <b>Row</b>")
			slice(300, "CustomNode:BuildItem")
		}
	}
	slice(200, "ViewPU.viewPropertyHasChanged Card price 3")
	slice(200, "ViewPU.viewPropertyHasChanged Card price 5")
	slice(400, "ViewPU.viewPropertyHasChanged Only title 1")
	line(300, "B|300|H:ReceiveVsync name:ui dataCount: 24bytes now:1100000000 expectedEnd: 1116600000 vsyncId:5, fd:9")
	line(300, "B|300|H:OnVsyncEvent now:1100000000")
	line(300, "E|300")
	line(300, "E|300")
	return text.String()
}

// The tables of components have what the report has, of processes with and without frames.
func TestComponents(t *testing.T) {
	enginetest.ForTest(t)
	output, timeline := convert(t, strings.NewReader(componentsText()), pftrace.Options{NoEvents: true})
	session := load(t, output)
	enginetest.CheckGate(t, session)
	query(t, session, "INCLUDE PERFETTO MODULE ohos.components; SELECT 1")
	report := stats.Compute(timeline, stats.Options{})
	if len(report.Components) != 4 || len(report.StateVariables) != 2 {
		t.Fatalf("%+v", report)
	}
	checkComponents(t, session, report)
}

// checkComponents compares components and state variables with the report.
func checkComponents(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	checkTable(t, session, "ohos_component", "", each(report.Components))
	checkTable(t, session, "ohos_state_variable", "", each(report.StateVariables))
	compare(t, "joins of ohos_component", query(t, session, `
		SELECT count() FROM ohos_component AS c JOIN slice AS s USING (id) JOIN process AS p USING (upid) WHERE p.pid = c.pid`), count(len(report.Components)))
}

// each yields values that need nothing else to be told apart.
func each[T any](list []T) func(yield func(any, ...any)) {
	return func(yield func(any, ...any)) {
		for _, value := range list {
			yield(value)
		}
	}
}

// A slice lists the components with the most time and the variables that made the most nodes dirty, and counts all.
func TestManyComponents(t *testing.T) {
	enginetest.ForTest(t)
	var text strings.Builder
	at := 0
	line := func(after int, payload string) {
		at += after
		fmt.Fprintf(&text, "example-200 (200) [001] .... 1.%06d: print: %s\n", at, payload)
	}
	const all, listed = 300, 256
	for i := range all { // each takes 1 µs longer than the one before
		line(1, fmt.Sprintf("B|200|H:CustomNode:BuildItem [C%d][self:1][parent:2]", i))
		line(1+i, "E|200")
		line(1, fmt.Sprintf("B|200|H:ViewPU.viewPropertyHasChanged C v%d 1", i))
		line(1, "E|200")
	}
	output, _ := convert(t, strings.NewReader(text.String()), pftrace.Options{NoEvents: true})
	session := load(t, output)
	query(t, session, "INCLUDE PERFETTO MODULE ohos.components; SELECT 1")
	got := fmt.Sprint(enginetest.Query(t, session, `SELECT
		(SELECT count() FROM ohos_component), (SELECT min(build_max_ns) FROM ohos_component), (SELECT count() FROM ohos_state_variable), (SELECT name FROM slice WHERE name GLOB '*component*')`).Rows)
	must.Equal(t, got, fmt.Sprint([][]string{{fmt.Sprint(listed), fmt.Sprint((all - listed + 1) * 1000), fmt.Sprint(listed), "300 components"}}))
}
