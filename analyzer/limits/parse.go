package limits

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the suffixes of numbers.
var units = []struct {
	suffix string
	factor int
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	{"k", 1e3}, {"M", 1e6}, {"G", 1e9},
}

// Set sets limits from a text such as "frames=2M" or "frames=2M,line=128KiB".
func (l *Limits) Set(text string) error {
	for setting := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=NUMBER", setting)
		}
		limit := find(name)
		if limit == nil {
			return fmt.Errorf("%q is not a limit; the limits are %s", name, names())
		}
		number, err := parseNumber(value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if limit.Most > 0 && number > limit.Most {
			return fmt.Errorf("%s: at most %d", name, limit.Most)
		}
		*limit.field(l) = number
	}
	return nil
}

// String returns "", so that flags print no default. The usage text has it.
func (l *Limits) String() string { return "" }

func find(name string) *Limit {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

func names() string {
	var list []string
	for _, limit := range All {
		list = append(list, limit.Name)
	}
	return strings.Join(list, ", ")
}

// parseNumber parses a number of at least 1.
func parseNumber(text string) (int, error) {
	digits, factor := strings.TrimSuffix(text, "B"), 1
	for _, unit := range units {
		if rest, ok := strings.CutSuffix(digits, unit.suffix); ok {
			digits, factor = rest, unit.factor
			break
		}
	}
	number, err := strconv.Atoi(digits)
	if err != nil || number < 1 || number > math.MaxInt/factor {
		return 0, fmt.Errorf("%q is not a number of at least 1, such as 3, 20k or 64MiB", text)
	}
	return number * factor, nil
}

// Number formats a limit as Set parses it.
func Number(n int) string {
	for i := 2; i >= 0; i-- {
		if unit := units[i]; n%unit.factor == 0 {
			return strconv.Itoa(n/unit.factor) + unit.suffix
		}
	}
	return strconv.Itoa(n)
}
