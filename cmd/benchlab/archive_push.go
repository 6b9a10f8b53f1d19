package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/archive"
	"benchlab/lab/record"
)

// pushing is the flags of the command.
type pushing struct {
	key    string
	images bool
	resume string
}

func archivePushCommand(newStore newImageStore) *cobra.Command {
	var p pushing
	cmd := &cobra.Command{
		Use:   "push RUN [STORE] | push --resume SPOOL",
		Short: "publish a run in an archive",
		Long: `Publishes a run that ended. Its files are looked at, copied into a private spool, sent
under names that nobody sees yet, read back, and only then published as a whole. A run id
that the archive has is never overwritten. Where a push fails, the spool stays and the
command that goes on with it is printed.

STORE may also be a file that ends in ` + archive.BundleSuffix + `: the run is packed into it.

--with-images sends the servers' images along, once for all runs that share one; whoever
pulls the run can then reproduce it without a registry. --sign signs the run's hashes with
an SSH key: the file of a private key, or of a public one whose private half is in an agent.

` + storeHelp + exits(exitOK, exitError, exitUsage, exitNo, exitInterrupted, exitTerminated),
		Example: "  benchlab archive push 20260102T030405Z-lab-1a2b3c s3://bucket/lab --with-images\n" +
			"  benchlab archive push results/local/20260102T030405Z-lab-1a2b3c run" + archive.BundleSuffix,
		Args: func(cmd *cobra.Command, args []string) error {
			if p.resume == "" {
				return oneOrTwo("RUN")(cmd, args)
			}
			if len(args) > 0 || p.images || p.key != "" {
				return usagef("usage: benchlab archive push --resume SPOOL", "a spool knows its run, its archive, its images and its signature")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args, newStore) },
	}
	cmd.Flags().StringVar(&p.resume, "resume", "", "go on with a push that failed: its spool")
	cmd.Flags().BoolVar(&p.images, "with-images", false, "send the servers' images along")
	cmd.Flags().StringVar(&p.key, "sign", "", "SSH key to sign with")
	return cmd
}

func (p pushing) run(cmd *cobra.Command, args []string, newStore newImageStore) error {
	ctx := cmd.Context()
	if p.resume != "" {
		spool, err := archive.OpenSpool(p.resume)
		if err != nil {
			return err
		}
		return p.publish(cmd, spool)
	}
	path, err := findRun(args[0])
	if err != nil {
		return err
	}
	run, err := record.Open(path)
	if err != nil {
		return err
	}
	dir, err := spoolDir()
	if err != nil {
		return err
	}
	o := archive.SpoolOptions{Dir: dir, Store: location(args, 1), Key: p.key}
	if p.images {
		store, err := newStore(ctx)
		if err != nil {
			return err
		}
		if err := sameImages(ctx, store, run.Manifest); err != nil {
			return err
		}
		o.Engine = store
	}
	spool, err := archive.NewSpool(ctx, run, o)
	if err != nil {
		return err
	}
	return p.publish(cmd, spool)
}

func (p pushing) publish(cmd *cobra.Command, spool *archive.Spool) error {
	out := plainWriter{cmd.OutOrStdout()}
	var err error
	if strings.HasSuffix(spool.Store, archive.BundleSuffix) && !strings.Contains(spool.Store, "://") {
		err = bundle(spool)
	} else {
		err = pushTo(cmd.Context(), spool)
	}
	switch {
	case errors.Is(err, archive.ErrSame):
		_, err = fmt.Fprintf(out, "%s is in the archive already\n", spool.Parcel.Run)
		return err
	case err == nil:
		_, err = fmt.Fprintf(out, "pushed %s\n", spool.Parcel.Run)
		return err
	}
	return keptSpool(err, spool)
}

func pushTo(ctx context.Context, spool *archive.Spool) error {
	store, err := openArchive(ctx, spool.Store, true)
	if err != nil {
		return err
	}
	return errors.Join(spool.Push(ctx, store), store.Close())
}

// keptSpool adds to an error how to go on.
func keptSpool(err error, spool *archive.Spool) error {
	code := exitError
	var known interface{ ExitCode() int }
	if errors.As(err, &known) {
		code = known.ExitCode()
	}
	var hints []string
	var hinted interface{ Hints() []string }
	if errors.As(err, &hinted) {
		hints = hinted.Hints()
	}
	return coded(code, fmt.Errorf("pushing run %q: %w", spool.Parcel.Run, err),
		append(hints, "nothing is lost; go on with: benchlab archive push --resume "+spool.Path)...)
}

// bundle packs a spool into a file that must not exist.
func bundle(spool *archive.Spool) error {
	file, err := os.OpenFile(spool.Store, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return usagef("name another file", "packing into %q: it exists", spool.Store)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(archive.Pack(file, spool.Parcel), file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(spool.Store))
	}
	return spool.Remove()
}
