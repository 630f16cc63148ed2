"""tenon check: what agrees, what differs, what is not run and why."""
from cli import ACME, FOLDER, document, expect, main, run

GAIN = (ACME / "gain.c").read_text()


def broken(name, before, after):
    """gain.c with one place changed."""
    expect(before in GAIN, before)
    path = FOLDER / f"{name}.c"
    path.write_text(GAIN.replace(before, after, 1))
    return path


def ways(report, kernel):
    for subject in report["subjects"]:
        if subject["kernel"] == kernel:
            return subject["ways"]
    expect(False, f"no {kernel} in {report}")


def test_sound():
    for name in ("ema", "gain", "scale_shift", "split"):
        report = document("check", ACME / f"{name}.c", "--runs", 4)["report"]
        expect(report["differ"] == 0 and report["unchecked"] == 0, name)
    report = document("check", ACME / "gain_int8.c", "--plugin",
                      ACME / "gain.c", "--runs", 4)["report"]
    expect(len(report["subjects"]) == 1, report)
    table = ways(report, "acme_gain_s8_table")
    for way in ("kernel", "threads", "in place", "emitted"):
        expect(table[way]["agree"] == 4, f"{way}: {table[way]}")


def test_reasons():
    report = document("check", ACME / "gain.c", "--runs", 3)["report"]
    plain = ways(report, "acme_gain_f32")
    expect("reference" in plain["kernel"]["reason"], plain)
    expect("run_range" in plain["threads"]["reason"], plain)
    expect(plain["lowered"]["agree"] == 3, plain)
    quantised = ways(report, "acme_gain_s8")
    expect("declines" in quantised["lowered"]["reason"], quantised)


def test_lowering_differs():
    path = broken("lowering", '"core::mul", x', '"core::add", x')
    report = document("check", path, "--with", "lowered", code=1)["report"]
    found = ways(report, "acme_gain_f32")["lowered"]
    expect(found["differ"] > 0 and "acme::gain(%x0)" in found["failure"],
           found)
    expect("f32[1" in found["failure"] or "f32[]" in found["failure"],
           f"not shrunk: {found['failure']}")
    run("check", path, "--with", "lowered", code=1)


def test_template_differs():
    path = broken("template", "$f32(gain) * $in0[i]", "2 * $in0[i]")
    report = document("check", path, "--with", "reference,emitted", code=1)["report"]
    found = ways(report, "acme_gain_f32")
    expect(found["emitted"]["differ"] > 0, found)
    expect(found["reference"]["differ"] == 0, found)


def test_in_place_differs():
    """Reads behind what it has written already."""
    path = broken("in_place", "float v = (float)a->gain * x[i] +",
                  "float v = (float)a->gain * x[i ? i - 1 : 0] +")
    text = path.read_text().replace(".lower = gain_lower,", "")
    path.write_text(text[:text.index("    .emit_template =")] +
                    text[text.index("};\n\nstatic const tenon_kernel_desc "
                                    "gain_s8"):])
    report = document("check", path, "--with", "in-place", code=1)["report"]
    found = ways(report, "acme_gain_f32")["in place"]
    expect(found["differ"] > 0, found)


def test_overlap_differs():
    """Says that its result may begin where the operand does, and reads behind what it wrote."""
    path = broken("overlap", "float v = (float)a->gain * x[i] +",
                  "float v = (float)a->gain * x[i ? i - 1 : 0] +")
    text = path.read_text().replace(".lower = gain_lower,", "")
    text = (text[:text.index("    .emit_template =")] +
            text[text.index("};\n\nstatic const tenon_kernel_desc gain_s8"):])
    text = text.replace("    .in_place = TENON_IN_PLACE(0, 0),\n", "    .overlap = distance,\n", 1)
    for bytes_, differs in ("0", True), ("sizeof(float)", False):
        path.write_text(text.replace(
            "static const tenon_kernel_desc gain_f32",
            "static size_t distance(const tenon_call *c) { return c ? %s : 0; }\n"
            "static const tenon_kernel_desc gain_f32" % bytes_))
        report = document("check", path, "--with", "in-place", code=int(differs))["report"]
        found = ways(report, "acme_gain_f32")["in place"]
        expect((found["differ"] > 0) == differs, found)


def test_kernel_differs():
    source = (ACME / "gain_int8.c").read_text()
    path = FOLDER / "table.c"
    path.write_text(source.replace("table[x[i] + 128]", "table[x[i] & 127]"))
    report = document("check", path, "--plugin", ACME / "gain.c",
                      "--with", "kernel", code=1)["report"]
    found = ways(report, "acme_gain_s8_table")
    expect(found["kernel"]["differ"] > 0, found)


def test_threads_differ():
    source = (ACME / "gain_int8.c").read_text()
    path = FOLDER / "threads.c"
    path.write_text(source.replace("y[i] = table[x[i] + 128];",
                                   "y[i] = (int8_t)(begin ? 1 : table[x[i] + "
                                   "128]);"))
    report = document("check", path, "--plugin", ACME / "gain.c",
                      "--with", "threads", code=1)["report"]
    found = ways(report, "acme_gain_s8_table")
    expect(found["threads"]["differ"] > 0, found)


def test_given():
    module = ("module {\n  %x = input f32[2,3]\n  %a = acme::gain(%x) "
              "[gain=2.0]\n  %b = core::relu(%a)\n  return %b\n}\n")
    (FOLDER / "m.tenon").write_text(module)
    (FOLDER / "gain.c").write_text(GAIN)
    (FOLDER / "gain.case").write_text(module)
    report = document("check", "gain.c", "--runs", 1, "--case",
                      "m.tenon")["report"]
    given = [s for s in report["subjects"] if s["kernel"] == "given"]
    expect(len(given) == 2, report)
    for subject in given:
        expect(subject["ways"]["emitted"]["agree"] == 1, subject)
        expect(subject["ways"]["default"]["agree"] == 1, subject)


def test_series():
    args = ("check", ACME / "split.c", "--runs", 2, "--with", "reference,kernel,emitted")
    first = run(*args).stdout
    expect(run(*args).stdout == first, "same")
    run(*args, "--random", 7)


def test_by_name():
    """Operators of the build and of plugins, one or by a pattern; no other."""
    for pattern, there in (("core::relu", ["core::relu"]), ("core::log1*", ["core::log10", "core::log1p"])):
        found = document("check", pattern, "--runs", 1, "--with", "reference,lowered")["report"]
        names = {one["op"] for one in found["subjects"]}
        expect(names == set(there), names)
    found = document("check", "acme::sp*", "--plugin", ACME / "split.c", "--plugin",
                     ACME / "gain.c", "--runs", 1, "--with", "reference,text")["report"]
    expect([(one["op"], one["ways"]["text"]["agree"]) for one in found["subjects"]] ==
           [("acme::split", 1)], found)


# Operators for which no row fits by chance: refusals tell their operands and attributes, or the doc shows a module.
TOLD = ["tfl::CONV_3D_TRANSPOSE", "tfl::REDUCE_WINDOW", "tfl::STABLEHLO_IOTA", "tfl::STABLEHLO_CONVERT",
        "tfl::STABLEHLO_REDUCE", "tfl::STABLEHLO_REDUCE_WINDOW", "tfl::BIDIRECTIONAL_SEQUENCE_LSTM"]
SHOWN = ["tfl::READ_VARIABLE", "tfl::HASHTABLE_FIND"]


def default_rows(*words, code=0):
    """(how many rows agree, how many differ) of all kernels, by the default pipeline."""
    report = document("check", *words, "--runs", 1, "--with", "default", code=code)["report"]
    all_ways = [one["ways"].get("default", {}) for one in report["subjects"]]
    return tuple(sum(way.get(key, 0) for way in all_ways) for key in ("agree", "differ"))


def test_rows_are_found():
    for name in TOLD:
        expect(default_rows(name) == (1, 0), name)


def test_shown_modules_are_run():
    """A module that a doc shows is a row: once, with whatever kernels there are."""
    for name in SHOWN:
        expect(default_rows(name) == (1, 0), name)
    doc = '.doc = "Multiplies by a constant, adds another, may clamp at zero.'
    for called, wanted in (("gain", (3, 0)), ("gian", (2, 1))):
        module = f"\\nmodule {{\\n%x = input f32[2]\\n%y = acme::{called}(%x)\\nreturn %y\\n}}\\n"
        path = broken("shown_" + called, doc, doc + module)
        expect(default_rows(path, code=wanted[1]) == wanted, called)


def test_refusals():
    run("check", code=2)
    run("check", "nowhere.c", code=8)
    run("check", ACME / "gain.c", "--runs", 0, code=2)
    error = run("check", "core::nothing", code=1).stderr
    expect("no operator of this build or of a plugin is called 'core::nothing'" in error, error)
    (FOLDER / "bad.c").write_text("int nothing;\n")
    run("check", "bad.c", code=7)
    run("check", ACME / "gain.c", "--case", "nowhere.tenon", code=8)


main([test_sound, test_reasons, test_lowering_differs, test_template_differs,
      test_in_place_differs, test_overlap_differs, test_kernel_differs, test_threads_differ,
      test_given, test_series, test_by_name, test_rows_are_found,
      test_shown_modules_are_run, test_refusals])
