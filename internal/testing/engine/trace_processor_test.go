package engine_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/slow"
)

// run runs trace_processor.mjs and returns what it prints and whether it
// succeeds.
func run(t *testing.T, arguments ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "node", append([]string{"trace_processor.mjs"}, arguments...)...)
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	err := command.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errors.String(), err == nil
}

// write writes a file and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// needInstalled skips the test where Find would not come to the script.
func needInstalled(t *testing.T) {
	t.Helper()
	t.Setenv(engine.Variable, "")
	enginetest.ForTest(t)
	if _, err := os.Stat("../../../build/engine"); err != nil {
		t.Skip(err)
	}
}

func TestCommandLine(t *testing.T) {
	needInstalled(t)
	trace := write(t, "trace", textTrace)
	script := write(t, "script.sql", `
		-- a comment; with a semicolon, and a quote: it's
		CREATE PERFETTO TABLE t AS /* another; */ SELECT 'a;b' AS x;
		SELECT x FROM t;
		SELECT name, dur FROM slice ORDER BY ts`)
	tests := []struct {
		name      string
		arguments []string
		want      string
	}{
		{"file", []string{"-q", script, trace}, "\"x\"\n\"a;b\"\n\n\"name\",\"dur\"\n\"outer\",8000\n\"inner\",2000\n"},
		{"order", []string{trace, "-Q", "SELECT 1 AS a", "-q", script, "--query-string=SELECT 2 AS b"},
			"\"a\"\n1\n\n\"x\"\n\"a;b\"\n\n\"name\",\"dur\"\n\"outer\",8000\n\"inner\",2000\n\n\"b\"\n2\n"},
		{"values", []string{"-Q", `SELECT 9007199254740993 AS a, -0.5 AS a, NULL AS a, 'say "é",' || char(10) AS a, x'00' AS a`, trace},
			"\"a\",\"a\",\"a\",\"a\",\"a\"\n9007199254740993,-0.500000,\"[NULL]\",\"say \"\"é\"\",\n\",\"<raw bytes>\"\n"},
		{"no rows", []string{"-Q", "SELECT 1 AS a WHERE 0", trace}, "\"a\"\n"},
		{"no result", []string{"-Q", "CREATE TABLE t(x); SELECT 1 AS suppress_query_output;", trace}, ""},
		{"no query", []string{trace}, ""},
		{"metric", []string{"--run-metrics", "android_frame_timeline_metric", trace}, "android_frame_timeline_metric {\n}\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, ok := run(t, test.arguments...)
			if stdout != test.want || stderr != "" || !ok {
				t.Errorf("prints %q and %q, success %v; want %q", stdout, stderr, ok, test.want)
			}
		})
	}
}

func TestCommandLineErrors(t *testing.T) {
	slow.Skip(t)
	needInstalled(t)
	trace := write(t, "trace", textTrace)
	tests := []struct {
		name           string
		arguments      []string
		stdout, stderr string
	}{
		{"malformed SQL", []string{"-Q", "SELECT 1 AS a; SELEC 2", trace}, "\"a\"\n1\n", "syntax error near 'SELEC'"},
		{"no trace", []string{"-Q", "SELECT 1"}, "", "usage:"},
		{"missing trace", []string{"-Q", "SELECT 1", trace + ".none"}, "", "no such file"},
		{"not a trace", []string{"-Q", "SELECT 1", write(t, "garbage", "garbage\n")}, "", "Unknown trace type"},
		{"missing script", []string{"-q", trace + ".sql", trace}, "", "no such file"},
		{"missing package", []string{"--add-sql-package", trace + ".dir", trace}, "", "no such file"},
		{"unknown flag", []string{"--frobnicate", trace}, "", "--frobnicate"},
		{"unknown metric", []string{"--run-metrics", "no_metric", trace}, "", "no_metric"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, ok := run(t, test.arguments...)
			if stdout != test.stdout || !strings.Contains(stderr, test.stderr) || ok {
				t.Errorf("prints %q and %q, success %v; want %q and %q", stdout, stderr, ok, test.stdout, test.stderr)
			}
		})
	}
}
