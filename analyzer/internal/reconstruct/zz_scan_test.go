package reconstruct

import (
	"fmt"
	"os"
	"testing"
	"time"

	"ohframe/internal/source/hitrace"
)

func TestZZScan(t *testing.T) {
	for _, path := range []string{"/tmp/b256.ftrace", "/work/tmp/b/real60.ftrace"} {
		text, _ := os.ReadFile(path)
		if len(text) > 32<<20 {
			text = text[:32<<20]
		}
		var blocks [][]byte
		for len(text) > 1<<18 {
			n := 1 << 18
			for text[n-1] != '\n' {
				n--
			}
			blocks, text = append(blocks, text[:n]), text[n:]
		}
		best := make([]time.Duration, len(blocks))
		bestT := make([]time.Duration, len(blocks))
		events, steps := 0, map[stepKind]int{}
		var batch hitrace.Batch
		var s scanner
		for round := range 8 {
			in := newInput(Options{})
			builder := in.begin()
			for k, block := range blocks {
				batch.Parse(block, 1<<20)
				for i := range batch.Events { batch.Events[i].Process = batch.Events[i].PID }
				start := time.Now()
				s.scan(batch.Events)
				took := time.Since(start)
				if round == 0 || took < best[k] {
					best[k] = took
				}
				start = time.Now()
				builder.track(&s)
				took = time.Since(start)
				if round == 0 || took < bestT[k] {
					bestT[k] = took
				}
				if round == 0 {
					events += len(batch.Events)
					for _, x := range s.steps {
						steps[x.kind]++
					}
				}
			}
		}
		var sum, sumT time.Duration
		for k := range best {
			sum += best[k]
			sumT += bestT[k]
		}
		fmt.Printf("%s events %d scan %.2f ns/event track %.2f  steps %v\n", path, events, float64(sum)/float64(events), float64(sumT)/float64(events), steps)
	}
}
