package ftrace

// Bits of sched_switch.prev_state. Their meaning depends on the kernel. In a trace
// without a release of Linux, Perfetto assumes those of 4.4, which have a bit for every
// letter that any kernel prints.
const (
	stateInterruptible   = 0x1   // S
	stateUninterruptible = 0x2   // D
	stateStopped         = 0x4   // T
	stateTraced          = 0x8   // t
	stateExitDead        = 0x10  // X
	stateExitZombie      = 0x20  // Z
	stateDead            = 0x40  // x
	stateWakeKill        = 0x80  // K
	stateWaking          = 0x100 // W
	stateParked          = 0x200 // P
	stateNoLoad          = 0x400 // N
	statePreempted       = 0x800 // +

	stateIdle    = stateUninterruptible | stateNoLoad // I
	stateUnknown = 0xffff                             // Perfetto's value for a malformed state
)

// rawTaskState returns the bits of prev_state for a state as sched_switch spells it: "S",
// "R+", "D|K". It returns false for empty text. Malformed text becomes stateUnknown:
// without a state, the processor would not switch.
func rawTaskState(text []byte) (int64, bool) {
	switch {
	case len(text) == 0:
		return 0, false
	case string(text) == "R+":
		return statePreempted, true
	case text[0] == 'R':
		return 0, true
	}
	var bits int64
	for _, c := range text {
		switch c {
		case 'S':
			bits |= stateInterruptible
		case 'D':
			bits |= stateUninterruptible
		case 'T':
			bits |= stateStopped
		case 't':
			bits |= stateTraced
		case 'X':
			bits |= stateExitDead
		case 'Z':
			bits |= stateExitZombie
		case 'x':
			bits |= stateDead
		case 'K':
			bits |= stateWakeKill
		case 'W':
			bits |= stateWaking
		case 'P':
			bits |= stateParked
		case 'N':
			bits |= stateNoLoad
		case 'I':
			bits |= stateIdle
		case '|':
		default:
			return stateUnknown, true
		}
	}
	return bits, true
}
