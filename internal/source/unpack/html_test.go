package unpack_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
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
		{"many blanks before the end", "<html>" + start + "\n# x\n" + strings.Repeat(" ", 65) + end, "# x\n" + strings.Repeat(" ", 65), ""},
		{"others before and after", "<html>" + start + "\nPROCESS DUMP\nUSER PID\n" + end + start + "\n# x\n" + end + start + "\n{\"a\": 1}\n" + end, "# x\n", ""},
		{"two", "<html>" + start + "\n# x" + end + start + "\n# y\n" + end, "# x\n# y\n", ""},
		{"two of many lines", "<html>" + start + "\n" + strings.Repeat(events, 2000) + end + viewer + start + strings.Repeat(events, 2000) + end, strings.Repeat(events, 4000), ""},
		{"a string of a script", "<html><script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\r\n app \\\"a\\\" \\x41\\u0042\\ud83d\\ude00\\\\ \\'\\/\\n\\\n\";</script>", "# tracer: nop\n app \"a\" AB😀\\ '/\n", ""},
		{"a string in other quotes", "<html><script>linuxPerfData='# \"x\"\\n'</script>", "# \"x\"\n", ""},
		{"a template", "<html>linuxPerfData = `# x\n\\`y\\`\n`", "# x\n`y`\n", ""},
		{"a list", "<html>if (linuxPerfData == 1) linuxPerfData = [\"# x\"]", "", "an HTML page whose linuxPerfData is no string"},
		{"a string behind a viewer that reads it", "<html><script>f([linuxPerfData]);linuxPerfData == 1;</script>" + viewer + "var linuxPerfData = \"# x\\n\"" + viewer, "# x\n", ""},
		{"a string and a section", "<html>linuxPerfData = \"# x\"" + start + "# y\n" + end, "# x\n# y\n", ""},
		{"a string with damaged escapes", `<html>linuxPerfData = "# \xg1 \u12 \ud83d"`, "# g1 12 \uFFFD", ""},
		{"only the name of the string", "<html>if (linuxPerfData) {}", "", none},
		{"without a trace", "<!DOCTYPE html>\n<html><body></body></html>\n", "", none},
		{"without ftrace", "<html>" + start + "\nPROCESS DUMP\n" + end, "", none},
		{"of a browser's JSON", `<html><script class="trace-data" type="application/json">{}` + end, "", none},
		{"only a viewer", "<html>" + viewer, "", none},
		{"empty section", "<html>" + start + end, "", none},
		{"only processes", "<html>" + start + "\nPROCESS DUMP\n", "", none},
	} {
		got := open(t, strings.NewReader(test.page), unpack.Options{})
		if string(got.content) != test.content || message(got.err) != test.problem || len(got.warnings) > 0 {
			t.Errorf("%s: %.100q (%d bytes), %v; want %d bytes", test.name, got.content, len(got.content), got.err, len(test.content))
		}
		if got := open(t, inPieces(strings.NewReader(test.page), 77), unpack.Options{}); string(got.content) != test.content || len(got.warnings) > 0 {
			t.Errorf("%s, piece by piece: %.100q (%d bytes)", test.name, got.content, len(got.content))
		}
	}
	// Wherever the elements fall in the buffer.
	for shift := range 300 {
		section := "#" + strings.Repeat("x", 65536-len(events)-200+shift) + "\n" + events
		quotedPage := "<html>" + strings.Repeat(" ", 65536-150+shift) + `linuxPerfData = "` + strings.Repeat("x", 65536-120) + `\u0041\n" ` + start + events + end
		if got := open(t, inPieces(strings.NewReader(quotedPage), 1000), unpack.Options{}); got.err != nil || len(got.warnings) > 0 || string(got.content) != strings.Repeat("x", 65536-120)+"A\n"+events {
			t.Fatalf("a string, shifted by %d: %d bytes, %v", shift, len(got.content), got.err)
		}
		page := "<html>" + strings.Repeat(" ", 65536-150+shift) + start + "\n" + section + strings.Repeat(" ", 20) + end + strings.Repeat("x", 65536-300) + start + events + " " + end
		got := open(t, inPieces(strings.NewReader(page), 1000), unpack.Options{})
		if got.err != nil || len(got.warnings) > 0 || !bytes.Equal(got.content, []byte(section+events)) {
			t.Fatalf("shifted by %d: %d bytes, %v", shift, len(got.content), got.err)
		}
	}
}

// A string that the end of the input cuts is read up to there.
func TestStringIsCut(t *testing.T) {
	for _, page := range []string{
		`<html>linuxPerfData = "# x`, `<html>linuxPerfData = "# x\`, `{"systemTraceEvents": "# x`, `{"systemTraceEvents": "# x\`,
	} {
		got := open(t, strings.NewReader(page), unpack.Options{})
		if string(got.content) != "# x" || got.err != nil || len(got.warnings) != 1 || !strings.Contains(got.warnings[0], "is truncated after 3 bytes") {
			t.Errorf("%s: %q, warnings %q, %v", page, got.content, got.warnings, got.err)
		}
	}
}

// The JSON of Chrome's viewer is a container if it has the text of a trace, however far behind.
func TestJSON(t *testing.T) {
	events := `{"traceEvents": [` + strings.Repeat(`{"ph":"X","ts":1},`, 1<<14) + `{"a": "systemTraceEvents"}]`
	for name, test := range map[string]struct{ text, content, problem string }{
		"alone":        {`{"systemTraceEvents":"# x\n\ty\n"}`, "# x\n\ty\n", ""},
		"behind":       {"\n" + events + "\n, \"systemTraceEvents\"\n: \"# x\\n\"}", "# x\n", ""},
		"empty":        {`{"systemTraceEvents":""}`, "", ""},
		"none":         {events + "}", "", "not a trace (JSON)"},
		"not a string": {events + `, "systemTraceEvents": ["# x\n"]}`, "", "not a trace (JSON)"},
	} {
		got := open(t, strings.NewReader(test.text), unpack.Options{})
		if string(got.content) != test.content || message(got.err) != test.problem || len(got.warnings) > 0 {
			t.Errorf("%s: %.100q, %v; want %q, %q", name, got.content, got.err, test.content, test.problem)
		}
	}
	// Other JSON is no container.
	for _, text := range []string{`{"domain_":"ACE","name_":"JANK"}`, `[{"ph":"X"}]`, `{"a": 1}`} {
		if got := open(t, strings.NewReader(text), unpack.Options{}); string(got.content) != text || len(got.layers)+len(got.warnings) > 0 {
			t.Errorf("%s: %q in %v, %v", text, got.content, got.layers, got.err)
		}
	}
}

// Lists of processes precede or follow the trace; the last row counts.
func TestHTMLProcessDump(t *testing.T) {
	const (
		start  = `<script class="trace-data" type="application/text">` + "\n"
		end    = "  </script>\n"
		page   = start + "# x\n" + end
		header = "PROCESS DUMP\nUSER PID PPID VSZ RSS WCHAN PC S NAME COMM\n"
		cut    = "HTML page is truncated after 4 bytes of content; the content before that is used"
	)
	rows := strings.Repeat("root 5 1 0 0 0 0 S other [other]\n", 3000) // more than a buffer
	for _, test := range []struct{ name, page, want, warning string }{
		{"before", start + header + rows + "root 7 1 0 0 0 0 S before [x]\n" + end + page, "before", ""},
		{"after", page + start + header + rows + "root 7 1 0 0 0 0 S after [x]" + end, "after", ""},
		{"before and after", start + header + "root 7 1 0 0 0 0 S before [x]\n" + end + page + start + header + rows + "root 7 1 0 0 0 0 S after [x]\n" + end, "after", ""},
		{"cut", page + start + header + "root 7 1 0 0 0 0 S after [x]\n" + rows, "after", cut},
		{"CR LF", strings.ReplaceAll(page+start+header+"root 7 1 0 0 0 0 S after [x]\n"+end, "\n", "\r\n"), "after", ""},
		{"outside", page + header + "root 7 1 0 0 0 0 S after [x]\n", "", ""},
		{"none", page, "", ""},
	} {
		d := hitrace.NewProcessDump(100)
		c, err := unpack.Open(t.Context(), inPieces(strings.NewReader("<!DOCTYPE html>\n"+test.page), 1000), unpack.Options{Lists: d})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if content, err := io.ReadAll(c); err != nil || strings.TrimSpace(string(content)) != "# x" {
			t.Errorf("%s: %q, %v", test.name, content, err)
		}
		if got := d.Process(7); c.Lists() != d || got != test.want || strings.Join(diag.Texts(c.Warnings()), "; ") != test.warning {
			t.Errorf("%s: %q, warnings %q, want %q", test.name, got, diag.Texts(c.Warnings()), test.want)
		}
		c.Close()
	}
	d := hitrace.NewProcessDump(100)
	if c, err := unpack.Open(t.Context(), strings.NewReader("# x\n"), unpack.Options{Lists: d}); err != nil || c.Lists() != nil {
		t.Errorf("plain text has lists: %v", err)
	}
}
