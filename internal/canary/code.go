package canary

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A code is a word and five digits, as in ORBIT-48213: a half that is easy to say
// and one in which the smallest error shows.
const (
	leastDigits = 10_000
	manyDigits  = 90_000
	// codesEach is the most codes that a task has.
	codesEach = 16
)

// words are told apart by their spelling alone; there are 128.
var words = strings.Fields(`
	AMBER ANCHOR APRON ARROW AUTUMN BADGE BAMBOO BARREL BASIN BEACON BERRY BISHOP BOTTLE BRANCH BRIDGE BRONZE
	BUCKET BUTTON CABIN CACTUS CAMEL CANDLE CANYON CARBON CARPET CASTLE CEDAR CELLAR CHERRY CIRCLE CLOVER COBALT
	COFFEE COMET COPPER CORAL COTTON CRADLE CRYSTAL DAISY DANCER DESERT DIAMOND DOLPHIN DRAGON EAGLE EMBER ENGINE
	FALCON FEATHER FERRY FIDDLE FLAME FOREST FOSSIL GARDEN GARLIC GINGER GLACIER GRANITE GUITAR HAMMER HARBOR HAZEL
	HELMET HERON HONEY ISLAND IVORY JACKET JASMINE JUNGLE KETTLE LADDER LAGOON LANTERN LEMON LINEN LIZARD LOTUS
	MAGNET MAPLE MARBLE MEADOW MELON MIRROR MONSOON MUSTARD NEEDLE NICKEL OCEAN OLIVE ORBIT ORCHID OYSTER PANTHER
	PEBBLE PEPPER PIGEON PILLOW PLANET POCKET PRAIRIE QUARTZ RABBIT RAVEN RIBBON RIVER ROCKET SADDLE SALMON SHADOW
	SILVER SPIDER SUMMER TEMPLE THUNDER TIMBER TUNNEL TURTLE VALLEY VELVET VIOLIN WALNUT WILLOW WINDOW WINTER ZEPHYR`)

// codes numbers the codes of a source: code x is at (multiplier·x + offset) in the
// list of all that there are. Both are the source's own, and the multiplier
// shares no factor with the list's length, so that no code comes twice.
type codes struct{ multiplier, offset, inverse int }

func allCodes() int { return len(words) * manyDigits }

func newCodes(key string) codes {
	digest := sha256.Sum256([]byte("codes|" + key))
	n := allCodes()
	c := codes{
		multiplier: int(binary.LittleEndian.Uint32(digest[:]))%n | 1,
		offset:     int(binary.LittleEndian.Uint32(digest[4:])) % n,
	}
	for gcd(c.multiplier, n) != 1 {
		c.multiplier += 2
	}
	c.inverse = inverse(c.multiplier, n)
	return c
}

// code is the code of a number.
func (c codes) code(number int) string {
	n := allCodes()
	at := (number%n*c.multiplier + c.offset) % n
	return fmt.Sprintf("%s-%d", words[at/manyDigits], leastDigits+at%manyDigits)
}

// number is the number of a code as the function code writes it; false: it is none.
func (c codes) number(code string) (int, bool) {
	word, digits, _ := strings.Cut(code, "-")
	i := slices.Index(words, word)
	d, err := strconv.Atoi(digits)
	if i < 0 || err != nil || d < leastDigits || d >= leastDigits+manyDigits {
		return 0, false
	}
	n := allCodes()
	at := i*manyDigits + d - leastDigits
	return (at - c.offset + n) % n * c.inverse % n, true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// inverse is the number whose product with a is 1 modulo n.
func inverse(a, n int) int {
	t, next := 0, 1
	r, rest := n, a
	for rest != 0 {
		q := r / rest
		t, next = next, t-q*next
		r, rest = rest, r-q*rest
	}
	return (t%n + n) % n
}

// written is a code as a model may write it: in any case, with other marks
// between its halves, or with a mark among its digits.
var written = regexp.MustCompile(`([A-Za-z]{3,})[^A-Za-z0-9\n]{0,3}([1-9][0-9])[,.'_ ]?([0-9]{3})`)

// codesIn are the codes that a text has, as the function code writes them.
func codesIn(text string) []string {
	var found []string
	for _, m := range written.FindAllStringSubmatchIndex(text, -1) {
		if after := m[1]; after < len(text) && isDigit(text[after]) {
			continue // a longer number
		}
		found = append(found, strings.ToUpper(text[m[2]:m[3]])+"-"+text[m[4]:m[5]]+text[m[6]:m[7]])
	}
	return found
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
