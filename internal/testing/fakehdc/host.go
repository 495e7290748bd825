//go:build unix

package fakehdc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Main is the program: hdc or, if it is called by that name, what writes a trace.
func Main() {
	name := filepath.Base(os.Args[0])
	err := error(nil)
	if name == traceTool {
		err = writeTrace(os.Args[1])
	} else {
		err = runHDC(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "fake %s: %v\n", name, err)
		os.Exit(70) // the real one never fails
	}
}

// runHDC imitates the client. Like the real one it exits with 0 whatever happens.
func runHDC(args []string) error {
	w, err := open()
	if err != nil {
		return err
	}
	if err := w.log(args); err != nil {
		return err
	}
	answer, err := w.answer(args)
	if err != nil {
		return err
	}
	if w.config.Log != "" {
		answer = w.config.Log + "\n" + answer
	}
	if w.config.CRLF {
		answer = strings.ReplaceAll(answer, "\n", "\r\n")
	}
	_, err = io.WriteString(os.Stdout, answer)
	return err
}

// log appends the call to log.jsonl.
func (w *world) log(args []string) error {
	f, err := os.OpenFile(filepath.Join(w.dir, "log.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(args)
}

const emptyList = "[Empty]\r\n"

// answer does what the arguments say, and returns what hdc prints.
func (w *world) answer(args []string) (string, error) {
	key := ""
	if len(args) > 1 && args[0] == "-t" {
		key, args = args[1], args[2:]
	}
	if len(args) == 0 {
		return "", nil
	}
	if args[0] == "-v" || args[0] == "version" {
		if w.config.Version == "none" {
			return "hdc: a tool for something else\n", nil
		}
		return "Ver: " + cmp.Or(w.config.Version, "3.1.0e") + "\n", nil
	}
	if w.config.NoServer {
		time.Sleep(time.Duration(w.config.WaitMS) * time.Millisecond)
		fmt.Fprintln(os.Stderr, "Connect server failed")
		return "", nil
	}
	joined := strings.Join(args, " ")
	switch {
	case joined == "list targets -v":
		return w.list()
	case args[0] == "shell" && len(args) > 1, args[0] == "file" && len(args) > 1 && args[1] == "recv":
	default:
		fmt.Fprintln(os.Stderr, "usage: hdc [-t key] command")
		return "Unknown operation command...\n", nil
	}
	d, problem := w.target(key)
	if d == nil {
		return problem, nil
	}
	f, err := w.fault(joined)
	switch {
	case err != nil:
		return "", err
	case f != nil:
		return w.faulty(d, args, f)
	}
	return w.normal(d, args)
}

func (w *world) normal(d *Device, args []string) (string, error) {
	if args[0] == "shell" {
		return w.shell(d, join(args[1:]))
	}
	return w.receive(d, args[2:], nil)
}

// join joins the arguments of a command as hdc does, and removes the pair of quotes
// that the device removes.
func join(args []string) string {
	var parts []string
	for _, arg := range args {
		if strings.Contains(arg, " ") {
			arg = `"` + arg + `"`
		}
		parts = append(parts, arg)
	}
	text := strings.Trim(strings.Join(parts, " "), " ")
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	return text
}

// maxText is the number of bytes of a command that hdc passes on.
const maxText = 100_000

// list returns the answer to "list targets -v".
func (w *world) list() (string, error) {
	n, err := w.count(lists)
	if err != nil {
		return "", err
	}
	if n <= w.config.Empty {
		return emptyList, nil
	}
	var b strings.Builder
	for i := range w.config.Devices {
		d := &w.config.Devices[i]
		link, end := "USB", "\n"
		if strings.Contains(d.Key, ":") {
			link = "TCP"
		}
		if !findProfile(d.System).codes {
			end = "\thdc\n"
		}
		fmt.Fprintf(&b, "%s\t\t%s\t%s\tlocalhost%s", d.Key, link, w.stateOf(d), end)
	}
	return cmp.Or(b.String(), emptyList), nil
}

// lists is the counter of lists.
const lists = "lists"

func (w *world) stateOf(d *Device) string {
	n, _ := w.counted(lists)
	if text, err := os.ReadFile(w.lost(d)); err == nil {
		if back, _ := strconv.Atoi(string(text)); back < 0 || n < back {
			return "Offline"
		}
	}
	if d.State == "Unauthorized" && d.Authorizes > 0 && n > d.Authorizes {
		return "Connected"
	}
	return cmp.Or(d.State, "Connected")
}

// lost is the file of a device that was lost: the number of the list in which it is back,
// or -1.
func (w *world) lost(d *Device) string { return filepath.Join(w.dir, "state", "lost-"+d.Key) }

// lose loses a device.
func (w *world) lose(d *Device, f *Fault) error {
	back := -1
	if f.Back > 0 {
		n, err := w.counted(lists)
		if err != nil {
			return err
		}
		back = n + f.Back
	}
	return os.WriteFile(w.lost(d), []byte(strconv.Itoa(back)), 0o666)
}

// target returns the device that a command is for, or an answer that says that it does not exist.
func (w *world) target(key string) (*Device, string) {
	var known []*Device
	for i := range w.config.Devices {
		if d := &w.config.Devices[i]; key == "" || d.Key == key {
			known = append(known, d)
		}
	}
	if len(known) == 0 && key != "" {
		return nil, "[Fail]Not match target founded, check connect-key please\r\n"
	}
	if len(known) != 1 {
		return nil, "[Fail]ExecuteCommand need connect-key? please confirm a device by help info\r\n"
	}
	d, codes := known[0], findProfile(known[0].System).codes
	switch w.stateOf(d) {
	case "Connected":
		return d, ""
	case "Unauthorized":
		return nil, "[Fail][E000002]:The device unauthorized.\r\nThis server's public key is not set.\r\n"
	case "Denied":
		return nil, "[Fail][E000003]:The device unauthorized.\r\nThe user denied the access for the device.\r\n"
	}
	if codes {
		return nil, "[Fail][E001005] Device not found or connected\r\n"
	}
	return nil, "[Fail]Device not founded or connected\r\n"
}

// fault returns the fault that happens in a call, or nil.
func (w *world) fault(joined string) (*Fault, error) {
	for i := range w.config.Faults {
		f := &w.config.Faults[i]
		if !strings.Contains(joined, f.On) {
			continue
		}
		n, err := w.count("fault-" + strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		if n -= f.Skip; n > 0 && (f.Times == 0 || n <= f.Times) {
			return f, nil
		}
	}
	return nil, nil
}

// faulty answers a call in which a fault happens.
func (w *world) faulty(d *Device, args []string, f *Fault) (answer string, err error) {
	switch f.Do {
	case "lost":
		if err = w.lose(d, f); err == nil && args[0] == "file" {
			_, err = w.receive(d, args[2:], f)
		}
		return "", err
	case "lost after":
		if err = w.lose(d, f); err == nil {
			_, err = w.normal(d, args)
		}
		return "", err
	case "hang":
		time.Sleep(time.Duration(f.MS) * time.Millisecond)
		for parent := os.Getppid(); os.Getppid() == parent; { // until nobody waits any more
			time.Sleep(50 * time.Millisecond)
		}
		return "", nil
	case "say":
		return f.Text, nil
	case "before":
		if _, err := w.shell(d, f.Text); err != nil {
			return "", err
		}
		return w.shell(d, join(args[1:]))
	case "cut", "slow":
		return w.receive(d, args[2:], f)
	}
	return "", fmt.Errorf("unknown fault %q", f.Do)
}

// receive copies a file of the device.
func (w *world) receive(d *Device, names []string, f *Fault) (string, error) {
	if len(names) != 2 {
		return "[Fail]There is no local and remote path\r\n", nil
	}
	remote, local := names[0], names[1]
	start := time.Now()
	content, err := os.ReadFile(w.onDevice(d, remote))
	if err != nil {
		return "[Fail]Error opening file: no such file or directory, path:" + remote + "\r\n", nil
	}
	whole := len(content)
	pieces, pause := 1, time.Duration(0)
	switch {
	case f == nil:
	case f.Do == "slow":
		pieces, pause = 10, time.Duration(f.MS)*time.Millisecond
	case f.Do == "cut", f.Do == "lost":
		content = content[:whole/2]
	}
	out, err := os.Create(local)
	if err != nil {
		reason := "no such file or directory"
		if errors.Is(err, os.ErrPermission) {
			reason = "permission denied"
		}
		return "[Fail]Error opening file: " + reason + ", path:" + local + "\r\n", nil
	}
	defer out.Close()
	for chunk := range slices.Chunk(content, max(1, (len(content)+pieces-1)/pieces)) {
		if _, err := out.Write(chunk); err != nil {
			return "[Fail]Transfer Stop at:0/" + strconv.Itoa(whole) + "(Bytes), Reason: no space left on device\r\n", nil
		}
		time.Sleep(pause)
	}
	ms := max(1, time.Since(start).Milliseconds())
	return fmt.Sprintf("FileTransfer finish, Size:%d, File count = 1, time:%dms rate:%.2fkB/s\n", whole, ms, float64(whole)/float64(ms)), nil
}

// lossy is how hdc prints the output of commands up to system version 6.0: in pieces
// of 512 bytes, each as a C string.
func lossy(output []byte) string {
	var b strings.Builder
	for piece := range slices.Chunk(output, 512) {
		text, _, _ := bytes.Cut(piece, []byte{0})
		b.Write(text)
	}
	return b.String()
}
