package main

import (
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"
)

// commandText is a command as the man page and the shells' completions tell it.
type commandText struct {
	Name, Usage, Args, Description string
	Choices                        []string // what the argument may be, if that is fixed
	Files                          bool     // arguments are files
	Flags                          []flagText
}

// flagText is a flag likewise.
type flagText struct {
	Names    []string // with their dashes, the long one first
	Value    string   // placeholder of the value; empty for a switch
	Choices  []string // values that are fixed
	Kind     valueKind
	Repeated bool
	Usage    string
	Default  string // empty if there is none, or the usage tells it
}

// valueKind says with what a shell completes a value.
type valueKind string

const (
	noValue     valueKind = ""
	otherValue  valueKind = "other" // nothing that a shell could know
	fileValue   valueKind = "file"
	folderValue valueKind = "folder"
)

// describeCommands returns what users see of each command, in order.
func describeCommands(commands []*cli.Command) []commandText {
	var texts []commandText
	for _, c := range commands {
		if c.Hidden {
			continue
		}
		text := commandText{Name: c.Name, Usage: c.Usage, Args: c.ArgsUsage, Description: c.Description}
		text.Choices = choices(c.ArgsUsage)
		text.Files = c.ArgsUsage != "" && text.Choices == nil
		for _, f := range c.Flags {
			text.Flags = append(text.Flags, describeFlag(f))
		}
		// The library adds this one when it runs.
		text.Flags = append(text.Flags, describeFlag(cli.HelpFlag))
		texts = append(texts, text)
	}
	return texts
}

var placeholder = regexp.MustCompile("`(.*)`")

func describeFlag(f cli.Flag) flagText {
	var text flagText
	for _, name := range f.Names() {
		if len(name) == 1 {
			text.Names = append(text.Names, "-"+name)
		} else {
			text.Names = append(text.Names, "--"+name)
		}
	}
	doc := f.(cli.DocGenerationFlag) // all of the library's are
	text.Usage = strings.ReplaceAll(doc.GetUsage(), "`", "")
	if !doc.TakesValue() {
		return text
	}
	text.Value, text.Kind = "VALUE", otherValue
	if m := placeholder.FindStringSubmatch(doc.GetUsage()); m != nil {
		text.Value = m[1]
	}
	switch text.Value {
	case "FILE", "OUT", "OUT.tar":
		text.Kind = fileValue
	case "DIR":
		text.Kind = folderValue
	}
	text.Choices = choices(text.Value)
	_, text.Repeated = f.(*cli.GenericFlag)
	if text.Default = doc.GetDefaultText(); text.Default == "" {
		text.Default = doc.GetValue()
	}
	text.Default = strings.Trim(text.Default, `"`)
	return text
}

// choices returns the words of auto|none|DURATION that stand for themselves.
func choices(value string) []string {
	words := strings.Split(value, "|")
	if len(words) == 1 {
		return nil
	}
	var fixed []string
	for _, w := range words {
		if w == strings.ToLower(w) {
			fixed = append(fixed, w)
		}
	}
	return fixed
}
