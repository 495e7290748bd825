package account

import (
	"cmp"
	"iter"
	"slices"

	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
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
func findClusters(clocks [][]threads.ClockChange) []cluster {
	var list []cluster
	for n, changes := range clocks {
		if len(changes) < leastClockChanges || n >= threads.NoCPU {
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

func alike(a, b []threads.ClockChange) bool {
	return slices.EqualFunc(a, b, func(a, b threads.ClockChange) bool {
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

// Limit returns the highest frequency that the CPUs on which a frame ran were allowed during the frame, in
// the mean, and the highest one that they had or were allowed in the trace, in kHz. The limit is 0
// if it is unknown. since is when the limit of the CPU on which the frame ran the longest last changed.
func (b *Book) Limit(a *Account) (limit, highest int64, since trace.Time) {
	var all, longest trace.Duration
	var sums [2]float64
	for t := range a.ran() {
		limits := b.limitsOf(int(t.cpu))
		mean := meanOf(limits, a.Actual, a.Done())
		if mean == 0 {
			return 0, 0, 0
		}
		if t.time > longest {
			longest = t.time
			for _, l := range limits {
				if l.At < a.Done() {
					since = l.At
				}
			}
		}
		top := uint32(0)
		for _, l := range limits {
			top = max(top, l.KHz)
		}
		if n := b.clusterOf(int(t.cpu)); n >= 0 {
			top = max(top, b.clusters[n].top)
		}
		all += t.time
		sums[0] += mean * float64(t.time)
		sums[1] += float64(top) * float64(t.time)
	}
	if all == 0 {
		return 0, 0, 0
	}
	return int64(sums[0] / float64(all)), int64(sums[1] / float64(all)), since
}

// limitsOf returns the changes of the limit of a CPU. The kernel prints them with the first CPU
// of those that share a clock.
func (b *Book) limitsOf(cpu int) []threads.ClockChange {
	for n := min(cpu, len(b.record.Limits)-1); n >= 0; n-- {
		if len(b.record.Limits[n]) == 0 {
			continue
		}
		if own, other := b.clusterOf(cpu), b.clusterOf(n); own != other && own >= 0 && other >= 0 {
			return nil
		}
		return b.record.Limits[n]
	}
	return nil
}

// clusterOf returns the number of the cluster of a CPU, or -1.
func (b *Book) clusterOf(cpu int) int {
	return slices.IndexFunc(b.clusters, func(k cluster) bool { return slices.Contains(k.cpus, cpu) })
}

// meanOf returns the mean of a frequency from start to end, as far as it is known; 0 if it is unknown for
// more than half of the time.
func meanOf(changes []threads.ClockChange, start, end trace.Time) float64 {
	i, found := slices.BinarySearchFunc(changes, start, func(c threads.ClockChange, at trace.Time) int { return cmp.Compare(c.At, at) })
	if !found {
		i = max(i-1, 0) // the change before
	}
	sum, known := 0.0, trace.Duration(0)
	for ; i < len(changes) && changes[i].At < end; i++ {
		until := end
		if i+1 < len(changes) {
			until = min(until, changes[i+1].At)
		}
		if d := until.Sub(max(start, changes[i].At)); changes[i].KHz != 0 && d > 0 {
			sum += float64(changes[i].KHz) * float64(d)
			known += d
		}
	}
	if known == 0 || 2*known < end.Sub(start) {
		return 0
	}
	return sum / float64(known)
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
