// Package lab holds the nouns of the benchmark lab as plain values, and this
// page is the lab's architecture.
//
// # The flow
//
//		suite.yaml ─> plan ─> provision ─> drive ─> measure ─> record ─> report
//		profile.yaml ─┘       images/     workloads/           results/
//
//	 1. plan: a suite (what is compared) and a profile (on which hosts) become a
//	    [Plan]: every block and every trial in seeded random order, before
//	    anything is done. Pure; `benchlab plan` prints it. (lab/plan)
//	 2. provision: each block starts each server afresh, in a container with
//	    its own network namespace and no network, from a copy of prepared data.
//	    What was asked for is read back; a difference refuses the run.
//	    (lab/provision; images/ has the images, hosts/ the machines)
//	 3. drive: each trial starts fresh agent processes in the server's
//	    namespace. They connect, say ready, and follow a schedule of spans:
//	    warm-up, window, or slices in turns. (lab/drive, spoken to in
//	    lab/protocol; workloads/ has what is asked and who asks)
//	 4. measure: clocks, histograms, processor time, allocations, cgroup files.
//	    (lab/measure)
//	 5. record: one line a trial, on disk before the next begins. The run folder
//	    is the only thing that later steps read. (lab/record)
//	 6. report: run folder to tables and plots, the same bytes each time.
//	    (lab/report; lab/stats has the arithmetic, lab/findings the doubts)
//
// What is asked of finished runs reads their folders and nothing else: how far
// apart two of them are (lab/compare), whether one holds when it is made again
// (lab/reproduce), and how often verdicts on a host are wrong (lab/selftest).
//
// lab/run is the sequence itself. The controller (cmd/benchlab) talks to Docker
// and files, the agent (cmd/benchlab-agent) talks SQL and HTTP; neither links
// what the other needs. A test holds the arrows between packages (arrows_test.go).
//
// # Why it is built so
//
// Beyond the six steps there are packages that serve several of them:
// lab/protocol, because controller and agent both speak it; lab/spec, the one
// strict YAML reader of suites, profiles and contender files, which content
// folders may import because it imports nothing of ours; lab/findings, because
// what weakens a number is judged from a record and belongs neither to measuring
// nor to rendering. workloads/dial, sqldb and attend are what contenders share
// (a target made into a library's own configuration, a pool of exact size) and
// the privileged side of a server.
//
// The field's own load generators are agents to a trial too (lab/drive/tools knows
// their command lines and words): nobody has to believe ours. They begin when
// they can, so that the schedule is counted from what they say.
//
// Where load and application share a processor, Go's scheduler takes a system call
// that the other side interrupted for a long one, and hands its work to another
// thread. So the load side of Fortunes makes its calls without telling the
// scheduler (workloads/socket): what it took from the application fell from 25 to
// 9 µs a page. Contenders stay as their users have them; pgx and go-sql-driver
// take the same as a setting, direct, which the suite parity sets because the
// tools beside them have no scheduler either.
//
// An application's operations have its own context, not the request's: a client
// that leaves would end them, and a library that closes a connection whose
// operation was ended would leave the application one short for good.
//
// PostgreSQL's backends hand in their counters when they end. So a trial ends
// with everybody leaving, and only then are the server's counters read; nobody
// measures meanwhile.
//
// An attendant shares the server's process namespace and sees the host's cgroup
// files read-only, so that limits are read back from inside and processor time
// is the server's alone, also on a remote host, without a shell or a privilege.
//
// A contender with a version (pgx@v5.12.0, pgx@../pgx) gets an agent that is built
// by the run, with the same code and nobody else linked, since what one library
// needs in an old version another does not bear in its own (images/agents). The
// suite linking asks whether that makes a difference.
//
// A void trial in turns is repeated once in its block, on the same server, rather
// than in a further block as the method has it: whoever takes turns in it was hit
// alike, its place in the block is what the comparison needs, and a plan whose
// blocks are known before it begins stays one. What voids a trial never looks at
// who was faster.
//
// The pilot of sizes full and publish makes trials in turns as long as their
// slices' scatter asks for (lab/plan/share.go); verdict stays the shortest.
//
// The passwords are a run's, not a testbed's: what is written to disk can only be
// searched for secrets that are known before the first line.
//
// # Words
//
// contender: one way of talking to a database: an agent image, code in it and
// settings. workload: a versioned schema, rows, kinds of operation and checks.
// suite: what is compared. size: how long and how often. cell: server x workload
// x contender x connections x parameters. block: one repetition of everything
// with servers started afresh, the unit of inference. trial: one execution of a
// cell, or of several in turns. warm-up: driven and kept apart. window: the
// measured time of a whole trial. slice: one turn of one contender. sample: what
// was counted. summary: centre and interval over blocks. comparison: a paired
// difference with its interval. verdict: faster, slower, equivalent or
// inconclusive, with known error rates. finding: what weakens a number. baseline:
// the contender that others are compared with. ladder: an ordered list of changes
// to one contender, each kept for those that follow. rung: one contender of it. facts: what a host is. profile:
// what it should be. knob: a setting of a host that can be changed and put back.
// journal: how to put it back. manifest: the identity of a run. testbed: a
// running server and its attendant. archive: where runs are shared.
package lab
