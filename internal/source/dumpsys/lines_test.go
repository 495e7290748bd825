package dumpsys

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
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
		var got []string
		add := func(line []byte) { got = append(got, string(line)) }
		tooLong, err := eachLine(t.Context(), iotest.OneByteReader(strings.NewReader(c.text)), c.most, add)
		if !slices.Equal(got, c.want) || tooLong != c.tooLong || err != nil {
			t.Errorf("%.20q: %.20q, %d too long, %v", c.text, got, tooLong, err)
		}
	}
	broken := errors.New("broken")
	if _, err := eachLine(t.Context(), io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 5, func([]byte) {}); err != broken {
		t.Errorf("error %v", err)
	}
}
