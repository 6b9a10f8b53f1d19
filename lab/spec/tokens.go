package spec

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// checkBytes refuses what should not even be looked at.
func checkBytes(file string, data []byte) *Problem {
	switch {
	case len(data) > MaxBytes:
		return tooLarge(file, int64(len(data)))
	case !utf8.Valid(data):
		return &Problem{File: file, Text: "is not UTF-8 text"}
	case bytes.ContainsRune(data, 0):
		return &Problem{File: file, Text: "holds a zero byte, so it is not text"}
	}
	return checkShape(file, data)
}

func tooLarge(file string, size int64) *Problem {
	return &Problem{File: file, Text: fmt.Sprintf("holds %d bytes, allowed are %d", size, MaxBytes)}
}

// checkShape bounds brackets, indicators and separators before the lexer and
// the parser see them, which work recursively and keep much for each word. It
// counts those in text and comments too, so the bound of nesting is far above
// MaxDepth; the exact one is checked on the tree.
func checkShape(file string, data []byte) *Problem {
	const most = 40 * MaxDepth
	line, depth, entries, words := 1, 0, 0, 0
	for i, c := range data {
		switch c {
		case '\n':
			line, entries = line+1, 0
			words++
		case ',', '&', '*', '!':
			words++
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '-', '?', ':':
			if i+1 < len(data) && (data[i+1] == ' ' || data[i+1] == '\t') {
				entries++
			}
		}
		if depth > most || entries > most {
			return &Problem{File: file, Line: line, Column: 1, Text: tooDeep}
		}
		if words > maxTokens {
			return &Problem{File: file, Line: line, Column: 1, Text: tooMany}
		}
	}
	return nil
}

var tooMany = fmt.Sprintf("holds more than %d words up to here, which no file of this kind has", maxTokens)

var tooDeep = fmt.Sprintf("is nested too deep, allowed are %d levels", MaxDepth)

// tokenize splits a file into tokens and refuses those that make YAML
// surprising or dangerous.
func tokenize(file string, data []byte) (token.Tokens, []Problem) {
	tokens := lexer.Tokenize(string(data))
	if len(tokens) > maxTokens {
		return nil, []Problem{{File: file, Text: fmt.Sprintf("holds %d words, allowed are %d", len(tokens), maxTokens)}}
	}
	var problems []Problem
	for _, t := range tokens {
		if what, hint := refused(t); what != "" {
			problems = append(problems, Problem{
				File: file, Line: t.Position.Line, Column: t.Position.Column,
				Value: Quote(t.Value), Text: what, Hint: hint,
			})
		}
		if len(problems) >= maxProblems {
			break
		}
	}
	return tokens, problems
}

// maxProblems is how many problems of one kind are worth reading.
const maxProblems = 50

func refused(t *token.Token) (what, hint string) {
	const again = "write the content where it is needed"
	switch t.Type {
	case token.AnchorType:
		return "is an anchor, which is not allowed", again
	case token.AliasType:
		return "is an alias, which is not allowed", again
	case token.MergeKeyType:
		return "is a merge key, which is not allowed", again
	case token.TagType:
		return "is a tag, which is not allowed", "leave the tag out"
	case token.DirectiveType:
		return "is a directive, which is not allowed", "leave the line out"
	case token.MappingKeyType:
		return "begins a complex key, which is not allowed", "write key: value"
	case token.InvalidType:
		return "is not YAML", ""
	}
	return "", ""
}
