package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"benchlab/lab/archive"
	"benchlab/lab/record"
	"benchlab/lab/report"
)

// pulling is the flags of the command.
type pulling struct {
	to      string
	images  bool
	signers string
}

func archivePullCommand(newStore newImageStore) *cobra.Command {
	var p pulling
	l := archive.DefaultLimits()
	cmd := &cobra.Command{
		Use:   "pull RUN [STORE]",
		Short: "take in a run from an archive or from somebody else",
		Long: fmt.Sprintf(`Takes in a run: by its id from an archive, or a %s file, or a run folder.

The run is looked at as a whole before anything of it can be seen: names, kinds of files,
hashes, schema and sums. Links, devices, names that lead elsewhere, names that stand twice
and files that no run has are refused, and so is a run beyond these limits: %d files,
%d MiB a file, %d MiB in all, and %d times its packed size. Its report is made anew.

--with-images loads the images that travel with the run into Docker, after comparing them
with the run's manifest, under names of which their content is part: no local image is
replaced. benchlab reproduce finds them by their content.

`, archive.BundleSuffix, l.Files, l.FileBytes>>20, l.TotalBytes>>20, l.Ratio) + storeHelp +
			exits(exitOK, exitError, exitUsage, exitNo, exitInterrupted, exitTerminated),
		Example: "  benchlab archive pull 20260102T030405Z-lab-1a2b3c s3://bucket/lab\n  benchlab archive pull run" + archive.BundleSuffix,
		Args:    oneOrTwo("RUN"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.run(cmd, args, newStore) },
	}
	cmd.Flags().StringVar(&p.to, "to", filepath.Join("results", "local"), "folder to take the run into")
	cmd.Flags().BoolVar(&p.images, "with-images", false, "load the images that travel with the run into Docker")
	cmd.Flags().StringVar(&p.signers, "signers", "", "file of allowed signers; a run that none of them signed is refused")
	return cmd
}

func (p pulling) run(cmd *cobra.Command, args []string, newStore newImageStore) error {
	ctx := cmd.Context()
	stage, err := archive.NewStage(p.to, archive.DefaultLimits())
	if err != nil {
		return err
	}
	defer stage.Close()
	store, err := p.fetch(ctx, stage, args)
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
	}
	run, err := stage.Look()
	if err != nil {
		return err
	}
	if err := p.signed(ctx, run); err != nil {
		return err
	}
	id := run.Manifest.Run
	if p.images {
		if err := p.load(cmd, store, run.Manifest, newStore); err != nil {
			return err
		}
	}
	path, err := letIn(cmd, stage, id)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
	return err
}

// letIn moves a run that was looked at to its place, and makes its report anew.
func letIn(cmd *cobra.Command, stage *archive.Stage, id string) (string, error) {
	path, err := stage.Let(id)
	if err != nil {
		return "", err
	}
	run, err := record.Open(path)
	if err != nil {
		return "", err
	}
	if _, err := report.Write(run, filepath.Join(path, record.ReportDir), cmd.Root().Version); err != nil {
		return "", fmt.Errorf("reporting %q: %w", path, err)
	}
	return path, nil
}

// fetch brings the run onto the stage. The store is nil where the run is a file
// or a folder.
func (p pulling) fetch(ctx context.Context, stage *archive.Stage, args []string) (archive.Store, error) {
	if archive.IsRunID(args[0]) {
		store, err := openArchive(ctx, location(args, 1), false)
		if err != nil {
			return nil, err
		}
		if err := stage.Fetch(ctx, store, args[0]); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		return store, nil
	}
	info, err := os.Stat(args[0])
	switch {
	case err != nil:
		return nil, usagef("RUN is an id, a run folder or a "+archive.BundleSuffix+" file", "taking in %q: there is none", args[0])
	case len(args) > 1:
		return nil, usagef("", "%q is one argument too many: %q is a file or folder", args[1], args[0])
	case p.images:
		return nil, usagef("pull the run from an archive by its id", "images travel in archives, not with %q", args[0])
	case info.IsDir():
		return nil, stage.Copy(ctx, args[0])
	}
	file, err := os.Open(args[0])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return nil, stage.Unpack(ctx, file)
}

// signed wants a signature of somebody known, where signers are given.
func (p pulling) signed(ctx context.Context, run *record.Run) error {
	if p.signers == "" {
		return nil
	}
	s, err := signatureOf(ctx, run.Path, p.signers)
	if err != nil {
		return err
	}
	if s.State != archive.GoodSignature {
		return coded(exitNo, fmt.Errorf("taking in run %q: %s", run.Manifest.Run, s), "pull without --signers to take it all the same")
	}
	return nil
}

func signatureOf(ctx context.Context, path, signers string) (archive.Signature, error) {
	sums, err := os.ReadFile(filepath.Join(path, record.SumsFile))
	if err != nil {
		return archive.Signature{}, err
	}
	signature, err := os.ReadFile(filepath.Join(path, archive.SignatureFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return archive.Signature{}, err
	}
	return archive.VerifySignature(ctx, signers, sums, signature)
}
