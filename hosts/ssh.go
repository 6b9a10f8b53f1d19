package hosts

import "strconv"

// SSHOptions are what ssh is always called with, whatever its configuration
// says: an unknown or changed host key is refused, nothing is asked, and
// nothing of this side is lent to the other. Keys, jump hosts and known hosts
// are the user's own configuration; a jump host goes through the same checks.
func SSHOptions() []string {
	var options []string
	for _, o := range []string{
		"StrictHostKeyChecking=yes", "UpdateHostKeys=no", "BatchMode=yes", "ForwardAgent=no", "ForwardX11=no",
		"ClearAllForwardings=yes", "PermitLocalCommand=no", "ConnectTimeout=10",
		"ServerAliveInterval=5", "ServerAliveCountMax=3",
	} {
		options = append(options, "-o", o)
	}
	return options
}

// SSHArguments are the arguments with which ssh runs a command on an ssh
// endpoint's host. The far side's shell reads the command: it must be a
// constant, or of checked words.
func (e Endpoint) SSHArguments(command string) []string {
	args := append(SSHOptions(), "-T")
	if e.User != "" {
		args = append(args, "-l", e.User)
	}
	if e.Port != 0 {
		args = append(args, "-p", strconv.Itoa(e.Port))
	}
	return append(args, "--", e.Host, command)
}
