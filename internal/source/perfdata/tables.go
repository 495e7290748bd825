package perfdata

import (
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"ohframe/analyzer/sample"
	"ohframe/internal/diag"
)

// The limits of the tables. A call needs some 50 bytes, an address 80.
const (
	maxStacks  = 1 << 22
	maxFrames  = 1 << 20
	maxModules = 1 << 16
)

// tables builds a profile: each thing is in it once.
type tables struct {
	profile sample.Profile
	log     *diag.DamageLog

	modules   map[string]int32
	functions map[functionKey]int32
	scripts   map[scriptFunction]int32
	frames    map[sample.Frame]int32
	stacks    map[sample.Stack]int32
	threads   map[int32]int32 // by thread id
	limit     int             // of threads
	recent    [64]recentThread
	unnamed   bool // the format has no names of threads
}

// recentThread is a thread that is in the table with its process.
type recentThread struct {
	pid, tid int32
	known    bool
}

// functionKey is a symbol of a module: modules never have two functions at an address.
type functionKey struct {
	module, symbol int32
}

func newTables(l *diag.DamageLog, threads int) *tables {
	return &tables{
		log: l, limit: threads,
		modules: map[string]int32{}, functions: map[functionKey]int32{}, scripts: map[scriptFunction]int32{},
		frames: map[sample.Frame]int32{}, stacks: map[sample.Stack]int32{}, threads: map[int32]int32{},
	}
}

// module returns the index of the module with a path, or Unknown beyond the limit.
func (t *tables) module(path []byte, kernel bool) int32 {
	path = path[:min(len(path), maxName)]
	if i, ok := t.modules[string(path)]; ok {
		return i
	}
	if len(path) == 0 || len(t.modules) == maxModules {
		return sample.Unknown
	}
	i := int32(len(t.profile.Modules))
	t.profile.Modules = append(t.profile.Modules, sample.Module{Path: valid(path), Kernel: kernel})
	t.modules[string(path)] = i
	return i
}

// function returns the index of a function. There are no more than symbols.
func (t *tables) function(module, symbol int32, name []byte) int32 {
	key := functionKey{module, symbol}
	if i, ok := t.functions[key]; ok {
		return i
	}
	i := int32(len(t.profile.Functions))
	t.profile.Functions = append(t.profile.Functions, sample.Function{Name: readable(name), Module: module})
	t.functions[key] = i
	return i
}

// named sets the function of a frame of a process to a symbol.
func (t *tables) named(f *sample.Frame, symbol int32, name []byte) {
	if function, url, line, ok := scriptSymbol(name); ok {
		address := f.Address
		*f = t.script(function, url, line)
		f.Address = address
		return
	}
	f.Function = t.function(f.Module, symbol, name)
}

// readable returns a name, demangled if it is mangled.
func readable(name []byte) string {
	s := valid(name[:min(len(name), maxName)])
	if !strings.HasPrefix(s, "_Z") && !strings.HasPrefix(s, "_R") {
		return s
	}
	const most = 10 // as a power of two: the demangled name may be much longer
	s = demangle.Filter(s, demangle.NoClones, demangle.MaxLength(most))
	return s[:min(len(s), 1<<most)]
}

func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }

// frame returns the index of a frame, or Unknown beyond the limit.
func (t *tables) frame(f sample.Frame) int32 {
	if i, ok := t.frames[f]; ok {
		return i
	}
	if len(t.profile.Frames) == maxFrames {
		return sample.Unknown
	}
	i := int32(len(t.profile.Frames))
	t.profile.Frames = append(t.profile.Frames, f)
	t.frames[f] = i
	return i
}

// stack returns the index of the stack with these frames, the innermost first. It is Unknown if
// there is no frame or one is Unknown, or beyond the limit.
func (t *tables) stack(frames []int32) int32 {
	at := int32(sample.Unknown)
	for _, frame := range slices.Backward(frames) {
		if at = t.push(at, frame); at == sample.Unknown {
			t.log.Add(stacksOver)
			break
		}
	}
	return at
}

// push returns the index of the stack in which a frame was called from another stack, or Unknown if
// the frame is Unknown, or beyond the limit.
func (t *tables) push(caller, frame int32) int32 {
	s := sample.Stack{Parent: caller, Frame: frame}
	i, ok := t.stacks[s]
	if !ok {
		if frame == sample.Unknown || len(t.profile.Stacks) == maxStacks {
			return sample.Unknown
		}
		i = int32(len(t.profile.Stacks))
		t.profile.Stacks = append(t.profile.Stacks, s)
		t.stacks[s] = i
	}
	return i
}

// thread adds a thread, and its name if that is not empty. It reports whether the thread is within
// the limit.
func (t *tables) thread(pid, tid int32, name []byte) bool {
	recent := &t.recent[uint32(tid)%uint32(len(t.recent))]
	if recent.known && recent.tid == tid && recent.pid == pid && len(name) == 0 {
		return true
	}
	i, ok := t.threads[tid]
	if !ok {
		if len(t.threads) >= t.limit {
			t.log.Add(threadsOver)
			return false
		}
		i = int32(len(t.profile.Threads))
		t.profile.Threads = append(t.profile.Threads, sample.Thread{TID: tid})
		t.threads[tid] = i
	}
	thread := &t.profile.Threads[i]
	thread.PID = pid
	*recent = recentThread{pid, tid, true}
	if len(name) > 0 {
		thread.Name = valid(name[:min(len(name), maxName)])
	}
	return true
}

// pid returns the process of a thread, or 0.
func (t *tables) pid(tid int32) int32 {
	if i, ok := t.threads[tid]; ok {
		return t.profile.Threads[i].PID
	}
	return 0
}

// nameless returns the number of threads without a name.
func (t *tables) nameless() int {
	n := 0
	for i := range t.profile.Threads {
		if t.profile.Threads[i].Name == "" {
			n++
		}
	}
	return n
}
