package ftrace

// stateBits are the bits of sched_switch.prev_state, by letter. Their meaning depends on the
// kernel. In a trace without a release of Linux, Perfetto assumes those of 4.4, which have a
// bit for every letter that any kernel prints.
var stateBits = [256]int64{
	'S': 0x1,         // interruptible
	'D': 0x2,         // uninterruptible
	'T': 0x4,         // stopped
	't': 0x8,         // traced
	'X': 0x10,        // dead, exiting
	'Z': 0x20,        // zombie
	'x': 0x40,        // dead
	'K': 0x80,        // wake to be killed
	'W': 0x100,       // waking
	'P': 0x200,       // parked
	'N': 0x400,       // no load
	'I': 0x2 | 0x400, // idle: uninterruptible, no load
}

const (
	statePreempted = 0x800  // R+
	stateUnknown   = 0xffff // Perfetto's value for a malformed state
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
		bit := stateBits[c]
		if bit == 0 && c != '|' {
			return stateUnknown, true
		}
		bits |= bit
	}
	return bits, true
}
