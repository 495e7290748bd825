// Command rawfile writes a simulated text trace in a binary format:
//
//	rawfile -to sys|linux-sys|htrace [-plain] TEXT OUT
package main

import (
	"flag"
	"fmt"
	"os"

	"ohframe/internal/testing/simulate/rawfile"
)

func main() {
	to := flag.String("to", "sys", "the `format`: sys (HongMeng's), linux-sys or htrace")
	offset := flag.Duration("offset", 0, "the time that the device had slept, for the clocks of an .htrace")
	plain := flag.Bool("plain", false, "zeros in padding, as hitrace_converter.py needs them")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*to, flag.Arg(0), flag.Arg(1), int64(*offset), *plain); err != nil {
		fmt.Fprintln(os.Stderr, "rawfile:", err)
		os.Exit(1)
	}
}

func run(to, in, out string, offset int64, plain bool) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	events, err := rawfile.Parse(text)
	if err != nil {
		return err
	}
	var file []byte
	switch to {
	case "sys", "linux-sys":
		file, _ = rawfile.Sys(events, rawfile.SysOptions{HongMeng: to == "sys", BaseInfo: true, Garbage: !plain})
	case "htrace":
		file, _ = rawfile.Htrace(events, rawfile.HtraceOptions{Offset: offset, Padded: true})
	default:
		return fmt.Errorf("unknown format %q", to)
	}
	return os.WriteFile(out, file, 0o644)
}
