package fleet

// The documents in JSON.
type (
	datasetDocument struct {
		Name       string         `json:"name"`
		Version    string         `json:"version"`
		Shards     int            `json:"shards"`
		Missing    []int          `json:"missing_shards"`
		Traces     int            `json:"traces"`
		Unreliable int            `json:"unreliable_traces"`
		Failures   map[Reason]int `json:"failures"`
		Events     map[string]int `json:"events"`
	}
)

func (d *Dataset) json() datasetDocument {
	return datasetDocument{d.Dir, d.Version, d.Shards, append([]int{}, d.Missing...), d.Traces, d.Unreliable, d.Failures, d.Events}
}

// keyDocument returns nil for no group.
func keyDocument(by []string, key []*string) map[string]*string {
	if key == nil {
		return nil
	}
	d := map[string]*string{}
	for i, name := range by {
		d[name] = key[i]
	}
	return d
}

func anys[T any](list []T) (values []any) {
	for _, x := range list {
		values = append(values, x)
	}
	return values
}
