package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/compatibility"
)

// TestColumns lists the columns of datasets, which databases and programs rely on.
func TestColumns(t *testing.T) {
	var list strings.Builder
	dims := []string{"dimension"}
	for _, folder := range append(slices.Clone(tableFolders[:]), failuresFolder) {
		fmt.Fprintln(&list, schemaOf(folder, dims))
	}
	compatibility.Check(t, "../../testdata/api/fleet.txt", list.String())
}
