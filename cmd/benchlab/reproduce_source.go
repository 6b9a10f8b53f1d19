package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/archive"
	"benchlab/lab/record"
)

// source opens the run that is to be made again. One in an archive or in a
// packed file is taken into the results folder first, with all that a pull looks
// at. The store has the images that travel with the run; it is nil for none.
func (f *reproduction) source(cmd *cobra.Command, arg string) (_ *record.Run, store archive.Store, err error) {
	var path string
	switch location, id, in := archived(arg); {
	case in:
		path, store, err = f.takeIn(cmd, id, location)
	case packed(arg):
		path, store, err = f.takeIn(cmd, arg)
	default:
		if path, err = findRun(arg); err == nil {
			store, err = imagesBeside(cmd, path)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	run, err := record.Open(path)
	if err != nil && store != nil {
		err = errors.Join(err, store.Close())
	}
	return run, store, err
}

// archived splits STORE#RUN.
func archived(arg string) (location, run string, ok bool) {
	i := strings.LastIndexByte(arg, '#')
	if i < 1 || !archive.IsRunID(arg[i+1:]) {
		return "", "", false
	}
	return arg[:i], arg[i+1:], true
}

// packed reports whether a run is named by a file that holds it.
func packed(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular() && strings.HasSuffix(arg, archive.BundleSuffix)
}

// takeIn takes a run into the results folder, unless this very run is there.
func (f *reproduction) takeIn(cmd *cobra.Command, args ...string) (path string, store archive.Store, err error) {
	stage, err := archive.NewStage(f.results, archive.DefaultLimits())
	if err != nil {
		return "", nil, err
	}
	defer stage.Close()
	if store, err = (pulling{to: f.results}).fetch(cmd.Context(), stage, args); err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil && store != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	run, err := stage.Look()
	if err != nil {
		return "", store, err
	}
	path = filepath.Join(f.results, run.Manifest.Run)
	if same, err := sameSums(run.Path, path); same || err != nil {
		return path, store, err
	}
	if path, err = letIn(cmd, stage, run.Manifest.Run); err == nil {
		_, err = fmt.Fprintf(plainWriter{cmd.ErrOrStderr()}, "benchlab: the run was taken in as %s\n", path)
	}
	return path, store, err
}

// sameSums reports whether two folders are of the same run, by their hashes.
// Whether they still hold is asked elsewhere.
func sameSums(a, b string) (bool, error) {
	one, err := os.ReadFile(filepath.Join(a, record.SumsFile))
	if err != nil {
		return false, err
	}
	other, err := os.ReadFile(filepath.Join(b, record.SumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return bytes.Equal(one, other), err
}

// imagesBeside opens the archive in which a run's folder stands, where images
// travel with it.
func imagesBeside(cmd *cobra.Command, path string) (archive.Store, error) {
	if _, err := os.Stat(filepath.Join(path, archive.ImagesFile)); err != nil {
		return nil, nil // none do, or the folder cannot be read, which is said later
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return openArchive(cmd.Context(), filepath.Dir(path), false)
}
