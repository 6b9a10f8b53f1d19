// Package images is the catalog of server, tool, contender and agent images: where the
// official build of each is, how to make it from Debian packages to the bit, how
// to tell whether an image is the one that is meant, and how a server in it is
// configured and started.
//
// An image comes from its registry by digest, or, where none answers, from the
// packages of one Debian suite. Either way it is known by its identity, a hash
// of its layers and configuration (see [Identity]), and compared with the lock.
// Docker is reached through the [Store] that the caller brings.
package images
