package fleet

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// BenchmarkReport reports as many generated rows as BENCH_ROWS says, or 20,000.
func BenchmarkReport(b *testing.B) {
	rows, _ := strconv.Atoi(cmp.Or(os.Getenv("BENCH_ROWS"), "20000"))
	dir := b.TempDir()
	bytes := generate(b, dir, rows)
	for b.Loop() {
		d, err := Open(b.Context(), Files{}, dir)
		if err != nil {
			b.Fatal(err)
		}
		groups, _, err := d.Groups(b.Context(), Query{By: []string{"kind", "process", "version"}})
		if err != nil {
			b.Fatal(err)
		}
		if len(groups) == 0 {
			b.Fatal("no groups")
		}
	}
	b.ReportMetric(float64(bytes)/float64(rows), "bytes/row")
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB")
}

// generate writes a dataset of generated rows, four for each trace, with histograms
// such as those of traces of 1 MB, and returns its size.
func generate(b *testing.B, dir string, rows int) (bytes int64) {
	const perTrace, tracesPerShard = 4, 1000
	shards := (rows + perTrace*tracesPerShard - 1) / (perTrace * tracesPerShard)
	r := rand.New(rand.NewPCG(1, 2))
	dims := []string{"device", "version"}
	plan := &Plan{Shards: make([][]Input, shards), Dims: dims}
	for k := range shards {
		w, err := newShardWriter(b.Context(), plan, Files{}, dir, k)
		if err != nil {
			b.Fatal(err)
		}
		for i := range min(rows, tracesPerShard*perTrace) / perTrace {
			name := fmt.Sprintf("lab/device-%d/trace-%d-%d.ftrace", i%500, k, i)
			device, version := fmt.Sprint("device-", i%500), fmt.Sprint("5.", k%10)
			for p := range perTrace {
				row := generatedRow(r, name, p)
				row.Dims = []*string{&device, &version}
				if err := w.write(&result{rows: []Row{row}}); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := w.finish(); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(plan.part(dir, tracesFolder, k))
		if err != nil {
			b.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

func generatedRow(r *rand.Rand, name string, process int) Row {
	row := Row{Trace: name, Hash: fmt.Sprintf("%032x", r.Uint64()), Kind: stats.Application, Process: fmt.Sprint("com.example.app", process), PID: trace.PID(1000 + process), Size: 1 << 20}
	const frames = 60
	for i := range row.Sums {
		row.Sums[i] = r.Int64N(frames)
	}
	row.Sums[sumIndex["with_deadline"]] = frames
	row.Sums[sumIndex["late"]] = r.Int64N(frames)
	for h := range row.Histograms {
		var counted Histogram
		for range frames {
			counted.Add(bucketOf(int64(4e6*(1+r.ExpFloat64()))), 1)
		}
		row.Histograms[h] = counted.Counts()
	}
	for i := range 5 {
		row.Causes.Names = append(row.Causes.Names, fmt.Sprint("waiting in Slice", r.IntN(200)))
		row.Causes.Frames, row.Causes.Lost = append(row.Causes.Frames, int64(i+1)), append(row.Causes.Lost, r.Int64N(1e8))
	}
	for range maxWorst {
		row.Worst.VsyncIDs = append(row.Worst.VsyncIDs, r.Int64N(1e6))
		row.Worst.Starts, row.Worst.Overruns = append(row.Worst.Starts, r.Int64N(1e12)), append(row.Worst.Overruns, r.Int64N(1e8))
	}
	return row
}
