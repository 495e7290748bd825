package simulate

// category is a kind of line: an event, and for markers their phase.
type category int

const (
	beginCategory category = iota
	endCategory
	counterCategory
	instantCategory
	trackBeginCategory
	trackEndCategory
	trackInstantCategory
	otherMarkCategory
	switchCategory
	wakeupCategory
	pageDeleteCategory
	idleCategory
	frequencyCategory
	clockRateCategory
	pageAddCategory
	blockedCategory
	binderCategory
	binderReceivedCategory
	blockIssueCategory
	blockCompleteCategory
	limitsCategory
	categoryCount
)

// captureMix is the number of lines of each category in a real capture of 233 ms of
// HarmonyOS 6.1 playing a video at 90 Hz: 27,843 lines, all on the HongMeng kernel. The
// last markers are from another system, in a container.
var captureMix = [categoryCount]int64{
	beginCategory:          5540,
	endCategory:            5557,
	counterCategory:        653,
	instantCategory:        203,
	trackBeginCategory:     40,
	trackEndCategory:       40,
	trackInstantCategory:   30,
	switchCategory:         4670,
	wakeupCategory:         2753,
	pageDeleteCategory:     2326,
	idleCategory:           2265,
	frequencyCategory:      830,
	clockRateCategory:      767,
	pageAddCategory:        581,
	blockedCategory:        438,
	binderCategory:         355,
	binderReceivedCategory: 355,
	blockIssueCategory:     198,
	blockCompleteCategory:  198,
	limitsCategory:         44,
}

const (
	// captureLines is how many lines a second that capture has.
	captureLines = 119_400
	// captureLineBytes is the mean length of a line there, with its CR and LF.
	captureLineBytes = 127.1
)

// linuxMix leaves out the categories that only HongMeng has.
var linuxMix = func() [categoryCount]int64 {
	m := captureMix
	m[clockRateCategory], m[trackBeginCategory], m[trackEndCategory], m[trackInstantCategory] = 0, 0, 0, 0
	return m
}()

// markCategory returns a marker's category by its payload.
func markCategory(payload []byte) category {
	switch payload[0] {
	case 'B':
		return beginCategory
	case 'E':
		return endCategory
	case 'C':
		return counterCategory
	}
	return otherMarkCategory
}

// mixer counts lines and chooses the next category to match the mix.
type mixer struct {
	share [categoryCount]int64 // running sums of the mix
	mix   [categoryCount]int64
	total int64 // of the mix
	made  [categoryCount]int64
	lines int64
}

func newMixer(mix [categoryCount]int64) *mixer {
	m := &mixer{mix: mix}
	for c, n := range mix {
		m.total += n
		m.share[c] = m.total
	}
	return m
}

func (m *mixer) count(c category) {
	m.made[c]++
	m.lines++
}

// lacks is how far a category is behind its share, in lines times the mix's total.
func (m *mixer) lacks(c category) int64 {
	return m.lines*m.mix[c] - m.made[c]*m.total
}

// next draws a category by its share. If that is ahead of its share, it returns the one
// that is furthest behind.
func (m *mixer) next(r *random) category {
	drawn := r.below(m.total)
	c := category(0)
	for m.share[c] <= drawn {
		c++
	}
	if m.lacks(c) >= 0 {
		return c
	}
	most := c
	for c = range categoryCount {
		if m.lacks(c) > m.lacks(most) {
			most = c
		}
	}
	return most
}
