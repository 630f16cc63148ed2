"""Every public header compiles alone, as C and as C++, and warns of nothing:
alone.py INCLUDE. What emitted C includes does so as C99 as well."""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

WARNINGS = "-Wall -Wextra -pedantic -Werror -fsyntax-only".split()
MODES = [("cc", "c11"), ("cc", "c17"), ("c++", "c++11"), ("c++", "c++20")]
COMPILERS = {"cc": ("gcc", "clang"), "c++": ("g++", "clang++")}
LANGUAGE = {"cc": "c", "c++": "c++"}
EMITTED = ("tenon/base.h", "tenon/attr.h", "tenon/tensor.h")


def compile_one(job):
    compiler, kind, standard, header, include = job
    # Twice: a header without a guard fails.
    text = f'#include "{header}"\n#include "{header}"\nint nothing;\n'
    done = subprocess.run([compiler, f"-std={standard}", *WARNINGS, f"-I{include}",
                           "-x", LANGUAGE[kind], "-"], input=text, text=True,
                          capture_output=True)
    return done.returncode, f"{compiler} -std={standard} {header}\n{done.stderr}"


def main():
    include = pathlib.Path(sys.argv[1]).resolve()
    headers = sorted(str(p.relative_to(include)) for p in include.rglob("*.h"))
    jobs = [(compiler, kind, standard, header, include)
            for kind, standard in MODES for compiler in COMPILERS[kind]
            for header in headers if shutil.which(compiler)]
    jobs += [(compiler, "cc", "c99", header, include) for compiler in COMPILERS["cc"]
             for header in EMITTED if shutil.which(compiler)]
    if not jobs:
        print("skipped: no compiler")
        sys.exit(77)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(compile_one, jobs))
    failed = [said for code, said in results if code != 0]
    for said in failed:
        print(said)
    print(f"{len(headers)} headers, {len(jobs)} compilations, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
