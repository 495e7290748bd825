package ohframe_test

import (
	"strings"
	"testing"

	"ohframe"
	"ohframe/internal/testing/engine/enginetest"
)

// systracePage is a page with lists of processes. Perfetto's own import reads names
// from them, too.
const systracePage = `<!DOCTYPE html>
<html>
  <script class="trace-data" type="application/text">
PROCESS DUMP
USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM                       
root             1     0 2199108   4424 0       0 S init                        [init]
u0_a166       3346     1 1581176  35840 0       0 S com.example.paper:snowmountainSuperPaper [ntainSuperPaper]
u0_a167       3400     1 1581176  35840 0       0 S com.example.quiet           [m.example.quiet]
USER           PID   TID CMD            
root             1     1 init
u0_a166       3346  3346 ntainSuperPaper
u0_a166       3346  3350 renderer
u0_a167       3400  3400 m.example.quiet
u0_a167       3400  3401 quiet worker
  </script>
  <script class="trace-data" type="application/text">
# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
 ntainSuperPaper-3346  ( 3346) [000] .... 28308.000001: tracing_mark_write: B|3346|draw
 ntainSuperPaper-3346  ( 3346) [000] .... 28308.000002: tracing_mark_write: E|3346
        RenderTh-3350  ( 3346) [000] .... 28308.000003: tracing_mark_write: B|3346|render
        RenderTh-3350  ( 3346) [000] .... 28308.000004: tracing_mark_write: E|3346
           <...>-3401  (-----) [000] .... 28308.000005: tracing_mark_write: B|3400|work
           <...>-3401  (-----) [000] .... 28308.000006: tracing_mark_write: E|3400
  </script>
</body>
</html>
`

// Processes and threads of a page have the names that Perfetto's own import gives
// them.
func TestPageInPerfetto(t *testing.T) {
	enginetest.ForTest(t)
	converted, warnings, err := convertBytes(t, strings.NewReader(systracePage), ohframe.Options{Strict: true})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	const names = `SELECT slice.name AS slice, tid, thread.name AS thread, pid, process.name AS process
		FROM slice JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid) JOIN process USING (upid) ORDER BY ts`
	got := enginetest.Query(t, enginetest.Load(t, converted), names)
	page := enginetest.Query(t, enginetest.Load(t, []byte(systracePage)), names)
	if got.String() != page.String() {
		t.Errorf("got %s\nfrom the page %s", got, page)
	}
	want := `slice,tid,thread,pid,process
"draw",3346,"ntainSuperPaper",3346,"com.example.paper:snowmountainSuperPaper"
"render",3350,"RenderTh",3346,"com.example.paper:snowmountainSuperPaper"
"work",3401,"quiet worker",3400,"com.example.quiet"
`
	if page.String() != want {
		t.Errorf("from the page %s\nwant %s", page, want)
	}
}
