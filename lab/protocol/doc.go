// Package protocol is the language between the controller and an agent: JSON
// lines, the controller's on the agent's standard input and the agent's on its
// standard output. Standard error is log. A contender in another language is a
// container that speaks it.
//
// The conversation of a trial:
//
//	controller                              agent
//	{"type":"request","verb":"trial",...} ->
//	                                     <- {"type":"ready","connect_ns":...}
//	{"type":"ping","n":1}                ->                  (several, at any time)
//	                                     <- {"type":"pong","n":1,"clock_ns":...}
//	{"type":"go","epoch_ns":...,"spans":[...]} ->
//	                                     <- {"type":"progress",...}  (at most 1/s)
//	                                     <- {"type":"sample",...}    (one a span kind)
//	                                     <- {"type":"outcome",...}
//	{"type":"close"}                     ->                  (disconnect and exit 0)
//
// When all agents of a trial are ready the controller sends go. Its epoch is
// the instant that all agents have in common, given to each on that agent's
// own clock: the controller has learnt the clock's offset from pings, of which
// the one with the smallest round trip counts. Span times are offsets from the
// epoch. With a rate in go the agent drives an open loop: so many operations
// a second, each with an intended start from which its latency counts. An agent
// that cannot go on answers {"type":"error"} at any point. The
// end of standard input means stop now.
//
// An agent in another language need not make HDR histograms: instead of a
// histogram and percentiles, the sample of the warm-up and that of all measured
// spans may hold "latencies", pairs of a time in ns and how many operations took
// that long (see [Latencies]). What else it may leave out, and every line of a
// trial as an example, is printed by benchlab docs outside.
//
// The verbs: describe answers with one "described" line and exits; facts with
// one "facts" line; attend serves "do" lines until close; load fills tables
// and answers with an outcome; trial drives; serve is a Fortunes application,
// which says ready when it listens and an outcome at close; probe asks an
// application for its page until it answers.
//
// A target with a ca is a server that speaks TLS and refuses who does not: an
// agent that cannot verify the certificate answers with an error of the class
// connect.
//
// Every line from an agent is untrusted: at most MaxLine bytes, one JSON
// object, finite numbers, no negative counts. See [Reader].
package protocol
