package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"benchlab/hosts"
	"benchlab/lab/protocol"
)

// The commands that are run on a host over ssh. The far side's shell reads
// them, so that they are constants; %s is a folder whose name was checked. It
// has a place that a line of sudoers can name.
const (
	copyCommand   = `umask 077 && d=$(mktemp -d /tmp/benchlab-XXXXXXXXXX) && cat >"$d/benchlab-agent" && chmod 700 "$d/benchlab-agent" && echo "$(id -u) $d"`
	plainCommand  = `%s/benchlab-agent`
	sudoCommand   = `sudo -n -- %s/benchlab-agent`
	removeCommand = `rm -rf -- %s`
)

// sudoersLine lets a user do what sudoCommand does.
const sudoersLine = `USER ALL=(root) NOPASSWD: /tmp/benchlab-*/benchlab-agent ""`

// farFolder is a folder's name that a shell reads as itself.
var farFolder = regexp.MustCompile(`^/[A-Za-z0-9_./-]{1,200}$`)

// sshKnobs copies the agent's program into a folder on the host that only its
// user can open, runs it as root without arguments, asks it, and removes it.
func sshKnobs(ctx context.Context, e hosts.Endpoint, agent *agentProgram, r hosts.KnobRequest) (report hosts.KnobReport, err error) {
	binary, err := agent.read()
	if err != nil {
		return report, err
	}
	out, err := overSSH(ctx, e, copyCommand, bytes.NewReader(binary))
	if err != nil {
		return report, fmt.Errorf("copying the agent's program: %w", err)
	}
	uid, folder, ok := strings.Cut(strings.TrimSpace(out), " ")
	if !ok || !farFolder.MatchString(folder) || strings.Contains(folder, "..") {
		return report, fmt.Errorf("copying the agent's program: the host answered %q", out[:min(len(out), 80)])
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_, removed := overSSH(ctx, e, fmt.Sprintf(removeCommand, folder), nil)
		err = errors.Join(err, removed)
	}()
	command := sudoCommand
	if uid == "0" {
		command = plainCommand
	}
	return askKnobs(ctx, e, fmt.Sprintf(command, folder), r)
}

// askKnobs has one conversation with the agent's program on the host.
func askKnobs(ctx context.Context, e hosts.Endpoint, command string, r hosts.KnobRequest) (report hosts.KnobReport, err error) {
	question, err := json.Marshal(r)
	if err != nil {
		return report, err
	}
	cmd := exec.CommandContext(ctx, "ssh", e.SSHArguments(command)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	pipes := &sshStream{cmd: cmd}
	if pipes.in, err = cmd.StdinPipe(); err != nil {
		return report, err
	}
	if pipes.Reader, err = cmd.StdoutPipe(); err != nil {
		return report, err
	}
	if err := cmd.Start(); err != nil {
		return report, fmt.Errorf("starting ssh: %w", err)
	}
	c, err := protocol.Open(pipes, protocol.Request{Verb: protocol.Knobs, Knobs: question})
	if err == nil {
		var m protocol.Message
		m, err = c.Await(ctx, "knobs")
		if err == nil {
			report, err = readReport(m.Knobs)
			c.Close()
			return report, errors.Join(err, cmd.Wait())
		}
		c.Close()
	}
	return report, sshFault(errors.Join(err, cmd.Wait()), said.String())
}

// sshStream is a program's input and output over ssh.
type sshStream struct {
	io.Reader
	in  io.WriteCloser
	cmd *exec.Cmd
}

func (s *sshStream) Write(p []byte) (int, error) { return s.in.Write(p) }
func (s *sshStream) CloseWrite() error           { return s.in.Close() }
func (s *sshStream) Close() error                { return nil } // Wait closes the pipes

// overSSH runs a command on a host and returns what it prints.
func overSSH(ctx context.Context, e hosts.Endpoint, command string, in io.Reader) (string, error) {
	cmd := exec.CommandContext(ctx, "ssh", e.SSHArguments(command)...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &said
	if err := cmd.Run(); err != nil {
		return "", sshFault(err, said.String())
	}
	return out.String(), nil
}

// sshFault says what ssh or the far side wrote, and what to do about it.
func sshFault(err error, said string) error {
	said = strings.TrimSpace(said)
	const most = 400
	if over := len(said) - most; over > 0 {
		said = "..." + said[over:]
	}
	switch {
	case strings.Contains(said, "sudo: a password is required"), strings.Contains(said, "sudo: a terminal is required"),
		strings.Contains(said, "interactive authentication is required"):
		return coded(exitHost, errors.New("its user is not root, and sudo wants a password"),
			`log in as root, or let the user do this without a password: a line in its /etc/sudoers.d such as `+sudoersLine)
	case strings.Contains(said, "sudo") && strings.Contains(said, "not found"):
		return coded(exitHost, errors.New("its user is not root, and there is no sudo"),
			"log in as root, or install sudo and let the user do this without a password: "+sudoersLine)
	case strings.Contains(said, "HOST IDENTIFICATION HAS CHANGED"), strings.Contains(said, "Host key verification failed"):
		return coded(exitUsage, errors.New("its ssh host key is not the one in known_hosts: this may be another machine"),
			"compare the host's key with its owner, then correct known_hosts (ssh-keygen -R removes an entry)")
	case said == "":
		return err
	}
	return fmt.Errorf("%w: %s", err, said)
}
