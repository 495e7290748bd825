//go:build unix

package fakehdc

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/simulate"
)

// hiperfTool is the name by which the device's shell calls this program to sample.
const hiperfTool = "hiperf"

// hiperf is "hiperf record" on a device. What it prints is in its output only when it ends, as that
// is not a terminal, and nothing if it is killed. HIPERF in Device.Set makes it fail:
//
//	missing      the device has no hiperf
//	refuses      the application is not debuggable
//	no offcpu    the event sched_switch cannot be sampled
//	no event     the kernel does not count cycles
//	late         it does not begin to sample
//	dies         it crashes while it samples, and leaves the begin of a file
//	hangs        it does not end after sampling
//	slow         it needs HIPERF_MS to write its file
//	full         the device is full: it writes no file
//	limit        it stops at the limit of its file
//	other        its samples are those of another time
//	parallel     none: it knows --parallel-symbolic
func (w *world) hiperf(args []string) error {
	key := os.Getenv("KEY")
	d := &w.Devices[slices.IndexFunc(w.Devices, func(d Device) bool { return d.Key == key })]
	if len(args) > 0 && args[0] == "help" {
		if d.Set["HIPERF"] == "parallel" {
			fmt.Println("   --parallel-symbolic\n         Enable parallel symbol resolution to speed up symbolization.")
		}
		return nil
	}
	if _, err := w.count("../log.jsonl", fmt.Sprintf("[%q, %q]", "hiperf", strings.Join(args, " "))); err != nil {
		return err
	}
	output := w.sample(d, args)
	fmt.Print(output)
	_, err := w.count("../log.jsonl", `["hiperf ended"]`)
	return err
}

// sample samples as the arguments say, and returns what hiperf prints.
func (w *world) sample(d *Device, args []string) string {
	var (
		f                                = flag.NewFlagSet("", flag.ContinueOnError)
		file                             = f.String("o", "/data/local/tmp/perf.data", "")
		app                              = f.String("app", "", "")
		rate                             = f.Int("f", 4000, "")
		length                           = f.Float64("d", 10000, "")
		clock, stack                     = f.String("clockid", "", ""), f.String("s", "", "")
		all, offCPU, without, verbose, _ = f.Bool("a", false, ""), f.Bool("offcpu", false, ""), f.Bool("exclude-hiperf", false, ""), f.Bool("verbose", false, ""), f.String("data-limit", "", "")
	)
	if d.Set["HIPERF"] == "parallel" {
		f.Bool("parallel-symbolic", false, "")
	}
	f.SetOutput(io.Discard)
	if len(args) == 0 || args[0] != "record" || f.Parse(args[1:]) != nil || f.NArg() > 0 {
		return fmt.Sprintf("'%s' option usage error, please check usage.\n", strings.Join(f.Args(), " "))
	}
	const failed = "subcommand 'record' failed\n"
	fails := d.Set["HIPERF"]
	debuggable, _ := os.ReadFile(w.of(d, "parameters/const.debuggable"))
	root := strings.TrimSpace(string(debuggable)) == "1"
	switch {
	case *all && !root:
		return "-a option needs root privilege for system wide profiling.\n"
	case *all == (*app != "") || *without && !*all:
		return "please select a target process\n"
	case *clock != "monotonic" || *stack != "fp" && *stack != "dwarf" || *length < 0.1 || *length > 10000:
		return "Invalid value\n"
	case fails == "refuses" && !root:
		return "--app option only support debug application.\n"
	}
	pid := 0
	for end := time.Now().Add(20 * time.Second); *app != ""; time.Sleep(10 * time.Millisecond) {
		i := slices.IndexFunc(d.Apps, func(a App) bool { return a.Bundle == *app })
		if _, err := os.Stat(w.of(d, "running/"+*app)); err == nil && i >= 0 {
			pid = d.Apps[i].PID
			break
		} else if time.Now().After(end) {
			return "app " + *app + " not running\n"
		}
	}
	switch {
	case fails == "no offcpu" && *offCPU:
		return "Cannot trace off CPU, event sched:sched_switch is not available (/sys/kernel/tracing/events/sched/sched_switch/enable)\n" + failed
	case fails == "no event" && *verbose:
		return "hw-cpu-cycles event is not supported by the kernel on cpu 0. reason: 2:No such file or directory\n" + failed
	case fails == "no event":
		return failed
	case fails == "late":
		time.Sleep(time.Minute)
	}
	if err := w.beginSamples(d, pid, *rate, *offCPU); err != nil {
		return err.Error() + failed
	}
	defer os.Remove(w.of(d, samplingFile))
	out, err := os.Create(*file)
	if err != nil {
		return fmt.Sprintf("can't create file(%s). 2:No such file or directory\n", *file) + failed
	}
	defer out.Close()
	interrupt := make(chan os.Signal, 10)
	signal.Notify(interrupt, syscall.SIGINT)
	limit := time.After(time.Duration(*length * float64(time.Second)))
	if fails == "limit" || fails == "dies" {
		limit = time.After(400 * time.Millisecond)
	}
	log := "Profiling duration is " + strconv.Itoa(int(*length)) + ".000 seconds.\nStart Profiling...\n"
	select {
	case <-limit:
	case <-interrupt:
		log += "\n Ctrl + C detected.\n"
		w.count("../log.jsonl", `["hiperf interrupted"]`)
	}
	signal.Ignore(syscall.SIGINT)
	switch fails {
	case "dies":
		out.Write([]byte("PERFILE2")) // which is written at once, what follows when there is much of it
		return ""
	case "hangs":
		time.Sleep(time.Minute)
	}
	content, samples := w.samples(d)
	switch fails {
	case "slow":
		ms, _ := strconv.Atoi(d.Set["HIPERF_MS"])
		time.Sleep(time.Duration(ms) * time.Millisecond)
	case "full":
		os.Remove(*file)
		return log + failed
	case "limit":
		log += "record size 1073741900 is large than limit 1073741824. stop sampling.\nsome one called StopTracking\n"
	}
	if _, err := out.Write(content); err != nil {
		return failed
	}
	return log + fmt.Sprintf("Process and Saving data...\n[ hiperf record: Captured %.3f MB perf data. ]\n[ Sample records: %d, Non sample records: 12 ]\n[ Sample lost: 0, Non sample lost: 0 ]\n",
		float64(len(content))/1e6, samples)
}

// sampleWait is how long hiperf waits for the trace of the same time, with which its samples are
// simulated. If hitrace fails, it has none.
const sampleWait = 5 * time.Second

// Files of a device's state: what hiperf samples at the moment, and the samples of the last trace.
const (
	samplingFile = "sampling.json"
	samplesFile  = "samples"
)

// maxThreads is the number of threads of an application, whose ids follow that of the process.
const maxThreads = 64

// beginSamples says what to sample of a process, or of all if pid is zero.
func (w *world) beginSamples(d *Device, pid, rate int, offCPU bool) error {
	r := simulate.Recording{Seed: 1, Rate: rate, OffCPU: offCPU, All: pid == 0, Clock: simulate.ClockMonotonic}
	for i := range maxThreads {
		r.Threads = append(r.Threads, trace.TID(pid+i))
	}
	if r.All {
		r.Threads = nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	os.Remove(w.of(d, samplesFile))
	return os.WriteFile(w.of(d, samplingFile), text, 0o666)
}

// simulate writes a trace and, if hiperf samples, stores its samples.
func (w *world) simulate(d *Device, out io.Writer, c simulate.Config) error {
	var r simulate.Recording
	text, err := os.ReadFile(w.of(d, samplingFile))
	if err != nil {
		_, err = simulate.Write(out, c)
		return err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	var samples bytes.Buffer
	truth, err := simulate.WriteWithSamples(out, &samples, c, r)
	if err == nil && d.Set["HIPERF"] == "other" {
		c.Seed += 1000
		samples.Reset()
		truth, err = simulate.WriteWithSamples(io.Discard, &samples, c, r)
	}
	if err != nil {
		return err
	}
	file := w.of(d, samplesFile)
	content := fmt.Appendf(nil, "%d\n%s", len(truth.Recording.Samples), samples.Bytes())
	return errors.Join(os.WriteFile(file+".part", content, 0o666), os.Rename(file+".part", file))
}

// samples returns the content of a file of samples, and their number.
func (w *world) samples(d *Device) (content []byte, n int) {
	for end := time.Now().Add(sampleWait); len(content) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		content, _ = os.ReadFile(w.of(d, samplesFile))
	}
	number, content, _ := bytes.Cut(content, []byte("\n"))
	n, _ = strconv.Atoi(string(number))
	return content, n
}
