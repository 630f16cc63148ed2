"""tenon check finds plugins that are wrong in one respect only, and shrinks the row that
shows it; the command that it prints shows it again."""
import re
import shlex

from cli import FOLDER, document, expect, main, run

PLUGIN = """#include "tenon/tensor.h"

typedef struct twice_attrs {
  double by;
} twice_attrs;

TENON_KERNEL_RANGE(mine_twice) {
  const twice_attrs *a = (const twice_attrs *)c->attrs;
  int64_t n = (int64_t)tenon_count(&c->in[0]);
  for (int64_t i = begin; i < end; ++i) {
    (void)n;
    if (c->in[0].dtype == TENON_F32)
      ((float *)c->out[0].data)[i] = (float)a->by * ((const float *)c->in[0].data)[i];
    else if (c->in[0].dtype == TENON_S16)
      ((int16_t *)c->out[0].data)[i] = (int16_t)(2 * ((const int16_t *)c->in[0].data)[i]);
    else
      ((int32_t *)c->out[0].data)[i] =
          (int32_t)(2u * (uint32_t)((const int32_t *)c->in[0].data)[i]);
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static const tenon_field fields[] = {TENON_FIELD(twice_attrs, by), TENON_END_FIELDS};
static tenon_status infer(tenon_infer *c) { return tenon_infer_out(c, 0, tenon_infer_in(c, 0)); }
static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  const twice_attrs *a = (const twice_attrs *)tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  tenon_dtype t = tenon_rw_type(rw, x)->dtype;
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::mul", x, tenon_rw_scalar(rw, t,
      t == TENON_F32 ? a->by : 2)));
}
static int64_t items(const tenon_call *c) { return (int64_t)tenon_count(&c->in[0]); }
static const tenon_kernel_desc kernel = {.struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL, .symbol = "mine_twice", .types = "f32|s16|s32 -> f32|s16|s32",
    .run_range = mine_twice, .items = items};
static const tenon_op_desc twice = {.struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_PURE,
    .schema = "mine::twice(Tensor x, *, float by=2.0) -> Tensor", .doc = "Twice.",
    .attrs_size = sizeof(twice_attrs), .fields = fields, .infer = infer, .lower = lower,
    .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL}};
static const tenon_plugin mine = {TENON_PLUGIN_HEADER, .name = "mine_twice", .version = "1",
    .ops = (const tenon_op_desc *const[]){&twice, NULL}};
TENON_PLUGIN_EXPORT(mine_twice, mine);
#endif
"""


def wrong(name, ways, *edits):
    """The plugin with places changed: its path, and what check says of it these ways."""
    text = PLUGIN
    for before, after in edits:
        expect(text.count(before) == 1, f"{before} is there {text.count(before)} times")
        text = text.replace(before, after)
    path = FOLDER / f"{name}.c"
    path.write_text(text)
    report = document("check", path.name, "--with", ways, code=1)["report"]
    expect(len(report["subjects"]) == 1, report)
    return path, report["subjects"][0]


def shape_of(failure):
    """Type and sizes of the operand in the smallest row."""
    found = re.search(r"%x0 = \w+ (\w+)\[([\d,]*)\]", failure)
    expect(found, failure)
    sizes = [int(n) for n in found[2].split(",") if n]
    return found[1], sizes


def again(way):
    """What the printed command says with the row in row.tenon."""
    text = way["failure"]
    (FOLDER / "row.tenon").write_text(text[:text.index("\n}\n") + 3])
    command = shlex.split(way["again"])
    expect(command[0] == "tenon", command)
    return command[1:]


def test_sound():
    (FOLDER / "twice.c").write_text(PLUGIN)
    report = document("check", "twice.c")["report"]
    ways = report["subjects"][0]["ways"]
    expect(report["subjects"][0]["types"] == {"f32": 8, "s16": 8, "s32": 8}, report)
    for name in ("lowered", "default", "in place", "threads", "text", "emitted", "sanitized",
                 "races"):
        expect(ways[name]["agree"] == 24, f"{name}: {ways[name]}")


def test_one_type():
    """s16 only: the smallest row is one element, and `tenon run` shows the number."""
    _, subject = wrong("one_type", "lowered", ("(int16_t)(2 *", "(int16_t)(3 *"))
    way = subject["ways"]["lowered"]
    dtype, sizes = shape_of(way["failure"])
    expect(way["differ"] > 0 and way["agree"] > 0 and dtype == "s16" and sizes in ([], [1]), way)
    # The reference has x, the lowering 2 x of what stands behind --input.
    shown = run(*again(way)).stdout
    flags = [f for f in again(way) if not f.startswith("functional")]
    flags.remove("--pass")
    expect(run(*flags).stdout != shown, shown)


def test_odd_sizes():
    """An odd number of elements beyond one: the smallest such size is 3."""
    _, subject = wrong("odd", "lowered", ("    (void)n;\n", "    if (n > 1 && n % 2 && i == n - 1) break;\n"))
    way = subject["ways"]["lowered"]
    _, sizes = shape_of(way["failure"])
    expect(way["differ"] > 0 and way["agree"] > 0 and sizes == [3], way)
    expect("by=" not in way["failure"], f"the attribute does not matter: {way['failure']}")
    expect("--input 'x0=[1" in way["again"], f"plain values do: {way['again']}")


def test_size_of_one():
    """Wrong where the second of several sizes is 1."""
    _, subject = wrong("one", "lowered", ("    (void)n;\n",
                                          "    if (n > 1 && c->in[0].rank > 1 && c->in[0].dims[1] == 1) return TENON_OK;\n"))
    way = subject["ways"]["lowered"]
    expect(way["differ"] > 0 and way["agree"] > 0 and shape_of(way["failure"])[1] == [2, 1], way)


def test_left_as_it_was():
    """The last of more than three elements is not written; nothing else computes it."""
    _, subject = wrong("unwritten", "reference", ("    (void)n;\n", "    if (n > 3 && i == n - 1) break;\n"),
                       (" .lower = lower,", ""),
                       ("static tenon_status lower(", "static inline tenon_status lower("))
    way = subject["ways"]["reference"]
    expect(way["differ"] > 0 and way["agree"] > 0 and shape_of(way["failure"])[1] == [4], way)
    expect("are all of them written, and no operand" in way["failure"], way)


def test_write_far_behind():
    """Behind the memory of the run: found without any sanitizer, and without a crash."""
    _, subject = wrong("far", "reference", (
        "    (void)n;\n",
        "    const size_t size = c->in[0].dtype == TENON_S16 ? 2 : 4;\n"
        "    if (n > 6 && i == n - 1) ((char *)c->out[0].data)[256 + size * n] = 1;\n"))
    way = subject["ways"]["reference"]
    expect(way["differ"] > 0 and way["agree"] > 0 and shape_of(way["failure"])[1] == [7], way)
    expect("it wrote 1 bytes behind the end of the memory" in way["failure"], way)


def test_emitted_only():
    """What is emitted is not what is run."""
    _, subject = wrong("emitted", "reference,lowered,emitted", (
        "    (void)n;\n", "#ifdef TENON_EMITTED\n    if (n > 4 && i == 3) continue;\n#endif\n    (void)n;\n"))
    ways = subject["ways"]
    expect(ways["reference"]["differ"] == 0 and ways["lowered"]["differ"] == 0, ways)
    way = ways["emitted"]
    expect(way["differ"] > 0 and way["agree"] > 0 and shape_of(way["failure"])[1] == [5], way)


def test_together():
    """Of several in one program the one that is wrong is found, and told as if it were alone."""
    names = "once", "twice", "thrice", "fourfold"
    bad = "#ifdef TENON_EMITTED\n    if (n > 4 && i == 3) continue;\n#endif\n    (void)n;\n"
    for name in names:
        text = PLUGIN.replace("twice", name)
        (FOLDER / f"{name}_of.c").write_text(text.replace("    (void)n;\n", bad) if name == "thrice" else text)
    words = ["check", "mine::*", "--runs", 6, "--with", "emitted"]
    words += [w for name in names for w in ("--plugin", f"{name}_of.c")]
    together = document(*words, "--together", code=1)["report"]["subjects"]
    expect({s["op"]: s["ways"]["emitted"]["differ"] > 0 for s in together} ==
           {f"mine::{name}": name == "thrice" for name in names}, together)
    expect(together == document(*words, code=1)["report"]["subjects"], together)


def test_crash():
    """A kernel that ends the process does not end the check, and is shrunk as others are."""
    _, subject = wrong("crash", "reference,text", (
        "    (void)n;\n", "    if (n > 5 && c->in[0].rank) *(volatile int *)(8 * n) = 1;\n"))
    way = subject["ways"]["reference"]
    expect(way["differ"] > 0 and shape_of(way["failure"])[1] == [6], way)
    expect("the process that computes it ends with " in way["failure"], way)
    # Rows that do not are still computed.
    expect(subject["ways"]["text"]["agree"] > 0, subject)


def test_no_end():
    """Nor does one that never ends: it is stopped, shrunk, and the others are computed."""
    _, subject = wrong("no_end", "reference,text", (
        "    (void)n;\n", "    while (n > 5 && c->in[0].rank) (void)*(volatile int64_t *)&n;\n"))
    way = subject["ways"]["reference"]
    expect(way["differ"] > 0 and shape_of(way["failure"])[1] == [6], way)
    expect("it does not come to an end: stopped after 1 s" in way["failure"], way)
    expect(subject["ways"]["text"]["agree"] > 0, subject)


def test_no_elements():
    """Wrong only where there is nothing to compute."""
    _, subject = wrong("empty", "reference,text", (
        ".run_range = mine_twice, .items = items", ".run = mine_twice_all"),
        ("static int64_t items(", "static inline int64_t items("),
        ('"mine_twice", .types', '"mine_twice_all", .types'),
        ("#ifndef TENON_EMITTED\n", """TENON_KERNEL(mine_twice_all) {
  int64_t n = (int64_t)tenon_count(&c->in[0]);
  if (n == 0) ((char *)c->out[0].data)[256] = 1;
  return mine_twice(c, 0, n);
}

#ifndef TENON_EMITTED
"""))
    way = subject["ways"]["reference"]
    expect(way["differ"] > 0 and way["agree"] > 0 and shape_of(way["failure"])[1] == [0], way)
    expect("behind the end of the memory" in way["failure"] and "x0=[]" in way["again"], way)


def test_write_behind():
    """One element too many, where the arena's own gap lies: no sanitizer sees that alone."""
    path, subject = wrong("behind", "emitted,sanitized", ("begin; i < end;", "begin; i < end + (end == n && n > 4);"))
    ways = subject["ways"]
    way = ways["sanitized"]
    expect(ways["emitted"]["differ"] == 0 and way["differ"] > 0, ways)
    expect("0 bytes behind the end of result 0" in way["failure"], way)
    _, sizes = shape_of(way["failure"])
    expect(sizes == [5], way)
    said = run(*again(way), code=1).stdout
    expect("behind the end of result 0" in said, said)
    expect(path.name in way["again"], way["again"])


def test_addresses():
    """A table on the stack that is too short."""
    _, subject = wrong("address", "sanitized", ("    (void)n;\n",
                                   "    volatile float t[8];\n    t[n > 8 ? 8 : 0] = 1;\n"))
    way = subject["ways"]["sanitized"]
    expect(way["differ"] > 0 and "runtime error: index 8 out of bounds" in way["failure"], way)
    expect(FOLDER.name not in way["failure"] and "/tmp" not in way["failure"], way["failure"])
    _, sizes = shape_of(way["failure"])
    expect(sizes == [9], way)


def test_undefined():
    _, subject = wrong("undefined", "sanitized", ("(int32_t)(2u * (uint32_t)((const int32_t *)c->in[0].data)[i])",
                                     "2 * ((const int32_t *)c->in[0].data)[i]"))
    way = subject["ways"]["sanitized"]
    expect("signed integer overflow" in way["failure"], way)
    expect(shape_of(way["failure"])[0] == "s32", way)


def test_race():
    """Ranges share a variable; alone each is right."""
    _, subject = wrong("race", "emitted,races", ("    (void)n;\n", "    static volatile int64_t last;\n    last = i;\n"))
    ways = subject["ways"]
    expect(ways["emitted"]["differ"] == 0 and ways["races"]["differ"] > 0, ways)
    expect("data race" in ways["races"]["failure"], ways["races"])
    _, sizes = shape_of(ways["races"]["failure"])
    expect(sizes == [2], ways["races"])


def test_ranges_depend():
    """A range starts from what the one before it has stored."""
    _, subject = wrong("depends", "threads,sanitized", (
        "(float)a->by * ((const float *)c->in[0].data)[i];",
        "(float)a->by * ((const float *)c->in[0].data)[i] +\n"
        "          (i ? 0 * ((float *)c->out[0].data)[i - 1] : 0) +\n"
        "          (begin && i == begin ? 1.0f : 0);"))
    ways = subject["ways"]
    for name in ("threads", "sanitized"):
        expect(ways[name]["differ"] > 0, f"{name}: {ways[name]}")
        expect(shape_of(ways[name]["failure"])[1] == [2], ways[name])


def test_in_place():
    """Reads behind what it has written."""
    _, subject = wrong("in_place", "in-place", (".run_range = mine_twice, .items = items",
                                    ".in_place = TENON_IN_PLACE(0, 0), .run = mine_twice_all"),
                       ("#ifndef TENON_EMITTED\n", """TENON_KERNEL(mine_twice_all) {
  int64_t n = (int64_t)tenon_count(&c->in[0]);
  TENON_TRY(mine_twice(c, 0, n));
  if (c->in[0].dtype == TENON_F32 && n > 2) {
    const float *x = (const float *)c->in[0].data;
    float *y = (float *)c->out[0].data;
    const twice_attrs *a = (const twice_attrs *)c->attrs;
    y[n - 1] = (float)a->by * x[n - 1];
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED
"""), ('"mine_twice", .types', '"mine_twice_all", .types'))
    way = subject["ways"]["in place"]
    expect(way["differ"] > 0 and "core::copy" in way["failure"], subject["ways"])
    expect(shape_of(way["failure"])[1] == [3], way)


def test_elementwise():
    """What an operator says of itself: `by` times as much in the last column is another operator."""
    claim = (".flags = TENON_OP_PURE,", ".flags = TENON_OP_PURE | TENON_OP_ELEMENTWISE,")
    (FOLDER / "claims.c").write_text(PLUGIN.replace(*claim))
    report = document("check", "claims.c", "--with", "element-wise")["report"]
    way = report["subjects"][0]["ways"]["element-wise"]
    expect(way["agree"] > 3, way)
    _, subject = wrong("column", "element-wise", claim, (
        "    (void)n;\n",
        "    if (c->in[0].rank > 1 && n > 1 && i % c->in[0].dims[c->in[0].rank - 1] == 0) {\n"
        "      if (c->in[0].dtype == TENON_F32) ((float *)c->out[0].data)[i] = 7;\n"
        "      if (c->in[0].dtype == TENON_F32) continue;\n    }\n"))
    way = subject["ways"]["element-wise"]
    dtype, sizes = shape_of(way["failure"])
    expect(way["differ"] > 0 and dtype == "f32" and len(sizes) == 2, way)
    expect("TENON_OP_ELEMENTWISE says" in way["failure"] and "core::permute" in way["failure"], way)


def test_given_sanitized():
    """A module of one's own: sums of integers wrap around, which C's signed ones do not."""
    (FOLDER / "wraps.tenon").write_text("module {\n  %x = input s64[1,1,1,2]\n"
                                        "  %y = core::avg_pool3d(%x) [window=[1, 1, 2]]\n"
                                        "  return %y\n}\n")
    report = document("check", "twice.c", "--runs", 1, "--with", "sanitized", "--case",
                      "wraps.tenon", "--input",
                      "x=[[[[9223372036854775807, 3]]]]")["report"]
    given = [s for s in report["subjects"] if s["kernel"] == "given"]
    expect(given[0]["ways"]["sanitized"]["agree"] == 1, report)


def test_given_over():
    """A result that lies over its operand: its items are computed in order, whatever the threads."""
    (FOLDER / "over.tenon").write_text("module {\n  %x = input f32[2,8]\n  %w = input f32[2,8]\n"
                                       "  %y = core::fully_connected(%x, %w)\n  return %y\n}\n")
    expect("1 step writes over what is still read" in run("plan", "over.tenon").stdout, "no overlap")
    report = document("check", "twice.c", "--runs", 1, "--with", "sanitized,races", "--case", "over.tenon",
                      "--random", 3)["report"]
    given = [s for s in report["subjects"] if s["kernel"] == "given"]
    for way in "sanitized", "races":
        expect(given[0]["ways"][way]["agree"] == 1, report)


def test_ways_chosen():
    report = document("check", "twice.c", "--with", "in-place,races", "--runs", 3)["report"]
    ways = report["subjects"][0]["ways"]
    expect(ways["in place"]["agree"] == 3 and ways["races"]["agree"] == 3, ways)
    expect(ways["emitted"]["agree"] == 0 and ways["lowered"]["agree"] == 0, ways)
    said = run("check", "twice.c", "--with", "race", code=2).stderr
    expect("found 'race'; there are reference" in said, said)


def test_no_sanitizer():
    """A compiler without them: said, and not counted as agreement."""
    import os
    script = FOLDER / "plain-cc"
    script.write_text("#!/bin/sh\nfor a; do case $a in -fsanitize=*) echo no sanitizers >&2; "
                      "exit 1;; esac; done\nexec cc \"$@\"\n")
    script.chmod(0o755)
    before = os.environ.get("CC")
    os.environ["CC"] = str(script)
    try:
        report = document("check", "twice.c", "--runs", 3)["report"]
    finally:
        if before is None:
            del os.environ["CC"]
        else:
            os.environ["CC"] = before
    ways = report["subjects"][0]["ways"]
    expect(ways["emitted"]["agree"] == 3, ways)
    for name in ("sanitized", "races"):
        expect(ways[name]["skipped"] == 3 and "-fsanitize=" in ways[name]["reason"], ways[name])


main([test_sound, test_one_type, test_odd_sizes, test_size_of_one, test_left_as_it_was,
      test_write_far_behind, test_emitted_only, test_together, test_crash, test_no_end,
      test_no_elements, test_write_behind, test_addresses,
      test_undefined, test_race, test_ranges_depend, test_in_place, test_elementwise, test_given_sanitized,
      test_given_over,
      test_ways_chosen, test_no_sanitizer])
