//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/brief"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// evidenceDocument is what a program that reads the documents needs: the answer, and the commands
// for the next questions.
type evidenceDocument struct {
	Answer    string
	Sentences []string
	Processes []struct {
		Causes     []struct{ Worst evidenceFrame }
		LateFrames []evidenceFrame `json:"late_frames"`
		ShownLate  []evidenceFrame `json:"shown_late"`
		PickedUp   []evidenceFrame `json:"picked_up_late"`
	}
	Hangs []struct {
		Start    int64 `json:"start_ns"`
		Duration int64 `json:"duration_ns"`
		BeginCut bool  `json:"begin_cut"`
		EndCut   bool  `json:"end_cut"`
		Cause    string
		Why      string
		Slices   []struct{ Slice string }
	}
}

type evidenceFrame struct {
	Vsync      int64 `json:"vsync_id"`
	Cause, Why string
	ShownLate  string `json:"shown_late"`
	PickedUp   string `json:"picked_up_late"`
}

// asked runs a command of a document and reads the document that it writes.
func asked(t *testing.T, dir, command string) (d *evidenceDocument) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &d)
	}
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	if len(out) > brief.MaxBytes {
		t.Errorf("%s writes %d bytes", command, len(out))
	}
	return d
}

// The command of each hang of a document shows that hang alone, and its slices.
func TestHangCommands(t *testing.T) {
	c := simulate.Demonstration()
	for i, name := range []string{"JSMarshalling", "ParseAlbum"} {
		c.Hangs = append(c.Hangs, simulate.Hang{At: trace.Duration(700+600*i) * trace.Millisecond, Length: trace.Duration(300+20*i) * trace.Millisecond, Name: name})
	}
	var b bytes.Buffer
	must.Get(simulate.Write(&b, c))(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.ftrace"), b.Bytes())
	d := asked(t, dir, "ohframe why --format evidence a.ftrace")
	if len(d.Hangs) < 2 {
		t.Fatalf("%d hangs", len(d.Hangs))
	}
	for _, h := range d.Hangs {
		of := asked(t, dir, h.Why)
		if len(of.Hangs) != 1 || len(of.Hangs[0].Slices) == 0 || of.Hangs[0].Why != "" || !strings.Contains(of.Answer, h.Cause) {
			t.Errorf("%s: %q, %+v", h.Why, of.Answer, of.Hangs)
			continue
		}
		if got := of.Hangs[0]; got.Start != h.Start || got.Duration != h.Duration || got.Cause != h.Cause || got.BeginCut || got.EndCut {
			t.Errorf("%s: %+v, want %+v", h.Why, got, h)
		}
	}
}

// The command of each frame of a document explains that frame.
func TestFrameCommands(t *testing.T) {
	slow.SkipRace(t)
	dir := must.Get(filepath.Abs("../../testdata"))(t)
	commands := 0
	for _, p := range asked(t, dir, "ohframe why --format evidence demo.ftrace").Processes {
		frames := slices.Concat(p.ShownLate, p.PickedUp)
		for _, c := range p.Causes {
			frames = append(frames, c.Worst)
		}
		for _, f := range frames {
			if f.Why == "" {
				continue // another one has it
			}
			commands++
			d := asked(t, dir, f.Why)
			if len(d.Processes) != 1 || len(d.Processes[0].LateFrames) != 1 {
				t.Errorf("%s: %q", f.Why, d.Answer)
				continue
			}
			only := d.Processes[0].LateFrames[0]
			if only.Vsync != f.Vsync || !strings.Contains(only.Cause+only.ShownLate+only.PickedUp, f.Cause) {
				t.Errorf("%s: %+v, want %+v", f.Why, only, f)
			}
		}
	}
	must.Equal(t, commands, 10, "commands")
}

// The commands of the skill work as written, and its description fits what agents read.
func TestEvidenceSkill(t *testing.T) {
	slow.SkipRace(t)
	skill := must.Get(os.ReadFile("../../skills/ohframe/SKILL.md"))(t)
	head := regexp.MustCompile(`(?s)^---\nname: ([a-z-]+)\ndescription: ([^\n]+)\n---\n\n# `).FindSubmatch(skill)
	if head == nil || string(head[1]) != "ohframe" || len(head[2]) > 1024 {
		t.Errorf("the skill begins with %.200q", skill)
	}
	testdata := must.Get(filepath.Abs("../../testdata"))(t)
	commands := regexp.MustCompile("\\| `(ohframe [^`]+)` \\|").FindAllSubmatch(skill, -1)
	must.Equal(t, len(commands), 8, "commands")
	for _, c := range commands {
		command := string(c[1])
		file := "demo.ftrace"
		switch {
		case strings.Contains(command, "--interaction"):
			file = "flings.ftrace.gz"
		case strings.Contains(command, "--layer"):
			file = "layers.ftrace.gz"
		}
		path := filepath.Join(testdata, file)
		words := map[string]string{"TRACE": path, "TRACE2": path, "BASE": path, "NEW": path, "PROCESS": "example.gallery", "VSYNC": "10046", "N": "2", "LAYER": "video"}
		var args []string
		for _, word := range strings.Fields(command)[1:] {
			if value, ok := words[word]; ok {
				word = value
			}
			args = append(args, word)
		}
		out, err := exec.Command("ohframe", args...).Output()
		must.NoError(t, err, "%s", command)
		if strings.Contains(command, "evidence") && (len(out) > brief.MaxBytes || !json.Valid(out) || !bytes.Contains(out, []byte(`"causes":`))) {
			t.Errorf("%s: %s", command, out)
		}
	}
}
