"""docs/lowering.md, "What wins": a test for each row of the table."""
from cli import FOLDER, SOURCE, expect, main, run

OWNER = """name: owner
lowerings:
- schema: my::f(Tensor x) -> Tensor
  to: |
    %y = core::neg(%x)
    return %y
"""
MODEL = """module {
  %x = input f32[4]
  %y = my::f(%x) : f32[4]
  return %y
}
"""


def entry(op, builds, *lines):
    text = f"- op: {op}\n" + "".join(f"  {line}\n" for line in lines)
    return text + f"  to: |\n    %r = {builds}(%x)\n    return %r\n"


def opt(*entries, model=MODEL, code=0, allow=(), name="other", verb="opt"):
    (FOLDER / "owner.yaml").write_text(OWNER)
    (FOLDER / "model.tenon").write_text(model)
    (FOLDER / "other.yaml").write_text(f"name: {name}\nlowerings:\n" + "".join(entries))
    more = ["--plugin", "other.yaml"] if entries else []
    for a in allow:
        more += ["--allow-override", a]
    if verb == "opt":
        more += ["--pass", "lower"]
    done = run(verb, "model.tenon", "--plugin", "owner.yaml", *more, code=code)
    return done.stdout if code == 0 else done.stderr


def test_kernel_fits():
    mul = MODEL.replace("my::f(%x)", "core::mul(%x, %x)")
    other = entry("core::mul", "core::neg", "override: true").replace("(%x)", "(%a)")
    found = opt(other, model=mul, allow=["core::mul"])
    expect("core::mul(%x, %x)" in found, found)


def test_first_that_replaces():
    found = opt(entry("my::f", "core::abs", "priority: 1"),
                entry("my::f", "core::sign", "priority: 2"))
    expect("core::sign" in found, found)


def test_declines():
    found = opt(entry("my::f", "core::abs", "priority: 2", "when: $x.rank == 3"))
    expect("core::neg" in found, found)


def test_fails():
    found = opt("- op: my::f\n  priority: 2\n  to: |\n    %r = core::clamp(%x) "
                "[lo=$x.dims[7]]\n    return %r\n", code=7)
    expect("an index outside of the list" in found and "of plugin 'other'" in found, found)


def test_nothing_covers():
    found = opt(model=MODEL.replace("my::f", "no::f"), code=4, verb="explain")
    expect("[unsupported-op]" in found, found)


def test_open_size():
    model = MODEL.replace("module {", "module {\n  dim n = 1..9").replace("f32[4]", "f32[?n]")
    expect("core::neg" in opt(model=model), "open sizes are lowered")


def test_kernel_of_plugin():
    """By priority, without flag and consent; docs/custom-ops.md has the kernel."""
    text = (SOURCE / "docs" / "custom-ops.md").read_text()
    code = text.split("```c file=fast_relu.c\n")[1].split("```")[0]
    (FOLDER / "fast_relu.c").write_text(code)
    (FOLDER / "relu.tenon").write_text(MODEL.replace("my::f", "core::relu"))
    expect("fast_relu_f32" in run("plan", "relu.tenon", "--plugin", "fast_relu.c").stdout, "taken")
    (FOLDER / "slow_relu.c").write_text(code.replace(".priority = 10", ".priority = -10"))
    expect("fast_relu_f32" not in run("plan", "relu.tenon", "--plugin", "slow_relu.c").stdout,
           "not taken")


def test_beside_the_owner():
    for priority, wins in [(1, "core::abs"), (-1, "core::neg")]:
        found = opt(entry("my::f", "core::abs", f"priority: {priority}"))
        expect(wins in found, found)
    # Equal priority: the one with a condition, then by the plugin's name.
    when = entry("my::f", "core::abs", "when: $x.rank == 1")
    expect("core::abs" in opt(when, name="z"), "a condition goes first")
    for name in "az":
        said = opt(entry("my::f", "core::abs"), name=name, code=6)
        expect("[plugin-lowerings]" in said and "owner.yaml, line 3" in said and "other.yaml, line 3" in said, said)


def test_in_one_file():
    """Line 7 is before line 12, and a condition before both."""
    one = entry("my::f", "core::abs", "when: $x.rank == 1")
    two = entry("my::f", "core::sign", "when: $x.rank == 1")
    expect("core::abs" in opt(one, two, model=MODEL), "the file's order")
    expect("core::sign" in opt(two, one, model=MODEL), "the file's order")
    for between in (0, 1, 2, 3):
        idle = [entry("my::f", "core::sin", "when: $x.rank == 9")] * between
        found = opt(*idle, one, two)
        expect("core::abs" in found, found)
    owner = OWNER + entry("my::f", "core::exp", "priority: 5") + \
        entry("my::f", "core::abs", "priority: 5", "when: $x.rank == 1")
    (FOLDER / "both.yaml").write_text(owner)
    (FOLDER / "model.tenon").write_text(MODEL)
    found = run("opt", "model.tenon", "--plugin", "both.yaml", "--pass", "lower").stdout
    expect("core::abs" in found, found)
    (FOLDER / "both.yaml").write_text(owner.replace("  when: $x.rank == 1\n", ""))
    said = run("opt", "model.tenon", "--plugin", "both.yaml", "--pass", "lower", code=6).stderr
    expect("[plugin-lowerings]" in said and said.count("line ") >= 2, said)


def test_overrides():
    override = entry("my::f", "core::abs", "priority: -1", "override: true")
    expect("core::abs" in opt(override, allow=["my::f"]), "the owner's is not tried")
    expect("[plugin-override]" in opt(override, code=6), "without consent")
    declines = entry("my::f", "core::abs", "override: true", "when: false")
    expect("my::f" in opt(declines, allow=["my::f"]), "and no falling back on it")


def test_two_overrides():
    found = opt(entry("my::f", "core::abs", "override: true", "when: false", "priority: 1"),
                entry("my::f", "core::sign", "override: true"), allow=["my::f"])
    expect("core::sign" in found, found)


def test_reserved():
    relu = MODEL.replace("my::f", "core::relu")
    one = entry("core::relu", "core::abs", "override: true")
    expect("core::abs" in opt(one, model=relu, allow=["core::relu"]), "both")
    expect("[plugin-override]" in opt(one, model=relu, code=6), "the user's is missing")
    expect("[plugin-override]" in opt(entry("core::relu", "core::abs"), model=relu, code=6,
                                      allow=["core::relu"]), "the author's is missing")


def test_reserved_operator():
    one = OWNER.replace("my::f", "core::mine").replace("name: owner", "name: other")
    def add(text, *args, code):
        (FOLDER / "new.yaml").write_text(text)
        return run("ops", "core::mine", "--plugin", "new.yaml", *args, code=code)
    add(one, code=6)
    add(one, "--allow-override", "core::mine", code=6)
    both = one.replace("  to:", "  override: true\n  to:")
    add(both, code=6)
    add(both, "--allow-override", "core::mine", code=0)
    taken = OWNER.replace("name: owner", "name: other")
    (FOLDER / "new.yaml").write_text(taken)
    (FOLDER / "owner.yaml").write_text(OWNER)
    said = run("ops", "--plugin", "owner.yaml", "--plugin", "new.yaml", code=6).stderr
    expect("is defined by plugin 'owner' (owner.yaml) already" in said, said)


def test_kernel_symbol():
    (FOLDER / "a.c").write_text((FOLDER / "fast_relu.c").read_text().replace(
        '.name = "fast_relu"', '.name = "again"'))
    said = run("ops", "--plugin", "fast_relu.c", "--plugin", "a.c", code=6).stderr
    expect("kernel 'fast_relu_f32'" in said and "[plugin-name-taken]" in said, said)


PASS = """#include "tenon/ext/pass.h"
#include "tenon/ext/plugin.h"
static tenon_status keep(tenon_rewriter *rw, const tenon_node *n) {
  (void)rw;
  (void)n;
  return TENON_OK;
}
static tenon_status go(tenon_pass_context *p) { return p->api->each(p, keep); }
static const tenon_pass_desc idle = {.struct_size = sizeof idle, .name = "dce", .doc = "Idles.",
                                     .run = go, .flags = FLAG};
static const tenon_plugin p = {TENON_PLUGIN_HEADER, .name = "idle", .version = "1",
                               .passes = (const tenon_pass_desc *const[]){&idle, NULL}};
TENON_PLUGIN_EXPORT(idle, p);
"""
PACKAGE = """#include "tenon/ext/package.h"
#include "tenon/ext/plugin.h"
static tenon_status lay_out(tenon_packaging *p) { return p->api->add(p, "HERE", "mine"); }
static const tenon_package_desc mine = {.struct_size = sizeof mine, .name = "cmake",
    .doc = "Mine.", .lay_out = lay_out, .flags = FLAG};
static const tenon_plugin p = {TENON_PLUGIN_HEADER, .name = "mine", .version = "1",
                               .packages = (const tenon_package_desc *const[]){&mine, NULL}};
TENON_PLUGIN_EXPORT(mine, p);
"""
TARGET = """#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"
static const tenon_target_desc small = {.struct_size = sizeof small, .name = "c",
    .doc = "Of 8 bytes.", .memories = "sram=8", .flags = FLAG};
static const tenon_plugin p = {TENON_PLUGIN_HEADER, .name = "small", .version = "1",
                               .targets = (const tenon_target_desc *const[]){&small, NULL}};
TENON_PLUGIN_EXPORT(small, p);
"""


def test_what_is_no_operator():
    """A pass, a reader, a target, a packager: both consents, and then it is what is called."""
    (FOLDER / "dead.tenon").write_text(
        "module {\n  %x = input f32[4]\n  %d = core::exp(%x)\n  return %x\n}\n")
    reader = (SOURCE / "plugins" / "formats" / "dense.c").read_text().replace(
        '.name = "dense"', '.flags = FLAG, .name = "text"').replace('"DNS1"', '"modu"')
    for kind, text, name, args, code in (
            ("PASS", PASS, "dce", ("opt", "dead.tenon", "--pass", "dce"), 0),
            ("READER", reader, "text", ("print", "dead.tenon"), 3),
            ("TARGET", TARGET, "c", ("plan", "dead.tenon", "--target", "c"), 5),
            ("PACKAGE", PACKAGE, "cmake", ("emit", "dead.tenon", "--package", "cmake", "-o",
                                           "packed"), 0)):
        (FOLDER / "no.c").write_text(text.replace("FLAG", "0"))
        (FOLDER / "yes.c").write_text(text.replace("FLAG", f"TENON_{kind}_OVERRIDES"))
        for plugin, allow in (("no.c", ()), ("no.c", ("--allow-override", name)), ("yes.c", ())):
            said = run(*args, "--plugin", plugin, *allow, code=6).stderr
            expect("replaces what is part of this build" in said, f"{kind}: {said}")
        both = ("--plugin", "yes.c", "--allow-override", name)
        rows = run("ops", name, *both).stdout
        expect(rows.count("\n") == 1 and "yes.c" in rows, rows)
        done = run(*args, *both, code=code)
        if kind == "PASS":
            expect("core::exp" in done.stdout, done.stdout)
            expect("core::exp" not in run(*args).stdout, "the built-in one")
        if kind == "READER":
            expect("[read-plugin]" in done.stderr, done.stderr)
        if kind == "PACKAGE":
            expect((FOLDER / "packed" / "HERE").read_text() == "mine", "the packager")
    (FOLDER / "host.c").write_text(TARGET.replace('"c"', '"host"').replace(
        "FLAG", "TENON_TARGET_OVERRIDES"))
    said = run("ops", "--plugin", "host.c", "--allow-override", "host", code=6).stderr
    expect("'host' is this machine" in said, said)


def test_exactness():
    found = opt(entry("my::f.*", "core::abs", "priority: 9"))
    expect("core::neg" in found, found)
    other = MODEL.replace("my::f(", "my::f.b(")
    found = opt(entry("my::f.*", "core::abs"),
                OWNER.split("lowerings:\n")[1].replace("my::f(", "my::f.b(").replace(
                    "core::neg", "core::sign").replace("  to:", "  when: false\n  to:"),
                model=other)
    expect("core::abs" in found, found)


def test_inside():
    model = """module {
  %p = input bool[]
  %x = input f32[4]
  %r = core::cond(%p, [%x]) : f32[4] {
    (%a: f32[4]) {
      %t = my::f(%a) : f32[4]
      return %t
    }
    (%b: f32[4]) {
      return %b
    }
  }
  return %r
}
"""
    found = opt(entry("my::f", "core::abs", "priority: 1"), model=model)
    expect("core::abs(%a)" in found, found)


def test_wrong_results():
    for text, said in [("return %x, %x", "returns 2 values for the 1 results of 'my::f'"),
                       ("%r = core::reshape(%x) [shape=[2, 2]]\n    return %r",
                        "result 0 of 'my::f' is f32[4], its replacement f32[2,2]"),
                       ("%r = core::cast(%x) [dtype=f64]\n    return %r",
                        "result 0 of 'my::f' is f32[4], its replacement f64[4]")]:
        found = opt(f"- op: my::f\n  priority: 1\n  to: |\n    {text}\n", code=7)
        expect(said in found, found)


FUNCTION = """#include "tenon/ext/plugin.h"

static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  %s
}
static const tenon_lowering_desc wrong = {.struct_size = sizeof(tenon_lowering_desc),
    .priority = 1, .name = "wrong f", .op = "my::f", .lower = lower};
static const tenon_plugin plugin = {TENON_PLUGIN_HEADER, .name = "hasty", .version = "1",
    .lowerings = (const tenon_lowering_desc *const[]){&wrong, NULL}};
TENON_PLUGIN_EXPORT(hasty, plugin);
"""


def test_wrong_results_in_c():
    """Number, shape and type of the results: each told with its owner and place."""
    opt()  # owner.yaml and the model
    shape = ("static const int64_t to[] = {2, 2}; tenon_arg a[] = {tenon_arg_ints(\"shape\", to, "
             "2), TENON_END_ARGS}; return tenon_rw_replace(rw, n, tenon_rw_op(rw, "
             "\"core::reshape\", &x, 1, a));")
    for body, said in [("tenon_value *two[] = {x, x}; return rw->api->replace(rw, n, two, 2);",
                        "'my::f' has 1 results, found 2 to replace them"),
                       (shape, "result 0 of 'my::f' is f32[4], its replacement f32[2,2]"),
                       ('return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::eq", x, x));',
                        "result 0 of 'my::f' is f32[4], its replacement bool[4]")]:
        (FOLDER / "hasty.c").write_text(FUNCTION % body)
        found = run("opt", "model.tenon", "--plugin", "owner.yaml", "--plugin", "hasty.c",
                    "--pass", "lower", code=7).stderr
        expect(found == "model.tenon: line 3, column 3: error: lowering 'wrong f' of plugin "
                        f"'hasty': {said} [lower-build]\n", found)


DESCRIPTOR = """#include "tenon/ext/plugin.h"

static const tenon_lowering_desc twice = {
    .struct_size = sizeof(tenon_lowering_desc),
    .priority = 1,
    .name = "f is a sum",
    .op = "my::f",
    .when = "$x.rank == 1",
    .text = "%y = core::add(%x, %x) return %y",
};
static const tenon_plugin plugin = {
    TENON_PLUGIN_HEADER,
    .name = "twice",
    .version = "1",
    .lowerings = (const tenon_lowering_desc *const[]){&twice, NULL},
};
TENON_PLUGIN_EXPORT(twice, plugin);
"""


def test_text_in_c():
    """A descriptor in C may hold text as well; places are those in the text."""
    def lower(text, code=0):
        (FOLDER / "twice.c").write_text(text)
        return run("opt", "model.tenon", "--plugin", "owner.yaml", "--plugin", "twice.c",
                   "--pass", "lower", code=code)
    opt()
    expect("core::add(%x, %x)" in lower(DESCRIPTOR).stdout, "text in C")
    said = lower(DESCRIPTOR.replace("(%x, %x)", "(%x, %z)"), code=7).stderr
    expect("twice.c: lowering 'f is a sum', text, line 1, column 20: error: '%z' is not defined "
           "here [rule-text]" in said.splitlines(), said)
    both = DESCRIPTOR.replace('.text = "', '.user = &plugin_name, .text = "').replace(
        "static const tenon_lowering", "static const int plugin_name;\nstatic const "
        "tenon_lowering", 1)
    said = lower(both, code=7).stderr
    expect("both a function and a text" in said, said)


main([test_kernel_fits, test_first_that_replaces, test_declines, test_fails, test_nothing_covers,
      test_open_size, test_kernel_of_plugin, test_beside_the_owner, test_in_one_file, test_overrides,
      test_two_overrides, test_reserved, test_reserved_operator, test_kernel_symbol,
      test_what_is_no_operator, test_exactness, test_inside, test_wrong_results, test_wrong_results_in_c, test_text_in_c])
