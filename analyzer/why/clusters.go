package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
)

// clockChange is a change of the frequency of a processor.
type clockChange struct {
	at  trace.Time
	kHz uint32
}

const (
	// maxClockChanges is how many changes of each processor are compared.
	maxClockChanges = 256
	// leastClockChanges is how many it takes to know a processor's cluster.
	leastClockChanges = 3
	// togetherWithin is how far apart the lines of one change may be.
	togetherWithin = 10 * trace.Microsecond
)

// noCPU is the number of an unknown processor.
const noCPU = 0xff

// cluster is processors whose frequencies always change together.
type cluster struct {
	cpus []int
	top  uint32 // the highest frequency seen, in kHz
}

// name returns "CPU 0–3", "CPU 12, 13" or "CPU 7".
func (c *cluster) name() string {
	first, last := c.cpus[0], c.cpus[len(c.cpus)-1]
	if n := len(c.cpus); n > 2 && last-first == n-1 {
		return fmt.Sprintf("CPU %d–%d", first, last)
	}
	return "CPU " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.cpus)), ", "), "[]")
}

// findClusters returns the clusters of the processors, that with the lowest frequency
// first. Processors that changed their frequency less than three times belong to none.
func (r *Recorder) findClusters() []cluster {
	var list []cluster
	for n, c := range r.cpus {
		if len(c.clocks) < leastClockChanges || n >= noCPU {
			continue
		}
		i := slices.IndexFunc(list, func(k cluster) bool { return alike(r.cpus[k.cpus[0]].clocks, c.clocks) })
		if i < 0 {
			i = len(list)
			list = append(list, cluster{})
		}
		k := &list[i]
		k.cpus = append(k.cpus, n)
		for _, change := range c.clocks {
			k.top = max(k.top, change.kHz)
		}
	}
	slices.SortStableFunc(list, func(a, b cluster) int { return cmp.Compare(a.top, b.top) })
	return list
}

func alike(a, b []clockChange) bool {
	return slices.EqualFunc(a, b, func(a, b clockChange) bool {
		return a.kHz == b.kHz && a.at.Sub(b.at).Abs() <= togetherWithin
	})
}

// cpuTime is the time that a frame's thread ran on a processor.
type cpuTime struct {
	cpu  uint8
	time trace.Duration
}

func (a *account) ranOn(cpu uint8, d trace.Duration) {
	for i := range a.ran {
		if a.ran[i].cpu == cpu {
			a.ran[i].time += d
			return
		}
	}
	a.ran = append(a.ran, cpuTime{cpu, d})
}

// upTo returns the share, in per mille, of a frame's time on processors that it spent on
// the given clusters.
func (a *account) upTo(clusters []cluster) int64 {
	var on, all trace.Duration
	for _, t := range a.ran {
		all += t.time
		if slices.ContainsFunc(clusters, func(k cluster) bool { return slices.Contains(k.cpus, int(t.cpu)) }) {
			on += t.time
		}
	}
	return int64(1000 * on / max(all, 1))
}

// moreOnLittle is how much more of its time on processors a frame must have run on clusters
// with a low frequency for the cores to be the reason, in per mille.
const moreOnLittle = 300

// cores names the cores on which a frame ran more than usual, if they are of a cluster with
// a lower highest frequency: "little cores (CPU 0–3)". It is empty for other frames.
func (r *Recorder) cores(a *account, u *usual) string {
	if len(u.references) == 0 || len(r.clusters) == 0 {
		return ""
	}
	low := r.clusters[:len(r.clusters)-1]
	if u.onLow == nil {
		for i := range low {
			var shares []int64
			for _, b := range u.references {
				shares = append(shares, b.upTo(low[:i+1]))
			}
			u.onLow = append(u.onLow, quantile(shares, len(shares), 1, 2))
		}
	}
	for i := range low {
		if a.upTo(low[:i+1])-u.onLow[i] < moreOnLittle {
			continue
		}
		kind := "smaller cores"
		if i == 0 {
			kind = "little cores"
		}
		return kind + " (" + low[i].name() + ")"
	}
	return ""
}
