package simulate

import (
	"cmp"
	"fmt"
	"strconv"

	"ohframe/analyzer/trace"
)

// captureMix is the number of lines of each kind in a real capture of 233 ms of HarmonyOS
// 6.1 playing a video at 90 Hz: 27,843 lines, all on the HongMeng kernel. The first seven
// are the phases of markers; G, H and N are from another system, in a container.
var captureMix = []struct {
	line  string
	count int64
}{
	{"B", 5540}, {"E", 5557}, {"C", 653}, {"I", 203}, {"G", 40}, {"H", 40}, {"N", 30},
	{"sched_switch", 4670}, {"sched_wakeup", 2753}, {"sched_blocked_reason", 438},
	{"mm_filemap_delete_from_page_cache", 2326}, {"mm_filemap_add_to_page_cache", 581},
	{"cpu_idle", 2265}, {"cpu_frequency", 830}, {"clock_set_rate", 767}, {"cpu_frequency_limits", 44},
	{"binder_transaction", 355}, {"binder_transaction_received", 355},
	{"block_rq_issue", 198}, {"block_rq_complete", 198},
}

// captureLines is how many lines a second that capture has.
const captureLines = 119_400

// mixer counts lines and chooses the next kind to match the mix.
type mixer struct {
	total int64 // of the mix
	share map[string]int64
	made  map[string]int64
	lines int64
}

func newMixer() *mixer {
	m := &mixer{share: map[string]int64{}, made: map[string]int64{}}
	for _, k := range captureMix {
		m.total += k.count
		m.share[k.line] = k.count
	}
	return m
}

func (m *mixer) count(line string) {
	if m != nil {
		m.made[line]++
		m.lines++
	}
}

// lacks is how far a kind of line is behind its share, in lines times the mix's total.
func (m *mixer) lacks(line string) int64 { return m.lines*m.share[line] - m.made[line]*m.total }

// next draws a kind by its share. If that is ahead of its share, it returns the one
// that is furthest behind.
func (m *mixer) next(r *random) string {
	drawn, i := r.below(m.total), 0
	for ; drawn >= captureMix[i].count; i++ {
		drawn -= captureMix[i].count
	}
	most := captureMix[i].line
	if m.lacks(most) >= 0 {
		return most
	}
	for _, k := range captureMix {
		if m.lacks(k.line) > m.lacks(most) {
			most = k.line
		}
	}
	return most
}

// laneCount is the number of processors on which other processes run.
const laneCount = 4

// lane is one of those, with the threads that share it.
type lane struct {
	s       *sim
	core    *core
	threads []*actor
	inbox   map[*actor][]int64 // binder transactions that have not been received
}

// background is all the rest of the device. It fills the trace up to a number of lines a
// second so that, together with the pipeline's lines, the mix is that of a real capture.
type background struct {
	random *random
	from   trace.Time
	page   int64
}

// addBackground makes the threads of other processes, three to a process.
func (s *sim) addBackground() {
	if s.Background == 0 {
		return
	}
	s.mix = newMixer()
	s.background = background{random: newRandom(s.seed, 2), from: s.now}
	for n := range laneCount {
		l := &lane{s: s, core: s.newCore(clusters[0].top), inbox: map[*actor][]int64{}}
		for i, name := range backgroundThreads {
			pid := trace.PID(600 + 10*(i/3))
			a := s.newActor(pid, trace.TID(3000+100*n+i), "", fmt.Sprintf(name, n), l.core.index, 13-i, l.work)
			a.importance, a.idle = 0, true // none preempts another
			l.threads = append(l.threads, a)
		}
		s.after(trace.Duration(n)*10*trace.Microsecond, l.rouse)
	}
}

// rouse wakes a thread of an idle lane.
func (l *lane) rouse() {
	if l.core.running == nil && len(l.core.queue) == 0 && !l.s.ended {
		l.wake(nil)
		l.s.after(l.s.background.random.between(15*trace.Microsecond, 60*trace.Microsecond), l.rouse)
	}
}

// wake wakes one of the lane's sleeping threads, if there is any.
func (l *lane) wake(by *actor) {
	from := l.s.background.random.below(int64(len(l.threads)))
	for i := range l.threads {
		if a := l.threads[(int(from)+i)%len(l.threads)]; a.state == blocked && a.idle {
			l.s.machine.wake(a, by)
			return
		}
	}
}

// work is the body of a thread of other processes: it does what the mix lacks.
func (l *lane) work(a *actor) {
	s := l.s
	for {
		for _, transaction := range l.inbox[a] {
			a.kernel("binder_transaction_received: transaction=" + strconv.FormatInt(transaction, 10))
			l.pass(a)
		}
		delete(l.inbox, a)
		for next := ""; next != "sched_switch" && next != "cpu_idle" && !s.ended; {
			next = s.mix.next(s.background.random)
			l.do(a, next)
			l.pass(a)
		}
		for len(a.levels) > 0 {
			a.end()
			l.pass(a)
		}
		switch {
		case s.ended:
			a.block('S', reason{})
		case s.mix.lacks("sched_wakeup") < 0:
			a.moveTo(l.core) // it would go on
		default:
			if len(l.core.queue) == 0 && s.mix.lacks("cpu_idle") <= 0 {
				l.wake(a)
				l.pass(a)
			}
			s.after(30*trace.Microsecond, l.rouse)
			a.idle = true
			a.block('S', reason{})
			a.idle = false
		}
	}
}

// pass computes until the next line is due.
func (l *lane) pass(a *actor) {
	s := l.s
	step := laneCount * trace.Second / trace.Duration(s.Background)
	since := int64(s.now.Sub(s.background.from))
	if due := int64(s.Background) * (since / 1000) / 1_000_000; s.mix.lines < due {
		step /= 4
	}
	a.compute(max(s.unit, s.background.random.between(0, 2*step)))
}

// do does what writes a line of a kind, or what has to come before it.
func (l *lane) do(a *actor, line string) {
	s, r := l.s, l.s.background.random
	n := r.below(1 << 20)
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	cpu := " cpu_id=" + strconv.Itoa(l.core.index)
	switch line {
	case "B", "E":
		if open := len(a.levels); open > 0 && (line == "E" || open == 6) {
			a.end()
		} else {
			l.beginSlice(a)
		}
	case "C":
		if n&1 == 0 {
			a.mark(func(b []byte) []byte {
				return s.era.numbered(b, 'C', a.pid, "VSync-app-client-listeners", "I38", n%1000)
			})
			return
		}
		a.foreign("C", "BufferTX - player/com.example.VideoActivity|"+number(n%1000))
	case "I":
		a.foreign("I", "next vsync expected, timer rearmed in us: "+number(n%1000))
	case "G":
		a.foreign("G", "CriticalWorkload|Refresh Rate Selection|"+number(n%1000))
	case "H":
		a.foreign("H", "CriticalWorkload|"+number(n%1000))
	case "N":
		a.foreign("N", "CriticalWorkload|Queued: VISIBLE_REGION, layers +"+number(n%1000))
	case "sched_wakeup":
		l.wake(a)
	case "sched_blocked_reason":
		s.after(r.between(100*trace.Microsecond, 900*trace.Microsecond), func() { s.wake(a, nil) })
		a.block('S', reason{0, s.caller("fscache_page_get_and_lock")})
	case "block_rq_issue", "block_rq_complete":
		at := number(134_000_000+8*n) + " + 72 ["
		a.kernel("block_rq_issue: 12,80 RCVHS 36864 () " + at + a.name + "]")
		s.after(r.between(100*trace.Microsecond, 900*trace.Microsecond), func() {
			s.kernelLine(l.core, l.core.running, false, "block_rq_complete: 12,80 RCVHS () "+at+"0]")
			s.wake(a, nil)
		})
		a.block('D', reason{1, s.caller("io_schedule")})
	case "mm_filemap_delete_from_page_cache", "mm_filemap_add_to_page_cache":
		for range 4 + r.below(12) { // they are never single
			s.background.page += 64
			page := s.background.page
			a.kernel(line + ": dev 260:132 ino 0x259ff page=0xffffff80" + strconv.FormatInt(0x70000000+page%0x8000000, 16) +
				" pfn=" + number(2_000_000+page/64%500_000) + " ofs=" + number(10_000_000+page*64%80_000_000))
			a.compute(trace.Duration(r.below(3)) * trace.Microsecond)
		}
	case "cpu_frequency":
		s.setFrequency(l.core.index, l.core.index+1, frequencies[n%5])
	case "clock_set_rate":
		a.kernel("clock_set_rate: thermal_inte1 state=" + strconv.Itoa(frequencies[n%5]) + cpu)
	case "cpu_frequency_limits":
		a.kernel("cpu_frequency_limits: min=418000 max=" + strconv.Itoa(frequencies[n%5]) + cpu)
	case "binder_transaction", "binder_transaction_received": // one way: no reply follows
		s.binder++
		a.kernel("binder_transaction: transaction=" + number(s.binder) + " dest_node=" + number(12_000_000+n) +
			" dest_proc=1027 dest_thread=0 reply=0 flags=0x11 code=0x" + strconv.FormatInt(n&0x3f, 16))
		to := l.threads[n%int64(len(l.threads))]
		l.inbox[to] = append(l.inbox[to], s.binder)
	}
}

// frequencies in kHz that processors change between.
var frequencies = [...]int{418000, 840000, 1530000, 1880000, 2270000}

// foreign writes a marker of another system in a container.
func (a *actor) foreign(phase, text string) {
	a.mark(func(b []byte) []byte {
		b = append(append(b, phase...), '|')
		return append(append(strconv.AppendInt(b, int64(cmp.Or(a.container, a.pid)), 10), '|'), text...)
	})
}

func (l *lane) beginSlice(a *actor) {
	s := l.s
	i := s.background.random.below(int64(len(sliceTexts)))
	level, n := sliceTexts[i].level, s.background.random.below(1<<30)
	text := string((&values{
		now: s.monotonicTime(s.now), id: n, fd: n & 0xfff, count: n & 0x3f, size: n &^ 0xfff,
	}).append(nil, sliceTexts[i].text))
	if level == "" {
		a.open(text)
		return
	}
	a.begin(text, level)
}

// backgroundThreads run in every lane; the verb is the lane.
var backgroundThreads = []string{
	"OS_IPC_%d_2845", "OS_FFRT_%d_3", "audio_render_%d",
	"media.codec_%d", "HiPlayer_%d_VID", "sensor_poll_%d",
	"net_worker/%d", "wlan bus rx %d", "ext.io-flush-%d",
	"BinderPool:%d", "decode thread %d", "ui.compositor_%d",
}

// sliceTexts are names of background slices with their levels; those without a
// level come from another system in a container, whose markers have no `H:`.
var sliceTexts = []struct{ text, level string }{
	{"AttachBuffer", "M0538"},
	{"AcquireBuffer name: video {count} [full screen] SurfaceView#{id} queueId: {fd}", "M0538"},
	{"acquire buffer sequence: {id} desiredPresentTimestamp: {now}", "M0538"},
	{"ReleaseBuffer name: video{count}Surface queueId: {id} seq: {fd}", "M0538"},
	{"RecordFlushTime vsyncId:{id}, flushTimestamp:{now}", "M0538"},
	{"FreeDmaBuffer", "I38"},
	{"UnmapBuffer fd:{fd},size:{size}", "I38"},
	{"Acquire Fence {id} has signaled", "I38"},
	{"RenderSink::WriteFrame", "I35"},
	{"Mixer::Process rate[{fd}]_len[{count}]", "I35"},
	{"power budget margin {count} rate {fd}", "I39"},
	{"NotifyDataShare subscriber:{count}", "I33"},
	{"[{id},2,1]#IRemoteObject::SendRequest code:{count}", "M31"},
	{"vsync wait", ""},
	{"queueBuffer", ""},
	{"dequeueBuffer", ""},
	{"traversal", ""},
	{"frame update {id}", ""},
	{"draw-VRI[VideoActivity]", ""},
	{"Lock contention on a monitor lock (owner tid: {fd})", ""},
	{"layer {id} video/com.example.player.VideoActivity#{count}: latch, {fd} pending transactions", ""},
	{"postAndWait", ""},
	{"onMessageReceived {count}", ""},
	{"Binder transaction to service #{count}", ""},
	{"inflate view_item_{count}", ""},
	{"composition strategy prediction", ""},
}
