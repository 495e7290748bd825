package binarytrace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/internal/source/binarytrace"
	"ohframe/internal/testing/must"
)

// real returns a file of a device, or skips the test.
func real(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("../../../../shared/traces/binary", name))
	if err != nil {
		t.Skip(err)
	}
	return file
}

// Every record of a phone's trace is a line or counted. The records are counted here by
// a walk over the pages of its own.
func TestRealSys(t *testing.T) {
	file := real(t, "hongmeng-12cpu-part.sys")
	le := binary.LittleEndian
	records := 0
	for at := 12; at < len(file); {
		kind, length := file[at], int(le.Uint32(file[at+4:]))
		at += 8
		for page := at; kind == 4 && page < at+length; page += 4096 {
			for entry := page + 17; ; records++ {
				size := int(le.Uint16(file[entry+4:]))
				if size == 0 {
					break
				}
				entry += 6 + (size+3)/4*4
			}
		}
		at += length
	}
	text, warnings := read(t, file, binarytrace.Options{})
	lines := describe(t, text)
	sameEvents(t, file)
	const unknown = 1
	if want := fmt.Sprintf("[%d × event of an unknown id; skipped]", unknown); len(lines)+unknown != records || fmt.Sprint(warnings) != want {
		t.Errorf("%d lines of %d records, %s; want %s", len(lines), records, warnings, want)
	}
	// Each processor's switches form a chain: the thread that leaves is the one that
	// came. The file has three of eight sections, so each chain may break twice.
	current, links, breaks := map[string]string{}, 0, 0
	for _, l := range lines {
		if !strings.Contains(l, " sched_switch: ") {
			continue
		}
		cpu := strings.Fields(l)[2]
		prev, next := between(l, "prev_pid=", " "), between(l+" ", "next_pid=", " ")
		if before, known := current[cpu]; known {
			if before != prev {
				breaks++
			}
			links++
		}
		current[cpu] = next
	}
	if links < 3000 || breaks > 2*len(current) {
		t.Errorf("%d breaks in the chains of %d switches", breaks, links)
	}
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// Pages of a Linux kernel, without the rest of a file: every page ends where its commit
// says, and the numbers of events are those of the profiler's own test.
func TestRealLinuxPages(t *testing.T) {
	const format = `name: sched_switch
ID: 186
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char prev_comm[16];	offset:8;	size:16;	signed:1;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:char next_comm[16];	offset:40;	size:16;	signed:1;
	field:pid_t next_pid;	offset:56;	size:4;	signed:1;

print fmt: "prev_comm=%s prev_pid=%d ==> next_comm=%s next_pid=%d", REC->prev_comm, REC->prev_pid, REC->next_comm, REC->next_pid
`
	file := []byte("\x49\xdf\x00\x00\x01\x00\x00\x00\x06\x00\x00\x00")
	section := func(kind byte, content []byte) {
		file = binary.LittleEndian.AppendUint32(append(file, kind, 0, 0, 0), uint32(len(content)))
		file = append(file, content...)
	}
	section(1, []byte(format))
	for cpu := range 3 {
		section(byte(4+cpu), real(t, fmt.Sprintf("linux-pages-cpu%d.raw", cpu)))
	}
	section(2, real(t, "linux-pages.comm"))
	section(3, real(t, "linux-pages.tgid"))
	text, warnings := read(t, file, binarytrace.Options{})
	lines := describe(t, text)
	unknown := 0
	if len(warnings) != 1 {
		t.Fatalf("%q", warnings)
	}
	must.Get(fmt.Sscanf(warnings[0], "%d × event of an unknown id", &unknown))(t)
	if want := 3042 + 1372 + 1565; len(lines)+unknown != want {
		t.Errorf("%d lines and %d events of other ids, want %d", len(lines), unknown, want)
	}
	current := map[string]string{}
	for _, l := range lines {
		cpu := strings.Fields(l)[2]
		prev := between(l, "prev_comm=", " prev_pid") + between(l, "prev_pid=", " ")
		if before, known := current[cpu]; known && before != prev {
			t.Errorf("processor %s: %s leaves, but %s came: %s", cpu, prev, before, l)
		}
		current[cpu] = between(l, "next_comm=", " next_pid") + between(l+" ", "next_pid=", " ")
	}
}

// Traces of hiprofiler without ftrace name the plugins that they have.
func TestRealHtrace(t *testing.T) {
	for name, plugins := range map[string]string{
		"hiprofiler-ability.htrace": "cpu-plugin, diskio-plugin, network-plugin, process-plugin, memory-plugin",
		"hiprofiler-ffrt.htrace":    "ffrt-profiler",
	} {
		file := real(t, name)
		_, err := binarytrace.Open(bytes.NewReader(file), int64(len(file)), binarytrace.Options{})
		if e := (*binarytrace.Error)(nil); !errors.As(err, &e) || e.What != "a hiprofiler trace without ftrace data; it has "+plugins {
			t.Errorf("%s: %v", name, err)
		}
	}
}
