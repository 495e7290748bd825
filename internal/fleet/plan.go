// Package fleet measures many traces at once.
//
//	inputs ──▶ Found, Events ──▶ MarkDuplicates ──▶ NewPlan ──▶ Runner.Run ──▶ dataset ──▶ Open ──▶ Pool, Ranking, Trend
//	files, folders                                  shards                     Parquet
//
// A shard is a set of traces that depends on nothing but their names. What Run writes of a
// shard is a function of its traces, which of them are duplicates, the options and the program's version: it does not
// matter which machine runs it, how often, and with how many workers. docs/fleet.md
// describes the dataset.
package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"ohframe"
	"ohframe/internal/diag"
	"ohframe/internal/inputs"
	"ohframe/internal/version"
)

// Options decide what is measured.
type Options struct {
	// Read is how traces are read.
	Read ohframe.Options
	// ClockChosen: the user has chosen Read.Recording.ClockOffset, so descriptions of recordings
	// do not change it.
	ClockChosen bool
	// Version is the version of the program. Parts have it as a value of their own.
	Version  string `fingerprint:"-"`
	Rules    []Rule
	Metadata *Metadata // may be nil
	// Timeout is the longest time for reading a trace; zero for any. A shard with a
	// timeout is never complete.
	Timeout time.Duration `fingerprint:"-"`
	// Frames writes a part with all frames, too.
	Frames bool
	// Shards is the number of shards; zero for one that fits the inputs. The names of
	// parts have it.
	Shards int `fingerprint:"-"`
	// Partial: the inputs are those of some shards, which may have none.
	Partial bool `fingerprint:"-"`
}

// maxShards is the largest number of shards.
const maxShards = 100_000

// Shards have about this size if their number is not given.
const (
	shardTraces = 1000
	shardBytes  = 1 << 30
)

// Plan is which traces belong to which shard of a dataset.
type Plan struct {
	Options
	Shards [][]Input // by shard, each by name, with events
	Traces int
	Events int
	Bytes  int64
	Dims   []string
	dims   *dimensions
	hash   string // of the options
}

// NewPlan distributes inputs over shards. No inputs are an error: a folder that is not
// mounted looks empty.
func NewPlan(inputs []Input, o Options) (*Plan, error) {
	dims, err := newDimensions(o.Rules, o.Metadata, inputs)
	if err != nil {
		return nil, err
	}
	if o.Frames {
		for _, c := range new(frameRow).cells(nil) {
			if slices.Contains(dims.names, c.name()) {
				return nil, &diag.Error{What: fmt.Sprintf("dimension %q: is a column of frames", c.name()), Hint: "give it another name, or leave out --frames"}
			}
		}
	}
	own := slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return in.Other })
	if len(inputs) == 0 || len(own) == 0 && !o.Partial {
		return nil, &diag.Error{What: "no traces found", Hint: "is the folder mounted, and are its files traces?"}
	}
	p := &Plan{Options: o, Dims: dims.names, dims: dims}
	for _, in := range own {
		p.Bytes += in.Size
		if in.IsEvent {
			p.Events++
		} else {
			p.Traces++
		}
	}
	shards := o.Shards
	if shards == 0 {
		shards = max(1, (len(own)+shardTraces-1)/shardTraces, int((p.Bytes+shardBytes-1)/shardBytes))
	}
	if shards < 1 || shards > maxShards {
		return nil, fmt.Errorf("%d shards: the number must be from 1 to %d", shards, maxShards)
	}
	p.Shards = make([][]Input, shards)
	for _, in := range own {
		k := shardOf(in.Name, shards)
		p.Shards[k] = append(p.Shards[k], in)
	}
	p.hash = p.hashOptions(p.Dims)
	return p, nil
}

// hashOptions returns a hash of everything but the inputs that decides rows.
func (p *Plan) hashOptions(dims []string) string {
	o := p.Options
	o.Read.Limits = o.Read.Limits.WithDefaults()
	text := version.Fingerprint(struct {
		Options
		Dims []string
	}{o, dims})
	return strconv.FormatUint(xxh3.HashString(text), 16)
}

// hashInputs returns a hash of the names and sizes of a shard's traces, of what they are
// duplicates of, and of the descriptions of their recordings and events.
func hashInputs(ctx context.Context, store Store, list []Input) string {
	h := xxh3.New()
	for _, in := range list {
		fmt.Fprintf(h, "%q %d %q\n", in.Name, in.Size, in.SameAs)
		if in.Event != nil {
			fmt.Fprintf(h, "%s%v\n", version.Fingerprint(*in.Event), in.Event.Err)
		}
		if in.IsEvent {
			continue
		}
		if m, err := store.Describe(ctx, in.Name); m != nil || err != nil {
			fmt.Fprintf(h, "%s %v\n", version.Fingerprint(m), err)
		}
		for _, name := range inputs.Beside(in.Name) {
			size, _ := store.Size(ctx, name)
			fmt.Fprintf(h, "%q %d\n", name, size)
		}
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// The folders of a dataset.
const (
	tracesFolder       = "traces"
	interactionsFolder = "interactions"
	layersFolder       = "layers"
	eventsFolder       = "events"
	failuresFolder     = "failures"
	framesFolder       = "frames"
	resultsFolder      = "results"
)

// Folders are the folders of the parts of a dataset in the order in which Run writes them: the traces last. Only some
// datasets have parts with frames.
var Folders = []string{framesFolder, failuresFolder, eventsFolder, resultsFolder, layersFolder, interactionsFolder, tracesFolder}

// partName returns the name of a shard's file in one of the folders.
func partName(shard, shards int) string {
	return fmt.Sprintf("part-%05d-of-%05d.parquet", shard, shards)
}

// parsePart parses a name that partName returns.
func parsePart(name string) (shard, shards int, ok bool) {
	if _, err := fmt.Sscanf(name, "part-%05d-of-%05d.parquet", &shard, &shards); err != nil {
		return 0, 0, false
	}
	return shard, shards, name == partName(shard, shards) && shard < shards
}

func (p *Plan) part(dir, folder string, shard int) string {
	return joinPath(dir, folder, partName(shard, len(p.Shards)))
}

// joinPath joins the elements of a path or of an address in an object store.
func joinPath(elements ...string) string {
	if strings.Contains(elements[0], "://") {
		return strings.Join(elements, "/")
	}
	return filepath.Join(elements...)
}

// metadata returns what the parts of a shard say about themselves, except keyRepeat and
// keyUnreliable.
func (p *Plan) metadata(ctx context.Context, store Store, shard int) [][2]string {
	return [][2]string{
		{keySchema, schemaVersion},
		{keyVersion, p.Version},
		{keyOptions, p.hash},
		{keyInputs, hashInputs(ctx, store, p.Shards[shard])},
		{keyShard, fmt.Sprintf("%d of %d", shard, len(p.Shards))},
		{keyTraces, strconv.Itoa(tracesOf(p.Shards[shard]))},
		{keyCauses, strconv.FormatBool(p.Read.Causes)},
	}
}

// tracesOf returns the number of inputs that are traces.
func tracesOf(inputs []Input) (n int) {
	for _, in := range inputs {
		if !in.IsEvent {
			n++
		}
	}
	return n
}

// folders are the folders that a shard has a part in.
func (p *Plan) folders() []string {
	if p.Frames {
		return Folders
	}
	return Folders[1:]
}

// Check returns an error if the folders of the dataset have other files, or parts of another
// number of shards: then parts of two runs would be mixed.
func (p *Plan) Check(ctx context.Context, store Store, dir string) error {
	for _, folder := range p.folders() {
		names, err := store.List(ctx, joinPath(dir, folder))
		if err != nil {
			return err
		}
		for _, name := range names {
			_, shards, ok := parsePart(name)
			switch {
			case strings.HasPrefix(name, "."): // of a run that goes on, or was killed
			case !ok:
				return &diag.Error{What: fmt.Sprintf("%s: the folder of the dataset contains another file, %s", dir, joinPath(dir, folder, name)), Hint: "-o DIR names another folder"}
			case shards != len(p.Shards):
				return &diag.Error{
					What: fmt.Sprintf("%s: has parts of a run with %s, and this one has %d", dir, diag.Count(shards, "shard"), len(p.Shards)),
					Hint: fmt.Sprintf("use another folder, or --shards %d", shards),
				}
			}
		}
	}
	return nil
}
