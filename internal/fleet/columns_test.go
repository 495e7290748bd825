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
	fmt.Fprintln(&list, newRecord("traces", new(Row).cells(everything(dims))).schema)
	fmt.Fprintln(&list, newRecord("interactions", new(Row).cells(everyInteraction(dims))).schema)
	fmt.Fprintln(&list, newRecord("failures", new(Failure).cells(dims)).schema)
	compatibility.Check(t, "../../testdata/api/fleet.txt", list.String())
}
