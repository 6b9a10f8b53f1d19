package hosts

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// TLSFiles are the files by which a tcp:// endpoint and its client prove who
// they are.
type TLSFiles struct {
	CA   string `json:"ca"`
	Cert string `json:"cert"`
	Key  string `json:"key"`
}

// EndpointKind is how a Docker daemon is reached.
type EndpointKind string

// The kinds of endpoint.
const (
	// LocalDaemon is what Docker's own settings name: DOCKER_HOST, the current
	// context, or the default socket.
	LocalDaemon EndpointKind = "default"
	UnixSocket  EndpointKind = "unix"
	SSH         EndpointKind = "ssh"
	TCP         EndpointKind = "tcp"
	// DockerContext is a context of the Docker client, by name.
	DockerContext EndpointKind = "context"
)

// Endpoint is a checked address of a Docker daemon.
type Endpoint struct {
	Kind EndpointKind
	// Path is the socket's, for unix.
	Path string
	// User, empty for ssh's own choice, Host and Port, 0 for the default,
	// are for ssh and tcp.
	User string
	Host string
	Port int
	// Context is the context's name.
	Context string
	// TLS is set for tcp.
	TLS *TLSFiles
}

const endpointForms = "allowed are unix:///path, ssh://[user@]host[:port], " +
	"tcp://host:port with tls files, and the name of a Docker context"

// Names that reach a command line: they begin with a letter or digit, so that
// none can be taken for an option.
var (
	hostName    = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$`)
	userName    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)
	contextName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,127}$`)
)

// ParseEndpoint reads a Docker endpoint. Plain tcp:// is refused: whoever
// reaches such a port is root on that host. So are values that begin with "-",
// passwords, and anything after the host that ssh or Docker would read.
func ParseEndpoint(text string, tls *TLSFiles) (Endpoint, error) {
	fault := func(why string) (Endpoint, error) {
		return Endpoint{}, fmt.Errorf("docker endpoint %q %s", redactEndpoint(text), why)
	}
	scheme, rest, isURL := strings.Cut(text, "://")
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fault("holds blanks or control characters, " + endpointForms)
	case strings.HasPrefix(text, "-") || strings.HasPrefix(rest, "-"):
		return fault("begins with \"-\", which a command would read as an option")
	case tls != nil && scheme != "tcp":
		return fault("has tls files, which are for tcp:// only")
	case text == "":
		return Endpoint{Kind: LocalDaemon}, nil
	case !isURL && contextName.MatchString(text):
		return Endpoint{Kind: DockerContext, Context: text}, nil
	case !isURL:
		return fault("is neither a URL nor a context's name, " + endpointForms)
	}
	var e Endpoint
	var why string
	switch scheme {
	case "unix":
		e, why = unixEndpoint(rest)
	case "ssh":
		e, why = netEndpoint(text, SSH)
	case "tcp":
		if e, why = netEndpoint(text, TCP); why == "" {
			e.TLS, why = tls, checkTLS(tls)
		}
	default:
		why = "has an unknown scheme, " + endpointForms
	}
	if why != "" {
		return fault(why)
	}
	return e, nil
}

func unixEndpoint(file string) (Endpoint, string) {
	if !strings.HasPrefix(file, "/") || path.Clean(file) != file || file == "/" {
		return Endpoint{}, "does not name a socket by its absolute path, such as unix:///var/run/docker.sock"
	}
	return Endpoint{Kind: UnixSocket, Path: file}, ""
}

func netEndpoint(text string, kind EndpointKind) (Endpoint, string) {
	u, err := url.Parse(text)
	if err != nil {
		return Endpoint{}, "is not a URL, " + endpointForms
	}
	e := Endpoint{Kind: kind, Host: u.Hostname(), User: u.User.Username()}
	_, password := u.User.Password()
	switch {
	case password:
		return Endpoint{}, "holds a password, use keys and the ssh agent"
	case u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return Endpoint{}, "goes on after the host and port, " + endpointForms
	case !hostName.MatchString(e.Host) && net.ParseIP(e.Host) == nil:
		return Endpoint{}, "has no valid host name"
	case u.User != nil && (kind == TCP || !userName.MatchString(e.User)):
		return Endpoint{}, "has no valid user name"
	case kind == TCP && u.Port() == "":
		return Endpoint{}, "has no port, Docker's with TLS is 2376"
	}
	if u.Port() == "" {
		return e, ""
	}
	if e.Port, err = strconv.Atoi(u.Port()); err != nil || e.Port < 1 || e.Port > 65535 {
		return Endpoint{}, "has a port outside 1 to 65535"
	}
	return e, ""
}

func checkTLS(tls *TLSFiles) string {
	if tls == nil {
		return "is plain tcp, which gives root to everyone who reaches it: add tls: {ca, cert, key}, or use ssh://"
	}
	for _, one := range [][2]string{{"ca", tls.CA}, {"cert", tls.Cert}, {"key", tls.Key}} {
		if one[1] == "" || strings.HasPrefix(one[1], "-") {
			return "lacks the tls file " + one[0] + ", needed are ca, cert and key"
		}
	}
	return ""
}

// Tunable reports whether knobs can be set on the endpoint's host, and why not.
func (e Endpoint) Tunable() (bool, string) {
	switch e.Kind {
	case TCP:
		return false, "a tcp:// endpoint can be checked, not tuned: use ssh:// to the same host"
	case DockerContext:
		return false, "a Docker context can be checked, not tuned: give the host's ssh:// endpoint"
	}
	return true, ""
}

// String is the endpoint as it is written; a context is its name.
func (e Endpoint) String() string {
	address := e.Host
	if e.Port != 0 {
		address = net.JoinHostPort(e.Host, strconv.Itoa(e.Port))
	} else if strings.Contains(e.Host, ":") {
		address = "[" + e.Host + "]"
	}
	switch e.Kind {
	case UnixSocket:
		return "unix://" + e.Path
	case SSH:
		if e.User != "" {
			address = e.User + "@" + address
		}
		return "ssh://" + address
	case TCP:
		return "tcp://" + address
	case DockerContext:
		return e.Context
	}
	return ""
}

// urlPassword finds a password even in what is no valid URL.
var urlPassword = regexp.MustCompile(`(://[^:/@]*):[^@]*@`)

// redactEndpoint keeps a password out of messages.
func redactEndpoint(text string) string {
	return clip(urlPassword.ReplaceAllString(text, "$1:xxxxx@"))
}
