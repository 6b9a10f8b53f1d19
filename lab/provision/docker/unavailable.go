package docker

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/docker/docker/client"

	"benchlab/hosts"
)

// UnavailableError says why a daemon cannot be used and what to do.
type UnavailableError struct {
	Host string
	Why  string
	Fix  string
	err  error
	gone bool
}

// HostGone says that the host answered before and does not any more.
func (e *UnavailableError) HostGone() bool { return e.gone }

// fault is an error of a call, which says so where the daemon is gone.
func (c *Client) fault(err error) error {
	if !client.IsErrConnectionFailed(err) {
		return err
	}
	return &UnavailableError{Host: c.Host, Why: "it does not answer any more: " + clip(err.Error()), gone: true, err: err,
		Fix: "see what became of the host and its daemon; then go on with --resume, or remove what is left with benchlab clean --host ENDPOINT"}
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("reaching Docker at %q: %s", e.Host, e.Why)
}

// Hints say what to do.
func (e *UnavailableError) Hints() []string { return []string{e.Fix} }

// ExitCode is that of wrong configuration: nothing was created.
func (e *UnavailableError) ExitCode() int { return 2 }

func (e *UnavailableError) Unwrap() error { return e.err }

// trouble is a reason for which a daemon does not answer: a piece of the error
// text that tells it, and what to say and do about it.
type trouble struct{ sign, why, fix string }

// sshTroubles are told by what the ssh program or the far side's shell wrote.
// The first that fits counts.
func sshTroubles() []trouble {
	const known = "compare the host's key with its owner, then correct known_hosts (ssh-keygen -R removes an entry)"
	return []trouble{
		{"IDENTIFICATION HAS CHANGED", "its ssh host key is not the one in known_hosts: this may be another machine", known},
		{"Host key verification failed", "its ssh host key is not in known_hosts", "log in once by hand (ssh) and compare the fingerprint"},
		{"Permission denied", "ssh refuses the login", "use a key that the host knows, by the ssh agent or ~/.ssh/config; passwords are not asked for"},
		{"Could not resolve hostname", "its name is not known", "give a name or address that ssh can reach, or a Host entry in ~/.ssh/config"},
		{"Connection refused", "nobody answers ssh there", "start sshd on the host, or give its port: ssh://user@host:port"},
		{"timed out", "nobody answers ssh there", "check the route to the host and its firewall"},
		{"No route to host", "there is no way to it", "check the route to the host and its firewall"},
		{"Cannot connect to the Docker daemon", "ssh works, and no Docker daemon runs there", "start the daemon on that host (systemctl start docker)"},
		{"permission denied", "ssh works, and its user may not use Docker there", "log in as root or as a member of the group docker (which gives root on the host)"},
		{"not found", "ssh works, and there is no docker program on the far side", "install Docker's command line there: ssh endpoints go through `docker system dial-stdio`"},
		{"No such file or directory", "ssh works, and there is no docker program on the far side", "install Docker's command line there: ssh endpoints go through `docker system dial-stdio`"},
	}
}

// tlsTroubles are told by the errors of Go's TLS.
func tlsTroubles() []trouble {
	return []trouble{
		{"unknown authority", "its certificate is not signed by the ca of tls", "give the ca that signed the daemon's certificate"},
		{"certificate is valid for", "its certificate is for another name", "use the name that is in the certificate, or make one for this name"},
		{"doesn't contain any IP SANs", "its certificate is for no address", "use the name that is in the certificate, or make one for this address"},
		{"certificate required", "it wants a client certificate", "give tls: {ca, cert, key} with a certificate that the daemon's ca has signed"},
		{"bad certificate", "it does not accept the client certificate", "give a certificate that the daemon's ca (--tlscacert) has signed"},
		{"unknown certificate authority", "it does not accept the client certificate", "give a certificate that the daemon's ca (--tlscacert) has signed"},
		{"expired", "a certificate has expired, or a clock is wrong", "renew the certificate"},
		{"HTTP response to HTTPS", "it speaks plain HTTP, which gives root to everyone who reaches it", "start dockerd with --tlsverify, or use ssh://"},
	}
}

// explain turns an error of the first questions into what a user can act on.
func (w way) explain(err error) error {
	var known *UnavailableError
	if errors.As(err, &known) {
		return err
	}
	u := &UnavailableError{Host: w.shown, Why: "nobody answers: is the daemon running?", Fix: w.fix(), err: err}
	list := sshTroubles()
	if w.kind != hosts.SSH {
		list = tlsTroubles()
	}
	for _, t := range list {
		if strings.Contains(err.Error(), t.sign) {
			u.Why, u.Fix = t.why, t.fix
			return u
		}
	}
	switch {
	case errors.Is(err, os.ErrPermission), strings.Contains(err.Error(), "permission denied"):
		u.Why = "no permission on the socket"
		u.Fix = "run as root or as a member of the group docker (which gives root on the host)"
	case !client.IsErrConnectionFailed(err) && !errors.Is(err, os.ErrDeadlineExceeded):
		u.Why = clip(err.Error())
	}
	return u
}

// clip keeps what a far side wrote to a readable length.
func clip(text string) string {
	const most = 400
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}
