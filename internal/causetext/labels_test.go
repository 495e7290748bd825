package causetext

import (
	"strings"
	"testing"

	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
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
	for s := range why.Stage(why.StageCount) {
		check("stage", Stage(s))
	}
	for w := range why.Wait(why.WaitCount) {
		check("wait", Wait(w))
	}
	for a := why.Advice(1); a < why.Advice(why.AdviceCount); a++ {
		text := Advice(a)
		if text == "" || len(text) > 120 || strings.Contains(text, "\n") || strings.HasSuffix(text, ".") || seen[text] {
			t.Errorf("advice %s: %q", a, text)
		}
		seen[text] = true
	}
}

func TestCores(t *testing.T) {
	for _, test := range []struct {
		little bool
		cpus   []int
		want   string
	}{
		{true, []int{0, 1, 2, 3}, "little cores (CPU 0–3)"},
		{false, []int{12, 13}, "smaller cores (CPU 12, 13)"},
		{true, []int{4, 5, 7}, "little cores (CPU 4, 5, 7)"},
		{false, []int{7}, "smaller cores (CPU 7)"},
	} {
		must.Equal(t, Cores(&why.Cores{Little: test.little, CPUs: test.cpus}), test.want, "%t %v", test.little, test.cpus)
	}
	must.Equal(t, Cores(nil), "", "no cores")
}
