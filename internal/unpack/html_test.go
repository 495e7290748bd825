package unpack_test

import (
	"bytes"
	"strings"
	"testing"

	"ohframe/internal/unpack"
)

func TestHTML(t *testing.T) {
	const (
		start  = `<script class="trace-data" type="application/text">`
		end    = `</script>`
		none   = "an HTML page without a text trace"
		events = " app-2000  ( 2000) [000] ....   100.000000: tracing_mark_write: I|2000|one\n"
	)
	viewer := strings.Repeat("<script>"+strings.Repeat("x", 1<<20)+end+"\n", 3)
	for _, test := range []struct{ name, page, content, problem string }{
		{"one section", "<!DOCTYPE html>\n" + start + "\n# tracer: nop\n" + events + end, "# tracer: nop\n" + events, ""},
		{"indented", "<html>\n  " + start + "\n# tracer: nop\n" + events + "  " + end + "\n</html>\n", "# tracer: nop\n" + events, ""},
		{"behind a viewer", "<!doctype HTML>" + viewer + start + "\n# tracer: nop\n" + events + end + viewer, "# tracer: nop\n" + events, ""},
		{"long", "<html>" + start + "\n" + strings.Repeat(events, 10_000) + end, strings.Repeat(events, 10_000), ""},
		{"without a header", "<html>" + start + "\n" + events + end, events, ""},
		{"with TRACE:", "<html>" + start + "\nTRACE:\n" + events + end, "TRACE:\n" + events, ""},
		{"CR LF", "\r\n<HTML>\r\n" + start + "\r\n# x\r\n" + end, "# x\r\n", ""},
		{"on the line of the element", "<html>" + start + "# x" + end, "# x", ""},
		{"others before and after", "<html>" + start + "\nPROCESS DUMP\nUSER PID\n" + end + start + "\n# x\n" + end + start + "\n{\"a\": 1}\n" + end, "# x\n", ""},
		{"two", "<html>" + start + "\n# x" + end + start + "\n# y\n" + end, "# x\n# y\n", ""},
		{"two of many lines", "<html>" + start + "\n" + strings.Repeat(events, 2000) + end + viewer + start + strings.Repeat(events, 2000) + end, strings.Repeat(events, 4000), ""},
		{"without a trace", "<!DOCTYPE html>\n<html><body></body></html>\n", "", none},
		{"without ftrace", "<html>" + start + "\nPROCESS DUMP\n" + end, "", none},
		{"of a browser's JSON", `<html><script class="trace-data" type="application/json">{}` + end, "", none},
		{"only a viewer", "<html>" + viewer, "", none},
		{"empty section", "<html>" + start + end, "", none},
	} {
		got := open(t, strings.NewReader(test.page), unpack.Options{Strict: true})
		if string(got.content) != test.content || message(got.err) != test.problem {
			t.Errorf("%s: %.100q (%d bytes), %v; want %d bytes", test.name, got.content, len(got.content), got.err, len(test.content))
		}
	}
	// Wherever the elements fall in the buffer.
	for shift := range 300 {
		section := "#" + strings.Repeat("x", 65536-len(events)-200+shift) + "\n" + events
		page := "<html>" + strings.Repeat(" ", 65536-150+shift) + start + "\n" + section + strings.Repeat(" ", 20) + end + strings.Repeat("x", 65536-300) + start + events + " " + end
		got := open(t, slow(strings.NewReader(page), 1000), unpack.Options{Strict: true})
		if got.err != nil || !bytes.Equal(got.content, []byte(section+events)) {
			t.Fatalf("shifted by %d: %d bytes, %v", shift, len(got.content), got.err)
		}
	}
}
