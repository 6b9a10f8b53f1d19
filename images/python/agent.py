"""A contender that speaks the agent protocol (benchlab docs outside): the
workload select, and the rows of fortunes, over psycopg2 or PyMySQL.

Lines of JSON come on standard input and go to standard output; standard error
is log. Each connection has a thread of its own.
"""

import collections
import json
import sys
import threading
import time

from database import connect

VERSION = 1
BASE = time.monotonic_ns()

FORTUNES = 12
FORTUNE_IDS = FORTUNES * (FORTUNES + 1) // 2

# What is asked, by workload and kind, in the servers' own placeholders.
STATEMENTS = {
    ("select", "random"): "SELECT id, number, title FROM world WHERE id = %s",
    ("select", "first"): "SELECT id, number, title FROM world ORDER BY id LIMIT 1",
    ("fortunes", "rows"): "SELECT id, message FROM fortune",
}


def now():
    """The agent's clock: ns since its own base."""
    return time.monotonic_ns() - BASE


writing = threading.Lock()


def say(kind, **fields):
    line = json.dumps({"type": kind, **fields}, separators=(",", ":"))
    with writing:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


class Refusal(Exception):
    """The agent cannot go on; its class is one of the protocol's."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Tally:
    """What one thread counted in one span."""

    def __init__(self):
        self.latencies = collections.Counter()
        self.errors = collections.Counter()
        self.drain = self.last = 0

    def add(self, other):
        self.latencies.update(other.latencies)
        self.errors.update(other.errors)
        self.drain = max(self.drain, other.drain)
        self.last = max(self.last, other.last)

    def sample(self, kind, span, elapsed, plain):
        """The sample; plain latencies go with sums only, not with single slices."""
        out = {
            "kind": kind,
            "span": span,
            "elapsed_ns": elapsed,
            "operations": sum(self.latencies.values()),
            "sum_ns": sum(ns * n for ns, n in self.latencies.items()),
            "sum_sq_ns2": float(sum(ns * ns * n for ns, n in self.latencies.items())),
            "max_ns": max(self.latencies, default=0),
            "drain_ns": self.drain,
        }
        if self.errors:
            out["errors"] = dict(self.errors)
        if plain:
            out["latencies"] = sorted(self.latencies.items())
        return out


class Trial:
    def __init__(self, request):
        self.request = request
        asked = (request["workload"], request.get("kind", ""))
        if asked not in STATEMENTS:
            raise Refusal("unsupported", "no workload %s, kind %s here" % asked)
        if request.get("cold"):
            raise Refusal("unsupported", "connections are opened before the trial, always")
        self.statement, self.kind = STATEMENTS[asked], asked
        self.issued = self.succeeded = 0
        self.wrong = []
        began = now()
        try:
            self.connections = [connect(request["target"]) for _ in range(request["connections"])]
        except Exception as error:
            raise Refusal("connect", str(error)) from None
        self.connect_ns = now() - began
        self.check()

    def check(self):
        """Asks once for what is known, and notes what is wrong with it."""
        rows = self.request.get("rows", 0)
        for key in sorted({1, (rows + 1) // 2, rows}) if self.kind == ("select", "random") else [1]:
            self.issued += 1
            try:
                with self.connections[0].cursor() as cursor:
                    self.operate(cursor, key)
                self.succeeded += 1
            except Exception as error:
                self.wrong.append("before the trial: %s" % error)

    def operate(self, cursor, key):
        cursor.execute(self.statement, (key,) if self.kind[1] == "random" else None)
        found = cursor.fetchall()
        if self.kind[0] == "fortunes":
            if len(found) != FORTUNES or sum(row[0] for row in found) != FORTUNE_IDS:
                raise ValueError("%d fortunes, want %d" % (len(found), FORTUNES))
        elif len(found) != 1 or found[0][0] != key:
            raise ValueError("asked for row %d and got %r" % (key, found))

    def drive(self, go):
        if go.get("rate"):
            raise Refusal("unsupported", "there is no open loop here")
        self.epoch = go["epoch_ns"]
        self.spans = [(i, s) for i, s in enumerate(go["spans"]) if s["cell"] == go["self"]]
        self.tallies = {i: Tally() for i, _ in self.spans}
        self.merging = threading.Lock()
        threads = [threading.Thread(target=self.work, args=(i,)) for i in range(len(self.connections))]
        used = time.process_time_ns()
        began = now()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.client = {"cpu_ns": time.process_time_ns() - used, "elapsed_ns": now() - began, "psi_some": -1}

    def work(self, worker):
        """Drives one connection through all spans of this cell."""
        # Keys from a generator of its own for each connection, as cheap as can
        # be: Knuth's constants for 64 bits; the high bits are the good ones.
        state = (self.request.get("seed", 0) ^ (worker + 1) * 0x9E3779B97F4A7C15) & (2**64 - 1)
        rows = max(1, self.request.get("rows", 1))
        drawn = self.kind[1] == "random"
        issued = succeeded = 0
        with self.connections[worker].cursor() as cursor:
            for i, span in self.spans:
                tally, start, end = Tally(), span["start_ns"], span["end_ns"]
                counts_from = start + span.get("ramp_ns", 0)
                left = span.get("operations", 0) or -1
                wait = start - (now() - self.epoch)
                if wait > 0:
                    time.sleep(wait / 1e9)
                begin = now() - self.epoch
                while begin < end and left != 0:
                    left -= 1
                    issued += 1
                    key = 1
                    if drawn:
                        state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
                        key = (state >> 33) % rows + 1
                    try:
                        self.operate(cursor, key)
                        done = now() - self.epoch
                        succeeded += 1
                        if counts_from <= done < end:
                            tally.latencies[done - begin] += 1
                            tally.last = done
                    except ValueError:
                        done = now() - self.epoch
                        tally.errors["check"] += 1
                    except Exception as error:
                        done = now() - self.epoch
                        tally.errors["other"] += 1
                        print("agent: %s" % error, file=sys.stderr)
                        time.sleep(0.001)
                    tally.drain = max(0, done - end)
                    begin = done
                if left > 0:
                    tally.errors["deadline"] += 1
                with self.merging:
                    self.tallies[i].add(tally)
        with self.merging:
            self.issued += issued
            self.succeeded += succeeded

    def elapsed(self, i, span):
        if span["kind"] == "work":
            return max(0, self.tallies[i].last - span["start_ns"])
        return span["end_ns"] - span["start_ns"] - span.get("ramp_ns", 0)

    def outcome(self):
        samples, single = [], []
        for warm in (True, False):
            mine = [(i, s) for i, s in self.spans if (s["kind"] == "warmup") == warm]
            if not mine:
                continue
            total, elapsed = Tally(), 0
            for i, span in mine:
                total.add(self.tallies[i])
                elapsed += self.elapsed(i, span)
                if span["kind"] == "slice":
                    single.append(self.tallies[i].sample("slice", i, self.elapsed(i, span), False))
            kind = mine[0][1]["kind"]
            index = mine[0][0] if len(mine) == 1 and kind != "slice" else -1
            samples.append(total.sample(kind, index, elapsed, True))
        return {
            "cell": self.request.get("cell", ""),
            "connect_ns": self.connect_ns,
            "samples": samples + single,
            "client": self.client,
            "checks": self.wrong,
            "issued": self.issued,
            "succeeded": self.succeeded,
            "versions": versions(),
        }


def versions():
    """What stands between the lab and the database."""
    out = {"python": sys.version.split()[0]}
    for name in ("psycopg2", "pymysql"):
        if name in sys.modules:
            out[name] = sys.modules[name].__version__.split()[0]
    return out


def describe():
    names = sorted({workload for workload, _ in STATEMENTS})
    say("described", described={"protocol": VERSION, "contenders": ["python"], "workloads": names,
                                "versions": versions(), "go_version": ""})


def converse():
    trial = driving = None
    for line in sys.stdin:
        said = json.loads(line)
        kind = said["type"]
        if kind == "ping":
            say("pong", n=said["n"], clock_ns=now(), wall_ns=time.time_ns())
        elif kind == "request":
            if said["protocol"] != VERSION:
                raise Refusal("setup", "protocol %s was asked for; this agent speaks %d" % (said["protocol"], VERSION))
            if said["verb"] == "describe":
                describe()
                return
            if said["verb"] != "trial":
                raise Refusal("unsupported", "no verb %s here" % said["verb"])
            trial = Trial(said)
            say("ready", connect_ns=trial.connect_ns, sessions=len(trial.connections), clock_ns=now())
        elif kind == "go":
            # Pings and the end of input come while it drives.
            driving = threading.Thread(target=finish, args=(trial, said), daemon=True)
            driving.start()
        elif kind == "close":
            if driving:
                driving.join()
            for connection in trial.connections if trial else []:
                connection.close()
            return


def finish(trial, go):
    try:
        trial.drive(go)
        say("outcome", outcome=trial.outcome())
    except Refusal as refusal:
        say("error", error={"class": refusal.kind, "text": str(refusal)})
    except Exception as error:
        say("error", error={"class": "setup", "text": "%s: %s" % (type(error).__name__, error)})
        raise


try:
    converse()
except Refusal as refusal:
    say("error", error={"class": refusal.kind, "text": str(refusal)})
    sys.exit(1)
