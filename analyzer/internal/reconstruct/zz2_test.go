package reconstruct

import (
	"os"
	"testing"
	"time"

	"ohframe/internal/source/hitrace"
)

func TestZZHot(t *testing.T) {
	text, _ := os.ReadFile("/work/tmp/b/real60.ftrace")
	batches := make([]hitrace.Batch, 6)
	for k := range batches {
		n := 1 << 18
		for text[n-1] != '\n' {
			n--
		}
		batches[k].Parse(text[:n], 1<<20)
		text = text[n:]
		for i := range batches[k].Events {
			batches[k].Events[i].Process = batches[k].Events[i].PID
		}
	}
	var s scanner
	for start := time.Now(); time.Since(start) < 15*time.Second; {
		for k := range batches {
			s.scan(batches[k].Events)
		}
	}
}
