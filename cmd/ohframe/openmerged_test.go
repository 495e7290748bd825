//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
	"ohframe/internal/testing/uitest"
	"ohframe/internal/ui"
)

// worstOf returns the frame of a trace that missed its deadline by most.
func worstOf(t *testing.T, text string) (worst *analyzer.Frame) {
	t.Helper()
	for f := range must.Get(ohframe.Read(t.Context(), strings.NewReader(text), ohframe.Options{}))(t).Timeline.Complete() {
		if f.Late() && (worst == nil || f.Overrun() > worst.Overrun()) {
			worst = f
		}
	}
	return worst
}

// Of an archive of diff --merge, the one slice that is selected is the worst frame of the base, whichever side is moved.
// The processes to look at are the first of the workspace, the three worst frames of each side have notes, and tabs name
// the side of each row.
func TestOpenMerged(t *testing.T) {
	enginetest.ForTest(t)
	folder := t.TempDir()
	texts := map[string]string{"demo": tracetest.Read(t, "../../testdata/demo.ftrace"), "layers": tracetest.Read(t, "../../testdata/layers.ftrace.gz")}
	texts["it's 2"] = texts["demo"]
	for name, text := range texts {
		must.Do(t, os.WriteFile(filepath.Join(folder, name+".ftrace"), []byte(text), 0o666))
	}
	for _, test := range []struct {
		base, new string
		machine   int    // of the base: the trace that is moved is the second
		other     string // the process to look at of the other side
	}{
		{"demo", "layers", 0, "om.example.game 21170"},
		{"layers", "demo", 1, "example.gallery 20170"},
		{"demo", "it's 2", 0, "example.gallery 20170"},
	} {
		arguments := []string{"diff", test.base + ".ftrace", test.new + ".ftrace", "--merge", "both.tar"}
		if test.base == "layers" || test.new == "layers" {
			arguments = append(arguments, "--map", map[bool]string{true: "m.example.pages=example.gallery", false: "example.gallery=m.example.pages"}[test.base == "layers"])
		}
		printed(t, folder, arguments...)
		link := must.Get(url.Parse(strings.TrimSpace(string(printed(t, folder, "open", "-q", "-o", "out.tar", "both.tar")))))(t)
		_, query, _ := strings.Cut(link.EscapedFragment(), "?")
		view := must.Get(url.ParseQuery(query))(t)
		session := enginetest.Load(t, must.Get(os.ReadFile(filepath.Join(folder, "out.tar")))(t))
		worst := worstOf(t, texts[test.base])
		selected := enginetest.Query(t, session, `SELECT s.name, p.name, p.machine_id FROM slice AS s JOIN process_track AS t ON t.id = s.track_id JOIN process AS p USING (upid)
			WHERE s.ts = `+view.Get("ts")+` AND s.dur = `+view.Get("dur"))
		must.Equal(t, fmt.Sprint(selected.Rows), fmt.Sprintf("[[%d late %.1f ms %s %d]]", worst.VsyncID, worst.Overrun().Milliseconds(), worst.Process.Name, test.machine), "%s, %s", test.base, test.new)
		var commands []ui.Command
		must.Do(t, json.Unmarshal([]byte(view.Get("startupCommands")), &commands))
		uitest.Run(t, session, commands)
		var copied []uitest.Pattern
		notes := map[string]int{}
		for _, c := range commands {
			switch c.ID {
			case "dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors":
				copied = append(copied, uitest.Compile(t, c.Args[0]))
			case "dev.perfetto.ExpandTracksByRegex": // both are on the screen
				p := uitest.Compile(t, c.Args[0])
				for _, process := range []string{fmt.Sprintf("%s %d", worst.Process.Name, worst.Process.PID), test.other + " (machine 1)"} {
					if c.Args[0] != "^Layers$" && (!p.Match(process) || p.Match(process+" > Frames")) {
						t.Errorf("%s, %s: %s expands other tracks than %s", test.base, test.new, c.Args[0], process)
					}
				}
			case "dev.perfetto.AddNoteAtTimestamp":
				side, _, _ := strings.Cut(c.Args[1][16:], ".ftrace: ")
				notes[side]++
			}
		}
		for _, process := range []string{fmt.Sprintf("%s %d", worst.Process.Name, worst.Process.PID), test.other + " (machine 1)"} {
			steps := 0
			for _, p := range copied[:len(copied)-2] {
				if p.Match(process + " > Frames") {
					steps++
				}
			}
			must.Equal(t, steps, 1, "%s, %s: %s is first", test.base, test.new, process)
		}
		must.Equal(t, fmt.Sprint(notes), fmt.Sprintf("map[base: %s:3 new: %s:3]", test.base, test.new), "notes")
		for _, tab := range []string{"ohos_why_frames_were_late", "ohos_jank_by_process"} {
			sides := enginetest.Query(t, session, "SELECT DISTINCT side FROM "+tab+" ORDER BY side").Rows
			must.Equal(t, fmt.Sprint(sides), fmt.Sprintf("[[base: %s.ftrace] [new: %s.ftrace]]", test.base, test.new), tab)
		}
		wrong := enginetest.Query(t, session, fmt.Sprintf(`SELECT w.side, p.machine_id FROM ohos_why_frames_were_late AS w JOIN slice AS s USING (id) JOIN process_track AS t ON t.id = s.track_id
			JOIN process AS p USING (upid) WHERE (w.side GLOB 'base*') != (p.machine_id = %d)`, test.machine)).Rows
		must.Equal(t, len(wrong), 0, "rows of the other side: %v", wrong)
	}
}
