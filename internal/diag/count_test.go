package diag

import (
	"testing"

	"ohframe/internal/testing/must"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{{1, "frame", "1 frame"}, {0, "frame", "0 frames"}, {2, "process", "2 processes"}, {3, "hitch", "3 hitches"}, {1, "hitch", "1 hitch"}} {
		must.Equal(t, Count(c.n, c.noun), c.want)
	}
}

func TestChoose(t *testing.T) {
	for n, want := range map[int]string{0: "0 ends of slices", 1: "1 end of a slice", 2: "2 ends of slices"} {
		must.Equal(t, Choose(n, "end of a slice", "ends of slices"), want)
	}
}
