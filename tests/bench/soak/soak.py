#!/usr/bin/env python3
"""Mixed load on a real daemon for a long time: does its memory stay flat, do descriptors come back,
do answers stay as fast as they were?

  soak.py BIN_DIRECTORY

SOAK_MINUTES (60), SOAK_RATE (requests a second over all clients, 20), SOAK_INSIGHTS (2000 claims in
the base, when kb_generate is built), SOAK_SAMPLES (file for the samples, tab separated).

Ends with a line `RESULT key=value ...`; exit code 1 when a request failed that should not have, or
descriptors did not come back. The slope of the memory is fitted to the last two thirds of the time:
caches fill in the first. What is said of latency leaves `queue.report` out, which reads every job of
the night and so grows with it.
"""

import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PATIENCE_S = 60  # reached only when something is broken
ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests/data/fixtures/h200/row_softmax_f16"
TASK = ROOT / "tasks/row_softmax_f16"
WORDS = "shared memory bank conflict vectorized loads warp shuffle coalesced tile softmax unroll".split()


class Failed(Exception):
    """A request was not answered as it should be."""


class Connection:
    """The daemon's socket: one request at a time, news kept apart."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("rb")
        self.last = 0
        self.news = []
        self.read()

    def read(self):
        line = self.lines.readline()
        if not line:
            raise Failed("the daemon closed the connection")
        return json.loads(line)

    def call(self, method, params=None):
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params or {}}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            try:
                message = self.read()
            except TimeoutError as error:
                raise Failed(f"{method}: no answer within {PATIENCE_S} s") from error
            if message.get("id") != self.last:
                self.news.append(message)
                continue
            if "error" in message:
                raise Failed(f"{method}: {message['error']['message']}")
            return message["result"]

    def close(self):
        self.lines.close()
        self.socket.close()


class Web:
    """The HTTP door: a new TCP connection for each request."""

    def __init__(self, state):
        self.url = (state / "http.url").read_text().strip()
        self.host = self.url.split("/")[2]
        self.token = (state / "http.token").read_text().strip()

    def ask(self, method, path, body=None):
        door = http.client.HTTPConnection(self.host, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json, text/event-stream"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            door.request(method, path, None if body is None else json.dumps(body), headers)
            reply = door.getresponse()
            return reply.status, reply.read()
        finally:
            door.close()


class Load:
    """What all clients share: when to stop, what was seen."""

    def __init__(self, daemon, rate, minutes):
        self.daemon = daemon
        self.pause = 1.0 / rate
        self.end = time.monotonic() + minutes * 60
        self.lock = threading.Lock()
        self.turn = time.monotonic()
        self.latencies = []  # (when, seconds, name)
        self.errors = []
        self.counts = {}
        self.jobs = []

    def due(self):
        """Waits for this client's turn in the rate of all; false when the time is over."""
        with self.lock:
            self.turn = max(self.turn + self.pause, time.monotonic() - 1)
            mine = self.turn
        if mine >= self.end:
            return False
        time.sleep(max(0.0, mine - time.monotonic()))
        return True

    def timed(self, name, act):
        start = time.monotonic()
        result = act()
        with self.lock:
            self.latencies.append((start, time.monotonic() - start, name))
            self.counts[name] = self.counts.get(name, 0) + 1
        return result

    def failed(self, who, error):
        with self.lock:
            self.errors.append(f"{who}: {error}")
        print(f"error: {who}: {error}", file=sys.stderr, flush=True)


def submission(random_of, watch):
    return {
        "directory": str(TASK), "provider": "fixture", "fixture_directory": str(FIXTURES),
        "proposer": "replay", "replay_file": f"{FIXTURES}.first.jsonl", "policy": "greedy",
        "evaluations": random_of.randint(1, 4), **({"watch": True} if watch else {}),
    }


def submitter(load, random_of):
    """Jobs that somebody waits for, one after the other; one of four is cancelled."""
    client = Connection(load.daemon.socket)
    while load.due():
        job = load.timed("task.submit", lambda: client.call("task.submit", submission(random_of, True)))["job_id"]
        load.jobs.append(job)
        if random_of.random() < 0.25:
            try:
                load.timed("task.cancel", lambda: client.call("task.cancel", {"job_id": job}))
            except Failed as error:  # it may have ended just before
                if "ended" not in str(error) and "done" not in str(error):
                    raise
        while True:
            message = client.news.pop(0) if client.news else client.read()
            news = message.get("params", {})
            if news.get("job_id") == job and news.get("state") in ("done", "failed", "cancelled"):
                break
        load.timed("task.result", lambda: client.call("task.result", {"job_id": job}))
        for _ in range(40):  # one job in some forty turns: the base must not grow without end
            if not load.due():
                return
            load.timed("status", lambda: client.call("status"))
    client.close()


def night_worker(load, random_of):
    """The queue: add, list, why, rules, report, pause, resume, cancel."""
    client = Connection(load.daemon.socket)
    while load.due():
        params = submission(random_of, False)
        params["user"] = random_of.choice(["ada", "bob"])
        params["priority"] = random_of.randint(-5, 5)
        job = load.timed("queue.add", lambda: client.call("queue.add", params))["job_id"]
        for turn in range(60):
            if not load.due():
                return
            method = random_of.choice(["queue.list", "queue.why", "queue.rules", "queue.list"])
            load.timed(method, lambda: client.call(method, {"job_id": job} if method == "queue.why" else {}))
            if turn == 30 and random_of.random() < 0.2:
                load.timed("queue.pause", lambda: client.call("queue.pause", {"all": True}))
                load.timed("queue.resume", lambda: client.call("queue.resume", {"all": True}))
            if turn == 59:
                load.timed("queue.report", lambda: client.call("queue.report"))
    client.close()


def searcher(load, random_of):
    client = Connection(load.daemon.socket)
    while load.due():
        words = " ".join(random_of.sample(WORDS, 3))
        found = load.timed("kb.search", lambda: client.call("kb.search", {"text": words, "limit": 5}))
        if found["insights"] and load.due():
            shown = random_of.choice(found["insights"])["id"]
            load.timed("kb.show", lambda: client.call("kb.show", {"id": shown}))
        if load.due():
            method = random_of.choice(["kb.stats", "kb.techniques", "episode.list"])
            load.timed(method, lambda: client.call(method, {"limit": 5} if method == "episode.list" else {}))
    client.close()


def reconnecter(load, random_of):
    """Comes, asks or leaves in the middle of a line, goes."""
    while load.due():
        client = Connection(load.daemon.socket)
        if random_of.random() < 0.3:
            client.socket.sendall(b'{"jsonrpc":"2.0","id":1,"method":"hel')
        else:
            load.timed("hello", lambda: client.call("hello", {"client": "soak", "protocol": 1}))
        client.close()


def watcher(load, random_of):
    """Subscribes to jobs, also to ended ones, and leaves without a word every now and then."""
    client = Connection(load.daemon.socket)
    while load.due():
        if load.jobs:
            job = random_of.choice(load.jobs[-20:])
            load.timed("task.status", lambda: client.call("task.status", {"job_id": job, "watch": True}))
            client.news.clear()
        if random_of.random() < 0.05:
            client.close()
            client = Connection(load.daemon.socket)
    client.close()


MCP_START = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}


def mcp_client(load, random_of):
    """An agent on the socket: a new session for every twenty calls."""
    while load.due():
        client = Connection(load.daemon.socket)
        load.timed("mcp initialize", lambda: client.call("initialize", MCP_START))
        client.socket.sendall(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        for _ in range(20):
            if not load.due():
                break
            tool, arguments = random_of.choice([
                ("kb_search", {"query": " ".join(random_of.sample(WORDS, 2))}),
                ("device_info", {}), ("job", {"action": "list"})])
            answer = load.timed("mcp " + tool, lambda: client.call("tools/call", {"name": tool, "arguments": arguments}))
            if answer.get("isError"):
                raise Failed(f"{tool}: {answer['content'][0]['text'][:200]}")
        client.close()


def web_client(load, random_of):
    web = Web(load.daemon.state)
    more = [path for path in ("/metrics", "/healthz", "/readyz") if web.ask("GET", path)[0] == 200]
    load.daemon.web_paths = more
    listing = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": MCP_START}
    while load.due():
        path = random_of.choice(more) if more and random_of.random() < 0.5 else None
        if path:
            status, _ = load.timed("GET " + path, lambda: web.ask("GET", path))
        elif random_of.random() < 0.2:
            status, _ = web.ask("GET", "/nothing")
            status = 200 if status == 404 else status
        else:
            status, _ = load.timed("POST /mcp", lambda: web.ask("POST", "/mcp", listing))
        if status != 200:
            raise Failed(f"HTTP {status} for {path or '/mcp'}")


class Daemon:
    def __init__(self, binaries, home):
        self.home = home
        self.state = home / "state"
        self.socket = home / "d.sock"
        self.web_paths = []
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(home), "CUDA_VISIBLE_DEVICES": "",
            "WARPMIND_DAEMON_STATE_DIRECTORY": str(self.state), "WARPMIND_DAEMON_SOCKET": str(self.socket),
            "WARPMIND_HTTP_LISTEN": "127.0.0.1:0", "WARPMIND_KNOWLEDGE_CACHE_MIB": "16",
            "WARPMIND_KNOWLEDGE_RESERVE_MIB": "192",
            "WARPMIND_DAEMON_ALLOW_ROOT": str(os.geteuid() == 0).lower(),
        }
        self.state.mkdir(mode=0o700)
        self.make_base(binaries)
        self.errors = open(home / "stderr", "wb")
        self.process = subprocess.Popen(
            [str(binaries / "warpmindd")], env=self.environment, stderr=self.errors)
        self.await_socket()

    def make_base(self, binaries):
        claims = os.environ.get("SOAK_INSIGHTS", "2000")
        maker = binaries / "kb_generate"
        if maker.exists() and claims != "0":
            subprocess.run([str(maker), str(self.state / "knowledge"), claims], check=True, stdout=subprocess.DEVNULL)

    def await_socket(self):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            if (self.state / "http.url").exists():
                try:
                    return Connection(self.socket).close()
                except OSError:
                    pass
            time.sleep(0.05)
        raise SystemExit("soak: the daemon did not start:\n" + (self.home / "stderr").read_text())

    def memory_mib(self):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise Failed("the daemon is gone")

    def descriptors(self):
        """Open ones by kind; the base's own files come and go with its compactions."""
        kinds = {"socket": 0, "base": 0, "other": 0}
        folder = Path(f"/proc/{self.process.pid}/fd")
        for entry in folder.iterdir():
            try:
                target = os.readlink(entry)
            except OSError:
                continue
            kinds["socket" if target.startswith("socket:") else
                  "base" if str(self.state / "knowledge") in target else "other"] += 1
        return kinds

    def threads(self):
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def slope(points):
    """Least squares, of (seconds, value): value an hour."""
    if len(points) < 3:
        return float("nan")
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return 3600 * over / sum((x - mean_x) ** 2 for x, _ in points)


def guarded(load, work, number):
    """Begins again after a failure, so that the load stays what it was."""
    while time.monotonic() < load.end:
        try:
            return work(load, random.Random(number))
        except (Failed, OSError, ValueError, http.client.HTTPException) as error:
            load.failed(work.__name__, error)


def memtables_mib(web):
    """What RocksDB holds until it flushes: it grows with what is written, up to 96 MiB, by design."""
    for line in web.ask("GET", "/metrics")[1].decode().splitlines():
        if line.startswith('warpmind_rocksdb{figure="memtable_bytes"}'):
            return float(line.split()[-1]) / 1048576
    return 0.0


def sample_until(load, samples):
    web = Web(load.daemon.state)
    start = time.monotonic()
    every = max(1.0, min(10.0, (load.end - start) / 60))
    while time.monotonic() < load.end:
        kinds = load.daemon.descriptors()
        samples.append((time.monotonic() - start, load.daemon.memory_mib(), kinds["socket"],
                        kinds["base"], kinds["other"], load.daemon.threads(), memtables_mib(web)))
        time.sleep(every)


def drained(daemon, before):
    """The descriptors once every client has gone, and the daemon had the time to see it."""
    end = time.monotonic() + 30
    while True:
        kinds = daemon.descriptors()
        delta = kinds["socket"] + kinds["other"] - before["socket"] - before["other"]
        if delta <= 0 or time.monotonic() > end:
            return delta
        time.sleep(0.2)


def percentile_between(load, low, high):
    times = [took for at, took, name in load.latencies if low <= at < high and name != "queue.report"]
    return 1000 * quantile(times, 0.99)


def report(load, samples, before, after, start):
    minutes = (load.end - start) / 60
    part = min(600.0, (load.end - start) / 4)
    warm = start + min(60.0, part / 4)
    settled = [sample for sample in samples if sample[0] >= (load.end - start) / 3]
    slopes = (slope([(s[0], s[1]) for s in settled]), slope([(s[0], s[1] - s[6]) for s in settled]))
    print(f"{minutes:.1f} minutes, {len(load.latencies)} requests, {len(load.jobs)} jobs waited for")
    for name in sorted(load.counts):
        times = [took for _, took, one in load.latencies if one == name]
        print(f"  {name:18} {load.counts[name]:7}  p50 {1000 * quantile(times, 0.5):8.2f} ms"
              f"  p99 {1000 * quantile(times, 0.99):8.2f} ms")
    print(f"memory {samples[0][1]:.1f} MiB at first, {samples[-1][1]:.1f} MiB at last, "
          f"at most {max(s[1] for s in samples):.1f} MiB; threads {samples[0][5]} to {samples[-1][5]}; "
          f"files of the base {samples[0][3]} to {samples[-1][3]}")
    print(f"RESULT soak minutes={minutes:.1f} requests={len(load.latencies)} "
          f"rss_slope_mib_per_h={slopes[0]:.2f} without_memtables_mib_per_h={slopes[1]:.2f} "
          f"rss_last_mib={samples[-1][1]:.1f} fds_delta={after} "
          f"threads_delta={samples[-1][5] - samples[min(3, len(samples) - 1)][5]} "
          f"p99_ms_first={percentile_between(load, warm, warm + part):.2f} "
          f"p99_ms_last={percentile_between(load, load.end - part, load.end):.2f} errors={len(load.errors)}")


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: soak.py BIN_DIRECTORY")
    home = Path(tempfile.mkdtemp(prefix="soak"))
    daemon = Daemon(Path(sys.argv[1]).resolve(), home)
    try:
        before = daemon.descriptors()
        load = Load(daemon, float(os.environ.get("SOAK_RATE", "20")), float(os.environ.get("SOAK_MINUTES", "60")))
        start = time.monotonic()
        samples = []
        workers = [submitter, night_worker, searcher, reconnecter, watcher, mcp_client, web_client]
        threads = [threading.Thread(target=guarded, args=(load, work, number))
                   for number, work in enumerate(workers)]
        for thread in threads:
            thread.start()
        sample_until(load, samples)
        for thread in threads:
            thread.join(PATIENCE_S)
        after = drained(daemon, before)
        report(load, samples, before, after, start)
        if "SOAK_SAMPLES" in os.environ:
            rows = ["s\trss_mib\tsockets\tbase_files\tother\tthreads\tmemtables_mib"]
            rows += ["\t".join(f"{value:.1f}" for value in sample) for sample in samples]
            Path(os.environ["SOAK_SAMPLES"]).write_text("\n".join(rows) + "\n")
        code = daemon.stop()
        if code != 0:
            load.failed("daemon", f"it ended with {code}")
        return 1 if load.errors or after > 0 else 0
    finally:
        daemon.process.kill()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
