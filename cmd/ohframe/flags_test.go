package main

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// A number with zeros in front is decimal, in arguments and in variables of the environment.
func TestNumberFlags(t *testing.T) {
	app := newApp()
	numbers := 0
	var check func(path string, list []*cli.Command)
	check = func(path string, list []*cli.Command) {
		for _, c := range list {
			check(path+c.Name+" ", c.Subcommands)
			for _, f := range c.Flags {
				name := path + c.Name + " --" + f.Names()[0]
				kind := reflect.TypeOf(f).Elem()
				if strings.HasPrefix(kind.String(), "cli.") && (strings.Contains(kind.Name(), "Int") || strings.Contains(kind.Name(), "Float")) {
					t.Errorf("%s is a %s", name, kind)
				}
				set := flag.NewFlagSet("", flag.ContinueOnError)
				if err := f.Apply(set); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				value := set.Lookup(f.Names()[0]).Value
				if value.Set("9") != nil || value.Set("x") == nil {
					continue // no number
				}
				numbers++
				for text, want := range map[string]string{"010": "10", "08": "8", "00": "0", "011": "11"} {
					if err := value.Set(text); err != nil || value.String() != want {
						t.Errorf("%s %s is %s, %v; want %s", name, text, value, err, want)
					}
				}
				for _, text := range []string{"0x10", "1_0", "0b1", "0o7", "", "1.5"} {
					if value.Set(text) == nil {
						t.Errorf("%s %q is %s, want an error", name, text, value)
					}
				}
			}
		}
	}
	check("", app.Commands)
	if numbers < 20 {
		t.Errorf("%d flags with numbers", numbers)
	}
}
