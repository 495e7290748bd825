package diff

import (
	"testing"

	"ohframe/internal/testing/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }
