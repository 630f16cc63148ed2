"""Names that the texts of two plugins both define, in emitted C, which is one file."""
import subprocess

from cli import FOLDER, SOURCE, expect, main, run

PLUGIN = """#include "tenon/tensor.h"
%(text)s
TENON_KERNEL(%(name)s_run) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  (void)x;
  for (size_t i = 0; i < n; ++i) y[i] = %(body)s;
  return TENON_OK;
}
%(after)s
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"
static tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_kernel_desc kernel = {
    .struct_size = sizeof(tenon_kernel_desc), .flags = TENON_KERNEL_NOFAIL,
    .symbol = "%(name)s_run", .types = "f32 -> f32", .run = %(name)s_run};
static const tenon_op_desc op = {
    .struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_PURE,
    .schema = "%(name)s::op(Tensor x) -> Tensor", .doc = "Of a test.", .infer = infer,
    .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL}};
static const tenon_plugin plugin = {TENON_PLUGIN_HEADER, .name = "%(name)s", .version = "1",
    .ops = (const tenon_op_desc *const[]){&op, NULL}};
TENON_PLUGIN_EXPORT(%(name)s, plugin);
#endif
"""
MODEL = """module {
  %x = input f32[4]
  %a = one::op(%x)
  %y = two::op(%a)
  return %y
}
"""


def plugin(name, text, body="x[i]", after=""):
    path = FOLDER / f"{name}.c"
    path.write_text(PLUGIN % {"name": name, "text": text, "body": body, "after": after})
    return path


def emit(one, two, code=0):
    """Standard error of emitting a model with both; what is emitted must compile."""
    (FOLDER / "m.tenon").write_text(MODEL)
    plugins = ("--plugin", plugin("one", *one), "--plugin", plugin("two", *two))
    done = run("emit", "m.tenon", *plugins, "-o", "out", code=code)
    if code == 0:
        built = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                "-c", "out/m.c", "-o", "m.o"], cwd=FOLDER,
                               capture_output=True, text=True)
        expect(built.returncode == 0, built.stderr)
    return done.stderr


def clash(name, one, two):
    error = emit(one, two, code=6)
    expect(f"'{name}' of the text 'one.c' of plugin 'one'" in error, error)
    expect("the text 'two.c' of plugin 'two'" in error and "[emit-clash]" in error, error)
    expect(error.count("error:") == 1, error)


HELP = "static float help(float x) { return x %s 1; }"


def test_functions():
    clash("help", (HELP % "+", "help(x[i])"), (HELP % "-", "help(x[i])"))
    clash("help", (HELP % "+", "help(x[i])"),
          ("static float *help(const float *x,\n    int i) /* (why) */ {\n  return 0; }",
           "help(x, 1) ? 1 : 0"))
    # A prototype, a call and a local variable define nothing.
    emit((HELP % "+", "help(x[i])"), ("", "x[i] + (c->n_in > 9 ? 1.0f : 0.0f)"))


def test_data_and_types():
    for text, name, used in (
            ("static const float table[2] = {1, 2};", "table", "table[0]"),
            ("static const float scale = 2, more = 3;", "more", "more + scale"),
            ("struct pair { int a, b; };\nstatic const struct pair of = {1, 2};", "of",
             "(float)of.a"),
            ("enum { FIRST, LAST = (1 + 2) };", "LAST", "(float)LAST + (float)FIRST"),
            ("struct held { int a; };\nstatic const struct held one_h = {1};", "held",
             "(float)one_h.a"),
            ("typedef struct both { float a; } both;", "both", "((both){1}).a")):
        other = f"static float {name}(float x) {{ return x; }}"
        if name == "both":
            other = "typedef int both;"
            clash(name, (text, used), (other, "(float)(both)x[i]"))
        else:
            clash(name, (text, used), (other, f"{name}(x[i])"))
    emit(("static const float table[2] = {1, 2};", "table[1]"),
         ("static float two_table(float table) { return table; }", "two_table(x[i])"))


def test_macros():
    half = "#define HALF 0.5f"
    clash("HALF", (half, "HALF"), ("#define HALF 2.0f", "HALF"))
    # What would silently be another thing.
    clash("HALF", (half, "HALF"), ("static float two(float HALF) { return HALF; }", "two(x[i])"))
    clash("HALF", (half, "HALF"), ("#ifdef HALF\n#endif", "x[i]"))
    emit((half, "HALF", "#undef HALF"), ("#define HALF 2.0f", "HALF"))
    emit((half, "HALF"), ("#undef HALF\n#define HALF 2.0f", "HALF"))
    emit((half, "HALF"), ('static const char *two(void) { return "HALF"; }  // HALF',
                          "two() ? 1 : 0"))


def test_names_of_emitted_code():
    """A text defines what emitted C has itself; with another prefix it does not."""
    (FOLDER / "m.tenon").write_text(MODEL)
    plugins = ("--plugin", plugin("one", "static float m_step12(float x) { return x; }",
                                  "m_step12(x[i])"), "--plugin", plugin("two", ""))
    for prefix, name, text in (("two", "two_run", "two.c"), ("m", "m_step12", "one.c")):
        done = run("emit", "m.tenon", *plugins, "--prefix", prefix, "-o", "named", code=6)
        expect(f"'{name}' of the text '{text}' of plugin '{text[:3]}' is a name that emitted C "
               f"with the prefix '{prefix}' has itself" in done.stderr, done.stderr)
        expect("--prefix" in done.stderr and not (FOLDER / "named").exists(),
               done.stderr)
    run("emit", "m.tenon", *plugins, "--prefix", "other", "-o", "named")


def test_the_same_name_twice():
    # Two files of one name in two folders are two texts.
    folder = FOLDER / "other"
    folder.mkdir()
    (FOLDER / "m.tenon").write_text(MODEL)
    one = plugin("one", "", "x[i] + 1")
    two = plugin("two", "", "x[i] + 2")
    moved = folder / "one.c"
    two.rename(moved)
    run("emit", "m.tenon", "--plugin", one, "--plugin", moved, "-o", "out")
    text = (FOLDER / "out" / "m.c").read_text()
    expect("x[i] + 1" in text and "x[i] + 2" in text, "both texts")


def test_plugins_of_the_project_go_together():
    expect((SOURCE / "plugins" / "acme").is_dir(), "there")
    (FOLDER / "all.tenon").write_text("module {\n  %x = input f32[1,4]\n"
                                      "  %a = acme::gain(%x)\n"
                                      "  %b, %s = acme::ema(%a, %x) [alpha=0.5]\n"
                                      "  return %b, %s\n}\n")
    run("emit", "all.tenon", "--plugin", SOURCE / "plugins" / "acme", "-o", "all")


main([test_functions, test_data_and_types, test_macros, test_names_of_emitted_code, test_the_same_name_twice,
      test_plugins_of_the_project_go_together])
