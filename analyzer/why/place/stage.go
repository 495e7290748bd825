package place

// Stage is a part of the work for a frame, in the order in which a frame goes
// through them. docs/why.md lists the codes; new ones may be added.
type Stage uint8

// The stages of an application's UI thread, then those of render_service.
const (
	// NoStage: the slice belongs to the stage of the slice around it.
	NoStage    Stage = iota
	Start            // before the frame: from its expected start to its actual one
	Frame            // the frame itself, outside of all other stages
	Input            // touch and drag events, the application's frame callbacks
	Animate          // animations
	Build            // components are created, updated and deleted
	JS               // ArkTS code outside of the other stages
	Layout           // measure and layout
	Record           // draw commands are recorded
	Submit           // the transaction is sent to render_service
	After            // callbacks after layout: areas, visible areas
	Idle             // predictive work after the frame
	Lifecycle        // changes of the window, the configuration, the memory level
	Receive          // render_service has its vsync; by its name such a slice is Frame
	Commands         // transactions are applied, buffers consumed
	Prepare          // the tree is walked for what changed
	HandOver         // the main thread passes the frame to the render thread
	Draw             // the render thread draws
	CommitWait       // the drawn frame waits until its commit begins
	Composer         // layers are committed to the display
	Display          // the display shows the frame
	stageEnd         // stays last
)

// StageCount is the number of stages, NoStage included.
const StageCount = int(stageEnd)

var stages = [StageCount]string{
	NoStage:    "none",
	Start:      "start",
	Frame:      "frame",
	Input:      "input",
	Animate:    "animate",
	Build:      "build",
	JS:         "js",
	Layout:     "layout",
	Record:     "record",
	Submit:     "submit",
	After:      "after",
	Idle:       "idle",
	Lifecycle:  "lifecycle",
	Receive:    "receive",
	Commands:   "commands",
	Prepare:    "prepare",
	HandOver:   "hand_over",
	Draw:       "draw",
	CommitWait: "commit_wait",
	Composer:   "composer",
	Display:    "display",
}

// String returns the stage's code: lower case, words joined by underscores.
func (s Stage) String() string { return stages[s] }

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
