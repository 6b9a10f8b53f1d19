package published

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"benchlab/lab/spec"
)

// mostFaults bounds what is told of one damaged file.
const mostFaults = 20

// read reads both files of a table and tells everything that is wrong with
// them, with the line.
func read(fsys fs.FS, name string) (Table, error) {
	t, err := describe(fsys, name)
	if err == nil {
		err = t.fill(fsys)
	}
	if err != nil {
		return Table{}, fmt.Errorf("reading published table %q: %w", name, err)
	}
	return t, nil
}

func describe(fsys fs.FS, name string) (Table, error) {
	var t Table
	schema, err := Schema()
	if err != nil {
		return t, err
	}
	file := name + ".yaml"
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return t, err
	}
	if _, err := spec.Read(file, text, schema, &t); err != nil {
		// It is no file of the user's, so that it is no wrong usage either.
		return t, errors.New(err.Error())
	}
	if t.Name != name {
		return t, fmt.Errorf("%s: name is %q, want that of the file", file, t.Name)
	}
	return t, nil
}

// fill reads the rows.
func (t *Table) fill(fsys fs.FS) error {
	file := t.Name + ".csv"
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return err
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1
	records, err := in.ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(records) == 0 {
		return fmt.Errorf("%s: is empty, want a header and %d rows", file, t.Count)
	}
	var faults []error
	fault := func(line int, format string, args ...any) {
		if len(faults) < mostFaults {
			faults = append(faults, fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, args...)))
		}
	}
	t.checkHeader(records[0], func(format string, args ...any) { fault(1, format, args...) })
	if len(faults) == 0 {
		for i, row := range records[1:] {
			t.checkRow(row, func(format string, args ...any) { fault(i+2, format, args...) })
		}
	}
	if got := len(records) - 1; got != t.Count {
		fault(len(records), "%d rows, want %d", got, t.Count)
	}
	if sum := sha256.Sum256(text); len(faults) == 0 && hex.EncodeToString(sum[:]) != t.SHA256 {
		fault(1, "its content is not what %s.yaml says: sha256 %x, want %s", t.Name, sum, t.SHA256)
	}
	t.Rows = records[1:]
	return errors.Join(faults...)
}

func (t *Table) checkHeader(header []string, fault func(string, ...any)) {
	var want []string
	for _, c := range t.Columns {
		want = append(want, c.Name)
	}
	if got := strings.Join(header, ","); got != strings.Join(want, ",") {
		fault("the header is %s, want %s", spec.Quote(got), strings.Join(want, ","))
	}
}

func (t *Table) checkRow(row []string, fault func(string, ...any)) {
	if len(row) != len(t.Columns) {
		fault("%d values, want %d", len(row), len(t.Columns))
		return
	}
	for i, c := range t.Columns {
		if why := c.check(row[i]); why != "" {
			fault("column %q: %s", c.Name, why)
		}
	}
}

// check says what is wrong with a value, "" for nothing.
func (c Column) check(value string) string {
	if value == "" {
		if c.Optional {
			return ""
		}
		return "the value is missing"
	}
	switch c.Type {
	case "whole":
		if n, err := strconv.ParseInt(value, 10, 64); err != nil || n < 0 {
			return spec.Quote(value) + " is no whole number of 0 or more"
		}
	case "number":
		if _, err := NewFigure(value); err != nil {
			return err.Error()
		}
	}
	return ""
}
