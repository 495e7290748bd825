package why

import (
	"bytes"
	"strconv"

	"ohframe/analyzer/trace"
)

// field returns the text behind key up to the next blank, nil if key is absent.
func field(args []byte, key string) []byte {
	i := bytes.Index(args, []byte(key))
	if i < 0 {
		return nil
	}
	text := args[i+len(key):]
	if end := bytes.IndexByte(text, ' '); end >= 0 {
		text = text[:end]
	}
	return text
}

// number parses a decimal number or, behind 0x, a hexadecimal one.
func number(text []byte) (uint64, bool) {
	base := 10
	if bytes.HasPrefix(text, []byte("0x")) {
		text, base = text[2:], 16
	}
	n, err := strconv.ParseUint(string(text), base, 64)
	return n, err == nil
}

type reason struct {
	tid    trace.TID
	iowait bool
	caller []byte
}

// parseReason parses "pid=61 iowait=1 caller=io_schedule+0x48/0x60 delay=12".
func parseReason(args []byte) (reason, bool) {
	tid, ok := number(field(args, "pid="))
	iowait := field(args, "iowait=")
	return reason{trace.TID(tid), len(iowait) == 1 && iowait[0] == '1', field(args, "caller=")}, ok
}

// maxFrequency is above the frequency of any processor, in kHz.
const maxFrequency = 1 << 24

// parseFrequency parses "state=1720000 cpu_id=4".
func parseFrequency(args []byte) (kHz uint32, cpu trace.CPU, ok bool) {
	state, ok := number(field(args, "state="))
	n, ok2 := number(field(args, "cpu_id="))
	return uint32(state), trace.CPU(n), ok && ok2 && state > 0 && state <= maxFrequency && n < maxCPUs
}

type transaction struct {
	id     uint64
	thread trace.TID // to which a reply goes
	reply  bool
	flags  uint32
}

// parseTransaction parses "transaction=81 dest_node=5 dest_proc=1864 dest_thread=0
// reply=0 flags=0x10 code=0xa".
func parseTransaction(args []byte) (t transaction, ok bool) {
	if t.id, ok = number(field(args, "transaction=")); !ok {
		return t, false
	}
	thread, _ := number(field(args, "dest_thread="))
	reply, _ := number(field(args, "reply="))
	flags, _ := number(field(args, "flags="))
	t.thread, t.reply, t.flags = trace.TID(thread), reply != 0, uint32(flags)
	return t, true
}

// parseReceived parses "transaction=81".
func parseReceived(args []byte) (id uint64, ok bool) { return number(field(args, "transaction=")) }

// parseRequest parses the device and sector of "12,80 RCVHS 36864 () 134165536 + 72
// [comm]".
func parseRequest(args []byte) (q request, ok bool) {
	device, rest, _ := bytes.Cut(args, []byte(" "))
	major, minor, _ := bytes.Cut(device, []byte(","))
	a, ok1 := number(major)
	b, ok2 := number(minor)
	plus := bytes.LastIndex(rest, []byte(" + "))
	if plus < 0 {
		return q, false
	}
	sector, ok3 := number(rest[bytes.LastIndexByte(rest[:plus], ' ')+1 : plus])
	return request{a<<32 | b, sector}, ok1 && ok2 && ok3
}
