package main

import (
	"bytes"
	"io"
)

// redact keeps the password out of whatever is written, should an error of a
// library hold it.
func (c *conversation) redact(line []byte) []byte {
	secret := c.secret.Load()
	if secret == nil || len(*secret) == 0 {
		return line
	}
	return bytes.ReplaceAll(line, *secret, []byte("[redacted]"))
}

// redacting is a log without the password.
func (c *conversation) redacting(w io.Writer) io.Writer { return redactor{c, w} }

type redactor struct {
	c *conversation
	w io.Writer
}

func (r redactor) Write(p []byte) (int, error) {
	if _, err := r.w.Write(r.c.redact(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
