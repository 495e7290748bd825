package why

// Stage is a part of the work for a frame, in the order in which a frame goes
// through them. testdata/api/why.md lists the codes; new ones may be added.
type Stage uint8

// The stages of an application's UI thread, then those of render_service.
const (
	// NoStage: the slice belongs to the stage of the slice around it.
	NoStage         Stage = iota
	StageStart            // before the frame: from its expected start to its actual one
	StageFrame            // the frame itself, outside of all other stages
	StageInput            // touch and drag events, the application's frame callbacks
	StageAnimate          // animations
	StageBuild            // components are created, updated and deleted
	StageJS               // ArkTS code outside of the other stages
	StageLayout           // measure and layout
	StageRecord           // draw commands are recorded
	StageSubmit           // the transaction is sent to render_service
	StageAfter            // callbacks after layout: areas, visible areas
	StageIdle             // predictive work after the frame
	StageLifecycle        // changes of the window, the configuration, the memory level
	StageReceive          // render_service has its vsync; by its name such a slice is Frame
	StageCommands         // transactions are applied, buffers consumed
	StagePrepare          // the tree is walked for what changed
	StageHandOver         // the main thread passes the frame to the render thread
	StageDraw             // the render thread draws
	StageCommitWait       // the drawn frame waits until its commit begins
	StageComposer         // layers are committed to the display
	StageDisplay          // the display shows the frame
	StageProduce          // a producer makes the next buffer of a layer
	stageEnd              // stays last
)

// StageCount is the number of stages, NoStage included.
const StageCount = int(stageEnd)

var stages = [StageCount]string{
	NoStage:         "none",
	StageStart:      "start",
	StageFrame:      "frame",
	StageInput:      "input",
	StageAnimate:    "animate",
	StageBuild:      "build",
	StageJS:         "js",
	StageLayout:     "layout",
	StageRecord:     "record",
	StageSubmit:     "submit",
	StageAfter:      "after",
	StageIdle:       "idle",
	StageLifecycle:  "lifecycle",
	StageReceive:    "receive",
	StageCommands:   "commands",
	StagePrepare:    "prepare",
	StageHandOver:   "hand_over",
	StageDraw:       "draw",
	StageCommitWait: "commit_wait",
	StageComposer:   "composer",
	StageDisplay:    "display",
	StageProduce:    "produce",
}

// String returns the stage's code: lower case, words joined by underscores.
func (s Stage) String() string { return stages[s] }
