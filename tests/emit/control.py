#!/usr/bin/env python3
"""control.py TENON [COUNT [EMITTED [FIRST]]]: made-up programs of branches, loops,
states and written inputs, nested in each other, compared with what this script
computes of them.

Everything is 32-bit integers, so results are equal or wrong. COUNT programs run
in sessions, EMITTED of them also as compiled C; seeds begin with FIRST."""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

INPUTS = ["%a", "%b", "%c"]
STATES = [[1, 2], [3, -4]]
CASES = 3


def wrap(v):
    v &= 0xffffffff
    return v - (1 << 32) if v >> 31 else v


TWO = {"add": lambda p, q: wrap(p + q), "sub": lambda p, q: wrap(p - q), "maximum": max,
       "minimum": min}


class Program:
    """Statements are tuples: a kind, then what the kind has."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.count = 0
        self.states = self.draw.randint(0, len(STATES))
        self.body, scope = self.block(INPUTS, 0, self.draw.randint(2, 8))
        self.outputs = [self.draw.choice(scope) for _ in range(3)]
        self.written = self.draw.choice(scope)

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def some(self, scope, n):
        return [self.draw.choice(scope) for _ in range(n)]

    # --- making ------------------------------------------------------------

    def block(self, scope, depth, size):
        statements, scope = [], list(scope)
        for _ in range(size):
            k = self.draw.random()
            if k < 0.5 or depth >= 3:
                statements.append(self.plain(scope))
                scope.append(statements[-1][1])
            elif k < 0.62 and self.states:
                statements.append(("read", self.new(), self.draw.randrange(self.states)))
                scope.append(statements[-1][1])
            elif k < 0.74 and self.states:
                statements.append(("write", self.draw.choice(scope),
                                   self.draw.randrange(self.states)))
            else:
                make = self.branch if k < 0.87 else self.loop
                statements.append(make(scope, depth))
                scope += statements[-1][1]
        return statements, scope

    def plain(self, scope):
        kind = self.draw.choice(["neg", "view", *TWO, *TWO])
        return (kind, self.new(), *self.some(scope, 2 if kind in TWO else 1))

    def branch(self, scope, depth):
        args, n = self.some(scope, self.draw.randint(0, 3)), self.draw.randint(1, 3)
        regions = []
        for _ in range(2):
            params = [self.new() for _ in args]
            body, inner = self.block(scope + params, depth + 1, self.draw.randint(0, 4))
            regions.append((params, body, self.some(inner, n)))
        return ("cond", [self.new() for _ in range(n)], self.draw.choice(scope), args, regions)

    def loop(self, scope, depth):
        args = self.some(scope, self.draw.randint(1, 4))
        test, params = [self.new() for _ in args], [self.new() for _ in args]
        before, _ = self.block(scope + test, depth + 1, self.draw.randint(0, 2))
        body, inner = self.block(scope + params, depth + 1, self.draw.randint(0, 5))
        if self.draw.random() < 0.5:
            inner = params + [v for v in inner if v not in scope]
        return ("while", [self.new() for _ in args], self.draw.randint(0, 4), args, test, before,
                params, body, self.some(inner, len(args)))

    # --- as text -----------------------------------------------------------

    def lines(self, statements):
        for s in statements:
            if s[0] == "view":
                t = self.new()
                yield f"{t} = core::reshape({s[2]}) [shape=[1,2]] : s32[1,2]"
                yield f"{s[1]} = core::reshape({t}) [shape=[2]] : s32[2]"
            elif s[0] == "read":
                yield f'{s[1]} = core::state_read() [state="s{s[2]}"] : s32[2]'
            elif s[0] == "write":
                yield f'core::state_write({s[1]}) [state="s{s[2]}"]'
            elif s[0] == "cond":
                yield from self.branch_lines(*s[1:])
            elif s[0] == "while":
                yield from self.loop_lines(*s[1:])
            else:
                yield f"{s[1]} = core::{s[0]}({', '.join(s[2:])}) : s32[2]"

    def region(self, params, body, last):
        yield "(" + ", ".join(params) + ") {"
        yield from self.lines(body)
        yield from last
        yield "}"

    def branch_lines(self, outs, pred, args, regions):
        t, u, flag = self.new(), self.new(), self.new()
        yield f"{t} = core::slice({pred}) [begin=[0], step=[1], size=[1]] : s32[1]"
        yield f"{u} = core::maximum({t}, %turns0) : s32[1]"
        yield f"{flag} = core::cast({u}) [dtype=bool] : bool[1]"
        types = ", ".join(["s32[2]"] * len(outs))
        yield f"{', '.join(outs)} = core::cond({flag}, [{', '.join(args)}]) : {types} {{"
        for params, body, results in regions:
            yield from self.region([p + ": s32[2]" for p in params], body,
                                   ["return " + ", ".join(results)])
        yield "}"

    def loop_lines(self, outs, turns, args, test, before, params, body, results):
        left, t, flag, now, less = (self.new() for _ in range(5))
        types = ", ".join(["s32[1]"] + ["s32[2]"] * len(outs))
        yield (f"{left}, {', '.join(outs)} = core::while([%turns{turns}, {', '.join(args)}]) : "
               f"{types} {{")
        yield from self.region([t + ": s32[1]"] + [p + ": s32[2]" for p in test], before,
                               [f"{flag} = core::cast({t}) [dtype=bool] : bool[1]",
                                f"return {flag}"])
        yield from self.region([now + ": s32[1]"] + [p + ": s32[2]" for p in params], body,
                               [f"{less} = core::sub({now}, %turns1) : s32[1]",
                                "return " + ", ".join([less] + results)])
        yield "}"

    def text(self):
        lines = ["module {"]
        for i in range(self.states):
            lines.append(f'state "s{i}" : s32[2] = {{{STATES[i][0]}, {STATES[i][1]}}}')
        lines += [f"%turns{i} = const s32[1] {{{i}}}" for i in range(5)]
        lines += [f"{v} = input s32[2]" for v in INPUTS]
        lines += self.lines(self.body)
        outs = ", ".join(f'{v} as "o{i}"' for i, v in enumerate(self.outputs))
        return "\n".join([*lines, f"return {outs}, {self.written} into 1", "}", ""])

    # --- as numbers --------------------------------------------------------

    def run(self, statements, values, states):
        for s in statements:
            if s[0] == "neg":
                values[s[1]] = [wrap(-v) for v in values[s[2]]]
            elif s[0] == "view":
                values[s[1]] = values[s[2]]
            elif s[0] == "read":
                values[s[1]] = list(states[s[2]])
            elif s[0] == "write":
                states[s[2]] = list(values[s[1]])
            elif s[0] == "cond":
                _, outs, pred, args, regions = s
                params, body, results = regions[0 if values[pred][0] > 0 else 1]
                self.enter(params, args, body, results, outs, values, states)
            elif s[0] == "while":
                self.turn(s, values, states)
            else:
                values[s[1]] = [TWO[s[0]](p, q) for p, q in zip(values[s[2]], values[s[3]])]

    def enter(self, params, args, body, results, outs, values, states):
        inner = {**values, **{p: values[a] for p, a in zip(params, args)}}
        self.run(body, inner, states)
        values.update({o: inner[r] for o, r in zip(outs, results)})

    def turn(self, s, values, states):
        _, outs, turns, args, test, before, params, body, results = s
        values.update({o: values[a] for o, a in zip(list(outs), [*args])})
        for left in range(turns, -1, -1):
            self.enter(test, outs, before, [], [], values, states)
            if left:
                self.enter(params, outs, body, results, outs, values, states)


def save(path, values):
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * ((53 - len(head)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                     struct.pack(f"<{len(values)}i", *values))


def record(p, folder):
    """A model with consecutive cases of one session."""
    (folder / "model.tenon").write_text(p.text())
    states = [list(s) for s in STATES]
    for k in range(CASES):
        case = folder / f"case{k}"
        case.mkdir()
        values = {v: [p.draw.randint(-3, 3) for _ in range(2)] for v in INPUTS}
        for i, v in enumerate(INPUTS):
            save(case / f"in{i}.npy", values[v])
        p.run(p.body, values, states)
        for i, v in enumerate(p.outputs):
            save(case / f"out{i}.npy", values[v])
        save(case / "in1_after.npy", values[p.written])


def main():
    tenon = pathlib.Path(sys.argv[1]).resolve()
    count, emitted, first = (*map(int, sys.argv[2:]), *(120, 6, 0)[len(sys.argv) - 2:])
    for seed in range(first, first + count):
        ways = "run,emitted" if seed - first < emitted else "run"
        with tempfile.TemporaryDirectory(prefix="tenon-control-") as work:
            folder = pathlib.Path(work)
            record(Program(seed), folder)
            done = subprocess.run([str(tenon), "verify", str(folder / "model.tenon"), "--stateful",
                                   "--with", ways], capture_output=True, text=True)
            if done.returncode:
                print(f"seed {seed}:\n{(folder / 'model.tenon').read_text()}\n"
                      f"{done.stdout}{done.stderr}")
                return 1
    print(f"{count} programs, {min(count, emitted)} of them as C")
    return 0


sys.exit(main())
