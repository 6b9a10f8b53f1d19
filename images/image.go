package images

import (
	"fmt"
	"strings"
)

// Kind says what an image is for.
type Kind string

const (
	// ServerImage holds a database server.
	ServerImage Kind = "server"
	// ToolImage holds an established load generator to compare with.
	ToolImage Kind = "tool"
	// ContenderImage holds a contender that is no code of the agent.
	ContenderImage Kind = "contender"
)

// Image is an entry of the catalog: what is meant, where the official build of
// it is, and how to make it from Debian packages.
type Image struct {
	// Name is the server's or tool's name, such as "postgres".
	Name string
	// Version is the release series, such as "18" or "9.7".
	Version string
	// Title is the name in tables, such as "PostgreSQL 18".
	Title string
	// Kind says whether it is a server or a tool.
	Kind Kind
	// Reference is the official repository and tag; empty where nobody
	// publishes an official image.
	Reference string
	// Recipe makes the image from Debian packages.
	Recipe Recipe
}

// Key names the image in the lock and on the command line: "postgres-18".
func (i Image) Key() string { return i.Name + "-" + i.Version }

// Tag is the name that an image built here gets: "benchlab/postgres:18".
func (i Image) Tag() string { return "benchlab/" + i.Name + ":" + i.Version }

// Find returns the catalog's image of a server or tool in a version. The error
// lists what there is.
func Find(name, version string) (Image, error) {
	for _, i := range Catalog() {
		if i.Name == name && i.Version == version {
			return i, nil
		}
	}
	return Image{}, fmt.Errorf("no image of %q in version %q: there are %s", name, version, known())
}

// FindKey is Find for a name as the command line takes it: "postgres-18", or
// "postgres:18".
func FindKey(key string) (Image, error) {
	for _, i := range Catalog() {
		if key == i.Key() || key == i.Name+":"+i.Version {
			return i, nil
		}
	}
	return Image{}, fmt.Errorf("no image %q: there are %s", key, known())
}

// Keys lists the keys of all images.
func Keys() []string {
	var keys []string
	for _, i := range Catalog() {
		keys = append(keys, i.Key())
	}
	return keys
}

func known() string { return strings.Join(Keys(), ", ") }
