package report

import (
	"html/template"
	"strings"
)

// legend explains the words of every table; what stands between stars is set
// in bold.
const legend = `A block is one repetition of everything, on freshly started servers, in random order; a value is the geometric mean over blocks. A verdict needs 6 blocks: *faster* and *slower* are differences with known error rates, *equivalent* is shown to lie within 2.5 %, *~* (inconclusive) means that neither could be shown, *invalid* that too many trials are void. MDE is the smallest difference that would be found with 95 % probability. Raised numbers refer to the notes under the table. Service time is measured in a closed loop: each connection waits for its answer before it asks again. "few" stands for a p99 of fewer than 10,000 operations.`

func legendMarkdown() string {
	return strings.ReplaceAll(strings.ReplaceAll(legend, "*", "**"), "~", `\~`)
}

func legendHTML() template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(legend, "*") {
		if i%2 == 1 {
			part = "<strong>" + part + "</strong>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}
