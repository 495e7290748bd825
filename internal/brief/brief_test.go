package brief

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// Texts have a bounded length as JSON, and keep their begin and end.
func TestShortened(t *testing.T) {
	for _, filler := range []string{"a", `"\`, "\x00", "🙂", "é"} {
		long := "begin" + strings.Repeat(filler, 500) + "end"
		for most, of := range map[int]func(string) string{maxNameBytes: Name, maxSentenceBytes: Sentence} {
			got := of(long)
			b, err := encode(got)
			if n := len(b) - len("\"\"\n"); err != nil || n > most || n < most-8 || !utf8.ValidString(got) || !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") {
				t.Errorf("%q has %d bytes, at most %d: %v", got, n, most, err)
			}
			if short := of("begin"); short != "begin" {
				t.Errorf("%q", short)
			}
		}
		if got := Command(long); got != "" {
			t.Errorf("command %q", got)
		}
	}
}

// The lists of the first cutters become shorter first, and none shorter than it may be.
func TestFit(t *testing.T) {
	var d struct {
		A, B, C []string
		LeftOut LeftOut
	}
	for i := range 100 {
		element := fmt.Sprint(i, strings.Repeat(" ", 996))
		d.A, d.B, d.C = append(d.A, element), append(d.B, element), append(d.C, element)
	}
	fit := func() []byte {
		b, err := Fit(&d, []Cutter{Shorten(&d.LeftOut, "a", &d.A, 0), Shorten(&d.LeftOut, "b", &d.B, 0), Shorten(&d.LeftOut, "c", &d.C, 4).Fewer(1)})
		if err != nil || len(b) > MaxBytes || !json.Valid(b) {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		return b
	}
	fit() // a thousand bytes each: rounds of 5, of 3 and of 2, then room for 9
	if len(d.A) != 2 || len(d.B) != 3 || len(d.C) != 4 || d.LeftOut["a"] != 98 || d.LeftOut["b"] != 97 || d.LeftOut["c"] != 96 {
		t.Errorf("%d, %d and %d elements; %v", len(d.A), len(d.B), len(d.C), d.LeftOut)
	}
	before := string(fit())
	if after := string(fit()); after != before {
		t.Error("a document that fits changes")
	}
	d.C = append(d.C, strings.Repeat("x", MaxBytes))
	d.C[0], d.C[4] = d.C[4], d.C[0]
	if _, err := Fit(&d, []Cutter{Shorten(&d.LeftOut, "c", &d.C, 1)}); err == nil {
		t.Error("a document that cannot fit is written")
	}
}

// What is null or empty is left out; texts that look so are not.
func TestEmpty(t *testing.T) {
	type object struct {
		A *int   `json:"a"`
		B string `json:"b_c"`
		C []int  `json:"c"`
		D *int   `json:"d"`
	}
	const text = `x","a":null,"b":[]}`
	got, err := Fit([]object{{B: text, C: []int{}}, {C: []int{1}}}, nil)
	if want := `[{"b_c":"x\",\"a\":null,\"b\":[]}"},{"b_c":"","c":[1]}]` + "\n"; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
