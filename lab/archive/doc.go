// Package archive shares run folders between machines. An archive is a tree of
// names with the same layout in every kind of [Store]:
//
//	<run id>/manifest.json ...   a run as record wrote it
//	<run id>/SHA256SUMS          its last file: with it the run is published
//	<run id>/SHA256SUMS.sig      an SSH signature over SHA256SUMS, if signed
//	<run id>/images.json         the images that travel with the run, if any
//	<run id>/report/             derived; pulled runs make it anew
//	images/<sha256>.tar.zst      images by content, shared by runs
//
// Stores are folders, S3-compatible buckets and git repositories. A run is
// copied into a private spool first, and from there published as a whole; ids
// are never overwritten. A push that fails keeps its spool and can be resumed.
//
// What comes from an archive or from somebody else is not trusted: it goes
// through a [Stage] with limits, where names, kinds of files, hashes, schema
// and sums are looked at before anything can be seen under its own name.
// Hashes find damage, not forgery; a signature finds the latter.
package archive
