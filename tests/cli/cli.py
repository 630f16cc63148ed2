"""What the tests of the command line share: running `tenon` in a fresh folder
and failing with everything it said."""
import json
import pathlib
import subprocess
import sys
import tempfile

TENON = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
ACME = SOURCE / "plugins" / "acme"
_folder = tempfile.TemporaryDirectory(prefix="tenon-cli-")
FOLDER = pathlib.Path(_folder.name)
_count = 0


class Failed(AssertionError):
    pass


def run(*args, code=0, folder=None, **others):
    """Runs `tenon ARGS`; any other exit code than `code`, if one is given, fails the test."""
    done = subprocess.run([str(TENON), *map(str, args)], text=True,
                          cwd=folder or FOLDER, capture_output=True, **others)
    if code is not None and done.returncode != code:
        raise Failed(f"tenon {' '.join(map(str, args))}\n"
                     f"exit code {done.returncode}, expected {code}\n"
                     f"{done.stdout}\n{done.stderr}")
    return done


def document(*args, code=0):
    """The one document that --json prints, with its exit code checked."""
    text = run(*args, "--json", code=code).stdout
    found = json.loads(text)
    expect(found["exit"] == code, f"exit {found['exit']} in the document")
    return found


def expect(condition, what):
    global _count
    _count += 1
    if not condition:
        raise Failed(what)


def main(tests):
    """Runs all tests of the file that calls, or those named behind its two arguments; one that
    is not listed fails it."""
    failed = 0
    named = sys.argv[3:]
    if named:
        tests = [test for test in tests if test.__name__ in named]
    for name, value in sorted(vars(sys.modules["__main__"]).items()):
        if not named and name.startswith("test_") and callable(value) and value not in tests:
            failed += 1
            print(f"FAILED {name}: not in the list of tests")
    for test in tests:
        try:
            test()
        except Failed as failure:
            failed += 1
            print(f"FAILED {test.__name__}: {failure}")
            print(f"repeat: python3 {sys.argv[0]} {TENON} {SOURCE} {test.__name__}")
    print(f"{len(tests)} tests, {failed} failed, {_count} expectations")
    if not tests:
        print(f"no test is called {' or '.join(named)}")
    sys.exit(1 if failed or not tests else 0)
