package flags

import (
	"slices"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe/internal/testing/must"
)

// What a struct has of flags: by their names, by default.
func TestBind(t *testing.T) {
	type values struct {
		Number   int64         `flag:"number,n" usage:"{N}"`
		Text     string        `flag:"text" usage:"{TEXT}"`
		Switch   bool          `flag:"switch" usage:"a switch"`
		Duration time.Duration `flag:"duration" usage:"{TIME}"`
		Kind     Choice        `flag:"kind" usage:"one of {}"`
		StrictFlag
		Other int // no flag
	}
	for _, c := range []struct {
		args []string
		want values
	}{
		{want: values{Number: -1}},
		{args: []string{"--number", "011"}, want: values{Number: 11}},
		{args: []string{"-n=-08"}, want: values{Number: -8}},
		{args: []string{"-n", "00"}, want: values{Number: 0}},
		{args: []string{"--text", "t", "--switch", "--duration=2s", "--kind=b", "--strict"},
			want: values{Number: -1, Text: "t", Switch: true, Duration: 2 * time.Second, Kind: Choice{Value: "b"}, StrictFlag: StrictFlag{true}}},
	} {
		got := values{Number: -1, Kind: ChoiceOf("a", "b")}
		app := &cli.App{Flags: Bind(&got), Action: func(*cli.Context) error { return nil }}
		must.NoError(t, app.Run(append([]string{"test"}, c.args...)))
		if c.want.Kind.Value == "" {
			c.want.Kind.Value = "a"
		}
		got.Kind.Of = nil
		if got.Number != c.want.Number || got.Text != c.want.Text || got.Switch != c.want.Switch || got.Duration != c.want.Duration || got.Kind.Value != c.want.Kind.Value || got.Strict != c.want.Strict {
			t.Errorf("%q: %+v, want %+v", c.args, got, c.want)
		}
	}
}

// Flags move before arguments, and what is wrong with them is said in plain words.
func TestArrange(t *testing.T) {
	values := struct {
		Number int64            `flag:"number,n" usage:"{N}"`
		Switch bool             `flag:"switch,s" usage:"a switch"`
		List   Repeated[string] `flag:"list" usage:"{X}"`
	}{List: Repeated[string]{Parse: func(s string) (string, error) { return s, nil }}}
	app := &cli.App{Name: "app", Flags: []cli.Flag{cli.HelpFlag}, Commands: []*cli.Command{
		{Name: "diff", Flags: Bind(&values)}, {Name: "one", Flags: Bind(&values)},
		{Name: "group", Subcommands: []*cli.Command{{Name: "diff", Flags: Bind(&values)}}},
	}}
	for _, c := range []struct {
		args, want []string
		err        string
	}{
		{args: []string{"one", "a", "-n", "1", "b", "--switch"}, want: []string{"one", "-n", "1", "--switch", "--", "a", "b"}},
		{args: []string{"one", "a", "--", "-n"}, want: []string{"one", "--", "a", "-n"}},
		{args: []string{"diff", "a", "--", "-n", "1", "b"}, want: []string{"diff", "-n", "1", "--", "a", "--", "b"}},
		{args: []string{"group", "diff", "a", "--", "-n"}, want: []string{"group", "diff", "--", "a", "-n"}},
		{args: []string{"one", "a", "--help", "b"}, want: []string{"one", "--help"}},
		{args: []string{"one", "a", "--help=true", "b"}, want: []string{"one", "--help"}},
		{args: []string{"one", "-n", "x", "--swich", "--switch=x", "-n=1", "-h"}, want: []string{"one", "-h"}},
		{args: []string{"one", "-s", "--switch=false", "a"}, want: []string{"one", "--switch", "--switch=false", "--", "a"}},
		{args: []string{"--version", "-v"}, want: []string{"--version", "--version"}},
		{args: []string{"one", "a", "-h=0", "b"}, want: []string{"one", "--", "a", "b"}},
		{args: []string{"one", "--list=a", "--list", "b,c"}, want: []string{"one", "--list=a", "--list", "b,c", "--"}},
		{args: []string{"one", "-n", "1", "--number=2"}, err: "--number is given twice"},
		{args: []string{"one", "-n"}, err: "-n needs a value"},
		{args: []string{"one", "-n", "0x10"}, err: `-n: "0x10" is not a number`},
		{args: []string{"one", "-n", "1_0"}, err: `-n: "1_0" is not a number`},
		{args: []string{"one", "-n", ""}, err: `-n: the value is empty`},
		{args: []string{"one", "-n", "x"}, err: `-n: "x" is not a number`},
		{args: []string{"one", "--number=1,2"}, err: `--number: one number is needed, not "1,2"`},
		{args: []string{"one", "--number=99999999999999999999"}, err: "--number: value out of range"},
		{args: []string{"one", "--switch=x"}, err: `--switch: "x" is not true or false`},
		{args: []string{"one", "--help="}, err: `--help: "" is not true or false`},
		{args: []string{"one", "--swich"}, err: "unknown flag --swich"},
		{args: []string{"one", "---switch"}, err: "bad flag syntax: ---switch"},
		{args: []string{"--bogus"}, err: "unknown flag --bogus"},
		{args: []string{"group", "-x"}, err: "unknown flag -x"},
	} {
		got, err := Arrange(app, append([]string{"app"}, c.args...))
		switch {
		case c.err != "" && (err == nil || err.Error() != c.err):
			t.Errorf("%q: %q, %v, want %s", c.args, got, err, c.err)
		case c.err == "" && (err != nil || !slices.Equal(got[1:], c.want)):
			t.Errorf("%q: %q, %v, want %q", c.args, got, err, c.want)
		}
	}
}
