package hosts

import (
	"embed"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"path"
	"slices"

	"benchlab/lab/spec"
)

//go:embed profiles/*.yaml
var profileFiles embed.FS

//go:embed profile.schema.json
var profileSchema []byte

// Names lists the embedded profiles, the one that fits every machine first.
func Names() []string {
	return []string{
		"local", "ci", "xeon-i7", "xeon-i7-tuned",
		"azure-d3v2", "azure-d3v2-one-host", "azure-d4ds-v5", "aws-m5n", "gcp-n2",
		"citrine", "perf-lin", "i5-6600k", "i7-1065g7",
	}
}

// Text is the YAML of an embedded profile.
func Text(name string) ([]byte, error) {
	if !slices.Contains(Names(), name) {
		return nil, (&spec.Problems{All: []spec.Problem{{
			File: "profile", Value: spec.Quote(name),
			Text: "is unknown, allowed are " + spec.List(Names()) + ", and files with --profile FILE",
			Hint: spec.DidYouMean(name, Names()),
		}}}).Err()
	}
	return profileFiles.ReadFile(path.Join("profiles", name+".yaml"))
}

// Named reads an embedded profile.
func Named(name string) (Profile, error) {
	text, err := Text(name)
	if err != nil {
		return Profile{}, err
	}
	return Read("profiles/"+name+".yaml", text)
}

// ReadFile reads a profile of the user's own.
func ReadFile(file string) (Profile, error) {
	data, err := spec.ReadFile(file)
	if err != nil {
		return Profile{}, err
	}
	return Read(file, data)
}

// Read reads a profile's YAML. The error is a [*spec.Problems] with all that
// is wrong, each with its line.
func Read(file string, data []byte) (Profile, error) {
	schema, err := spec.NewSchema("profile", profileSchema)
	if err != nil {
		return Profile{}, err
	}
	var p Profile
	src, err := spec.Read(file, data, schema, &p)
	if err != nil {
		return Profile{}, err
	}
	p.src = src
	r := &reading{profile: p, src: src}
	r.hosts()
	r.roles()
	r.sysctls(p.ContainerSysctls, containerSection, "container_sysctls")
	if err := r.problems.Err(); err != nil {
		return Profile{}, err
	}
	return p, nil
}

// DescribeProfile writes the documentation of the profile's format.
func DescribeProfile(w io.Writer) error {
	schema, err := spec.NewSchema("profile", profileSchema)
	if err != nil {
		return err
	}
	return schema.Describe(w)
}

// reading checks what a schema cannot say.
type reading struct {
	profile  Profile
	src      *spec.Source
	problems spec.Problems
}

func (r *reading) problem(value, text, hint string, path ...any) {
	r.problems.Add(r.src.Problem(value, text, hint, path...))
}

func (r *reading) hosts() {
	first := map[string]int{}
	for i, h := range r.profile.Hosts {
		at := []any{"hosts", i}
		in := func(more ...any) []any { return append(slices.Clone(at), more...) }
		if was, twice := first[h.Name]; twice {
			r.problem(spec.Quote(h.Name), fmt.Sprintf("names two hosts, entries %d and %d", was+1, i+1), "", in("name")...)
		}
		first[h.Name] = i
		if _, err := ParseEndpoint(h.Docker, h.TLS); err != nil {
			r.problem("", err.Error(), "", in("docker")...)
		}
		if a, err := netip.ParseAddr(h.Address); h.Address != "" && (err != nil || a.IsUnspecified() || a.IsMulticast()) {
			r.problem(spec.Quote(h.Address), "is no address of one interface, allowed are such as 192.168.50.1", "", in("address")...)
		}
		if h.ShapeMbps > 0 && !r.profile.Pair() {
			r.problem("", "shapes a link, and a profile of one host has none", "name the other host, or leave it out", in("shape_mbps")...)
		}
		r.sysctls(h.Tune.Sysctl, hostSection, in("tune", "sysctl")...)
		if affinity := string(h.Tune.IRQAffinity); affinity != "" && affinity != spareCPUs {
			if _, err := ParseCPUSet(affinity); err != nil {
				r.problem(spec.Quote(affinity), "is no list of processors: "+err.Error(), "", in("tune", "irq_affinity")...)
			}
		}
		r.expectations(h, in("expect")...)
	}
}

func (r *reading) expectations(h Host, at ...any) {
	seen := map[string]Level{}
	for _, e := range h.expectations() {
		path := append(slices.Clone(at), string(e.level))
		var kind kind
		if e.sysctl {
			path = append(path, "sysctl")
			if !slices.Contains(sysctlsOfInterest(), e.key) {
				r.problem(spec.Quote(e.key), "is not among the sysctls that are looked at",
					spec.DidYouMean(e.key, sysctlsOfInterest()), append(path, e.key)...)
			}
		} else {
			key, _ := findFactKey(e.key)
			kind = key.kind
		}
		path = append(path, e.key)
		if _, err := parseWanted(kind, string(e.text)); err != nil {
			r.problem(spec.Quote(string(e.text)), err.Error(), "", path...)
		}
		if was, twice := seen[e.key]; twice {
			r.problem(spec.Quote(e.key), fmt.Sprintf("is expected twice, under %s and %s", was, e.level), "", path...)
		}
		seen[e.key] = e.level
	}
}

func (r *reading) sysctls(values map[string]spec.Scalar, at section, path ...any) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		where := append(slices.Clone(path), key)
		if fault, hint := sysctlFault(key, at, r.profile.Pair()); fault != "" {
			r.problem(spec.Quote(key), fault, hint, where...)
			continue
		}
		if value := string(values[key]); checkSysctlValue(key, value) != nil {
			r.problem(spec.Quote(value), "is no value of a sysctl, allowed are whole numbers or one word", "", where...)
		}
	}
}
