//go:build unix

package fakehdc

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// world is the folder of the fake. What changes between calls is in small files below
// state, so that programs that are killed leave nothing half written.
type world struct {
	dir    string
	config Config
}

// open reads the configuration.
func open() (*world, error) {
	w := &world{dir: os.Getenv(Folder)}
	if w.dir == "" {
		return nil, errors.New(Folder + " is not set")
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "config.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &w.config); err != nil {
		return nil, fmt.Errorf("config.json: %w", err)
	}
	return w, os.MkdirAll(filepath.Join(w.dir, "state"), 0o777)
}

// count adds one to a counter, a file with a byte for each.
func (w *world) count(name string) (int, error) {
	f, err := os.OpenFile(filepath.Join(w.dir, "state", name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	_, err = f.WriteString("\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return w.counted(name)
}

// counted returns a counter.
func (w *world) counted(name string) (int, error) {
	info, err := os.Stat(filepath.Join(w.dir, "state", name))
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}

// root is the root of a device's files, state the folder of what its tools remember.
func (w *world) root(d *Device) string  { return filepath.Join(w.dir, "root", d.Key) }
func (w *world) state(d *Device) string { return filepath.Join(w.dir, "state", d.Key) }
