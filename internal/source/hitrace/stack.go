package hitrace

// Stack is the open slices of a thread. Slices of a thread nest strictly, so their number
// is enough to find the begin of an end. A value can be stored with a slice:
//
//	depth  1            2            3
//	       ReceiveVsync ┐
//	                    OnVsyncEvent ┐          values: ReceiveVsync at 1, OnVsyncEvent at 2
//	                                 FlushX     depth: 3
//
// The zero Stack has no open slices.
type Stack[T any] struct {
	depth int
	kept  []kept[T]
}

type kept[T any] struct {
	depth int
	value T
}

// Begin opens a slice and returns its depth, which is 1 for a slice in no other.
func (s *Stack[T]) Begin() int {
	s.depth++
	return s.depth
}

// End closes the innermost slice. It returns its depth, which is 0 if no slice is open,
// and its value, which is nil if it has none. The pointer is valid until the next Keep.
func (s *Stack[T]) End() (depth int, value *T) {
	depth = s.depth
	if depth == 0 {
		return 0, nil
	}
	s.depth--
	if n := len(s.kept); n > 0 && s.kept[n-1].depth == depth {
		value = &s.kept[n-1].value
		s.kept = s.kept[:n-1]
	}
	return depth, value
}

// EndUnkept closes the innermost slice unless it has a value.
func (s *Stack[T]) EndUnkept() {
	if n := len(s.kept); s.depth > 0 && (n == 0 || s.kept[n-1].depth < s.depth) {
		s.depth--
	}
}

// Depth returns the number of open slices.
func (s *Stack[T]) Depth() int { return s.depth }

// Keep keeps a value with the innermost slice, which has none yet.
func (s *Stack[T]) Keep(value T) { s.kept = append(s.kept, kept[T]{s.depth, value}) }

// Len returns the number of values.
func (s *Stack[T]) Len() int { return len(s.kept) }

// At returns a value, from 0 for that of the outermost slice to Len()-1. The pointer is
// valid until the next Keep.
func (s *Stack[T]) At(i int) *T { return &s.kept[i].value }

// Replace closes the slice of value i and all slices in it, without their ends. The
// innermost slice, which has just begun and has no value, replaces it.
func (s *Stack[T]) Replace(i int) {
	s.depth = s.kept[i].depth
	s.kept = s.kept[:i]
}
