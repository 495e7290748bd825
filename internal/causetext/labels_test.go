package causetext

import (
	"strings"
	"testing"

	"ohframe/analyzer/why/place"
)

// All waits, stages and pieces of advice have texts, and they differ.
func TestLabels(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyzACGJPSTU-' "
	seen := map[string]bool{}
	check := func(kind, label string) {
		if label == "" || strings.Trim(label, letters) != "" || seen[kind+label] {
			t.Errorf("%s %q", kind, label)
		}
		seen[kind+label] = true
	}
	for s := range place.Stage(place.StageCount) {
		check("stage", Stage(s))
	}
	for w := range place.Wait(place.WaitCount) {
		check("wait", Wait(w))
	}
	for a := place.Advice(1); a < place.Advice(place.AdviceCount); a++ {
		text := Advice(a)
		if text == "" || len(text) > 120 || strings.Contains(text, "\n") || strings.HasSuffix(text, ".") || seen[text] {
			t.Errorf("advice %s: %q", a, text)
		}
		seen[text] = true
	}
}
