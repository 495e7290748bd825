package dumpsys_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/hostiletest"
)

// Dumps of any length are read within the limits, and warnings count what is beyond them.
func TestHostile(t *testing.T) {
	type input = hostiletest.Input
	long := strings.Repeat("x", 5000)
	check := func(name, head string, small trace.Limits, read func(context.Context, io.Reader, dumpsys.Options) (*analyzer.Timeline, []string, error), inputs ...input) {
		for i := range inputs {
			inputs[i].Head = []byte(head + string(inputs[i].Head))
		}
		t.Run(name, func(t *testing.T) {
			hostiletest.Reader{
				Read: func(ctx context.Context, r io.Reader, l trace.Limits) (*analyzer.Timeline, []string, error) {
					return read(ctx, r, dumpsys.Options{Limits: l})
				},
				Inputs: inputs, Pieces: 6000, Small: small, Heap: 12 << 20, Frames: 1000, Processes: 501,
			}.Check(t)
		})
	}
	each := func(name, warning string, pieces int, format string) input {
		n := strings.Count(format, "%")
		return input{Name: name, Warning: warning, Pieces: pieces, Append: hostiletest.Lines(func(i int) string {
			return fmt.Sprintf(format, []any{i + 1000, i + 2000, i + 3000}[:n]...)
		})}
	}
	rows := input{Head: []byte("Window: v\n" + mark + header)} // a table that does not end
	withRows := func(in input) input { in.Head = rows.Head; return in }
	check("gfxinfo", good, trace.Limits{Frames: 500, Strings: 500}, func(ctx context.Context, r io.Reader, o dumpsys.Options) (*analyzer.Timeline, []string, error) {
		timeline, dump, err := dumpsys.ReadGfxinfo(ctx, r, o)
		return timeline, diag.Texts(dump.Warnings()), err
	},
		withRows(each("rows", "limit: frames", 0, "0,%d,%d,\n")), withRows(each("skipped rows", "limit: frames", 0, "4,%d,%d,\n")),
		each("processes", "limit: strings", 0, "** Graphics info for pid %d ["+long+"] **\n"+mark+header+"0,1,2,\n"+mark),
		each("windows", "limit: strings", 0, "Window: %d"+long+"\n"+mark+header+"0,1,2,\n"+mark),
		each("packages that do not run", "more packages not running", 0, "No process found for: \x1b[31mevil\n"),
		each("tables without columns", "without the column IntendedVsync or FrameCompleted", 0, mark+"A,B,C,\n1,2,3,\n"+mark),
		each("columns", "", 100, mark+strings.Repeat("A,", 30_000)+header+strings.Repeat("1,", 30_000)+"\n"+mark),
		each("a line without an end", "limit: line", 0, long))
	check("latency", goodLatency, trace.Limits{Frames: 500, Threads: 500}, func(ctx context.Context, r io.Reader, o dumpsys.Options) (*analyzer.Timeline, []string, error) {
		timeline, stats, err := dumpsys.ReadLatency(ctx, r, o)
		return timeline, diag.Texts(stats.Warnings()), err
	},
		each("rows", "limit: frames", 20_000, "%d %d %d\n"), each("layers", "limit: threads", 20_000, "layer %d "+long+"\n16666667\n1 %d 2\n"),
		each("dumps", "", 20_000, "16666667\n"), each("periods", "limit: frames", 20_000, "1%d\n1 %d 1\n"),
		each("pending rows", "", 20_000, "%d 9223372036854775807 %d\n"), each("a line without an end", "limit: line", 20_000, long),
		each("numbers", "", 200, strings.Repeat("1 ", 30_000)+"\n"))
}
