package significance

import "math"

// Observation is the value of a unit that may have been observed at other times, too.
type Observation struct {
	Unit  uint64
	Value float64
}

// resembles is the share of the variance of a mean by which covariances of means must differ to matter.
const resembles = 0.02

// Covariance returns the covariance of the means at the times of a panel, nil if it is unknown, and whether
// their order makes a difference to it: not if no unit was observed twice, or all always. If units come and
// go, means of neighbouring times have units in common, and wander as if levels changed.
//
// The model is value = level of the time + effect of the unit + rest. Variances are estimated by moments,
// that of levels from neighbours, so that a change of level hardly counts.
func Covariance(times [][]Observation) (covariance [][]float64, resembling bool) {
	means := make([]float64, len(times))
	all, known := 0, 0
	for i, list := range times {
		for _, o := range list {
			means[i] += o.Value / float64(len(list))
		}
		if all += len(list); len(list) > 0 {
			known++
		}
	}
	type effect struct{ sum, count float64 }
	effects, total := map[uint64]*effect{}, 0.0
	for i, list := range times {
		for _, o := range list {
			e := effects[o.Unit]
			if e == nil {
				e = &effect{}
				effects[o.Unit] = e
			}
			rest := o.Value - means[i]
			e.sum, e.count, total = e.sum+rest, e.count+1, total+rest*rest
		}
	}
	again := all - len(effects) // observations of units that are known already
	if all == known {
		return nil, false
	}
	within, counted := total, map[uint64]bool{} // the sum of squares within units, in a fixed order
	for _, list := range times {
		for _, o := range list {
			if e := effects[o.Unit]; !counted[o.Unit] {
				counted[o.Unit] = true
				within -= e.sum * e.sum / e.count
			}
		}
	}
	rest := max(0, within/float64(max(1, again)))
	between := total/float64(all-known) - rest
	if between <= negligible*negligible {
		return nil, false
	}
	covariance = make([][]float64, len(times))
	for i, a := range times {
		covariance[i] = make([]float64, len(times))
		units := map[uint64]bool{}
		for _, o := range a {
			units[o.Unit] = true
		}
		for k, b := range times {
			common := 0
			for _, o := range b {
				if units[o.Unit] {
					common++
				}
			}
			if common > 0 {
				covariance[i][k] = between * float64(common) / float64(len(a)*len(b))
			}
		}
		if len(a) > 0 {
			covariance[i][i] += rest / float64(len(a))
		}
	}
	// What means of neighbours differ by beyond their units is the variance of levels.
	level, pairs, last := 0.0, 0.0, -1
	least, most, variance := math.Inf(1), 0.0, 0.0
	for i, list := range times {
		if len(list) == 0 {
			continue
		}
		if last >= 0 {
			d := means[i] - means[last]
			level += d*d - covariance[i][i] - covariance[last][last] + 2*covariance[i][last]
			pairs++
		}
		for k := range i {
			if len(times[k]) > 0 {
				least, most = min(least, covariance[i][k]), max(most, covariance[i][k])
			}
		}
		variance += covariance[i][i] / float64(known)
		last = i
	}
	level = max(0, level/(2*max(1, pairs)))
	for i, list := range times {
		if len(list) > 0 {
			covariance[i][i] += level
		}
	}
	return covariance, most-least > resembles*(variance+level)
}

// factorOf returns the Cholesky factor of a covariance matrix, nil if it is not positive definite.
func factorOf(covariance [][]float64) [][]float64 {
	factor := make([][]float64, len(covariance))
	for i := range covariance {
		factor[i] = make([]float64, i+1)
		for k := range i + 1 {
			sum := covariance[i][k]
			for j := range k {
				sum -= factor[i][j] * factor[k][j]
			}
			if k < i {
				factor[i][k] = sum / factor[k][k]
			} else if sum <= 0 {
				return nil
			} else {
				factor[i][i] = math.Sqrt(sum)
			}
		}
	}
	return factor
}
