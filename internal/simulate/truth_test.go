package simulate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/slow"
)

// variants are what the tests of the truth run over: all eras, whole and cut.
func variants(t *testing.T, test func(t *testing.T, c Config)) {
	for _, era := range Eras() {
		for _, cut := range []bool{false, true} {
			c := everything(era)
			c.CutStart, c.CutEnd = cut, cut
			name := era
			if cut {
				name += "/cut"
			}
			t.Run(name, func(t *testing.T) { test(t, c) })
		}
	}
	c := everything("6.0")
	c.Rates = []Rate{{Hz: 240}, {From: 700 * trace.Millisecond, Hz: 30}}
	c.AppPhase = 2 * trace.Millisecond
	c.Seed, c.Text.Nanoseconds = 2, true
	t.Run("240 to 30 Hz with a phase", func(t *testing.T) { test(t, c) })
}

// TestTruthIsConsistent checks facts against each other by the frame rules.
func TestTruthIsConsistent(t *testing.T) {
	variants(t, func(t *testing.T, c Config) {
		_, truth := simulateText(t, c)
		unique := map[Transaction]bool{}
		sources := map[Transaction]*Frame{}
		lastEnd := map[trace.TID]trace.Time{}
		lastPresent := trace.Time(0)
		for _, f := range truth.Frames {
			if f.Kind == RenderFrame {
				for _, tr := range f.Sources {
					if sources[tr] != nil {
						t.Errorf("%v was taken twice", tr)
					}
					if tr.Index == 0 {
						t.Errorf("render frame %d took a transaction before it was sent", f.Vsync)
					}
					sources[tr] = f
				}
			}
		}
		for _, f := range truth.Frames {
			at := fmt.Sprintf("%s %d at %v", f.Kind, f.Vsync, f.Start)
			if f.Truncated != (f.Start == 0 || f.End == 0) {
				t.Errorf("%s: truncated is %v", at, f.Truncated)
			}
			if f.Start.Known() && f.Start < lastEnd[f.TID] {
				t.Errorf("%s: begins before the thread's last frame ended", at)
			}
			lastEnd[f.TID] = max(lastEnd[f.TID], f.End)
			if f.End.Known() && f.End <= f.Start {
				t.Errorf("%s: ends at %v", at, f.End)
			}
			if f.ExpectedStart.Known() && f.Start < f.ExpectedStart {
				t.Errorf("%s: begins before its vsync", at)
			}
			if f.ExpectedEnd.Known() {
				want := f.Period
				if f.Kind == RenderFrame && findEra(c.Era).longDeadline {
					want = 2*f.Period - 5*trace.Millisecond
				}
				if got := f.ExpectedEnd.Sub(f.ExpectedStart); got != want {
					t.Errorf("%s: expected to take %v, not %v", at, got, want)
				}
			}
			end := f.End
			for _, work := range f.GPU {
				if work[0] < f.Start || f.End.Known() && work[0] > f.End {
					t.Errorf("%s: holds GPU work from %v", at, work[0])
				}
				end = max(end, work[1])
			}
			if late := f.Deadline.Known() && end > f.Deadline; !f.Truncated && f.Late != late {
				t.Errorf("%s: late is %v, ends at %v, deadline %v", at, f.Late, end, f.Deadline)
			}
			if f.Kind == RenderFrame && f.Late != (f.LateMain || f.LateGPU) {
				t.Errorf("%s: late, but neither main nor GPU", at)
			}
			if f.Present.Known() {
				if f.Present <= f.Commit || f.Commit == 0 || f.Present <= lastPresent {
					t.Errorf("%s: committed %v, presented %v, the one before %v", at, f.Commit, f.Present, lastPresent)
				}
				lastPresent = f.Present
			}
			if f.Kind == RenderFrame {
				if f.Empty && len(f.Sources) > 0 {
					t.Errorf("%s: empty, but took %v", at, f.Sources)
				}
				continue
			}
			if !f.Truncated && f.Empty != (len(f.Indices) == 0) {
				t.Errorf("%s: empty is %v with %v", at, f.Empty, f.Indices)
			}
			var takenBy *Frame
			for i, index := range f.Indices {
				tr := Transaction{f.PID, index}
				if unique[tr] {
					t.Errorf("%s: another frame sent %d", at, index)
				}
				unique[tr] = true
				if i > 0 && index <= f.Indices[i-1] {
					t.Errorf("%s: indices %v do not rise", at, f.Indices)
				}
				if takenBy = sources[tr]; takenBy != nil && !takenBy.Start.Known() {
					takenBy = nil
				}
			}
			if f.TakenBy != takenBy {
				t.Errorf("%s: taken by %v, not %v", at, f.TakenBy, takenBy)
			}
			if takenBy != nil && len(findEra(c.Era).cached) > 0 && takenBy.ExpectedStart <= f.ExpectedStart {
				t.Errorf("%s: taken on its own vsync, where it would have been held", at)
			}
			misaligned := takenBy != nil && f.ExpectedEnd.Known() &&
				takenBy.ExpectedStart.Sub(f.ExpectedEnd).Abs() >= trace.Millisecond
			if f.Misaligned != misaligned {
				t.Errorf("%s: misaligned is %v", at, f.Misaligned)
			}
			if misaligned && !takenBy.Misaligned {
				t.Errorf("%s: misaligned, but the render frame is not", at)
			}
		}
	})
}

// TestTextTellsTruth looks up in the text what the truth says of each frame,
// and that the text holds no more frames and transactions than the truth.
func TestTextTellsTruth(t *testing.T) {
	slow.Skip(t)
	variants(t, func(t *testing.T, c Config) {
		text, truth := simulateText(t, c)
		lines := readLines(t, text)
		type place struct {
			tid  int
			time trace.Time
		}
		marks := map[place][]string{}
		for _, l := range lines {
			if l.isMark() {
				p := place{l.tid, l.time}
				marks[p] = append(marks[p], l.payload)
			}
		}
		expect := func(what string, tid trace.TID, at trace.Time, pattern string) string {
			t.Helper()
			re := regexp.MustCompile(pattern)
			for _, payload := range marks[place{int(tid), at}] {
				if re.MatchString(payload) {
					return payload
				}
			}
			t.Errorf("%s: thread %d at %v wrote %q, nothing like %s", what, tid, at, marks[place{int(tid), at}], pattern)
			return ""
		}

		e := findEra(c.Era)
		mono := func(at trace.Time) int64 { return int64(at.Add(-c.ClockOffset)) }
		mainFrames, workerFrames, sent, taken := 0, 0, map[Transaction]bool{}, 0
		for _, f := range truth.Frames {
			what := fmt.Sprintf("%s frame %d of %d", f.Kind, f.Vsync, f.TID)
			isMain := int(f.TID) == int(f.PID)
			if f.Start.Known() && isMain {
				mainFrames++
				payload := expect(what, f.TID, f.Start, `^B\|\d+\|H:ReceiveVsync`)
				has := func(key string, value int64) {
					if !regexp.MustCompile(key + `: ?` + strconv.FormatInt(value, 10) + `(\D|$)`).MatchString(payload) {
						t.Errorf("%s: %q does not say %s %d", what, payload, key, value)
					}
				}
				has("now", mono(f.ExpectedStart))
				has("dataCount", int64(24*(1+f.Coalesced)))
				if e.expectedEnd {
					has("vsyncId", f.Vsync)
					if f.ExpectedEnd.Known() {
						has("expectedEnd", mono(f.ExpectedEnd))
					} else {
						has("expectedEnd", 0)
					}
				}
			}
			if f.Start.Known() && !isMain {
				workerFrames++
				expect(what, f.TID, f.Start, `^B\|\d+\|H:(UV_TRACE|OnVsyncEvent)`)
			}
			if f.End.Known() {
				expect(what, f.TID, f.End, `^E\|`)
			}
			for _, index := range f.Indices {
				sent[Transaction{f.PID, index}] = true
			}
			taken += len(f.Sources)
			if f.Commit.Known() {
				tid := trace.TID(1088)
				payload := expect(what, tid, f.Commit, `^B\|1027\|H:(RSHardwareThread::CommitAndReleaseLayers|CommitLayers)`)
				if strings.Contains(payload, "now") && !strings.Contains(payload, strconv.FormatInt(mono(f.ExpectedStart), 10)) {
					t.Errorf("%s: committed as %q", what, payload)
				}
			}
			if f.Present.Known() && f.PresentEstimated {
				expect(what, 1088, f.Present, `^B\|1027\|H:Present ?Fence.* has signaled`)
			} else if f.Present.Known() {
				expect(what, 1089, f.Present, `^E\|1027\|`)
			}
			for _, work := range f.GPU {
				for i, phase := range []string{"S", "F"} {
					if work[i].Known() {
						tid := map[bool]trace.TID{true: 1087, false: 1027}[e.drawThread]
						if phase == "F" {
							tid = 1093
						}
						expect(what, tid, work[i], `^`+phase+`\|1027\|H:M: Frame queued`)
					}
				}
			}
		}

		marsh := regexp.MustCompile(`H:Marsh ?RSTransactionData.*transactionFlag:\[(\d+),(?: \d+,)? ?(\d+)\]`)
		pairs := regexp.MustCompile(`(cache |skip to)?[\[(](\d+), ?(\d+)[\])]`)
		lastIndex := map[string]int64{}
		outside := 0
		for i, l := range lines {
			if i > 0 && l.time < lines[i-1].time {
				t.Fatalf("line %d goes back in time", i)
			}
			if !l.isMark() {
				continue
			}
			switch {
			case strings.Contains(l.payload, "H:ReceiveVsync"):
				if l.tgid == strconv.Itoa(l.tid) {
					mainFrames--
				}
			case strings.Contains(l.payload, "H:OnVsyncEvent"):
				if l.tgid != strconv.Itoa(l.tid) {
					workerFrames--
				}
			case strings.Contains(l.payload, "ProcessCommandUni"):
				for _, m := range pairs.FindAllStringSubmatch(l.payload, -1) {
					if m[1] == "" {
						taken--
					}
				}
			}
			if m := marsh.FindStringSubmatch(l.payload); m != nil {
				index, _ := strconv.ParseInt(m[2], 10, 64)
				if last := lastIndex[m[1]]; last != 0 && index != last+1 {
					t.Errorf("transaction %d of %s follows %d", index, m[1], last)
				}
				lastIndex[m[1]] = index
				pid, _ := strconv.Atoi(m[1])
				if key := (Transaction{trace.PID(pid), index}); sent[key] {
					delete(sent, key)
				} else {
					outside++
				}
			}
		}
		if mainFrames != 0 || workerFrames != 0 || taken != 0 || len(sent) != 0 {
			t.Errorf("the truth has %+d main thread frames, %+d worker frames, %+d taken transactions, %d sent ones that the text has not",
				mainFrames, workerFrames, taken, len(sent))
		}
		if outside != truth.OutsideTransactions {
			t.Errorf("%d transactions outside frames, the truth says %d", outside, truth.OutsideTransactions)
		}
	})
}

// TestSlicesNest follows each thread's slices: every end has its begin, and in a
// whole trace none stays open.
func TestSlicesNest(t *testing.T) {
	slow.Skip(t)
	for _, era := range Eras() {
		c := everything(era)
		c.Kernel, c.Background = KernelHongMeng, 20000
		text, _ := simulateText(t, c)
		open := map[int]int{}
		for _, l := range readLines(t, text) {
			if !l.isMark() {
				continue
			}
			switch l.payload[0] {
			case 'B':
				open[l.tid]++
			case 'E':
				if open[l.tid]--; open[l.tid] < 0 {
					t.Fatalf("%s: thread %d at %v ends what it never began", era, l.tid, l.time)
				}
			}
		}
		for tid, n := range open {
			if n != 0 {
				t.Errorf("%s: thread %d leaves %d slices open", era, tid, n)
			}
		}
	}
}

// TestEverythingHappens guards the other tests: a kind of frame that no
// simulation makes is a kind that no test checks.
func TestEverythingHappens(t *testing.T) {
	_, truth := simulateText(t, everything("6.0"))
	c := everything("6.0")
	c.CutStart, c.CutEnd = true, true
	_, cut := simulateText(t, c)
	for _, row := range strings.Split(strings.TrimSpace(truth.Summary()), "\n") {
		if strings.Contains(row, "truncated") {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(row), "0 ") {
			t.Errorf("nothing happened: %s", row)
		}
	}
	truncated := map[Kind]int{}
	for _, f := range cut.Frames {
		if f.Truncated {
			truncated[f.Kind]++
		}
	}
	if truncated[AppFrame] == 0 || truncated[RenderFrame] == 0 {
		t.Errorf("truncated frames: %v", truncated)
	}
}

func TestTruthJSON(t *testing.T) {
	_, truth := simulateText(t, everything("6.0"))
	var b bytes.Buffer
	if err := truth.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var read Truth
	if err := json.Unmarshal(b.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	for _, f := range truth.Frames {
		f.TakenBy, f.sent, f.processed = nil, nil, 0 // not in the file
	}
	if !reflect.DeepEqual(&read, truth) {
		t.Error("what was read is not what was written")
	}
}
