package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"benchlab/lab/record"
)

// signNamespace keeps signatures over runs from counting for anything else.
const signNamespace = "benchlab"

// Sign signs a SHA256SUMS with an SSH key (the file of a private key, or of a
// public one whose private half an agent holds) and returns the signature.
func Sign(ctx context.Context, key string, sums io.Reader) ([]byte, error) {
	if key == "" || strings.HasPrefix(key, "-") {
		return nil, refuse("name the file of an SSH key", "signing: %q is no file of a key", Shown(key))
	}
	key, err := filepath.Abs(key)
	if err != nil {
		return nil, err
	}
	out, err := sshKeygen(ctx, sums, "-q", "-Y", "sign", "-n", signNamespace, "-f", key)
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	return out, nil
}

// Signature is what is known of a run's signature.
type Signature struct {
	// State is none, unknown (no signers to compare with, or none of them
	// signed), good or bad.
	State string `json:"state"`
	// By is who signed, in the words of the file of signers.
	By string `json:"by,omitempty"`
}

// The states of a signature.
const (
	Unsigned      = "none"
	UnknownSigner = "unknown"
	GoodSignature = "good"
	BadSignature  = "bad"
)

func (s Signature) String() string {
	switch s.State {
	case GoodSignature:
		return "signed by " + s.By
	case BadSignature:
		return "BAD SIGNATURE"
	case UnknownSigner:
		return "signed by somebody unknown"
	}
	return "not signed"
}

// VerifySignature compares a signature over SHA256SUMS with a file of allowed
// signers (see ssh-keygen(1), ALLOWED SIGNERS). An empty signers knows nobody.
func VerifySignature(ctx context.Context, signers string, sums, signature []byte) (Signature, error) {
	if len(signature) == 0 {
		return Signature{State: Unsigned}, nil
	}
	dir, err := os.MkdirTemp("", "benchlab-sig-")
	if err != nil {
		return Signature{}, fmt.Errorf("checking a signature: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, SignatureFile)
	if err := os.WriteFile(file, signature, 0o600); err != nil {
		return Signature{}, fmt.Errorf("checking a signature: %w", err)
	}
	// Whoever signed, the signature must be of this file.
	_, err = sshKeygen(ctx, bytes.NewReader(sums), "-Y", "check-novalidate", "-n", signNamespace, "-s", file)
	if missing := keygenMissing(err); missing != nil {
		return Signature{}, missing
	} else if err != nil {
		return Signature{State: BadSignature}, nil
	}
	if signers == "" {
		return Signature{State: UnknownSigner}, nil
	}
	if signers, err = filepath.Abs(signers); err != nil {
		return Signature{}, err
	}
	if _, err := os.Stat(signers); err != nil {
		return Signature{}, fmt.Errorf("reading allowed signers: %w", err)
	}
	out, err := sshKeygen(ctx, nil, "-Y", "find-principals", "-n", signNamespace, "-s", file, "-f", signers)
	who, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || who == "" || strings.HasPrefix(who, "-") {
		return Signature{State: UnknownSigner}, nil
	}
	if _, err := sshKeygen(ctx, bytes.NewReader(sums), "-Y", "verify", "-n", signNamespace, "-s", file, "-f", signers, "-I", who); err != nil {
		return Signature{State: BadSignature}, nil
	}
	return Signature{State: GoodSignature, By: Shown(who)}, nil
}

func keygenMissing(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return &Refusal{Text: "running ssh-keygen: it is not installed", Advice: "install the OpenSSH client"}
	}
	return nil
}

func sshKeygen(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "ssh-keygen", args...)
	cmd.Stdin = stdin
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if missing := keygenMissing(err); missing != nil {
			return nil, err
		}
		return out.Bytes(), fmt.Errorf("ssh-keygen: %w: %s", err, Shown(lastLine(errs.String())))
	}
	return out.Bytes(), nil
}

// ReadSignature reads a run's SHA256SUMS and the signature over it, which is
// empty where there is none.
func ReadSignature(ctx context.Context, s Store, run string) (sums, signature []byte, err error) {
	if sums, err = readSmall(ctx, s, run+"/"+record.SumsFile, mostSums); err != nil {
		return nil, nil, err
	}
	const most = 64 << 10
	signature, err = readSmall(ctx, s, run+"/"+SignatureFile, most)
	if errors.Is(err, os.ErrNotExist) {
		return sums, nil, nil
	}
	return sums, signature, err
}
