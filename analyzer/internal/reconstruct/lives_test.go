package reconstruct_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
)

// reuses are traces in which processes follow one another with one id.
func reuses() map[string]simulate.Reuse {
	const gallery, notes = "com.example.gallery", "com.example.notes"
	two, same := []string{gallery, notes}, []string{gallery, gallery}
	return map[string]simulate.Reuse{
		"only names":                {Names: two},
		"only names, no column":     {Names: two, NoTGID: true},
		"only names, by appspawn":   {Names: two, Appspawn: true},
		"three names":               {Names: []string{gallery, notes, gallery}},
		"all events":                {Names: two, Exits: true, Frees: true, Creates: true, Appspawn: true},
		"all events, no column":     {Names: two, Exits: true, Frees: true, Creates: true, NoTGID: true},
		"one name, all events":      {Names: same, Exits: true, Frees: true, Creates: true},
		"one name, exit and free":   {Names: same, Exits: true, Frees: true},
		"one name, free":            {Names: same, Frees: true},
		"one name, only an exit":    {Names: same, Exits: true},
		"one name, only a switch":   {Names: same, Dies: true},
		"all ends":                  {Names: same, Exits: true, Dies: true, Frees: true, Creates: true},
		"one name, only created":    {Names: same, Creates: true},
		"one name, only woken":      {Names: same, Wakes: true},
		"one name, three processes": {Names: []string{gallery, gallery, gallery}, Exits: true, Frees: true, Creates: true, Appspawn: true},
	}
}

// Each process has its own frames, with its own name.
func TestReuse(t *testing.T) {
	for name, reuse := range reuses() {
		t.Run(name, func(t *testing.T) {
			reuse.Seed = 3
			text, lives, truth, err := reuse.Generate()
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := reconstruct.Analyze(t.Context(), strings.NewReader(text), hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset})
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Validate(); err != nil {
				t.Fatal(err)
			}
			var want, found []string
			for _, l := range lives {
				late := 0
				for _, f := range l.Frames {
					if f.Late {
						late++
					}
				}
				want = append(want, fmt.Sprintf("%s %d frames %d late", l.Name, len(l.Frames), late))
			}
			for _, p := range got.Processes {
				frames, late := 0, 0
				for f := range got.Complete() {
					if f.Process == p && f.Kind == analyzer.ApplicationFrame {
						frames++
						if f.Late() {
							late++
						}
					}
				}
				if frames > 0 {
					found = append(found, fmt.Sprintf("%s %d frames %d late", p.Name, frames, late))
				}
			}
			if got, want := strings.Join(found, "\n"), strings.Join(want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
