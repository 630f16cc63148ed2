"""tenon completion: what shells offer and manual pages say is what the verbs and flags are."""
import shutil
import subprocess

from cli import FOLDER, document, expect, main, run

VERBS = [v["name"] for v in document("--help")["report"]["verbs"]]


def flags(verb):
    return {f["flag"] for f in document(verb, "--help")["report"]["flags"]}


def offered(*words):
    """What bash offers for the last word."""
    script = FOLDER / "tenon.bash"
    script.write_text(run("completion", "bash").stdout)
    text = " ".join(f"'{w}'" for w in ("tenon", *words))
    done = subprocess.run(["bash", "-c", f"source {script}; COMP_WORDS=({text}); COMP_CWORD={len(words)}; "
                           "_tenon; printf '%s\\n' \"${COMPREPLY[@]}\""], capture_output=True, text=True,
                          cwd=FOLDER)
    expect(done.returncode == 0 and not done.stderr, done.stderr)
    return set(done.stdout.split())


def test_bash():
    expect(offered("") == {*VERBS, "help", "--help", "--version"}, offered(""))
    expect(offered("re") == {"report"} and offered("help", "ver") == {"verify"}, "verbs")
    for verb in VERBS:
        expect(offered(verb, "--") | {"-o"} == flags(verb) | {"-o"}, verb)
    expect(offered("ops", "--kind", "ke") == {"kernels"}, "words of a flag")
    (FOLDER / "a.tflite").write_text("")
    expect("a.tflite" in offered("run", "a.t"), "files")


def test_other_shells():
    for shell in ("zsh", "fish"):
        script = FOLDER / f"tenon.{shell}"
        run("completion", shell, "-o", script)
        text = script.read_text()
        for verb in VERBS:
            expect(verb in text, verb)
        names = {f.lstrip("-") for v in VERBS for f in flags(v)}
        mark = "-l %s" if shell == "fish" else "'*--%s"
        short = "-s %s" if shell == "fish" else "'*-%s"
        for name in names:
            expect((mark if len(name) > 1 else short) % name in text, f"{shell}: {name}")
        if not shutil.which(shell):
            print(f"skipped: the syntax of {shell}, which is not installed")
            continue
        done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
        expect(done.returncode == 0 and not done.stderr, done.stderr)


def test_man():
    pages = FOLDER / "man"
    run("completion", "man", "-o", pages)
    expect({p.name for p in pages.iterdir()} == {"tenon.1"} | {f"tenon-{v}.1" for v in VERBS}, "pages")
    expect(run("completion", "man").stdout == (pages / "tenon.1").read_text(), "tenon.1")
    for verb in VERBS:
        text = (pages / f"tenon-{verb}.1").read_text().replace("\\-", "-")
        expect(text.count("\n.TP\n") == len(flags(verb)) and
               all(f"\\fB{f}\\fR" in text for f in flags(verb)), verb)
    if not shutil.which("groff"):
        print("skipped: warnings of groff, which is not installed")
        return
    for page in pages.iterdir():
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(page)], capture_output=True, text=True)
        expect(done.returncode == 0 and not done.stderr, f"{page.name}: {done.stderr}")


def test_refused():
    for words in ((), ("tcsh",), ("bash", "zsh")):
        expect("expects bash, zsh, fish or man" in run("completion", *words, code=2).stderr, words)
    expect(document("completion", "bash")["report"].startswith("# bash completion"), "JSON")


main([test_bash, test_other_shells, test_man, test_refused])
