package fleet

import (
	"testing"

	"ohframe/internal/atomicfile"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) {
	atomicfile.Durable = slow.Enabled()
	browsertest.Main(m)
}
