package provision

import (
	"crypto/rand"
	"encoding/hex"
)

// Passwords are a run's, made anew for each. They go to the server in a file
// and to agents over standard input, and nowhere else.
type Passwords struct{ Admin, Contender string }

// NewPasswords draws passwords of at least 128 random bits.
func NewPasswords() Passwords { return Passwords{Admin: rand.Text(), Contender: rand.Text()} }

// randomName is a name that is not taken.
func randomName() string {
	var b [8]byte
	// crypto/rand never fails: it ends the program instead.
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
