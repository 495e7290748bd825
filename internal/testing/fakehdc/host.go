//go:build unix

package fakehdc

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// world is the folder of the fake. What changes between calls is in small files below
// state, so that programs that are killed leave nothing half written.
type world struct {
	Config
	dir string
}

// Main is the program: hdc or, if it is called by that name, hiperf or what writes a trace. The real
// hdc exits with 0 whatever happens.
func Main() {
	w := &world{dir: os.Getenv(Folder)}
	text, err := os.ReadFile(filepath.Join(w.dir, "config.json"))
	if err == nil {
		err = json.Unmarshal(text, &w.Config)
	}
	switch {
	case err != nil:
	case filepath.Base(os.Args[0]) == traceTool:
		err = w.writeTrace(os.Args[1], os.Args[2])
	case filepath.Base(os.Args[0]) == hiperfTool:
		err = w.hiperf(os.Args[1:])
	default:
		err = w.run(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "fake %s: %v\n", os.Args[0], err)
		os.Exit(70)
	}
}

func (w *world) run(args []string) error {
	if err := os.MkdirAll(w.state(""), 0o777); err != nil {
		return err
	}
	line, err := json.Marshal(args)
	if err == nil {
		_, err = w.count("../log.jsonl", string(line))
	}
	if err != nil {
		return err
	}
	answer, err := w.answer(args)
	if w.Log != "" {
		answer = w.Log + "\n" + answer
	}
	if w.CRLF {
		answer = strings.ReplaceAll(answer, "\n", "\r\n")
	}
	io.WriteString(os.Stdout, answer)
	return err
}

// answer does what the arguments say, and returns what hdc prints.
func (w *world) answer(args []string) (string, error) {
	f, err := w.fault(strings.Join(args, " "))
	if err != nil {
		return "", err
	}
	switch f.Do {
	case "say":
		return f.Text, nil
	case "complain":
		fmt.Fprintln(os.Stderr, f.Text)
		return "", nil
	case "hang":
		for parent := os.Getppid(); os.Getppid() == parent; { // until nobody waits any more
			time.Sleep(50 * time.Millisecond)
		}
		return "", nil
	}
	key := ""
	if len(args) > 1 && args[0] == "-t" {
		key, args = args[1], args[2:]
	}
	switch joined := strings.Join(args, " "); {
	case joined == "-v":
		return "Ver: 3.1.0e\n", nil
	case joined == "list targets -v":
		return w.list(), nil
	case !strings.HasPrefix(joined, "shell ") && !strings.HasPrefix(joined, "file recv ") && !strings.HasPrefix(joined, "install "):
		return "Unknown operation command...\n", nil
	}
	d, problem := w.target(key)
	if d == nil {
		return problem, nil
	}
	if strings.HasPrefix(f.Do, "lost") {
		back := []byte("never")
		if f.Back {
			back = []byte("next")
		}
		if err := os.WriteFile(w.state("lost-"+d.Key), back, 0o666); err != nil {
			return "", err
		}
	}
	answer := ""
	switch {
	case args[0] == "file":
		answer = w.receive(d, args[2], args[3], f)
	case args[0] == "install":
		answer, err = w.install(d, args[len(args)-1])
	case f.Do == "lost":
	case f.Do == "before":
		if _, err := w.shell(d, f.Text); err != nil {
			return "", err
		}
		fallthrough
	default:
		answer, err = w.shell(d, join(args[1:]))
	}
	if strings.HasPrefix(f.Do, "lost") {
		answer = ""
	}
	return answer, err
}

// fault returns the fault that happens in a call.
func (w *world) fault(joined string) (*Fault, error) {
	for i := range w.Faults {
		f := &w.Faults[i]
		if !strings.Contains(joined, f.On) {
			continue
		}
		n, err := w.count(fmt.Sprintf("fault-%d", i), "")
		if err != nil || f.Times == 0 || n <= f.Times {
			return f, err
		}
	}
	return &Fault{}, nil
}

// count appends a line to a file and returns the number of lines.
func (w *world) count(name, line string) (int, error) {
	f, err := os.OpenFile(w.state(name), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(f.Name())
	return bytes.Count(text, []byte("\n")), err
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

// list returns the answer to "list targets -v".
func (w *world) list() string {
	text := ""
	for i := range w.Devices {
		d := &w.Devices[i]
		link, end := "USB", "\n"
		if strings.Contains(d.Key, ":") {
			link = "TCP"
		}
		if !d.profile().codes {
			end = "\thdc\n"
		}
		text += fmt.Sprintf("%s\t\t%s\t%s\tlocalhost%s", d.Key, link, w.stateOf(d), end)
	}
	return cmp.Or(text, "[Empty]\r\n")
}

func (w *world) stateOf(d *Device) string {
	lost := w.state("lost-" + d.Key)
	switch text, _ := os.ReadFile(lost); string(text) {
	case "never":
		return "Offline"
	case "next":
		os.Remove(lost)
	}
	return cmp.Or(d.State, "Connected")
}

// target returns the device that a command is for, or the answer if it cannot be used.
func (w *world) target(key string) (*Device, string) {
	var known []*Device
	for i := range w.Devices {
		if d := &w.Devices[i]; key == "" || d.Key == key {
			known = append(known, d)
		}
	}
	switch {
	case len(known) == 0 && key != "":
		return nil, "[Fail]Not match target founded, check connect-key please\r\n"
	case len(known) != 1:
		return nil, "[Fail]ExecuteCommand need connect-key? please confirm a device by help info\r\n"
	}
	switch w.stateOf(known[0]) {
	case "Connected":
		return known[0], ""
	case "Unauthorized":
		return nil, "[Fail][E000002]:The device unauthorized.\r\nThis server's public key is not set.\r\n"
	}
	if known[0].profile().codes {
		return nil, "[Fail][E001005] Device not found or connected\r\n"
	}
	return nil, "[Fail]Device not founded or connected\r\n"
}

// receive copies a file of the device.
func (w *world) receive(d *Device, remote, local string, f *Fault) string {
	content, err := os.ReadFile(w.onDevice(d, remote))
	if err != nil {
		return "[Fail]Error opening file: no such file or directory, path:" + remote + "\r\n"
	}
	whole, pieces := len(content), 1
	switch f.Do {
	case "slow":
		pieces = 10
	case "cut", "lost", "lost after":
		content = content[:whole/2]
	}
	out, err := os.Create(local)
	if err != nil {
		return "[Fail]Error opening file: permission denied, path:" + local + "\r\n"
	}
	defer out.Close()
	for chunk := range slices.Chunk(content, max(1, (len(content)+pieces-1)/pieces)) {
		if _, err := out.Write(chunk); err != nil {
			return "[Fail]Transfer Stop at:0/" + strconv.Itoa(whole) + "(Bytes), Reason: no space left on device\r\n"
		}
		time.Sleep(time.Duration(f.MS) * time.Millisecond)
	}
	return fmt.Sprintf("FileTransfer finish, Size:%d, File count = 1, time:1ms rate:%d.00kB/s\n", whole, whole)
}

// install installs a package: the application gets its version, and is ended. One that the
// device is not configured with is not signed.
func (w *world) install(d *Device, file string) (string, error) {
	if err := w.prepare(d); err != nil {
		return "", err
	}
	var module struct {
		App struct{ BundleName, VersionName string }
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return "", err
	}
	defer z.Close()
	content, err := z.Open("module.json")
	if err == nil {
		err = json.NewDecoder(content).Decode(&module)
	}
	if err != nil {
		return "", err
	}
	message := "install bundle successfully."
	if slices.ContainsFunc(d.Apps, func(a App) bool { return a.Bundle == module.App.BundleName }) {
		os.Remove(w.of(d, "running/"+module.App.BundleName)) // it may not run
		err = os.WriteFile(w.of(d, "versions/"+module.App.BundleName), []byte(module.App.VersionName+"\n"), 0o666)
	} else {
		message = "error: failed to install bundle. code:9568320 error: no signature file."
	}
	return "[Info]App install path:" + file + ", queuesize:0, msg:" + message + "\nAppMod finish\n", err
}
