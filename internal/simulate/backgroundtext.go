package simulate

import (
	"strconv"

	"ohframe/analyzer/trace"
)

// backgroundThreads run in every lane, three to a process; the verb is the lane.
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

// mark plans a counter or another marker that is not a slice.
func (l *lane) mark(c category) {
	s, pid := l.b.s, l.running.payloadPID
	n := s.noise.below(1000)
	l.plan(noiseMarkEvent, c, l.running, func(b []byte) []byte {
		switch c {
		case counterCategory:
			if n&1 == 0 {
				return s.speller.numbered(b, 'C', pid, "VSync-app-client-listeners", "I38", n)
			}
			return appendForeign(b, 'C', pid, "BufferTX - player/com.example.VideoActivity|", n)
		case trackBeginCategory:
			return appendForeign(b, 'G', pid, "CriticalWorkload|Refresh Rate Selection|", n)
		case trackEndCategory:
			return appendForeign(b, 'H', pid, "CriticalWorkload|", n)
		case trackInstantCategory:
			return appendForeign(b, 'N', pid, "CriticalWorkload|Queued: VISIBLE_REGION, layers +", n)
		}
		return appendForeign(b, 'I', pid, "next vsync expected, timer rearmed in us: ", n)
	})
}

func appendForeign(b []byte, phase byte, pid trace.PID, name string, n int64) []byte {
	b = append(b, phase, '|')
	b = strconv.AppendInt(b, int64(pid), 10)
	b = append(b, '|')
	b = append(b, name...)
	return strconv.AppendInt(b, n, 10)
}

func (l *lane) beginSlice() {
	s, pid := l.b.s, l.running.payloadPID
	i := s.noise.below(int64(len(sliceTexts)))
	level, n := sliceTexts[i].level, s.noise.below(1<<30)
	v := values{now: s.monotonicTime(l.t), id: n, fd: n & 0xfff, count: n & 0x3f, size: n &^ 0xfff}
	l.running.open = append(l.running.open, level)
	l.plan(noiseMarkEvent, beginCategory, l.running, func(b []byte) []byte {
		if level == "" {
			b = append(b, "B|"...)
			b = strconv.AppendInt(b, int64(pid), 10)
			b = append(b, '|')
			return l.b.texts[i].append(b, &v)
		}
		b = s.speller.open(b, 'B', pid)
		b = l.b.texts[i].append(b, &v)
		b = append(b, s.speller.nameEnd...)
		return s.speller.level(b, level)
	})
}

func (l *lane) endSlice() {
	s, t := l.b.s, l.running
	last := len(t.open) - 1
	level := t.open[last]
	t.open = t.open[:last]
	l.plan(noiseMarkEvent, endCategory, t, func(b []byte) []byte {
		if level == "" {
			b = append(b, "E|"...)
			return strconv.AppendInt(b, int64(t.payloadPID), 10)
		}
		return s.speller.end(b, t.payloadPID, level)
	})
}

func (l *lane) idleLine(state int64) {
	l.line(idleCategory, l.idle, func(b []byte) []byte {
		b = append(b, "cpu_idle: state="...)
		b = strconv.AppendInt(b, state, 10)
		b = append(b, " cpu_id="...)
		return strconv.AppendInt(b, int64(l.cpu), 10)
	})
}

// pages plans a run of page cache lines, which are never single.
func (l *lane) pages(c category) {
	name := "mm_filemap_add_to_page_cache"
	if c == pageDeleteCategory {
		name = "mm_filemap_delete_from_page_cache"
	}
	step := l.step
	l.step = min(step, 2*trace.Microsecond)
	for range 4 + l.b.s.noise.below(12) {
		l.b.page += 64
		page := l.b.page
		l.line(c, l.running, func(b []byte) []byte {
			b = append(b, name...)
			b = append(b, ": dev 260:132 ino 0x259ff page=0xffffff80"...)
			b = strconv.AppendInt(b, 0x70000000+page%0x8000000, 16)
			b = append(b, " pfn="...)
			b = strconv.AppendInt(b, 2_000_000+page/64%500_000, 10)
			b = append(b, " ofs="...)
			return strconv.AppendInt(b, 10_000_000+page*64%80_000_000, 10)
		})
	}
	l.step = step
}

// kernel plans one of the other lines of the kernel's.
func (l *lane) kernel(c category, owner *thread) {
	n := l.b.s.noise.below(1 << 20)
	if c == binderCategory {
		l.b.transaction++
	}
	last := l.b.transaction
	l.line(c, owner, func(b []byte) []byte {
		switch c {
		case frequencyCategory:
			b = append(b, "cpu_frequency: state="...)
			b = strconv.AppendInt(b, frequencies[n%5], 10)
			b = append(b, " cpu_id="...)
			return strconv.AppendInt(b, int64(l.cpu), 10)
		case clockRateCategory:
			b = append(b, "clock_set_rate: thermal_inte1 state="...)
			b = strconv.AppendInt(b, frequencies[n%5], 10)
			b = append(b, " cpu_id="...)
			return strconv.AppendInt(b, int64(l.cpu), 10)
		case limitsCategory:
			b = append(b, "cpu_frequency_limits: min=418000 max="...)
			b = strconv.AppendInt(b, frequencies[n%5], 10)
			b = append(b, " cpu_id="...)
			return strconv.AppendInt(b, int64(l.cpu), 10)
		case binderCategory:
			b = append(b, "binder_transaction: transaction="...)
			b = strconv.AppendInt(b, last, 10)
			b = append(b, " dest_node="...)
			b = strconv.AppendInt(b, 12_000_000+n, 10)
			b = append(b, " dest_proc=1027 dest_thread=0 reply=0 flags=0x11 code=0x"...) // one way: no reply follows
			return strconv.AppendInt(b, n&0x3f, 16)
		case binderReceivedCategory:
			b = append(b, "binder_transaction_received: transaction="...)
			return strconv.AppendInt(b, last, 10)
		case blockIssueCategory:
			b = append(b, "block_rq_issue: 12,80 RCVHS "...)
			b = strconv.AppendInt(b, 4096*(1+n&0x1f), 10)
			b = append(b, " () "...)
			b = strconv.AppendInt(b, 134_000_000+8*n, 10)
			b = append(b, " + "...)
			b = strconv.AppendInt(b, 8*(1+n&0x1f), 10)
			return append(b, " [ext.io-flush]"...)
		default:
			b = append(b, "block_rq_complete: 12,80 RCVHS () "...)
			b = strconv.AppendInt(b, 134_000_000+8*n, 10)
			b = append(b, " + "...)
			b = strconv.AppendInt(b, 8*(1+n&0x1f), 10)
			return append(b, " [0]"...)
		}
	})
}
