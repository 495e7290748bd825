package fleet

import (
	"os"
	"testing"

	"ohframe/internal/atomicfile"

	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) {
	atomicfile.Durable = slow.Enabled()
	os.Exit(m.Run())
}
