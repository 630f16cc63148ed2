"""What a terminal shows while a command runs: what it does, how far it is, and nothing of it afterwards."""
import os
import pty
import re
import subprocess

from cli import FOLDER, TENON, expect, main

# A kernel that is slow at first: the rest of the rows is quick.
SLOW = r"""#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include <unistd.h>
#include "tenon/ext/plugin.h"
static pid_t loaded;
static int calls;
static tenon_status slow_run(const tenon_call *c) {
  const struct timespec part = {0, 450000000};
  if (getpid() == loaded && calls++ < 10) nanosleep(&part, NULL);
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    ((float *)c->out[0].data)[i] = ((const float *)c->in[0].data)[i];
  return TENON_OK;
}
static tenon_status infer(tenon_infer *c) { return tenon_infer_out(c, 0, tenon_infer_in(c, 0)); }
static const tenon_kernel_desc kernel = {
    .struct_size = sizeof kernel, .symbol = "slow_copy", .types = "f32 -> f32", .run = slow_run};
static const tenon_op_desc op = {
    .struct_size = sizeof op, .doc = "A copy.", .schema = "slow::copy(Tensor x) -> Tensor",
    .infer = infer, .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL}};
static tenon_plugin slow = {
    TENON_PLUGIN_HEADER, .name = "slow", .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op, NULL}};
TENON_EXTERN_C TENON_EXPORT const tenon_plugin *TENON_PLUGIN_ENTRY(slow)(void);
const tenon_plugin *TENON_PLUGIN_ENTRY(slow)(void) {
  loaded = getpid();
  return &slow;
}
"""


def shown(*args, term="xterm"):
    """What a terminal gets from standard error."""
    inner, outer = pty.openpty()
    env = {**os.environ, "TERM": term}
    with subprocess.Popen([TENON, *args], cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=outer, env=env) as child:
        os.close(outer)
        text = b""
        try:
            while part := os.read(inner, 4096):
                text += part
        except OSError:  # Linux says so where the other end is closed
            pass
    os.close(inner)
    return child.returncode, text.decode()


def test_line_is_written_over_and_wiped():
    (FOLDER / "slow.c").write_text(SLOW)
    code, text = shown("check", "slow.c", "--runs", "200", "--with", "kernel")
    lines = text.split("\r\x1b[K")
    expect(code == 0 and lines[0] == "" and lines[-1] == "", text)
    found = [line for line in lines if "drawing rows of slow::copy" in line]
    expect(len(found) >= 3, text)
    expect(all(re.fullmatch(r"tenon: drawing rows of slow::copy, \d+ of 200, \d+ s(, about \d+ (s|min) left)?",
                            line) for line in found), text)
    seconds = [int(line.split(", ")[2].split()[0]) for line in found]
    expect(seconds == sorted(seconds) and len(set(seconds)) == len(seconds), text)
    # How long it takes is not guessed before there were some seconds of it.
    expect("left" not in found[0] and found[-1].endswith("left"), text)


def test_only_terminals_that_can():
    model = "module {\n  %x = input f32[2]\n  %y = core::neg(%x)\n  return %y\n}\n"
    (FOLDER / "quick.tenon").write_text(model)
    expect(shown("plan", "quick.tenon") == (0, ""), "a command that is quick")
    (FOLDER / "slow.c").write_text(SLOW.replace("450000000", "110000000"))
    args = ("check", "slow.c", "--runs", "20", "--with", "kernel")
    for more, term in (((), "dumb"), (("--quiet",), "xterm"), (("--json",), "xterm")):
        code, text = shown(*args, *more, term=term)
        expect(code == 0 and "\x1b" not in text and "drawing" not in text, f"{more} {term}: {text}")


main([test_line_is_written_over_and_wiped, test_only_terminals_that_can])
