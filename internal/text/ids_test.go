package text_test

import (
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

func TestIDs(t *testing.T) {
	var odd []int
	for i := range 20 {
		odd = append(odd, 2*i+1)
	}
	for _, test := range []struct {
		list []int
		want string
	}{
		{[]int{4}, "4"}, {[]int{1, 2}, "1, 2"}, {[]int{1, 2, 3, 7, 9, 10, 11, 12}, "1–3, 7, 9–12"},
		{odd, "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 8 more"},
	} {
		must.Equal(t, text.IDs(test.list), test.want, "%v", test.list)
	}
}
