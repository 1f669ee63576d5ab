package chat

import "slices"

// maxNotes bounds the notes of one reply, some of which quote the server.
const maxNotes = 20

// notes are short sentences about a reply, each once, in the order they came up.
type notes struct{ list []string }

func (n *notes) add(note string) {
	if len(n.list) < maxNotes && !slices.Contains(n.list, note) {
		n.list = append(n.list, note)
	}
}
