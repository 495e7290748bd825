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
	fmt.Fprintln(&list, traceSchema(dims))
	fmt.Fprintln(&list, failureSchema(dims))
	compatibility.Check(t, "../../testdata/api/fleet.txt", list.String())
}
