package tracetest

import (
	"testing"

	"ohframe/internal/testing/must"
)

func TestLayers(t *testing.T) {
	must.NoError(t, Layers().Validate())
}
