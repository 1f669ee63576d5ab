package prose

import "strings"

// class is what a word is in a sentence.
type class int

const (
	adjective class = iota
	noun
	verb
	preposition
	classes
)

// lists are short, common words: most tokenizers hold each of them, with a space
// before it, as one token.
var lists = [classes]string{
	adjective: "old new small large long short high low early late good bad great little young dark light warm cold hot soft hard clear clean " +
		"rich poor strong quiet slow fast deep wide open full empty heavy fresh dry wet green red blue black white brown gray golden simple common " +
		"rare local public private modern ancient happy sad brave calm kind wild safe sharp",
	noun: "house river road garden window door table chair book letter paper market farmer teacher doctor driver worker child woman man friend " +
		"family village city country mountain forest tree flower field horse dog cat bird fish boat ship train car wheel bridge wall stone glass " +
		"water fire wind rain snow morning evening night summer winter spring school church hospital office factory kitchen room floor street " +
		"corner island beach ocean lake hill valley bread milk fruit apple meat coffee sugar salt music song story picture game clock lamp box bag",
	verb: "saw found took made kept left moved carried opened closed watched followed reached crossed passed built sold bought held used gave " +
		"wanted needed liked loved knew heard felt met helped showed turned pulled pushed dropped lifted washed cleaned painted covered filled",
	preposition: "near behind under above across beside inside outside through around before after along toward over with without from",
}

// words of a class.
func (c class) words() []string { return strings.Fields(lists[c]) }

// shape is a sentence: a fixed word, or one of a class.
type shape []slot

type slot struct {
	fixed string
	class class
}

// shapes are the sentences that the text is made of; each ends in a full stop.
var shapes = []shape{
	form("the A N V the A N P the N ."),
	form("the N V the N and the A N ."),
	form("P the A N the N V the A N ."),
	form("the A N and the N V the N P the A N ."),
	form("the N P the N V the A N ."),
}

func form(pattern string) shape {
	var s shape
	for _, word := range strings.Fields(pattern) {
		switch word {
		case "A":
			s = append(s, slot{class: adjective})
		case "N":
			s = append(s, slot{class: noun})
		case "V":
			s = append(s, slot{class: verb})
		case "P":
			s = append(s, slot{class: preposition})
		default:
			s = append(s, slot{fixed: word})
		}
	}
	return s
}
