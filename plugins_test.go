package ohframe_test

import (
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/warn"
)

// processes is a message of process-plugin: PID, name and PPID of each process.
func processes(list ...any) rawfile.Plugin {
	var data []byte
	for p := range slices.Chunk(list, 3) {
		data = append(data, perffile.Message(1, perffile.Message(1, p[0], 2, p[1], 3, p[2]))...)
	}
	return rawfile.Plugin{Name: "process-plugin", Data: data}
}

// nameOf returns the name of process 10 and the texts of warnings.
func nameOf(t *testing.T, o ohframe.Options, list ...rawfile.Plugin) (string, []string) {
	t.Helper()
	got := readSampled(t, scriptTrace(rawfile.HtraceOptions{Plugins: list}), o)
	i := slices.IndexFunc(got.Timeline.Processes, func(p *analyzer.Process) bool { return p.PID == 10 })
	return got.Timeline.Processes[i].Name, warn.Texts(got.Warnings)
}

// Processes have the full names that process-plugin wrote, the last of each; those of files are
// without the folder, and those of threads of the kernel do not count.
func TestPluginProcessNames(t *testing.T) {
	const full = "com.example.paper:snowmountainSuperPaper"
	for _, c := range []struct {
		plugins []rawfile.Plugin
		want    string
	}{
		{[]rawfile.Plugin{processes(10, "appspawn", 1), processes(10, full, 1, 11, "other", 1)}, full},
		{[]rawfile.Plugin{processes(10, "/system/bin/render_service", 1)}, "render_service"},
		{[]rawfile.Plugin{processes(10, "kworker/1:2-events", 2)}, ""},
		{[]rawfile.Plugin{processes(10, full, 1, 10, "", 1)}, full},
		{[]rawfile.Plugin{processes(10, "应用\xff", 1)}, "应用\uFFFD"},
	} {
		if got, warnings := nameOf(t, ohframe.Options{}, c.plugins...); got != c.want || len(warnings) > 0 {
			t.Errorf("%q, want %q; warnings %q", got, c.want, warnings)
		}
	}
}

// Data of process-plugin that is damaged or too much is skipped with a warning.
func TestPluginProcessesDamaged(t *testing.T) {
	const full = "com.example.paper"
	good := processes(10, full, 1)
	torn := rawfile.Plugin{Name: "process-plugin", Data: good.Data[:len(good.Data)-3]}
	var many []any
	for pid := range 20 {
		many = append(many, 100+pid, "p", 1)
	}
	for _, c := range []struct {
		name    string
		plugins []rawfile.Plugin
		warning string
	}{
		{"torn", []rawfile.Plugin{good, torn}, "1 × message that is not understood; skipped"},
		{"long", []rawfile.Plugin{good, processes(10, strings.Repeat("长", 1<<20), 1)}, "1 × name of a process beyond 4 KiB; skipped"},
		{"many", []rawfile.Plugin{good, processes(many...)}, "11 × process of process-plugin beyond the limit (limit: threads), skipped"},
	} {
		o := ohframe.Options{}
		o.Limits.Threads = 10
		got, warnings := nameOf(t, o, c.plugins...)
		if got != full || !slices.Contains(warnings, c.warning) {
			t.Errorf("%s: %q, warnings %q", c.name, got, warnings)
		}
	}
}
