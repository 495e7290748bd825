package main

import (
	"testing"

	"ohframe/internal/testing/must"
)

// Each change of the list can be made: its text is in the file once.
func TestList(t *testing.T) {
	t.Chdir("../../..")
	must.Get(read("internal/tools/mutations/list.txt"))(t)
}
