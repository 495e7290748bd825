package place

import (
	"ohframe/analyzer/why"
)

// Class is the kind of work that a slice does.
type Class uint8

// The classes. ClassWork is also the class of slices that the table does not have.
const (
	ClassWork         Class = iota
	ClassGC                 // garbage collection on this thread
	ClassGCWait             // this thread waits for a collection elsewhere
	ClassImage              // an image is decoded, scaled or converted
	ClassResource           // a resource of the application is read
	ClassIPC                // a call to another process
	ClassFence              // waits for the GPU or the display
	ClassBuffer             // waits for a free buffer
	ClassRenderWait         // waits for render_service's render thread or its helpers
	ClassIdle               // predictive work, or deliberate waiting
	ClassHousekeeping       // caches and memory are cleaned up
	classEnd                // stays last
)

// ClassCount is the number of classes.
const ClassCount = int(classEnd)

var classes = [ClassCount]string{
	ClassWork:         "work",
	ClassGC:           "gc",
	ClassGCWait:       "gc_wait",
	ClassImage:        "image",
	ClassResource:     "resource",
	ClassIPC:          "ipc",
	ClassFence:        "fence",
	ClassBuffer:       "buffer",
	ClassRenderWait:   "render_wait",
	ClassIdle:         "idle",
	ClassHousekeeping: "housekeeping",
}

// String returns the class's code: lower case, words joined by underscores.
func (c Class) String() string { return classes[c] }

// CollectsGarbage reports whether a thread that does this for the longest time, in a slice
// with this key, collects garbage.
func CollectsGarbage(w why.Wait, slice string) bool {
	return w == why.Run && Lookup([]byte(slice)).Class == ClassGC
}
