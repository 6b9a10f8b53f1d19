// Package hosts describes the machines of a lab: what they are, what they
// should be, and how to make them so and back again.
//
// [Facts] are what [Gather] finds under /proc and /sys. A [Profile] says what
// a machine or a pair should be; [Resolve] turns its roles into processor
// sets, [Check] compares it with facts. A [Knob] is one host setting; [Apply]
// writes each old value into a [Journal] before it changes anything, and
// [Restore] puts them back.
//
// A fact, a manifest and a report hold no host name, user name, path or
// network address: a host is the label that its profile gives it and a
// [Fingerprint].
package hosts
