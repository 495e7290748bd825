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
	"time"

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
		Kind       string
		Late       int
		Lost       int64 `json:"lost_ns"`
		Unknown    int64 `json:"unknown_ns"`
		Why        string
		Causes     []evidenceCause
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
	Record []struct{ Missing, Command string }
}

type evidenceCause struct {
	Wait, Slice string
	Gain        trace.Duration `json:"gain_ns"`
	Culprit     *evidenceCulprit
	Against     []string
	Worst       evidenceFrame
}

type evidenceCulprit struct{ Thread, Wait, Slice string }

type evidenceFrame struct {
	Cause, Verdict, Why string
	KnockOnOf           int64 `json:"knock_on_of"`
	Shares              []struct {
		Stage, Wait, Slice string
		Culprit            *evidenceCulprit
	}
}

// asked runs a command of a document and reads the document that it writes.
func asked(t *testing.T, dir, command string) (d *evidenceDocument, size int, elapsed time.Duration) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.Output()
	elapsed = time.Since(start)
	if err == nil {
		err = json.Unmarshal(out, &d)
	}
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	if len(out) > brief.MaxBytes {
		t.Errorf("%s writes %d bytes", command, len(out))
	}
	return d, len(out), elapsed
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
	d, _, _ := asked(t, dir, "ohframe why --format evidence a.ftrace")
	if len(d.Hangs) < 2 {
		t.Fatalf("%d hangs", len(d.Hangs))
	}
	for _, h := range d.Hangs {
		of, _, _ := asked(t, dir, h.Why)
		if len(of.Hangs) != 1 || len(of.Hangs[0].Slices) == 0 || of.Hangs[0].Why != "" || !strings.Contains(of.Answer, h.Cause) {
			t.Errorf("%s: %q, %+v", h.Why, of.Answer, of.Hangs)
			continue
		}
		if got := of.Hangs[0]; got.Start != h.Start || got.Duration != h.Duration || got.Cause != h.Cause || got.BeginCut || got.EndCut {
			t.Errorf("%s: %+v, want %+v", h.Why, got, h)
		}
	}
}

// TestEvidence asks why frames of generated traces were late, as skills/ohframe/SKILL.md says: first of
// the whole trace, then with the commands of the document. The first cause must be the one with which
// the trace was generated.
func TestEvidence(t *testing.T) {
	slow.SkipRace(t)
	dir := t.TempDir()
	const most = 3 // calls
	traces := slow.Of(12, 50)
	var right, whole [most + 1]int // by the number of calls
	var longest time.Duration
	largest := 0
	all := simulate.Causes()
	for i := range traces {
		s := simulate.Scene{
			Cause: simulate.Cause(all[i*slow.Of(5, 1)%len(all)]), Kernel: []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[i%2],
			RefreshHz: []int{60, 90, 120}[i%3], Decoys: i%4 == 1, NoBlockedReason: i%8 == 2, Seed: uint64(i),
		}
		if i%8 == 3 {
			s.CRLF, s.NoTGID, s.ClockOffset = true, true, 12_345_678_901
		}
		var content bytes.Buffer
		truth := must.Get(s.Generate(&content))(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, "trace.ftrace"), content.Bytes(), 0o666))
		command, found, detailed, seen := "ohframe why --format evidence -- trace.ftrace", 0, 0, ""
		for call := 1; call <= most && command != "" && detailed == 0; call++ {
			d, size, elapsed := asked(t, dir, command)
			longest, largest = max(longest, elapsed), max(largest, size)
			cause, details := d.agrees(&s, truth.Causes)
			if cause && found == 0 {
				found = call
			}
			if cause && details {
				detailed = call
			}
			seen += "\n" + d.Answer
			command = d.next()
		}
		right[found]++
		whole[detailed]++
		if found == 0 || detailed == 0 {
			t.Logf("%+v: cause in call %d, details in call %d; 0 is never:%s", s, found, detailed, seen)
		}
	}
	for n := 1; n <= most; n++ {
		t.Logf("call %d: the right cause is first for %d of %d traces; with all details for %d", n, right[n], traces, whole[n])
	}
	t.Logf("at most %d bytes and %.1f s for a call", largest, longest.Seconds())
	if found := traces - right[0]; found*100 < traces*95 {
		t.Errorf("the right cause is first for %d of %d traces", found, traces)
	}
	if found := traces - whole[0]; found*100 < traces*95 {
		t.Errorf("all details are known for %d of %d traces", found, traces)
	}
}

// next returns the command of the document that explains its first answer.
func (d *evidenceDocument) next() string {
	if len(d.Processes) == 0 {
		return ""
	}
	p := &d.Processes[0]
	switch {
	case len(p.Causes) > 0:
		return p.Causes[0].Worst.Why
	case len(p.ShownLate) > 0:
		return p.ShownLate[0].Why
	case len(p.PickedUp) > 0:
		return p.PickedUp[0].Why
	}
	return ""
}

// agrees reports whether the first cause is that of one of the frames that the truth says are late,
// and whether all is known of it.
func (d *evidenceDocument) agrees(s *simulate.Scene, truth []*simulate.CauseTruth) (cause, details bool) {
	disturbed := false
	for _, c := range truth {
		disturbed = disturbed || c.Late || c.PickUp != "" || c.Cause.ShowsLate()
		a, b := d.agreesWith(s, c)
		cause, details = cause || a, details || a && b
	}
	if !disturbed {
		return len(d.Processes) == 0, len(d.Processes) == 0
	}
	return cause, details
}

func (d *evidenceDocument) agreesWith(s *simulate.Scene, c *simulate.CauseTruth) (cause, details bool) {
	if len(d.Processes) == 0 {
		return false, false
	}
	p := &d.Processes[0]
	sentences := d.Answer
	culprit := func(k *evidenceCulprit) bool {
		if c.Culprit == "" {
			return true
		}
		return k != nil && k.Thread == c.Culprit[strings.IndexByte(c.Culprit, ':')+1:] && (c.Leaf == "" || k.Wait == c.Leaf) && (c.LeafSlice == "" || k.Slice == c.LeafSlice)
	}
	switch {
	case c.PickUp != "":
		ok := p.Late == 0 && len(p.PickedUp) > 0 && p.PickedUp[0].Verdict == c.PickUp
		return ok, ok
	case c.Cause.ShowsLate():
		if p.Late > 0 || len(p.ShownLate) == 0 {
			return false, false
		}
		f := &p.ShownLate[0].Shares[0]
		ok := f.Stage == c.Stage && f.Wait == c.Wait && (c.Slice == "" || f.Slice == c.Slice) && culprit(f.Culprit)
		return ok, ok
	case !c.Late || len(p.Causes) == 0:
		return false, false
	case c.Cause == simulate.CauseLostEvents || c.Cause == simulate.CauseLostSwitches:
		ok := 2*p.Unknown > p.Lost && strings.Contains(d.Answer, "unknown")
		return ok, ok && len(d.Record) > 0 && strings.Contains(d.Record[0].Command, " -b ")
	}
	first := &p.Causes[0]
	if c.Cause == simulate.CauseNoSched {
		ok := first.Wait == "unknown" && (c.Slice == "" || first.Slice == c.Slice)
		return ok, ok && len(d.Record) > 0 && strings.Contains(d.Record[0].Missing, "sched") && strings.HasPrefix(d.Record[0].Command, "ohframe record ")
	}
	wait := c.Wait
	switch {
	case c.Wait == "earlier_frame": // the ranking has the cause of that frame, which is in the truth, too
		return false, false
	case strings.HasPrefix(c.Slice, "PartialGC::"):
		wait = "gc"
	case c.Wait == "run.work":
		wait = "run"
	case c.Wait == "fence" && s.NoBlockedReason:
		wait = "kernel"
	}
	if first.Wait != wait || c.Slice != "" && first.Slice != c.Slice || !culprit(first.Culprit) {
		return false, false
	}
	sentences += first.Worst.Cause
	for _, f := range p.LateFrames {
		sentences += f.Cause
	}
	capped := ""
	if c.Capped {
		capped = "limited the CPU"
	}
	details = true
	for _, part := range []string{c.Argument, c.LeafArgument, c.Reason, capped} {
		details = details && strings.Contains(sentences, part)
	}
	return true, details
}

// TestEvidenceOfSeveral asks why frames with two or three causes were late. The first cause must be the
// largest one that was injected, all that have a quarter of the time must be in the list, and each with what
// it costs: by how much less the frames are late in the same trace without it.
func TestEvidenceOfSeveral(t *testing.T) {
	slow.SkipRace(t)
	dir := t.TempDir()
	traces, first, large, listed, sized := 0, 0, 0, 0, 0
	for i := range slow.Of(10, 60) {
		s := simulate.NewSeveral(uint64(1000+i), 1, 2+i%2)
		sizes, gains := costs(t, s)
		if s.Short || slices.Max(gains) == 0 { // no frame on time, or none late
			continue
		}
		traces++
		var content bytes.Buffer
		truth := must.Get(s.Generate(&content))(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, "trace.ftrace"), content.Bytes(), 0o666))
		d, _, _ := asked(t, dir, "ohframe why --format evidence -- trace.ftrace")
		if len(d.Processes) == 0 || len(d.Processes[0].Causes) == 0 {
			t.Fatalf("seed %d: %s", s.Seed, d.Answer)
		}
		causes := d.Processes[0].Causes
		all, leading := trace.Duration(0), 0
		for n, size := range sizes {
			all += size
			if size > sizes[leading] {
				leading = n
			}
		}
		for n, size := range sizes {
			found, gain := -1, trace.Duration(0)
			for j := range causes {
				if !causes[j].injectedAs(truth.Causes, n) {
					continue
				}
				if found < 0 {
					found = j
				}
				gain += causes[j].Gain // a slower CPU can be several causes, in a slice and outside
			}
			if found == 0 && size*100 >= sizes[leading]*85 {
				first++
			}
			if size*4 < all {
				continue
			}
			large++
			switch {
			case found < 0:
				t.Logf("seed %d: %+v is not in the list: %s", s.Seed, s.Injections[n], d.Answer)
				continue
			case (gain - gains[n]).Abs() > gains[n]/10+200*trace.Microsecond:
				t.Logf("seed %d: %+v costs %v, not %v: %s", s.Seed, s.Injections[n], gains[n], gain, d.Answer)
			default:
				sized++
			}
			listed++
		}
	}
	t.Logf("the largest cause is first in %d of %d traces; of %d large ones %d are in the list, %d with what they cost", first, traces, large, listed, sized)
	if first != traces || listed != large || sized != large {
		t.Error("these must be all")
	}
}

// costs returns how long each cause of a scene with one late frame delays a frame, and by how much less all
// frames are late without it.
func costs(t *testing.T, s *simulate.Several) (sizes, gains []trace.Duration) {
	late, ends := must.Get2(s.Overruns())(t)
	for n := range s.Causes {
		without, earlier := must.Get2(s.Without(n).Overruns())(t)
		var size, gain trace.Duration
		for vsync, d := range late {
			size, gain = max(size, ends[vsync].Sub(earlier[vsync])), gain+d-without[vsync]
		}
		sizes, gains = append(sizes, size), append(gains, gain)
	}
	return sizes, gains
}

// injectedAs reports whether a cause is the nth injected one.
func (c *evidenceCause) injectedAs(truth []*simulate.CauseTruth, n int) bool {
	thread := ""
	if c.Culprit != nil {
		thread = c.Culprit.Thread
	}
	return slices.ContainsFunc(truth, func(x *simulate.CauseTruth) bool { return x.Injection == n && x.Agrees(c.Wait, c.Slice, thread) })
}

// The commands of the skill work as written, and its description fits what agents read.
func TestEvidenceSkill(t *testing.T) {
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
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if strings.Contains(command, "evidence") && (len(out) > brief.MaxBytes || !json.Valid(out) || !bytes.Contains(out, []byte(`"causes":`))) {
			t.Errorf("%s: %s", command, out)
		}
	}
}
