package text

// Answer is what a document says first.
type Answer struct {
	// Summary is the headline: a sentence about one subject. It is empty if there is nothing to say.
	Summary string
	// Sentences are what else users should know, what matters most first.
	Sentences []string
}

// The widths of a headline and of each further sentence, in cells, and the number of the latter. Two lines of a file
// have room for a headline.
const (
	MaxSentence  = 180
	maxSentences = 3
)

// Say adds sentences that are not empty, while there is room: the first of an answer is its headline.
func (a *Answer) Say(sentences ...string) {
	for _, s := range sentences {
		s = ShortenMiddle(s, MaxSentence*2/3, MaxSentence)
		switch {
		case s == "":
		case a.Summary == "":
			a.Summary = s
		case len(a.Sentences) < maxSentences:
			a.Sentences = append(a.Sentences, s)
		}
	}
}

// Add adds what another answer says.
func (a *Answer) Add(b Answer) {
	a.Say(b.Summary)
	a.Say(b.Sentences...)
}
