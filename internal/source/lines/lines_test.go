package lines

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 3*bufferSize)
	for _, c := range []struct {
		text    string
		most    int
		want    []string
		tooLong int
	}{
		{"a\n b \r\n\n c", 5, []string{"a", "b", "", "c"}, 0},
		{"", 5, nil, 0},
		{"12345\n123456\n1\n", 5, []string{"12345", "1"}, 1},
		{long + "\n1\n" + long, len(long), []string{long, "1", long}, 0},
		{long + "\n1\n" + long, len(long) - 1, []string{"1"}, 2},
		{"1\n" + long, 5, []string{"1"}, 1},
	} {
		r := NewReader(t.Context(), iotest.OneByteReader(strings.NewReader(c.text)), c.most)
		var got []string
		for r.Next() {
			got = append(got, string(r.Line))
		}
		if !slices.Equal(got, c.want) || r.TooLong != c.tooLong || r.Err != nil {
			t.Errorf("%.20q: %.20q, %d too long, %v", c.text, got, r.TooLong, r.Err)
		}
	}
	broken := errors.New("broken")
	r := NewReader(t.Context(), io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 5)
	for r.Next() {
	}
	if r.Err != broken {
		t.Errorf("error %v", r.Err)
	}
}
