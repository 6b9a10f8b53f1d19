package lab

import "strconv"

// poolSetting is the setting by which a contender has fewer connections to the
// database than sessions at work: a number, or a word for as many.
const poolSetting = "pool"

// PoolSize is how many connections to the database the contender has where a
// number of sessions work at once: as many, unless its setting "pool" is a
// smaller number.
func (c Contender) PoolSize(sessions int) int {
	n, err := strconv.Atoi(c.Settings[poolSetting])
	if err != nil || n < 1 {
		return sessions
	}
	return min(n, sessions)
}
