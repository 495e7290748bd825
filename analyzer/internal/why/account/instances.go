package account

import (
	"iter"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/threads"
)

// Instance is a slice with arguments.
type Instance struct {
	analyzer.Interval
	key      threads.NameKey
	argument uint32
}

// maxInstances bounds the instances of a frame. The shortest ones are left out.
const maxInstances = 256

// addInstance adds a slice that ends now to the late frames and the stretches that it is in.
func (f *replay) addInstance(i Instance) {
	for _, a := range f.open {
		if d := a.details; d != nil && (d.late || d.labeled) {
			d.addInstance(i)
		}
	}
}

func (d *details) addInstance(i Instance) {
	if len(d.instances) < maxInstances {
		d.instances = append(d.instances, i)
		return
	}
	shortest := 0
	for n := range d.instances {
		if d.instances[n].Duration() < d.instances[shortest].Duration() {
			shortest = n
		}
	}
	if i.Duration() > d.instances[shortest].Duration() {
		d.instances[shortest] = i
	}
}

// Instances returns the slices of a late frame, or of a stretch, that have arguments, each with its name and its
// label, in any order.
func (b *Book) Instances(a *Account) iter.Seq2[Instance, string] {
	return func(yield func(Instance, string) bool) {
		for ; a != nil && a.details != nil; a = a.draw {
			for _, i := range a.details.instances {
				if !yield(i, b.record.Name(i.key)) {
					return
				}
			}
		}
	}
}

// Label returns the label of an instance.
func (b *Book) Label(i Instance) string { return b.record.Label(i.argument) }
