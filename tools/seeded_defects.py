#!/usr/bin/env python3
"""Plants defects in a copy of the tree and shows that the tests find them.

    seeded_defects.py [--only NAME]... [--folder DIR]

Each row of DEFECTS is one edit of one file, and a test that must pass without it and fail
with it, of a stage of tools/test_tiers.py to which that test must belong. The copy has what
git has of this tree, changes included; its builds stay from defect to defect. Prints a line a
defect; ends with 1 when a test does not find its defect, or an edit no longer fits its file.
Docs/testing.md refers to the rows by name.
"""
import argparse
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import test_tiers  # noqa: E402

ROOT = test_tiers.ROOT
Defect = collections.namedtuple("Defect", "name what tier stage test target file before after")

DEFECTS = [
    Defect("wrong-kernel", "a reference kernel adds one to what it stores", "quick", "tests",
           "cases/each", "cases_test", "src/kern/rows/unary.def",
           'EACH(neg, "floats", "", "-x")', 'EACH(neg, "floats", "", "1 - x")'),
    Defect("wrong-vector-kernel", "a vector kernel clamps at another bound than the reference",
           "quick", "tests", "unit/kern_fast", "kern_fast_test", "src/kern/opt/product/hybrid_f32_opt.h",
           "(float)(-128 - h.zero)", "(float)(-127 - h.zero)"),
    Defect("wrong-constant", "emitted C has zeros for the last four bytes of a constant", "quick",
           "tests", "fixtures/small_sample", "tenon", "src/emit/data/constants.c",
           "tenon_sink_array(s, c->dtype, c->data, c->size);",
           "tenon_sink_array(s, c->dtype, c->data, c->size > 8 ? c->size - 4 : c->size);"),
    Defect("wrong-emitted-size", "emitted C leaves out the last item where sizes are open", "standard",
           "tests", "fixtures/small", "tenon", "src/emit/step/open_items.c",
           "tenon_emit_product(out, t, p->begin, p->end);",
           'tenon_emit_product(out, t, p->begin, p->end);\n    tenon_buf_text(out, " - 1");'),
    Defect("wrong-when-optimised", "emitted C computes something else where it is optimised",
           "full", "emitted C as users compile it", "emit/models", "tenon",
           "src/kern/ref/reduce/softmax_f32_ref.c", "  return TENON_OK;\n}",
           "#if defined(__OPTIMIZE__) && defined(TENON_EMITTED)\n"
           "  ((int8_t *)c->out[0].data)[0] ^= 1;\n#endif\n  return TENON_OK;\n}"),
    Defect("check-is-blind", "tenon check takes any result for equal", "standard", "tests",
           "cli/check_finds_wrong_plugins", "tenon", "src/cli/check/check_ways.c",
           "if (d.outside == 0) continue;", "if (d.outside < 1000000) continue;"),
    Defect("leak-in-library", "a map leaves its entries allocated", "quick", "tests",
           "unit/base", "base_test", "src/base/map.c",
           "  tenon_free(&map->allocator, map->slots, map->capacity * sizeof *slots,",
           "  if (!map->count)\n    tenon_free(&map->allocator, map->slots, map->capacity * sizeof *slots,"),
    Defect("leak-in-command", "the command forgets the bytes of an input", "gate",
           "quick tests under sanitizers", "cli/verbs_and_exit_codes", "tenon",
           "src/cli/verb/cmd_run.c", "    cli_tensor_free(&r->in[i]);", "    (void)0;"),
    Defect("use-after-failure", "a failed allocation is written to", "standard", "tests",
           "fault/commands", "all", "src/cli/verb/cmd_run.c",
           "if (!r->in_io || !r->out_io || !r->in || !r->out) return false;",
           "if (!r->in_io || !r->out_io || !r->in) return false;"),
    Defect("race", "two threads describe an operator at once", "gate", "threads",
           "unit/reg", "reg_test", "src/reg/catalog.c",
           "atomic_flag_test_and_set_explicit(&s->lock, memory_order_acquire)",
           "false"),
    Defect("read-out-of-bounds", "a reader takes two bytes where one is left", "gate",
           "quick tests under sanitizers", "unit/read", "read_test",
           "src/base/bytes.h", "return at <= b.size && size <= b.size - at;",
           "return at <= b.size && size <= b.size - at + 1;"),
    Defect("lying-document", "a document shows an output that does not come", "standard",
           "tests", "docs/lowering", "tenon", "docs/lowering.md",
           "\n%y = custom::fused_gate(%x, %w) : f32[2,3]\n",
           "\n%y = custom::fused_gate(%x, %w) : f32[2,4]\n"),
    Defect("lying-errors", "a diagnostic without its section in docs/errors.md", "quick",
           "tests", "docs/errors", "tenon", "docs/errors.md",
           "\n### functional-constant\n", "\n### functional-constants\n"),
]


def copy_tree(folder):
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, names):
        source, target = ROOT / os.fsdecode(name), folder / os.fsdecode(name)
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != source.read_bytes():
                shutil.copy2(source, target)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)


def stage_of(defect):
    found = [s for s in test_tiers.STAGES
             if s.name == defect.stage and defect.tier in s.tiers.split()]
    if len(found) != 1:
        raise SystemExit(f"{defect.name}: tier '{defect.tier}' has no stage '{defect.stage}'")
    return found[0]


def build(folder, stage, target):
    targets = [] if target == "all" else [target, "tenon"]
    done = subprocess.run(["script/build", stage.preset, *targets], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return "" if done.returncode == 0 else done.stdout[-2000:]


def passes(folder, stage, test):
    build_folder = folder / stage.folder().relative_to(ROOT)
    done = subprocess.run(["ctest", "--test-dir", build_folder, "-R", f"^{test}$",
                           "--no-tests=error"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **stage.environment})
    return done.returncode == 0 and "Skipped" not in done.stdout


def try_one(folder, defect):
    """What is wrong with the row or the test; empty when the defect is found."""
    stage = stage_of(defect)
    path = folder / defect.file
    text = path.read_text()
    if text.count(defect.before) != 1:
        return f"its place is {text.count(defect.before)} times in {defect.file}"
    said = build(folder, stage, defect.target)
    if said:
        return f"does not build without the defect:\n{said}"
    named = {name for _, name in test_tiers.tests_of(stage, folder)}
    if defect.test not in named:
        return f"'{defect.test}' is not of stage '{stage.name}'"
    if not passes(folder, stage, defect.test):
        return f"'{defect.test}' fails, or is skipped, without the defect"
    path.write_text(text.replace(defect.before, defect.after))
    try:
        said = build(folder, stage, defect.target)
        if said:
            return f"does not build with the defect:\n{said}"
        return f"'{defect.test}' passes" if passes(folder, stage, defect.test) else ""
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--folder", type=pathlib.Path, help="where the copy is; kept")
    a = parser.parse_args()
    rows = [d for d in DEFECTS if not a.only or d.name in a.only]
    if not rows:
        raise SystemExit(f"no defect is called {' or '.join(a.only)}")
    made = None if a.folder else tempfile.mkdtemp(prefix="tenon-seeded-")
    folder = (a.folder or pathlib.Path(made)).resolve()
    copy_tree(folder)
    missed = 0
    for defect in rows:
        begun = time.monotonic()
        wrong = try_one(folder, defect)
        missed += bool(wrong)
        print(f"{'MISSED' if wrong else 'found'}  {defect.name}: {defect.what}; "
              f"{defect.tier}, {defect.test}{': ' + wrong if wrong else ''} "
              f"({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{len(rows) - missed} of {len(rows)} seeded defects found")
    if made and not missed:
        shutil.rmtree(made, ignore_errors=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
