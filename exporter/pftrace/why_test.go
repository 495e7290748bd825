package pftrace

import (
	"os"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/internal/testing/must"
)

// TestWhy compares the slices of two frames with what their lines state. In the first, the
// main thread waits for a worker that holds a lock; the second begins late.
func TestWhy(t *testing.T) {
	text := must.Get(os.ReadFile("../../testdata/why/waits.ftrace"))(t)
	data, _ := convert(t, string(text), Options{Analysis: analysis.Options{Causes: true}})
	all := packetSections(t, data)
	within := func(lines []string, prefix string) (list rows) {
		for _, line := range lines {
			if strings.HasPrefix(line, "100 "+prefix) {
				list = append(list, line)
			}
		}
		return list
	}
	compare(t, "slices", append(within(all["tracks"], "Why 112"), append(within(all["tracks"], "Why 113"), within(all["tracks"], "Waited for 112")...)...), rows{
		"100 Why 1120000000..1120150000 waiting for the vsync · start",
		"100 Why 1120150000..1120170000 waiting for a CPU · start",
		"100 Why 1120170000..1120180000 running · start",
		"100 Why 1120180000..1120190000 running · ReceiveVsync",
		"100 Why 1120190000..1120200000 running · OnVsyncEvent",
		"100 Why 1120200000..1120210000 running · UIVsyncTask",
		"100 Why 1120210000..1121200000 running · FlushLayoutTask",
		"100 Why 1121200000..1130150000 waiting for a thread of the same process · FlushLayoutTask · gallery:worker",
		"100 Why 1130150000..1130170000 waiting for a CPU · FlushLayoutTask",
		"100 Why 1130170000..1131180000 running · FlushLayoutTask",
		"100 Why 1131180000..1131190000 running · UIVsyncTask",
		"100 Why 1131190000..1131200000 running · FlushMessages",
		"100 Why 1131200000..1131220000 running · MarshRSTransactionData",
		"100 Why 1131220000..1131230000 running · FlushMessages",
		"100 Why 1131230000..1131240000 running · UIVsyncTask",
		"100 Why 1131240000..1131250000 running · OnVsyncEvent",
		"100 Waited for 1121200000..1130140000 gallery:worker · running · HoldLock",
	})
	// The worker lets the main thread go on.
	compare(t, "arrow", within(all["arrows"], "Waited for 112"), rows{
		"100 Waited for 1121200000 gallery:worker · running · HoldLock -> 100 Why 1130150000 waiting for a CPU · FlushLayoutTask"})
	// The frame of vsync 17 ends at 1178750000.
	compare(t, "a frame that begins late", within(all["tracks"], "Why 1170000000"), rows{"100 Why 1170000000..1178750000 busy with an earlier frame · 17"})
	// The frame of vsync 13 ends 1.25 ms after its deadline, the next one in time. Both have their value from their begin on.
	compare(t, "lost time", append(within(all["counters"], "Lost time 112"), within(all["counters"], "Lost time 113")...), rows{"100 Lost time 1120180000 1.25", "100 Lost time 1131290000 0"})
}
