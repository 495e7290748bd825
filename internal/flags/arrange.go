package flags

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/internal/diag"
	"ohframe/internal/text"
)

// Arrange checks the flags of a command line, and moves them before the arguments, so that
// "convert TRACE -o OUT" works: the library stops at the first argument.
func Arrange(app *cli.App, args []string) ([]string, error) {
	l := line{app: app, name: app.Name, flags: append([]cli.Flag{cli.VersionFlag}, app.Flags...)}
	commands, first := app.Commands, 1
	for len(commands) > 0 && len(args) > first {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(args[first]) })
		if i < 0 {
			break
		}
		c := commands[i]
		l = line{app: app, name: l.name + " " + c.Name, flags: c.Flags, sides: c.Name == "diff" && len(l.name) == len(app.Name)}
		commands, first = c.Subcommands, first+1
	}
	l.isGroup = len(commands) > 0
	return l.arrange(args, first)
}

// line is a command line.
type line struct {
	app     *cli.App
	name    string // of the command
	flags   []cli.Flag
	sides   bool // -- separates arguments, and flags may follow
	isGroup bool // has commands: arguments are names
}

func (l *line) arrange(args []string, first int) ([]string, error) {
	flags, rest := args[:first:first], []string{"--"}
	given := map[cli.Flag]bool{}
	var failed error // the first one; help that is asked for is shown in spite of it
	fail := func(err error) { failed = cmp.Or(failed, err) }
	for i := first; i < len(args); i++ {
		arg := args[i]
		name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch dashes := len(arg) - len(strings.TrimLeft(arg, "-")); {
		case arg == "--" && l.sides && len(rest) > 1:
			rest = append(rest, arg)
			continue
		case arg == "--":
			return slices.Concat(flags, rest, args[i+1:]), failed
		case len(arg) < 2 || dashes == 0:
			if l.isGroup {
				return args, failed
			}
			rest = append(rest, arg)
			continue
		case slices.Contains(cli.HelpFlag.Names(), name) && dashes <= 2:
			help, err := strconv.ParseBool(value)
			switch {
			case joined && err != nil:
				fail(l.noBool(name, value))
				continue
			case joined && !help:
				continue
			}
			return append(args[:first:first], dashed(name)), nil // with an argument it would be help on that
		case dashes > 2 || name == "":
			fail(l.failure("bad flag syntax: " + arg))
			continue
		}
		f := Find(l.flags, "-"+name)
		if f == nil {
			fail(l.unknown(name))
			continue
		}
		if !f.TakesValue() {
			// The library refuses two names of one flag, which may be given several times.
			flags = append(flags, "--"+f.Names()[0]+strings.TrimLeft(arg, "-")[len(name):])
			if joined && !isBool(value) {
				fail(l.noBool(name, value))
			}
			continue
		}
		flags = append(flags, arg)
		if !joined {
			if i++; i == len(args) {
				fail(l.failure(dashed(name) + " needs a value"))
				break
			}
			value = args[i]
			flags = append(flags, value)
		}
		if err := check(f, value); err != nil {
			hint := l.name + " --help lists the flags"
			if e := (*diag.Error)(nil); errors.As(err, &e) {
				hint = cmp.Or(e.Hint, hint)
			}
			fail(diag.New(nil, hint, "%s: %v", dashed(name), err))
		}
		if _, repeatable := f.(*cli.GenericFlag); given[f] && !repeatable {
			fail(diag.New(nil, "it has one value; separate conditions by commas: --fail-on 'A,B'", "--%s is given twice", f.Names()[0]))
		}
		given[f] = true
	}
	if l.isGroup {
		return flags, failed
	}
	return slices.Concat(flags, rest), failed
}

// failure returns an error about flags.
func (l *line) failure(what string) error {
	return diag.New(nil, l.name+" --help lists the flags", "%s", what)
}

func (l *line) noBool(name, value string) error {
	return l.failure(dashed(name) + ": " + strconv.Quote(value) + " is not true or false")
}

// elsewhere are flags that are meant by the names that they have elsewhere. Of several, the first that a command has is.
var elsewhere = map[string][]string{
	"verbose": {"all"}, "v": {"all"}, "out": {"output"}, "f": {"format"}, "n": {"runs", "top"}, "count": {"runs", "top"}, "worst": {"top"},
	"bundle": {"app", "process"}, "package": {"app", "process"}, "app": {"process"}, "pid": {"process"}, "p": {"process", "port"},
	"vsync": {"frame"}, "only-late": {"late"}, "duration": {"time"}, "start": {"from"}, "end": {"to"}, "serial": {"device"},
}

func (l *line) unknown(name string) error {
	hint := l.name + " --help lists the flags"
	var known []string
	for _, f := range l.flags {
		known = append(known, f.Names()[0])
		if hasChoice(f, name) {
			return diag.New(nil, "did you mean --"+f.Names()[0]+" "+name+"? "+hint, "unknown flag %s", dashed(name))
		}
	}
	if i := slices.IndexFunc(elsewhere[name], func(other string) bool { return slices.Contains(known, other) }); i >= 0 {
		hint = "did you mean --" + elsewhere[name][i] + "? " + hint
	} else if commands := having(l.app.Name, l.app.Commands, func(c *cli.Command) bool { return Find(c.Flags, dashed(name)) != nil }); len(commands) > 0 {
		hint = "it is a flag of " + strings.Join(commands, ", ") + "; " + hint
	} else {
		hint = text.Suggest("--", name, known, hint)
	}
	return diag.New(nil, hint, "unknown flag %s", dashed(name))
}

// hasChoice reports whether a flag has a value among some.
func hasChoice(f cli.Flag, value string) bool {
	choice, ok := f.(*cli.StringFlag)
	return ok && slices.Contains(strings.FieldsFunc(choice.Usage, func(r rune) bool { return r == '`' || r == '|' }), value)
}

// having returns the commands that have something.
func having(before string, commands []*cli.Command, has func(*cli.Command) bool) (names []string) {
	for _, c := range commands {
		name := before + " " + c.Name
		if has(c) {
			names = append(names, name)
		}
		names = append(names, having(name, c.Subcommands, has)...)
	}
	return names
}

// Find returns the flag that an argument such as "-o" or "--output" names, or nil.
func Find(list []cli.Flag, arg string) cli.DocGenerationFlag {
	name := strings.TrimLeft(arg, "-")
	for _, f := range list {
		if name != arg && slices.Contains(f.Names(), name) {
			return f.(cli.DocGenerationFlag) // all flags of the library are
		}
	}
	return nil
}

// check returns the error of a flag's value.
func check(f cli.Flag, value string) (err error) {
	if _, isText := f.(*cli.StringFlag); !isText && strings.TrimSpace(value) == "" { // Check does it for texts
		return diag.New(nil, emptyHint, isEmpty)
	}
	switch f := f.(type) {
	case *number:
		_, err = strconv.ParseInt(value, 10, 64)
	case *durationFlag:
		_, err = parseDuration(value)
		return err
	case *cli.GenericFlag:
		return f.Value.(interface{ Check(string) error }).Check(value)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return errors.New("value out of range")
	case strings.Contains(value, ","):
		return errors.New("one number is needed, not " + strconv.Quote(value))
	}
	return errors.New(strconv.Quote(value) + " is not a number")
}

func isBool(value string) bool {
	_, err := strconv.ParseBool(value)
	return err == nil
}

// dashed returns a flag's name with its dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
