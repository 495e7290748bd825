package tracetest

import "testing"

func TestLayers(t *testing.T) {
	if err := Layers().Validate(); err != nil {
		t.Error(err)
	}
}
