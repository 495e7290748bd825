package ftrace

import (
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

func TestSymbolNumbersCountFromOneInEachScope(t *testing.T) {
	var table symbolTable
	number := func(name string, want uint64) {
		t.Helper()
		must.Equal(t, table.id([]byte(name)), want, "%q has the number", name)
	}
	names := func(want ...string) {
		t.Helper()
		if got := symbolNames(t, &table); !slices.Equal(got, want) || table.len() != len(want) {
			t.Errorf("the names are %q, their number %d, want %q", got, table.len(), want)
		}
	}
	names()
	number("read+0x1/0x2", 1)
	number("write", 2)
	number("read+0x1/0x2", 1)
	names("read+0x1/0x2", "write")

	table.reset()
	names()
	number("write", 1)
	number("wait", 2)
	number("read+0x1/0x2", 3)
	names("write", "wait", "read+0x1/0x2")
}

func TestSymbolNamesAreText(t *testing.T) {
	var table symbolTable
	long := strings.Repeat("x", 300)
	table.id([]byte("cut\xe4\xb8"))
	table.id([]byte(long))
	must.EqualSlices(t, symbolNames(t, &table), []string{"cut\uFFFD", long}, "the names")
	if buf := table.appendInternedData([]byte("before")); string(buf[:6]) != "before" {
		t.Errorf("what was in the buffer is %q", buf[:6])
	}
	table.reset()
	if buf := table.appendInternedData(nil); len(buf) != 0 {
		t.Errorf("no names take %d bytes", len(buf))
	}
}
