package hitrace_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

// blocksOf returns all blocks of the source, and the error that ended them.
func blocksOf(source io.Reader, size int) ([]string, error) {
	blocks, buffer := hitrace.NewBlocks(source), make([]byte, 0, size)
	var list []string
	for {
		block, err := blocks.Next(buffer)
		if err != nil {
			return list, err
		}
		list = append(list, string(block))
	}
}

// readers are ways in which a source may hand out the same bytes.
var readers = []struct {
	name string
	wrap func(io.Reader) io.Reader
}{
	{"all at once", func(r io.Reader) io.Reader { return r }},
	{"byte by byte", iotest.OneByteReader},
	{"half at a time", iotest.HalfReader},
	{"end with the data", iotest.DataErrReader},
	{"byte by byte, end with the data", func(r io.Reader) io.Reader { return iotest.DataErrReader(iotest.OneByteReader(r)) }},
}

func TestBlocks(t *testing.T) {
	for _, input := range []string{
		"", "\n", "\n\n\n", "a", "a\n", "a\nb", "one\ntwo\nthree\n", "one\r\ntwo\r\nthree", "\n\none\n\n", "longest line\nshort\n\nlongest line",
	} {
		longest := 0
		for line := range strings.Lines(input) {
			longest = max(longest, len(line))
		}
		for size := longest + 1; size <= len(input)+2; size++ {
			var first []string
			for _, reader := range readers {
				name := fmt.Sprintf("%q in blocks of %d, %s", input, size, reader.name)
				blocks, err := blocksOf(reader.wrap(strings.NewReader(input)), size)
				must.Equal(t, err, io.EOF, "%s", name)
				must.Equal(t, strings.Join(blocks, ""), input, "%s", name)
				for i, block := range blocks {
					if block == "" || len(block) > size || i < len(blocks)-1 && !strings.HasSuffix(block, "\n") {
						t.Errorf("%s: block %q of %q", name, block, blocks)
					}
				}
				if first == nil {
					first = blocks
				} else if !slices.Equal(blocks, first) {
					t.Errorf("%s: %q, but %q %s", name, blocks, first, readers[0].name)
				}
			}
		}
	}
}

// sampleTrace returns a trace of n lines of all kinds.
func sampleTrace(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "  render_service-100   (  100) [%03d] ....  %4d.%06d: ", i%8, 1+i/1000, i%1000*1000)
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "print: B|100|H:ReceiveVsync name:rs dataCount: 24bytes now:%d expectedEnd: %d vsyncId:%d, fd:9|M0538\n", i, i+1, i)
		case 1:
			fmt.Fprintf(&b, "print: C|100|H:Depth|%d|M62\n", i)
		case 2:
			fmt.Fprintf(&b, "sched_switch: prev_comm=a prev_pid=%d prev_prio=1 prev_state=S ==> next_comm=b next_pid=2 next_prio=3\n", i)
		case 3:
			fmt.Fprintf(&b, "print: S|100|H:M: Frame queued|%d|M62\n", i)
		case 4:
			b.WriteString("tracing_mark_write: E|100|\n")
		}
	}
	return b.Bytes()
}

// event is a hitrace.Event that can be kept.
type event struct {
	number int
	time   int64
	text   string
	marker payload
	word   hitrace.Word
}

// readAll returns all events of the source.
func readAll(t *testing.T, source io.Reader) []event {
	t.Helper()
	events, totals := must.Get2(tracetest.ReadEvents(source, hitrace.Options{}))(t)
	var list []event
	for _, e := range events {
		got := event{number: e.Number, time: int64(e.Time), text: string(e.Comm) + " " + string(e.Name) + " " + string(e.Args), word: e.Word}
		if e.Marker.Phase != hitrace.NotAMarker {
			got.marker = parsed(&e.Marker)
		}
		list = append(list, got)
	}
	if n := totals.Problems.Lost(); n > 0 {
		t.Errorf("%d lines lost: %v", n, totals.Problems.Counts())
	}
	return list
}
