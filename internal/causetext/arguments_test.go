package causetext

import (
	"testing"

	"ohframe/analyzer/why"
)

func TestArguments(t *testing.T) {
	source, small, large := why.Argument{Name: "source", Value: "a.png"}, why.Argument{Name: "target_size", Value: "200 × 150"}, why.Argument{Name: "source_size", Value: "4000 × 3000"}
	for _, c := range []struct {
		want string
		list []why.Argument
	}{
		{"", nil},
		{"source a.png", []why.Argument{source}},
		{"source a.png, 4000 × 3000 decoded for 200 × 150, 400 times the pixels shown", []why.Argument{source, large, small}},
		{"4000 × 3000 decoded for 200 × 150, 400 times the pixels shown", []why.Argument{small, large}},
		{"300 × 150 decoded for 200 × 150, 1.5 times the pixels shown", []why.Argument{{Name: "source_size", Value: "300 × 150"}, small}},
		{"200 × 150 decoded for 200 × 150", []why.Argument{{Name: "source_size", Value: "200 × 150"}, small}},
		{"source size 4000 × 3000", []why.Argument{large}},
		{"index 12, words", []why.Argument{{Name: "index", Value: "12"}, {Name: "text", Value: "words"}}},
	} {
		if got := Arguments(c.list); got != c.want && c.list != nil {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
}
