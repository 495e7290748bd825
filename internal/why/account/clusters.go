package account

import (
	"cmp"
	"iter"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/why/record"
)

const (
	// leastClockChanges is how many changes it takes to know a processor's cluster.
	leastClockChanges = 3
	// togetherWithin is how far apart the lines of one change may be.
	togetherWithin = 10 * trace.Microsecond
)

// cluster is processors whose frequencies always change together.
type cluster struct {
	cpus []int
	top  uint32 // the highest frequency seen, in kHz
}

// findClusters returns the clusters of the processors, that with the lowest frequency
// first. Processors that changed their frequency less than three times belong to none.
func findClusters(clocks [][]record.ClockChange) []cluster {
	var list []cluster
	for n, changes := range clocks {
		if len(changes) < leastClockChanges || n >= record.NoCPU {
			continue
		}
		i := slices.IndexFunc(list, func(k cluster) bool { return alike(clocks[k.cpus[0]], changes) })
		if i < 0 {
			i = len(list)
			list = append(list, cluster{})
		}
		k := &list[i]
		k.cpus = append(k.cpus, n)
		for _, change := range changes {
			k.top = max(k.top, change.KHz)
		}
	}
	slices.SortStableFunc(list, func(a, b cluster) int { return cmp.Compare(a.top, b.top) })
	return list
}

func alike(a, b []record.ClockChange) bool {
	return slices.EqualFunc(a, b, func(a, b record.ClockChange) bool {
		return a.KHz == b.KHz && a.At.Sub(b.At).Abs() <= togetherWithin
	})
}

// cpuTime is the time that a frame's thread ran on a processor.
type cpuTime struct {
	cpu  uint8
	time trace.Duration
}

func (d *details) ranOn(cpu uint8, time trace.Duration) {
	for i := range d.ran {
		if d.ran[i].cpu == cpu {
			d.ran[i].time += time
			return
		}
	}
	d.ran = append(d.ran, cpuTime{cpu, time})
}

// ran returns the times on processors.
func (a *Account) ran() iter.Seq[cpuTime] {
	var own iter.Seq[cpuTime]
	if a.details == nil {
		own = ran(a.packed)
	} else {
		own = slices.Values(a.details.ran)
	}
	if a.draw == nil {
		return own
	}
	return concat(own, a.draw.ran())
}

// LowClusters returns the number of clusters of processors besides that with the highest
// frequency. They are numbered by their frequencies, from the lowest.
func (b *Book) LowClusters() int { return max(len(b.clusters)-1, 0) }

// Cluster returns the processors of a cluster, in order.
func (b *Book) Cluster(n int) []int { return b.clusters[n].cpus }

// UpToCluster returns the share, in per mille, of a frame's time on processors that it spent
// on a cluster and on those with lower frequencies.
func (b *Book) UpToCluster(a *Account, n int) int64 {
	clusters := b.clusters[:n+1]
	var on, all trace.Duration
	for t := range a.ran() {
		all += t.time
		if slices.ContainsFunc(clusters, func(k cluster) bool { return slices.Contains(k.cpus, int(t.cpu)) }) {
			on += t.time
		}
	}
	return int64(1000 * on / max(all, 1))
}
