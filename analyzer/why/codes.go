package why

// The texts of enumerations are their codes.

func (w Wait) MarshalText() ([]byte, error)       { return []byte(w.String()), nil }
func (s Stage) MarshalText() ([]byte, error)      { return []byte(s.String()), nil }
func (m Missing) MarshalText() ([]byte, error)    { return []byte(m.String()), nil }
func (o Outcome) MarshalText() ([]byte, error)    { return []byte(o.String()), nil }
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
