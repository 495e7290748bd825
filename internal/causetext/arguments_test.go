package causetext

import (
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
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

func TestRepeat(t *testing.T) {
	r := why.Repeat{Argument: why.Argument{Name: "DrawFPS", Value: "60"}, Instances: 60, Frames: 58, Time: 624 * trace.Millisecond}
	for _, c := range []struct {
		want   string
		change func()
	}{
		{"a callback at 60 Hz takes 10.4 ms, 60 times in 58 frames", func() {}},
		{"≥ 60 × DrawFPS 60 in 58 frames, 624.0 ms", func() { r.AtLeast = true }},
		{"60 × source a.png, 624.0 ms", func() { r.AtLeast, r.Frames, r.Argument = false, 1, why.Argument{Name: "source", Value: "a.png"} }},
	} {
		c.change()
		must.Equal(t, Repeat(&r), c.want)
	}
}
