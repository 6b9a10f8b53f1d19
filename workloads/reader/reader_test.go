package reader

import (
	"encoding/hex"
	"testing"

	"benchlab/workloads"
)

// TestKey holds the function of rows still: prepared data of earlier versions
// would be wrong otherwise, and Version would have to be raised.
func TestKey(t *testing.T) {
	for _, c := range []struct {
		seed  uint64
		index int
		want  string
	}{
		{0, 0, "00000000000080008000000000000000"},
		{7, 0, "e7c42a0b88f98e4f92ae30237b17df14"},
		{7, 999_999, "4dba5183c67c846bb1956cf847a4d23f"},
	} {
		key := Key(c.seed, c.index)
		if got := hex.EncodeToString(key[:]); got != c.want {
			t.Errorf("Key(%d, %d) = %s, want %s", c.seed, c.index, got, c.want)
		}
	}
	seen := map[[16]byte]bool{}
	ascending := 0
	for i := range 10_000 {
		key, next := Key(7, i), Key(7, i+1)
		if seen[key] {
			t.Fatalf("Key(7, %d) is there already", i)
		}
		seen[key] = true
		if key[6]>>4 != 8 || key[8]>>6 != 2 {
			t.Fatalf("Key(7, %d) is no uuid of version 8: %x", i, key)
		}
		if string(key[:]) < string(next[:]) {
			ascending++
		}
	}
	if ascending < 4500 || ascending > 5500 { // half of them in random order
		t.Errorf("%d of 10000 keys are followed by a larger one", ascending)
	}
}

// TestVerify reads tables as a contender does.
func TestVerify(t *testing.T) {
	w, d := Workload(), workloads.Data{Seed: 7}
	for i, table := range w.Tables {
		var tally Tally
		rows := table.Rows(d)
		for index := range rows {
			tally.Add(Key(d.Seed, index))
		}
		r, k := tally.Result(), w.Kinds[i+1]
		if err := k.Verify(d, workloads.Op{}, r); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		for name, wrong := range map[string]workloads.Result{
			"a row less":    {Rows: r.Rows - 1, Number: r.Number},
			"another key":   {Rows: r.Rows, Number: r.Number + 1},
			"no row at all": {},
		} {
			if err := k.Verify(d, workloads.Op{}, wrong); err == nil {
				t.Errorf("%s: %s was taken", k.Name, name)
			}
		}
		if n := testing.AllocsPerRun(10, func() { _ = k.Verify(d, workloads.Op{}, r) }); n != 0 {
			t.Errorf("%s: verifying allocates %v times", k.Name, n)
		}
	}
	scalar := w.Kinds[0]
	if err := scalar.Verify(d, workloads.Op{}, workloads.Result{Rows: 1, Number: 1}); err != nil {
		t.Error(err)
	}
	if err := scalar.Verify(d, workloads.Op{}, workloads.Result{Rows: 1, Number: 2}); err == nil {
		t.Error("2 was taken for 1")
	}
}
