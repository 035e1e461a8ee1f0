package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// author is a student: habits, and words for things. Two students share many
// of both, as they do who heard the same lecture.
type author struct {
	*rand.Rand
	called  map[string]string
	whiles  float64 // how often: while where for would do
	long    float64 // x = x + y
	flipped float64 // 0 < x
	helpers float64
}

func newAuthor(r *rand.Rand) *author {
	often := func() float64 { return []float64{0.05, 0.15, 0.5}[r.IntN(3)] }
	return &author{Rand: r, called: map[string]string{}, whiles: often(), long: often(), flipped: often() / 2,
		helpers: r.Float64()}
}

// names an author may give to a thing; the first is what the lecture says.
var pools = map[string]string{
	"sum": "sum total result acc s summe", "i": "i i i k n index", "j": "j j j m col inner",
	"list": "numbers values data arr nums a list scores", "max": "max largest biggest highest best maximum",
	"min": "min smallest lowest least minimum", "avg": "average avg mean", "count": "count counter cnt c howMany",
	"n": "n number num limit x value", "prime": "isPrime prime checkPrime testPrime is_prime",
	"flag": "found isPrime prime ok flag", "gcd": "gcd greatestCommonDivisor ggt findGcd euclid",
	"a": "a x first num1 p", "b": "b y second num2 q", "rest": "temp r rest t remainder old",
	"fact": "factorial fact fac computeFactorial", "prod": "result product f res fact", "year": "year y years jahr",
	"leap": "isLeap leapYear isLeapYear leap checkYear", "row": "row i r y line", "col": "col j c x column",
	"grade": "grade letter result mark g", "score": "score points mark percent",
	"sorted": "sort sortArray bubble order",
	"tmp":    "temp tmp swap t help", "rev": "reverse reversed rev r back", "digit": "digit d last rest lastDigit",
	"copy": "copy original n2 temp start", "cel": "celsius c cel temp degrees", "fah": "fahrenheit f fahr far",
	"steps": "steps count n len rounds", "pos": "position pos index at minIndex", "f1": "a first prev f1 x",
	"f2": "b second curr f2 y", "next": "next c sum f3 newValue", "part": "part task exercise run do",
	"pow": "power pow raise computePower", "base": "basis b x number", "exp": "exponent exp e n power",
	"day": "day d weekday dayNumber tag", "label": "name text dayName label s", "amount": "amount money cents rest sum",
	"coin": "coin c piece value", "even": "even evens evenCount e", "odd": "odd odds oddCount o",
	"key": "key target search wanted x", "find": "find search indexOf linearSearch locate",
}

// call gives the author's name for a thing, the same each time.
func (a *author) call(role string) string {
	if got, ok := a.called[role]; ok {
		return got
	}
	pool := strings.Fields(pools[role])
	if len(pool) == 0 {
		pool = []string{role}
	}
	pick := pool[0]
	if a.Float64() > 0.35 {
		pick = pool[a.IntN(len(pool))]
	}
	if used(a.called, pick) {
		pick = fmt.Sprintf("%s%d", pick, 2+a.IntN(2))
	}
	a.called[role] = pick
	return pick
}

func used(in map[string]string, pick string) bool {
	for _, n := range in {
		if n == pick {
			return true
		}
	}
	return false
}

func (a *author) v(role string) name { return name(a.call(role)) }

// one picks a text; the first is what the exercise asks for.
func (a *author) one(texts ...string) quote {
	if a.Float64() < 0.45 {
		return quote(texts[0])
	}
	return quote(texts[a.IntN(len(texts))])
}

// forget lets the author choose new names in the next function.
func (a *author) forget(roles ...string) {
	for _, r := range roles {
		delete(a.called, r)
	}
}

// counted loops from one value to another.
func (a *author) counted(role string, from expr, op string, to expr, body ...stmt) []stmt {
	n := a.call(role)
	if !a.coin(a.whiles) {
		return []stmt{&loop{n, from, to, op, 1, body}}
	}
	return []stmt{&decl{n, whole, from}, &while{&bin{op, name(n), to}, append(body, a.add(name(n), number(1)))}}
}

func (a *author) add(to expr, value expr) stmt {
	if a.coin(a.long) {
		return &set{to, "=", &bin{"+", to, value}}
	}
	return &set{to, "+=", value}
}

func (a *author) less(l expr, op string, r expr) expr {
	if !a.coin(a.flipped) {
		return &bin{op, l, r}
	}
	turned := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
	return &bin{turned[op], r, l}
}

// data is the list of the exercise, or one of the author's own.
func (a *author) data(given ...int) expr {
	if a.Float64() < 0.5 {
		return &items{given}
	}
	out := make([]int, 4+a.IntN(5))
	for i := range out {
		out[i] = a.IntN(100)
	}
	return &items{out}
}

// pick takes one of several words.
func (a *author) pick(pool string) string {
	words := strings.Fields(pool)
	return words[a.IntN(len(words))]
}

func (a *author) coin(p float64) bool { return a.Float64() < p }
