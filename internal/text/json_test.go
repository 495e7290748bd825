package text_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

type kind int

func (kind) MarshalText() ([]byte, error) { return []byte("<kind>"), nil }

type facts struct {
	Kind   kind           `json:"kind"`
	Rate   *float64       `json:"rate"`
	Empty  []int          `json:"empty"`
	Counts map[string]int `json:"counts"`
}

// A document with iterators, and the same one with slices, which encoding/json writes.
type (
	streamed struct {
		Name   string                  `json:"name"`
		Inputs iter.Seq[streamedInput] `json:"inputs"`
		Nested *streamedInput          `json:"nested"`
		Slice  []streamedInput         `json:"slice"`
		Source *streamedInput          `json:"-"`
	}
	streamedInput struct {
		*facts
		Values iter.Seq[*facts] `json:"values"`
	}
	stored struct {
		Name   string        `json:"name"`
		Inputs []storedInput `json:"inputs"`
		Nested *storedInput  `json:"nested"`
		Slice  []storedInput `json:"slice"`
		Source *storedInput  `json:"-"`
	}
	storedInput struct {
		*facts
		Values []*facts `json:"values"`
	}
)

func TestWriteJSON(t *testing.T) {
	rate := 1e21
	one, two := &facts{Empty: []int{}, Counts: map[string]int{"b": 1, "a": 2}}, &facts{Rate: &rate, Empty: []int{1, 2}}
	input := func(list ...*facts) (streamedInput, storedInput) {
		if list == nil {
			list = []*facts{}
		}
		return streamedInput{facts: one, Values: slices.Values(list)}, storedInput{one, list}
	}
	a, sameA := input(one, nil, two)
	b, sameB := input()
	for name, c := range map[string][2]any{
		"lists":    {streamed{"a&b\n\"", slices.Values([]streamedInput{a, b}), &a, []streamedInput{b, a}, &a}, stored{"a&b\n\"", []storedInput{sameA, sameB}, &sameA, []storedInput{sameB, sameA}, &sameA}},
		"nothing":  {&streamed{Inputs: slices.Values([]streamedInput{}), Slice: []streamedInput{}}, &stored{Inputs: []storedInput{}, Slice: []storedInput{}}},
		"no lists": {two, two},
		"null":     {nil, nil},
		"a list":   {slices.Values([]int{1, 2}), []int{1, 2}},
	} {
		var got, want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		must.Do(t, e.Encode(c[1]))
		if err := text.WriteJSON(&got, c[0]); err != nil || got.String() != want.String() {
			t.Errorf("%s: %v\n%swant\n%s", name, err, got.String(), want.String())
		}
	}
}

// Values are written before the next ones are computed.
func TestWriteJSONStreams(t *testing.T) {
	var out bytes.Buffer
	list := func(yield func(facts) bool) {
		for i := range 10_000 {
			if !yield(facts{}) {
				return
			}
			if out.Len() < 50*(i-1000) {
				t.Fatalf("%d bytes after %d values", out.Len(), i)
			}
		}
	}
	if err := text.WriteJSON(&out, struct {
		List iter.Seq[facts] `json:"list"`
	}{list}); err != nil || !json.Valid(out.Bytes()) {
		t.Error(err)
	}
}

func TestWriteJSONErrors(t *testing.T) {
	full := errors.New("no space")
	r, w := io.Pipe()
	r.CloseWithError(full)
	n := 0
	endless := func(yield func([]int) bool) {
		for n = 0; n < 1_000_000 && yield(make([]int, 100)); n++ {
		}
	}
	if err := text.WriteJSON(w, iter.Seq[[]int](endless)); !errors.Is(err, full) || n > 1000 {
		t.Errorf("error %v after %d values", err, n)
	}
	if err := text.WriteJSON(io.Discard, slices.Values([]any{1, func() {}})); err == nil {
		t.Error("a function without a list is written")
	}
}
