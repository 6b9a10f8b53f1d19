// Package hoststest makes machines for tests out of one: each is a network
// namespace with a Docker daemon and an sshd of its own. They have a control
// network, on which the controller is a machine of its own, and a link among
// themselves, to which the controller has no route. What they share is the
// kernel: processors, memory and the settings that exist only once.
//
// It needs root, ip, nsenter, unshare, sshd, ssh, ssh-keygen and dockerd, and
// skips the test, saying why, where something is missing. It starts processes
// within its namespaces only, and ends no others.
package hoststest
