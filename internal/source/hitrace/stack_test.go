package hitrace

import "testing"

func TestStack(t *testing.T) {
	var s Stack[string]
	end := func(wantDepth int, want string) {
		t.Helper()
		depth, value := s.End()
		got := ""
		if value != nil {
			got = *value
		}
		if depth != wantDepth || got != want {
			t.Errorf("an end of slice %q at depth %d, want %q at %d", got, depth, want, wantDepth)
		}
	}
	begin := func(want int, keep string) {
		t.Helper()
		if got := s.Begin(); got != want || s.Depth() != want {
			t.Errorf("a slice begins at depth %d of %d, want %d", got, s.Depth(), want)
		}
		if keep != "" {
			s.Keep(keep)
		}
	}
	end(0, "") // without its begin
	begin(1, "outer")
	begin(2, "")
	begin(3, "inner")
	if s.Len() != 2 || *s.At(0) != "outer" || *s.At(1) != "inner" {
		t.Errorf("%d values are kept", s.Len())
	}
	end(3, "inner")
	begin(3, "")
	end(3, "")
	end(2, "")
	end(1, "outer")
	end(0, "")
	end(0, "")
	if s.Len() != 0 || s.Depth() != 0 {
		t.Errorf("%d values are kept of %d slices", s.Len(), s.Depth())
	}
}

// A slice that replaces another one whose end is lost has that one's
// depth: the ends that follow belong to the slices outside.
func TestStackReplace(t *testing.T) {
	var s Stack[string]
	for _, keep := range []string{"", "outer", "", "lost", "", "in it"} {
		s.Begin()
		if keep != "" {
			s.Keep(keep)
		}
	}
	s.Begin()
	s.Replace(1)
	s.Keep("new")
	if s.Depth() != 4 || s.Len() != 2 || *s.At(1) != "new" {
		t.Fatalf("depth %d, %d values, want 4 and 2", s.Depth(), s.Len())
	}
	for _, want := range []string{"new", "", "outer", ""} {
		_, value := s.End()
		if value == nil && want != "" || value != nil && *value != want {
			t.Errorf("got %v, want %q", value, want)
		}
	}
	if depth, _ := s.End(); depth != 0 {
		t.Errorf("a slice is open at depth %d", depth)
	}
}
