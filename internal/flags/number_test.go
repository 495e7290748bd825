package flags

import (
	"testing"

	"github.com/urfave/cli/v2"
)

// What a command gets of a flag: by its names, by the environment, by default.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		env  string
		args []string
		want int
		set  bool
	}{
		{want: -1},
		{args: []string{"--number", "011"}, want: 11, set: true},
		{args: []string{"-n=-08"}, want: -8, set: true},
		{env: "010", want: 10, set: true},
		{env: "010", args: []string{"-n", "020"}, want: 20, set: true},
	} {
		t.Setenv("OHFRAME_TEST_NUMBER", c.env)
		app := &cli.App{
			Flags: []cli.Flag{NewNumber(cli.Int64Flag{Name: "number", Aliases: []string{"n"}, Value: -1, EnvVars: []string{"OHFRAME_TEST_NUMBER"}})},
			Action: func(got *cli.Context) error {
				if got.Int("number") != c.want || got.Int64("n") != int64(c.want) || got.IsSet("number") != c.set {
					t.Errorf("%q, %q: %d, %d, set %t", c.env, c.args, got.Int("number"), got.Int64("n"), got.IsSet("number"))
				}
				return nil
			},
		}
		if err := app.Run(append([]string{"test"}, c.args...)); err != nil {
			t.Error(err)
		}
	}
	t.Setenv("OHFRAME_TEST_NUMBER", "ten")
	app := &cli.App{Flags: []cli.Flag{NewNumber(cli.Int64Flag{Name: "number", EnvVars: []string{"OHFRAME_TEST_NUMBER"}})}, ErrWriter: t.Output(), Writer: t.Output()}
	if err := app.Run([]string{"test"}); err == nil {
		t.Error("a variable that is no number is no error")
	}
}
