package rating_test

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/rating"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

func TestOfGrade(t *testing.T) {
	for grade, want := range map[stats.Grade]rating.Level{stats.GradeS: rating.None, stats.GradeA: rating.None, stats.GradeB: rating.None, stats.GradeBelow: rating.Critical} {
		must.Equal(t, rating.OfGrade(grade), want, "%s: level", grade)
	}
}

func headline(hangs, said string, inputs ...[]*stats.Interaction) string {
	a := rating.Headline(hangs, text.Answer{Summary: said}, inputs...)
	return strings.Join(append([]string{a.Summary}, a.Sentences...), "\n")
}

func TestHeadlineOfHang(t *testing.T) {
	must.Equal(t, headline("hang", "late"), "hang\nlate")
}

func TestHeadline(t *testing.T) {
	of := func(id int, scene, process string, hitches float64, run int, grade stats.Grade) *stats.Interaction {
		return &stats.Interaction{
			ID: id, Scene: scene, Process: process, HitchRatio: &hitches, LongestMissedRun: &run, Grade: &grade,
			Kind: "scene", Source: &analyzer.Interaction{ID: id, Scene: scene, Input: analyzer.LastUp},
		}
	}
	fling := func(id int, hitches float64) *stats.Interaction {
		return of(id, "APP_LIST_FLING", "com.a", hitches, 0, stats.GradeA)
	}
	graded := of(5, "ABILITY_OR_PAGE_SWITCH", "com.b", 9, 2, stats.GradeB)
	good, slow := fling(1, 4.9), of(4, "ABILITY_OR_PAGE_SWITCH", "com.b", 9, 2, stats.GradeBelow)
	for _, test := range []struct {
		name   string
		inputs [][]*stats.Interaction
		want   string
	}{
		{"none", [][]*stats.Interaction{{good}}, "late"},
		{"janked", [][]*stats.Interaction{{good, fling(2, 5), fling(3, 6)}}, "2 of 3 interactions janked: 2, 3 (fling of a list of com.a)\nlate"},
		{"both", [][]*stats.Interaction{{good, fling(2, 5), slow}}, "1 of 3 interactions janked: 2 (fling of a list of com.a)\n1 of 3 interactions responded too late: 4 (switch of a page of com.b)\nlate"},
		{"missed run", [][]*stats.Interaction{{of(1, "APP_TAB_SWITCH", "com.b", 0, 3, stats.GradeS)}}, "1 interaction janked: 1 (switch of a tab of com.b)\nlate"},
		{"grade B", [][]*stats.Interaction{{good, graded}}, "late\n1 of 2 interactions responded slowly, with grade B: 5 (switch of a page of com.b)"},
		{"janked, grade B", [][]*stats.Interaction{{fling(2, 5), graded}},
			"1 of 2 interactions janked: 2 (fling of a list of com.a)\n1 of 2 interactions responded slowly, with grade B: 5 (switch of a page of com.b)\nlate"},
		{"many kinds", [][]*stats.Interaction{{fling(1, 5), of(2, "APP_TAB_SWITCH", "com.b", 0, 3, stats.GradeS), of(3, "X", "com.b", 0, 3, stats.GradeS)}}, "3 of 3 interactions janked: 1–3\nlate"},
		{"several inputs", [][]*stats.Interaction{{fling(1, 5)}, {good, slow}}, "1 of 3 interactions janked\n1 of 3 interactions responded too late\nlate"},
	} {
		must.Equal(t, headline("", "late", test.inputs...), test.want, "%s", test.name)
	}
	must.Equal(t, headline("", "", []*stats.Interaction{good}), "", "nothing to say")
}
