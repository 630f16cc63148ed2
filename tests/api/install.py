"""What is installed is enough for others: install.py BUILD. Compiles one program in C with
pkg-config, shared and static, and in C++ through find_package, each run on a model, and
follows the plugin template."""
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
SNIPPETS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "snippets.py"
# Valid as C and as C++.
USE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tenon/tenon.h"
int main(void) {
  const char *text = "module { %x = input f32[3]\n%y = core::relu(%x)\nreturn %y }";
  tenon_context *cx = NULL;
  tenon_module *m = NULL;
  tenon_program *p = NULL;
  tenon_session *s = NULL;
  tenon_memory list[3];
  void *memory[3];
  float x[3] = {-1, 0, 2};
  int32_t dims[1] = {3};
  if (tenon_context_create(NULL, &cx) || tenon_module_read(cx, text, strlen(text), NULL, &m))
    return 1;
  tenon_entry entry;
  memset(&entry, 0, sizeof entry);
  entry.module = m;
  if (tenon_program_compile(&entry, 1, NULL, &p)) return 2;
  size_t n = tenon_program_memory(p, 1, list, 3);
  for (size_t i = 0; i < n; ++i)
    memory[i] = aligned_alloc(list[i].align, (list[i].size + list[i].align - 1) / list[i].align * list[i].align);
  tenon_session_options o;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  o.memory = memory;
  tenon_tensor in, out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  in.data = x, in.dims = dims, in.rank = 1, in.dtype = TENON_F32;
  if (tenon_session_init(p, &o, &s) || tenon_session_run(s, 0, &in, 1, &out, 1)) return 3;
  const float *y = (const float *)out.data;
  printf("%s: %g %g %g\n", tenon_version(), (double)y[0], (double)y[1], (double)y[2]);
  tenon_session_deinit(s);
  for (size_t i = 0; i < n; ++i) free(memory[i]);
  tenon_program_destroy(p);
  tenon_module_destroy(m);
  tenon_context_destroy(cx);
  return 0;
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(use CXX)
find_package(Tenon %s REQUIRED)
add_executable(use use.cpp)
target_link_libraries(use PRIVATE tenon::tenon)
"""


def call(*args, **more):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{args}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="tenon-install-") as folder:
        folder = pathlib.Path(folder)
        prefix = folder / "prefix"
        call("cmake", "--install", BUILD, "--prefix", prefix)
        libraries = next(prefix.glob("lib*/**/libtenon.a")).parent
        (folder / "use.c").write_text(USE)
        (folder / "use.cpp").write_text(USE)
        env = {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
               "LD_LIBRARY_PATH": str(libraries)}

        def flags(*more):
            return call("pkg-config", "--cflags", "--libs", *more, "tenon", env=env).split()
        version = call("pkg-config", "--modversion", "tenon", env=env).strip()
        want = f"{version}: 0 0 2\n"
        call("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", folder / "use.c", *flags(),
             "-o", folder / "shared")
        got = [call(folder / "shared", env=env)]
        static = [f for f in flags("--static") if f != "-ltenon"]
        call("cc", "-std=c11", folder / "use.c", libraries / "libtenon.a", *static,
             "-o", folder / "static")
        got.append(call(folder / "static"))
        (folder / "CMakeLists.txt").write_text(CMAKE % version)
        call("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        call("cmake", "--build", folder / "build")
        got.append(call(folder / "build" / "use"))
        said = call(prefix / "bin" / "tenon", "--version")
        # The template, followed by somebody who has nothing else, and what `new` writes.
        share = prefix / "share" / "tenon"
        call(sys.executable, SNIPPETS, prefix / "bin" / "tenon", share,
             share / "plugins" / "template" / "README.md")
        # All plugins of the source, pages, and the licence.
        plugins = pathlib.Path(__file__).resolve().parents[2] / "plugins"
        wanted = [share / "docs" / page for page in ("custom-ops.md", "bindings.md", "errors.md")]
        wanted += [share / "plugins" / p.relative_to(plugins) for p in plugins.rglob("*.c")]
        wanted += [prefix / "share" / p for p in (
            "doc/tenon/LICENSE", "man/man1/tenon.1", "man/man1/tenon-run.1",
            "bash-completion/completions/tenon", "zsh/site-functions/_tenon",
            "fish/vendor_completions.d/tenon.fish")]
        for path in wanted:
            if not path.is_file():
                sys.exit(f"not installed: {path}")
        # What is moved is still found.
        moved = folder / "moved"
        prefix.rename(moved)
        env["PKG_CONFIG_PATH"] = str(moved / libraries.relative_to(prefix) / "pkgconfig")
        include = pathlib.Path(call("pkg-config", "--variable=includedir", "tenon", env=env).strip())
        if not (include / "tenon" / "tenon.h").is_file() or moved not in include.resolve().parents:
            sys.exit(f"pkg-config finds the headers in {include}")
        moved.rename(prefix)
        call(prefix / "bin" / "tenon", "new", "acme::x(Tensor a, float by=2) -> Tensor", cwd=folder)
        call(prefix / "bin" / "tenon", "check", "acme_x.c", "--runs", 2, cwd=folder)
        if got != [want] * 3 or version not in said:
            sys.exit(f"{got}, expected {want}; {said}")


main()
