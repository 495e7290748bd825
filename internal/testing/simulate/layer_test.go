package simulate

import (
	"bytes"
	"fmt"
	"testing"

	"ohframe/analyzer/trace"
)

// The markers of buffers that each version writes, and those that it does not know.
func TestMarkersOfBuffers(t *testing.T) {
	markers := []struct{ since, until, text string }{
		{"3.2", "5.0.0", "H:RequestBuffer"},
		{"3.2", "4.0", "H:BufferIPCSend"},
		{"3.2", "4.0", "H:DoFlushBuffer"},
		{"3.2", "5.0.0", "H:ReleaseBuffer,previewSurface:"},
		{"4.0", "", "H:Waiting for Present Fence "},
		{"5.0.0", "", "H:FlushBuffer name: previewSurface queueId: 4410931414594 sequence: 67305"},
		{"5.0.0", "", "H:ReuseBuffer config width: "},
		{"5.0.0", "5.0.3", "strideAlignment: 8 format: 12 id: 67305"},
		{"5.0.3", "", "H:CallConsumerListener"},
		{"5.0.3", "harmonyos-6.1", "queueSize: 5expectPresentTimestamp: "},
		{"5.0.3", "harmonyos-6.1", "isAotuTimestamp: 1"},
		{"5.1.0", "", "reserveSlotNum: 0"},
		{"6.0-novulkan", "", "H:NativeWindowFlushBuffer"},
		{"harmonyos-6.1", "", "queueSize: 5,expectPresentTimestamp: "},
		{"master", "", ". uniqueId = 4410931414594."},
	}
	for _, e := range eras {
		c := Layered()
		c.Era = e.name
		text, _ := simulated(t, c)
		for _, m := range markers {
			want := e.since(m.since) && (m.until == "" || !e.since(m.until))
			if m.text == "H:Waiting for Present Fence " {
				want = want && e.presentTracker == "Present Fence"
			}
			// The names of queues are part of the calls since 5.0.
			got := bytes.Contains(text, []byte(m.text+" ")) || bytes.Contains(text, []byte(m.text+"|")) || bytes.Contains(text, []byte(m.text+"\n")) ||
				m.text != "H:RequestBuffer" && m.text != "H:DoFlushBuffer" && bytes.Contains(text, []byte(m.text))
			if m.text == "H:RequestBuffer" || m.text == "H:DoFlushBuffer" {
				got = got && !bytes.Contains(text, []byte(m.text+" name:"))
			}
			if got != want {
				t.Errorf("%s: has %q: %t", e.name, m.text, got)
			}
		}
	}
}

// A kind of buffer or frame that no simulation makes is a kind that no test checks.
func TestLayersHappen(t *testing.T) {
	list := BadLayers()
	list["all"] = Layered()
	for seed := range uint64(40) {
		c := AnyLayers(seed)
		c.Era = Eras()[seed%uint64(len(eras))]
		list[fmt.Sprint(seed)] = c
	}
	counts := map[string]int{}
	for _, c := range list {
		_, truth := simulated(t, c)
		for _, l := range truth.Layers {
			counts["layer of "+l.Framework]++
			if len(l.Cadences) == 0 {
				counts["layer without a cadence"]++
			}
			for _, b := range l.Buffers {
				for fact, has := range map[string]bool{
					b.Fate: true, b.Pace: true, "with a deadline": b.Deadline != 0, "estimated": b.PresentEstimated,
					"late without a deadline":  b.Pace == "late" && b.Deadline == 0,
					"taken before it is ready": b.Acquired != 0 && b.Ready > b.Acquired,
					"ready long after":         b.Ready.Sub(b.Queued) > 10*trace.Millisecond,
					"awaited":                  b.Requested[1].Sub(b.Requested[0]) > 5*trace.Millisecond,
					"taken and dropped":        b.Fate == "dropped" && b.Acquired != 0,
					"never taken":              b.Fate == "dropped" && b.Acquired == 0,
					"queued at no known time":  b.Queued == 0, "shown at no known time": b.Fate == "shown" && b.Present == 0,
					"shown directly": b.Render != nil && b.Render.direct,
					"after a pause":  b.Pace == "" && b.Interval == 0 && len(l.Cadences) > 0 && b.Queued > l.Buffers[0].Queued.Add(trace.Second) && b.Present != 0,
				} {
					if has {
						counts["buffer "+fact]++
					}
				}
			}
		}
		for _, f := range truth.Produced {
			for fact, has := range map[string]bool{
				"": true, " late": f.LateMain, " late on the GPU": f.LateGPU, " empty": f.Empty, " truncated": f.Truncated,
				" resynced": f.resynced != 0, " coalesced": f.Coalesced > 0, " of a render frame": f.Render != nil,
			} {
				if has {
					counts[f.Framework+" frame"+fact]++
				}
			}
		}
	}
	for _, fact := range []string{
		"layer without a cadence", "layer of ", "layer of flutter", "layer of nativevsync", "layer of choreographer",
		"buffer shown", "buffer dropped", "buffer waiting", "buffer even", "buffer long", "buffer late", "buffer early", "buffer with a deadline",
		"buffer late without a deadline", "buffer estimated", "buffer taken before it is ready", "buffer ready long after", "buffer awaited",
		"buffer taken and dropped", "buffer never taken", "buffer queued at no known time", "buffer shown at no known time",
		"buffer shown directly", "buffer after a pause",
		"nativevsync frame late", "nativevsync frame late on the GPU", "nativevsync frame empty", "nativevsync frame coalesced", "nativevsync frame of a render frame",
		"flutter frame late", "flutter frame late on the GPU", "flutter frame empty", "flutter frame truncated", "flutter frame of a render frame",
		"choreographer frame late", "choreographer frame empty", "choreographer frame resynced", "choreographer frame truncated", "choreographer frame of a render frame",
		"web frame", "web frame empty", "surfaceflinger frame",
	} {
		if counts[fact] == 0 {
			t.Errorf("nothing happened: %s", fact)
		}
	}
}

// What the truth derives from the buffers of a video agrees with what the video is.
func TestPlayback(t *testing.T) {
	for _, hz := range []int{60, 90, 120} {
		for _, fps := range []int{24, 25, 30, 60} {
			_, truth := simulated(t, Playback(hz, fps))
			l := truth.Layers[0]
			length := Playback(hz, fps).Duration - 20*ms
			if n := int(length) * fps / int(trace.Second); len(l.Buffers) < n || len(l.Buffers) > n+2 {
				t.Errorf("%d of %d: %d buffers, want %d", fps, hz, len(l.Buffers), n)
			}
			if c := l.Cadences; len(c) != 1 || (c[0].Every-trace.Second/trace.Duration(fps)).Abs() > ms/4 {
				t.Errorf("%d of %d: cadences %v", fps, hz, c)
			}
			last := trace.Time(0)
			for i, b := range l.Buffers {
				if b.Fate != "shown" && i < len(l.Buffers)-2 {
					t.Errorf("%d of %d: buffer %d is %s", fps, hz, i, b.Fate)
				}
				if hz%fps == 0 && b.Pace != "even" && b.Present != 0 && last != 0 {
					t.Errorf("%d of %d: buffer %d is %s after %v", fps, hz, i, b.Pace, b.Interval)
				}
				last = b.Present
			}
		}
	}
	c := BadLayers()["2-4-3"]
	_, truth := simulated(t, c)
	paces := map[string]int{}
	for _, b := range truth.Layers[0].Buffers {
		paces[b.Pace]++
	}
	// One interval of three is a vsync longer, one a vsync shorter.
	if n := paces["even"]; n < 6 || paces["late"] < n-1 || paces["late"] > n+1 || paces["early"] < n-1 || paces["early"] > n+1 {
		t.Errorf("2-4-3: %v", paces)
	}
}
