"""Other names for inputs, outputs and states: --input-names and its like."""
from cli import FOLDER, document, expect, main, run

TEXT = """module {
  state "s" : f32[2] = {1, 2}
  state "t" : f32[2]
  %x = input f32[2]
  %p = input bool[]
  %old = core::state_read() [state="s"] : f32[2]
  %y = core::cond(%p, [%x]) : f32[2] {
    (%a: f32[2]) {
      %b = core::state_read() [state="t"] : f32[2]
      %c = core::add(%a, %b)
      core::state_write(%c) [state="t"]
      return %c
    }
    (%a: f32[2]) {
      return %a
    }
  }
  core::state_write(%y) [state="s"]
  return %y, %old
}
"""
NAMES = ("--input-names", "image,go", "--output-names", "scores,before",
         "--state-names", "last,inner")


def model():
    (FOLDER / "m.tenon").write_text(TEXT)
    return "m.tenon"


def test_names_are_used_everywhere():
    entry = document("info", model(), *NAMES)["report"]
    found = [i["name"] for i in entry["entries"][0]["inputs"] + entry["entries"][0]["outputs"]]
    expect(found == ["image", "go", "scores", "before"], found)
    expect([s["name"] for s in entry["states"]] == ["last", "inner"], entry["states"])
    text = run("print", "m.tenon", *NAMES).stdout
    expect('state="s"' not in text and text.count('[state="inner"]') == 2, text)
    run("emit", "m.tenon", *NAMES, "--prefix", "m", "-o", "out")
    header = (FOLDER / "out" / "m.h").read_text()
    expect("m_in_image" in header and "m_out_scores" in header and "m_state_inner" in header,
           header)


def test_runs_by_them():
    done = document("run", model(), *NAMES, "--input", "go=true", "--input", "image=[1, 2]",
                    "--state", "inner=[10, 20]")
    values = [o["name"] for o in done["report"]]
    expect(values == ["scores", "before"], values)
    run("run", "m.tenon", *NAMES, "--random", "1", "--save", "case0")
    run("verify", "m.tenon", *NAMES, "--case", "case0", "--with", "run,emitted")


def test_what_is_refused():
    for flag, names, said in (
            ("--input-names", "a", "found 1 name of inputs, expected 2 [names-count]"),
            ("--output-names", "a,b,c", "found 3 names of outputs, expected 2 [names-count]"),
            ("--state-names", "a,a", "states 0 and 1 are both called 'a' [names-twice]"),
            ("--input-names", "a,", "'' is no name of an input"),
            ("--input-names", "a,b c", "'b c' is no name of an input"),
            ("--input-names", "a,b;c", "[names-word]")):
        error = run("info", model(), flag, names, code=2).stderr
        expect(said in error and error.count("error:") == 1, error)


main([test_names_are_used_everywhere, test_runs_by_them, test_what_is_refused])
