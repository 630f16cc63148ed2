"""A decoder's step with a cache and an open number of tokens (tests/models/pt2/kv_cache), taken step
by step: in a session, as emitted C, on the command line. cache.py CC SOURCE TENON LIBRARY FLAGS...
Tokens and positions are int64; the cache is read, set and reset by its name; all have the same bits."""
import ast
import pathlib
import struct
import subprocess
import sys
import tempfile

CC, SOURCE, TENON, LIBRARY = sys.argv[1], *(pathlib.Path(a).resolve() for a in sys.argv[2:5])
FLAGS = sys.argv[5:]
MODEL = SOURCE / "tests" / "models" / "pt2" / "kv_cache"
# Commands from standard input: "r AT N TOKEN...", "0" to reset, "g" to print the cache as words,
# "s WORD..." to set it.
LOOP = """
int main(int argc, char **argv) {
  char what;
  if (argc < 1 || start(argv[argc - 1])) return 1;
  while (scanf(" %c", &what) == 1) {
    uint32_t *keys = cache();
    if (what == '0' && reset()) return 1;
    for (int i = 0; what == 's' && i < 32; ++i)
      if (scanf("%u", &keys[i]) != 1) return 1;
    for (int i = 0; what == 'g' && i < 32; ++i) printf("%u%c", keys[i], i < 31 ? ' ' : '\\n');
    if (what != 'r') continue;
    long long at = 0, token = 0;
    int n = 0;
    static int64_t in[64], out[64];
    int64_t next = 0;
    if (scanf("%lld %d", &at, &n) != 2) return 1;
    for (int i = 0; i < n; ++i) {
      if (scanf("%lld", &token) != 1) return 1;
      in[i] = token;
    }
    int status = step(in, n, at, out, &next);
    if (status) {
      printf("status %d\\n", status);
      continue;
    }
    for (int i = 0; i < n; ++i) printf("%lld ", (long long)out[i]);
    printf("-> %lld\\n", (long long)next);
  }
  return 0;
}
"""
SESSION = """#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>
static tenon_context *cx;
static tenon_program *p;
static tenon_session *s;
static unsigned char file[1 << 20];
static int start(const char *path) {
  FILE *f = fopen(path, "rb");
  tenon_module *m = NULL;
  tenon_session_options o = {.struct_size = sizeof o};
  tenon_memory need[8];
  void *memory[8];
  if (!f || tenon_context_create(NULL, &cx)) return 1;
  size_t size = fread(file, 1, sizeof file, f);
  fclose(f);
  if (tenon_program_is_saved(file, size)) {
    if (tenon_program_load(cx, file, size, path, 0, &p)) return 1;
  } else {
    tenon_entry e = {0};
    if (tenon_module_read(cx, file, size, NULL, &e.module)) return 1;
    if (tenon_program_compile(&e, 1, NULL, &p)) return 1;
    m = e.module;
    tenon_module_destroy(m);
  }
  size_t n = tenon_program_memory(p, 1, need, 8);
  for (size_t i = 0; i < n; ++i) memory[i] = aligned_alloc(64, (need[i].size + 63) / 64 * 64);
  o.memory = memory;
  return tenon_session_init(p, &o, &s);
}
static uint32_t *cache(void) {
  tenon_tensor t;
  return tenon_session_state(s, "keys", &t) ? NULL : t.data;
}
static int reset(void) { return tenon_session_reset(s); }
static int step(int64_t *tokens, int n, int64_t at, int64_t *out, int64_t *next) {
  int32_t dims[1] = {n};
  tenon_tensor in[2] = {{.data = tokens, .dims = dims, .dtype = TENON_S64, .rank = 1},
                        {.data = &at, .dtype = TENON_S64}};
  tenon_tensor to[2] = {{0}};
  int status = tenon_session_run(s, 0, in, 2, to, 2);
  for (int i = 0; !status && i < n; ++i) out[i] = ((const int64_t *)to[0].data)[i];
  if (!status && to[0].dims[0] != n) return 99;
  if (!status) *next = *(const int64_t *)to[1].data;
  return status;
}
"""
EMITTED = """#include "kv.h"
#include <stdio.h>
static kv m;
static int start(const char *path) {
  (void)path;
  kv_init(&m);
  return 0;
}
static uint32_t *cache(void) { return (uint32_t *)(void *)kv_state_keys(&m); }
static int reset(void) {
  kv_reset(&m);
  return 0;
}
static int step(int64_t *tokens, int n, int64_t at, int64_t *out, int64_t *next) {
  int status = kv_run(&m, n, tokens, &at, out, next);
  return status ? status : kv_OUT_dim(&m, 0) == n ? 0 : 99;
}
"""


def run(*args, code=0, **rest):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **rest)
    assert done.returncode == code, (args, done.returncode, done.stdout, done.stderr)
    return done.stdout


def load(path):
    """The integers or words of a .npy."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    kind = ast.literal_eval(data[10:10 + size].decode())["descr"]
    rest = data[10 + size:]
    form = {"<i8": "q", "<f4": "I"}[kind]
    return list(struct.unpack(f"<{len(rest) // struct.calcsize(form)}{form}", rest))


def save(path, words):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 4), }".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() +
                     struct.pack("<32I", *words))


STEPS = [[load(MODEL / f"case{i}" / f) for f in ("in0.npy", "in1.npy", "out0.npy", "out1.npy")]
         for i in range(4)]


def line(i):
    tokens, at, _, _ = STEPS[i]
    return f"r {at[0]} {len(tokens)} {' '.join(map(str, tokens))}\n"


def told(i):
    return " ".join(map(str, STEPS[i][2])) + f" -> {STEPS[i][3][0]}"


def steps(program, *args):
    """What the program has in its cache after each step; what it says is checked."""
    def talk(text):
        return run(program, *args, input=text).splitlines()

    found = talk("g\n" + "".join(line(i) + "g\n" for i in range(4)) +
                 "0\ng\n" + line(0) + "g\n")
    assert found[1:8:2] == [told(i) for i in range(4)], found
    assert found[10] == told(0) and found[0] == found[9] == "0 " * 31 + "0", found
    assert found[11] == found[2], "after a reset"
    # Set by name, in another process.
    again = talk(f"s {found[4]}\n" + line(2) + "g\n" + f"s {found[2]}\n" + line(1) + "g\n")
    assert again == [told(2), found[6], told(1), found[4]], again
    # One too many tokens, and a place behind the cache: refused, and the session goes on.
    wrong = talk("r 0 9 1 1 1 1 1 1 1 1 1\nr 7 2 1 1\n0\n" + line(0))
    assert [w.startswith("status ") for w in wrong] == [True, True, False] and wrong[2] == told(0), wrong
    return [list(map(int, found[k].split())) for k in (2, 4, 6, 8)]


def command_line(file, folder):
    state, found = (), []
    for i in range(4):
        to = folder / f"step{i}"
        case = MODEL / f"case{i}"
        run(TENON, "run", file, "--input", case / "in0.npy", "--input", case / "in1.npy", *state,
            "--save", to)
        assert load(to / "out0.npy") == STEPS[i][2] and load(to / "out1.npy") == STEPS[i][3], i
        found.append(load(to / "buf_keys.npy"))
        save(folder / "keys.npy", found[-1])
        state = ("--state", f"keys={folder / 'keys.npy'}")
    return found


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "session.c").write_text(SESSION + LOOP)
        run(CC, "-std=c11", "-O1", folder / "session.c", f"-I{SOURCE / 'include'}", LIBRARY, *FLAGS,
            "-o", folder / "session")
        for form in ("model", "core"):
            model, saved = MODEL / f"{form}.pt2", folder / f"{form}.tnp"
            run(TENON, "compile", model, "-o", saved)
            run(TENON, "emit", model, "--prefix", "kv", "-o", folder / form)
            header = (folder / form / "kv.h").read_text()
            out = header.split("_dim(const kv *m")[0].rsplit("kv_", 1)[1]
            (folder / form / "main.c").write_text(EMITTED.replace("OUT", out) + LOOP)
            run(CC, "-std=c11", "-O2", "-ffp-contract=off", folder / form / "main.c",
                folder / form / "kv.c", "-lm", "-o", folder / "emitted")
            caches = [steps(folder / "session", model), steps(folder / "session", saved),
                      steps(folder / "emitted"), command_line(model, folder),
                      command_line(saved, folder)]
            assert all(c == caches[0] for c in caches), caches
    print("step by step: sessions, program files, emitted C and the command line agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
