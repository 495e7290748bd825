package brief

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ohframe/internal/testing/must"
)

// Texts have a bounded length as JSON, and keep their begin and end.
func TestShortened(t *testing.T) {
	for _, filler := range []string{"a", `"\`, "\x00", "🙂", "é"} {
		long := "begin" + strings.Repeat(filler, 500) + "end"
		for most, of := range map[int]func(string) string{maxNameBytes: Name, maxSentenceBytes: Sentence} {
			got := of(long)
			x, err := leaf(got)
			if n := len(x.text) - len(`""`); err != nil || n > most || n < most-8 || !utf8.ValidString(got) || !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") {
				t.Errorf("%q has %d bytes, at most %d: %v", got, n, most, err)
			}
			must.Equal(t, of("begin"), "begin")
		}
		must.Equal(t, Command(long), "", "command")
	}
}

// The last lists become shorter first, and none shorter than it may be.
func TestWrite(t *testing.T) {
	type document struct {
		C       []string `json:"c" brief:"100,least=4"`
		B       []string `json:"b" brief:"100"`
		A       []string `json:"a" brief:"100"`
		LeftOut LeftOut  `json:"left_out"`
	}
	var d document
	for i := range 100 {
		element := fmt.Sprint(i, strings.Repeat("-", 96))
		d.A, d.B, d.C = append(d.A, element), append(d.B, element), append(d.C, element)
	}
	written := func(d any) (out document) {
		var b, again bytes.Buffer
		if err := Write(&b, d); err != nil || b.Len() > MaxBytes || json.Unmarshal(b.Bytes(), &out) != nil {
			t.Fatalf("%d bytes, %v", b.Len(), err)
		}
		if Write(&again, d); again.String() != b.String() {
			t.Error("two documents differ")
		}
		return out
	}
	got := written(&d) // a hundred bytes each: only the last two lists are cut, in the first round
	if len(got.A) != 5 || len(got.B) != 5 || len(got.C) != 5 || got.LeftOut["a"] != 95 {
		t.Errorf("%d, %d and %d elements; %v", len(got.A), len(got.B), len(got.C), got.LeftOut)
	}
	d.C = d.C[:80]
	if got := written(&d); len(got.A) != 5 || len(got.B) != 5 || len(got.C) != 80 {
		t.Errorf("%d, %d and %d elements; %v", len(got.A), len(got.B), len(got.C), got.LeftOut)
	}
	many := struct {
		A []string `json:"a" brief:"100,sentence,least=100"`
	}{slices.Repeat([]string{strings.Repeat("x", 200)}, 100)}
	if err := Write(io.Discard, many); err == nil {
		t.Error("a document that cannot fit is written")
	}
}

// The tags of fields say what is left out, and how long texts and lists are.
func TestTags(t *testing.T) {
	type inner struct {
		X    int   `json:"X"`
		Y    int   `json:"Y"`
		List []int `json:"list"`
	}
	type document struct {
		Null    *int           `json:"null"`
		Empty   string         `json:"empty"`
		None    []int          `json:"none"`
		Zero    int            `json:"zero"`
		Omitted int            `json:"omitted,omitzero"`
		Hidden  int            `json:"hidden" brief:"-"`
		Share   float64        `json:"share"`
		Text    string         `json:"text"`
		Only    inner          `json:"only" brief:"only=list"`
		Two     []int          `json:"two" brief:"2"`
		Lazy    []func() inner `json:"lazy" brief:"1"`
		LeftOut LeftOut        `json:"left_out"`
	}
	var b bytes.Buffer
	must.Do(t, Write(&b, &document{Hidden: 1, Share: 2. / 3, Text: `x","a":null,"b":[]}`, Only: inner{1, 2, []int{3}}, Two: []int{1, 2, 3}, Lazy: []func() inner{func() inner { return inner{List: []int{4}} }, nil}, LeftOut: LeftOut{"two": 1}}))
	if want := `{"zero":0,"share":0.66667,"text":"x\",\"a\":null,\"b\":[]}","only":{"list":[3]},"two":[1,2],"lazy":[{"X":0,"Y":0,"list":[4]}],"left_out":{"lazy":1,"two":2}}` + "\n"; b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}
