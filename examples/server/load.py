"""Load on a server of this folder: load.py SERVER [--requests N] [--clients N] [--workers N] [--queue N].

Starts it on a free port with a model whose output tells which input it was computed from (all 256 numbers are
negated), and sends requests from so many clients at once, some malformed, some cut off in the middle. Holds that
each answer is the one for its request, that none is lost, that what the server counted is what was sent, and that
its memory is flat; then that SIGTERM under load loses no request that was taken. Prints latencies."""
import argparse
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

WIDTH = 256
MODEL = f"module {{\n  %x = input f32[{WIDTH}]\n  %y = core::neg(%x)\n  return %y\n}}\n"
# The same numbers, after some work whose results are zeros.
SLOW = (f"module {{\n  %x0 = input f32[1,{WIDTH}]\n  %w = const f32[{WIDTH},{WIDTH}] zeros\n" + "".join(
    f"  %z{i} = core::fully_connected(%x{i}, %w)\n  %x{i + 1} = core::add(%x{i}, %z{i})\n" for i in range(40)) +
        "  %y = core::neg(%x40)\n  return %y\n}\n")
SIZE = 4 * WIDTH


class Client:
    """One connection at a time, kept open as long as the server does."""

    def __init__(self, port):
        self.port, self.socket, self.rest = port, None, b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.rest = None, b""

    def send(self, data):
        if not self.socket:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(data)

    def answer(self):
        """Status and body; None: the connection ended before them."""
        while b"\r\n\r\n" not in self.rest:
            more = self.socket.recv(65536)
            if not more:
                return None
            self.rest += more
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        fields = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:])}
        size = int(fields.get("content-length", 0))
        while len(self.rest) < size:
            more = self.socket.recv(65536)
            if not more:
                return None
            self.rest += more
        body, self.rest = self.rest[:size], self.rest[size:]
        if fields.get("connection", "").lower() == "close":
            self.close()
        return int(lines[0].split()[1]), body

    def get(self, path):
        self.send(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return self.answer()

    def post(self, body, size=None):
        size = len(body) if size is None else size
        self.send(f"POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode() + body)


def start(server, model, *flags):
    process = subprocess.Popen([server, model, "--port", "0", *map(str, flags)], stdout=subprocess.PIPE, text=True)
    said = process.stdout.readline()
    assert said.startswith("listening on port "), said
    return process, int(said.split()[-1])


def resident(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS")))


def threads_of(process):
    return len(list(pathlib.Path(f"/proc/{process.pid}/task").iterdir()))


class Load:
    def __init__(self, port, requests):
        self.port, self.left, self.lock = port, requests, threading.Lock()
        self.latency, self.wrong = [], []
        self.sent = {"good": 0, "malformed": 0, "cut": 0, "busy": 0}

    def next(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def count(self, what):
        with self.lock:
            self.sent[what] += 1

    def good(self, client, rng):
        x = [float(rng.randrange(-10 ** 6, 10 ** 6)) for _ in range(WIDTH)]
        body, want = struct.pack(f"<{WIDTH}f", *x), struct.pack(f"<{WIDTH}f", *[-v for v in x])
        while True:
            begin = time.monotonic()
            client.post(body)
            got = client.answer()
            if got and got[0] == 503:  # it said that it is busy: again, a little later
                self.count("busy")
                time.sleep(0.002 + 0.01 * rng.random())
                continue
            took = time.monotonic() - begin
            break
        with self.lock:
            self.latency.append(took)
            self.sent["good"] += 1
            if got != (200, want):
                self.wrong.append(f"answer {got and got[0]} is not that of its request")

    def malformed(self, client, rng):
        size = rng.choice([0, 1, SIZE - 1, SIZE + 1, 3 * SIZE])
        client.post(os.urandom(size))
        got = client.answer()
        self.count("malformed")
        if not got or got[0] not in (400, 413):
            with self.lock:
                self.wrong.append(f"{size} bytes were answered with {got and got[0]}")

    def cut(self, client, rng):
        client.close()
        client.post(os.urandom(rng.randrange(1, SIZE - 1)), SIZE)
        client.close()
        self.count("cut")

    def work(self, seed):
        rng, client = random.Random(seed), Client(self.port)
        try:
            while self.next():
                kind = rng.random()
                (self.cut if kind < 0.02 else self.malformed if kind < 0.06 else self.good)(client, rng)
        except Exception as error:  # of a thread: told by the main one
            with self.lock:
                self.wrong.append(f"{type(error).__name__}: {error}")
        client.close()

    def run(self, clients):
        threads = [threading.Thread(target=self.work, args=(i,)) for i in range(clients)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return self


def metric(text, name):
    return int(float(next((line.rsplit(" ", 1)[1] for line in text.splitlines() if line.startswith(name + " ")), 0)))


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def counts(port, name, want):
    """The end of a connection may be seen a little later."""
    for _ in range(100):
        if metric(Client(port).get("/metrics")[1].decode(), name) == want:
            return True
        time.sleep(0.05)
    return False


def cut_off(args, folder):
    """More connections that are cut off than a process may have open: all are let go."""
    process, port = start(args.server, folder / "m.tenon", "--workers", 1, "--queue", 4)
    try:
        load = Load(port, 3000)
        load.good = load.malformed = load.cut
        load.run(args.clients)
        check(not load.wrong, load.wrong[:3])
        check(counts(port, "tenon_cut_off_total", 3000), "some were kept")
        check(len(list(pathlib.Path(f"/proc/{process.pid}/fd").iterdir())) < 100, "descriptors are kept")
        print("3000 connections cut off: all are let go")
    finally:
        process.send_signal(signal.SIGTERM)
        check(process.wait(timeout=30) == 0, "ends with 0")


def steady(args, folder):
    process, port = start(args.server, folder / "m.tenon", "--workers", args.workers, "--queue", args.queue)
    try:
        warm = Load(port, args.requests // 5).run(args.clients)
        before, threads = resident(process), threads_of(process)
        load = Load(port, args.requests).run(args.clients)
        after = resident(process)
        time.sleep(0.2)
        text = Client(port).get("/metrics")[1].decode()
        for said in (warm, load):
            check(not said.wrong, f"{len(said.wrong)} wrong: {said.wrong[:3]}")
        sent = {k: warm.sent[k] + load.sent[k] for k in load.sent}
        check(metric(text, "tenon_latency_seconds_count") == sent["good"] + sent["busy"], f"counted otherwise: {sent}\n{text}")
        check(metric(text, 'tenon_requests_total{code="200"}') == sent["good"], text)
        check(metric(text, 'tenon_requests_total{code="503"}') == sent["busy"], text)
        wrong = metric(text, 'tenon_requests_total{code="400"}') + metric(text, 'tenon_requests_total{code="413"}')
        check(wrong == sent["malformed"], text)
        check(counts(port, "tenon_cut_off_total", sent["cut"]), f"{sent}\n{text}")
        check(metric(text, "tenon_queued") == metric(text, "tenon_running") == 0, text)
        check(after - before < args.memory and threads_of(process) == threads, f"memory {before} to {after} KiB")
        took = sorted(load.latency)
        at = lambda share: took[min(len(took) - 1, int(share * len(took)))] * 1e3  # noqa: E731
        print(f"{args.requests} requests of {args.clients} clients: {load.sent}; none lost, none mixed up")
        print(f"latency 50 % {at(0.5):.2f} ms, 99 % {at(0.99):.2f} ms, 99.9 % {at(0.999):.2f} ms; "
              f"memory {before} KiB, then {after} KiB")
        check(Client(port).get("/model")[1].startswith(b'{"inputs": [{"name": "x", "dtype": "f32"'), "/model")
        check(Client(port).get("/health") == (200, b"well\n") and Client(port).get("/no")[0] == 404, "paths")
        check(Client(port).get("/run")[0] == 405, "a method")
    finally:
        process.send_signal(signal.SIGTERM)
        check(process.wait(timeout=30) == 0, "ends with 0")


def busy(args, folder):
    """More than may wait: 503 at once, and what is taken is answered right all the same."""
    process, port = start(args.server, folder / "slow.tenon", "--workers", 1, "--queue", 2)
    try:
        load = Load(port, min(args.requests, 2000)).run(args.clients)
        text = Client(port).get("/metrics")[1].decode()
        check(not load.wrong, load.wrong[:3])
        check(load.sent["busy"] > 0, "the queue was never full")
        check(metric(text, 'tenon_requests_total{code="503"}') == load.sent["busy"], text)
        print(f"a queue of 2: {load.sent['busy']} times busy, {load.sent['good']} answered")
    finally:
        process.send_signal(signal.SIGTERM)
        check(process.wait(timeout=30) == 0, "ends with 0")


def stopped(args, folder):
    """SIGTERM while many wait: a request that was sent whole before is answered, a later one is refused."""
    process, port = start(args.server, folder / "slow.tenon", "--workers", 1, "--queue", 1000)
    clients = [Client(port) for _ in range(64)]
    body = struct.pack(f"<{WIDTH}f", *range(WIDTH))
    for c in clients:
        check(c.get("/health")[0] == 200, "health")
    for c in clients:
        c.post(body)
    process.send_signal(signal.SIGTERM)
    answers = [c.answer() for c in clients]
    lost = sum(a is None for a in answers)
    check(lost == 0 and all(a[0] == 200 for a in answers), f"{lost} of 64 were lost: {answers[:2]}")
    for c in clients:
        c.close()
    check(process.wait(timeout=30) == 0, "ends with 0")
    try:
        Client(port).get("/health")
        check(False, "still there")
    except ConnectionRefusedError:
        pass
    print("SIGTERM under load: 64 of 64 answered")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--queue", type=int, default=32)
    parser.add_argument("--memory", type=int, default=2048, help="KiB that it may grow by")
    args = parser.parse_args()
    args.server = str(pathlib.Path(args.server).resolve())
    with tempfile.TemporaryDirectory(prefix="tenon-load-") as folder:
        folder = pathlib.Path(folder)
        (folder / "m.tenon").write_text(MODEL)
        (folder / "slow.tenon").write_text(SLOW)
        steady(args, folder)
        cut_off(args, folder)
        busy(args, folder)
        stopped(args, folder)


if __name__ == "__main__":
    main()
