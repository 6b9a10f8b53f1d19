package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sync/errgroup"

	"benchlab/lab/archive"
)

// verified are the runs' signatures, compared with a file of allowed signers.
// Each takes several processes, so that what was found is kept: by the content of
// run and signature, and of the signers.
func verified(ctx context.Context, s archive.Store, rows []archive.Row, signers string) ([]archive.Signature, error) {
	var allowed []byte
	if signers != "" {
		var err error
		if allowed, err = os.ReadFile(signers); err != nil {
			return nil, fmt.Errorf("reading allowed signers: %w", err)
		}
	}
	ledger, err := openLedger[archive.Signature](s, "signatures-"+contentKey(allowed))
	if err != nil {
		return nil, err
	}
	// Whether a key was valid can change from one day to the next.
	lasting := !bytes.Contains(allowed, []byte("valid-"))
	out, keys := make([]archive.Signature, len(rows)), make([]string, len(rows))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for i, row := range rows {
		out[i] = archive.Signature{State: archive.Unsigned}
		if !row.Signed {
			continue
		}
		group.Go(func() error {
			sums, signature, err := archive.ReadSignature(inner, s, row.Run)
			if err != nil {
				return err
			}
			key := row.Run + " " + contentKey(sums, signature)
			if found, known := ledger.Get(key); known && lasting {
				out[i] = found
				return nil
			}
			keys[i] = key
			out[i], err = archive.VerifySignature(inner, signers, sums, signature)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	for i, key := range keys {
		if key != "" && lasting {
			ledger.Put(key, out[i])
		}
	}
	return out, ledger.Save()
}

// contentKey stands for contents.
func contentKey(docs ...[]byte) string {
	h := sha256.New()
	for _, doc := range docs {
		fmt.Fprintf(h, "%d\n", len(doc))
		h.Write(doc)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
