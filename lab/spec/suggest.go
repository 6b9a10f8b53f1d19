package spec

import "fmt"

// Suggest finds the allowed word that was probably meant, or "" where none is
// near enough. The distance is the number of letters inserted, removed,
// replaced or swapped (Damerau 1964); a third of the word may be wrong.
func Suggest(word string, allowed []string) string {
	if len(word) > 64 {
		return ""
	}
	best, nearest := "", max(1, len(word)/3)+1
	for _, candidate := range allowed {
		if d := distance(word, candidate); d < nearest {
			best, nearest = candidate, d
		}
	}
	return best
}

// DidYouMean is the hint for a misspelt word, or "" where none is near.
func DidYouMean(word string, allowed []string) string {
	if s := Suggest(word, allowed); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}
	return ""
}

func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}
