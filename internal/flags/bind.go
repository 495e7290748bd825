package flags

import (
	"cmp"
	"flag"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/text"
)

// Bind returns the flags that the fields of a struct are for. Parsing fills them; what they are
// before is the default. These tags say what help does:
//
//	flag      the names: "output,o"
//	usage     with the name of the value in braces: "write to {FILE}"; {} are those of a Choice
//	value     the default of a text
//	of        the values of a Choice: "us|ns"
//	default   what help says of the default, if the value does not say it
//	category
//
// The fields of embedded structs are flags, too. Fields without the tag flag are not.
func Bind(values any) (list []cli.Flag) {
	for tag, field := range fields(reflect.ValueOf(values).Elem()) {
		names := strings.Split(tag.Get("flag"), ",")
		list = append(list, bind(tag, names[0], names[1:], field.Addr().Interface()))
	}
	return list
}

// fields yields the fields of a struct that are flags.
func fields(v reflect.Value) iter.Seq2[reflect.StructTag, reflect.Value] {
	return func(yield func(reflect.StructTag, reflect.Value) bool) {
		for _, field := range reflect.VisibleFields(v.Type()) {
			if field.Tag.Get("flag") != "" && !yield(field.Tag, v.FieldByIndex(field.Index)) {
				return
			}
		}
	}
}

// quoted marks the name of a value as the library does.
var quoted = strings.NewReplacer("{", "`", "}", "`")

func bind(tag reflect.StructTag, name string, aliases []string, at any) cli.Flag {
	usage, category, byDefault := quoted.Replace(tag.Get("usage")), tag.Get("category"), tag.Get("default")
	switch at := at.(type) {
	case *bool:
		return &cli.BoolFlag{Name: name, Aliases: aliases, Category: category, Usage: usage, Destination: at, DisableDefaultText: true} // all are false
	case *string:
		*at = cmp.Or(*at, tag.Get("value"))
		return &cli.StringFlag{Name: name, Aliases: aliases, Category: category, Usage: usage, Value: *at, DefaultText: byDefault, Destination: at}
	case *Choice:
		if of := tag.Get("of"); of != "" {
			at.Of = strings.Split(of, "|")
		}
		usage = strings.Replace(usage, "``", "`"+strings.Join(at.Of, "|")+"`", 1)
		at.Value = cmp.Or(at.Value, at.Of[0])
		return &cli.StringFlag{Name: name, Aliases: aliases, Category: category, Usage: usage, Value: at.Value, Destination: &at.Value}
	case *int64:
		return &number{Int64Flag: cli.Int64Flag{Name: name, Aliases: aliases, Category: category, Usage: usage, Value: *at, DefaultText: byDefault}, value: (*decimal)(at)}
	case *time.Duration:
		return &durationFlag{cli.GenericFlag{Name: name, Aliases: aliases, Category: category, Usage: usage, Value: (*duration)(at), DefaultText: byDefault}}
	case **time.Duration:
		return &durationFlag{cli.GenericFlag{Name: name, Aliases: aliases, Category: category, Usage: usage, Value: optional{at}, DefaultText: byDefault}}
	}
	return &cli.GenericFlag{Name: name, Aliases: aliases, Category: category, Usage: usage, Value: at.(cli.Generic)}
}

// Choice is the value of a flag that has one of some values, and those. The first is the default.
type Choice struct {
	Value string
	Of    []string
}

// ChoiceOf returns a Choice.
func ChoiceOf(values ...string) Choice { return Choice{Of: values} }

// number is a flag whose value is a decimal integer. Of the library's flags for integers, 010 is 8
// and 08 an error, and job arrays and seq -w write such numbers.
type number struct {
	cli.Int64Flag
	value *decimal
}

// Apply adds the flag to a set.
func (f *number) Apply(set *flag.FlagSet) error {
	for _, name := range f.Names() {
		set.Var(f.value, name, f.Usage)
	}
	return nil
}

type decimal int64

func (n *decimal) Set(s string) error {
	x, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		*n = decimal(x)
	}
	return err
}

func (n *decimal) String() string { return strconv.FormatInt(int64(*n), 10) }

// durationFlag is a flag whose value is a duration: a number with a unit, such as 1.5s, 500ms or 1m30s, or a number of
// seconds.
type durationFlag struct{ cli.GenericFlag }

// parseDuration parses the value of such a flag.
func parseDuration(s string) (time.Duration, error) {
	text := s
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 10s, 1.5s or 500ms", s)
	}
	return d, nil
}

type duration time.Duration

func (d *duration) Set(s string) error {
	x, err := parseDuration(s)
	*d = duration(x)
	return err
}

// String returns "" for zero.
func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return trace.Duration(*d).String()
}

// optional is the value of a flag without a default.
type optional struct{ at **time.Duration }

func (o optional) Set(s string) error {
	d, err := parseDuration(s)
	*o.at = &d
	return err
}

func (optional) String() string { return "" }

// Repeated are the values of a flag that may be given several times. The library splits
// lists of strings at commas, which values may contain.
type Repeated[T any] struct {
	Parse func(string) (T, error)
	List  []T
}

// Set parses a value and appends it.
func (r *Repeated[T]) Set(s string) error {
	value, err := r.Parse(s)
	r.List = append(r.List, value)
	return err
}

// Check returns the error of a value.
func (r *Repeated[T]) Check(s string) error {
	_, err := r.Parse(s)
	return err
}

// String returns "", so that the help prints no default.
func (r *Repeated[T]) String() string { return "" }

// Rule is a rule about flags that are set.
type Rule struct {
	// Flags exclude each other. With Needs, each of them needs that one instead.
	Flags []string
	Needs string
	// Reason follows the message, Hint is advice; both may be empty.
	Reason, Hint string
}

// What is said of a value that is empty.
const (
	isEmpty   = "the value is empty"
	emptyHint = "a shell variable may not be set"
)

// Check returns an error if a text of the values that Bind bound is set and empty, if a Choice has none of its values, or
// if what is set breaks a rule.
func Check(c *cli.Context, values any, rules ...Rule) error {
	for tag, field := range fields(reflect.ValueOf(values).Elem()) {
		name, _, _ := strings.Cut(tag.Get("flag"), ",")
		if value, ok := field.Interface().(string); ok && c.IsSet(name) && strings.TrimSpace(value) == "" {
			return diag.New(nil, emptyHint, "--%s: %s", name, isEmpty)
		}
		if choice, ok := field.Interface().(Choice); ok && !slices.Contains(choice.Of, choice.Value) {
			hint := text.Suggest("", choice.Value, choice.Of, c.Command.HelpName+" --help lists the flags")
			others := having(c.App.Name, c.App.Commands, func(o *cli.Command) bool {
				f := Find(o.Flags, dashed(name))
				return f != nil && hasChoice(f, choice.Value)
			})
			switch plain := []string{"table", "text"}; {
			case slices.Contains(plain, choice.Value) && slices.Contains(plain, choice.Of[0]):
				hint = "did you mean " + choice.Of[0] + "?"
			case choice.Value == "csv" && slices.Contains(choice.Of, "json"):
				hint = "json has all numbers"
			case choice.Value == "github":
				hint = `--format markdown >>"$GITHUB_STEP_SUMMARY" writes a summary, and the exit code fails the step`
			case len(others) > 0:
				hint = others[0] + " has --" + name + " " + choice.Value + "; " + hint
			}
			return diag.New(nil, hint, "--%s: %q is not one of %s", name, choice.Value, strings.Join(choice.Of, ", "))
		}
	}
	for _, r := range rules {
		set := slices.DeleteFunc(slices.Clone(r.Flags), func(name string) bool { return !c.IsSet(name) })
		names := "--" + strings.Join(r.Flags, " and --")
		needs := " needs --"
		if len(r.Flags) > 1 {
			needs = " need --"
		}
		switch {
		case r.Needs != "" && len(set) > 0 && !c.IsSet(r.Needs):
			return diag.New(nil, r.Hint, "%s%s%s%s", names, needs, r.Needs, r.Reason)
		case r.Needs == "" && len(set) > 1:
			return diag.New(nil, r.Hint, "%s%s", names, cmp.Or(r.Reason, " cannot be combined"))
		}
	}
	return nil
}
