package fleet

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/internal/testing/compatibility"
)

// TestColumns lists the columns of datasets, which databases and programs rely on.
func TestColumns(t *testing.T) {
	var list strings.Builder
	dims := []string{"dimension"}
	for t, name := range tableFolders {
		fmt.Fprintln(&list, newRecord(name, new(Row).cells(everything(table(t), dims))).schema)
	}
	fmt.Fprintln(&list, newRecord("failures", new(Failure).cells(dims)).schema)
	compatibility.Check(t, "../../testdata/api/fleet.txt", list.String())
}
