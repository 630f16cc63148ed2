"""tenon_kernel_library(): a project outside of the tree builds a plugin of a binding file."""
import subprocess

from cli import FOLDER, SOURCE, TENON, expect, main, run

PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(mine LANGUAGES C)
set(TENON_EXECUTABLE {TENON})
set(TENON_INCLUDE_DIR {SOURCE}/include)
include({SOURCE}/cmake/TenonKernels.cmake)
tenon_kernel_library(mul BINDINGS ops.yaml SOURCES ops.c)
tenon_kernel_library(mul_static BINDINGS ops.yaml SOURCES ops.c STATIC)
"""
YAML = """- func: my_ops::mul3.out(Tensor input, *, Tensor(a!) output) -> Tensor(a!)
  like: {output: input}
  kernels:
    - arg_meta: {input: [Float, [0]], output: [Float, [0]]}
      kernel_name: custom::mul3
"""
CODE = """#include <stddef.h>
void custom_mul3(const float *x, size_t n, float *y, size_t m) {
  for (size_t i = 0; i < n && i < m; ++i) y[i] = 3 * x[i];
}
"""
MODEL = "module {\n  %x = input f32[4]\n  %y = my_ops::mul3(%x)\n  return %y\n}\n"


def build():
    return subprocess.run(["cmake", "--build", "b"], cwd=FOLDER, capture_output=True, text=True)


def test_builds():
    for name, text in (("CMakeLists.txt", PROJECT), ("ops.yaml", YAML), ("ops.c", CODE),
                       ("m.tenon", MODEL)):
        (FOLDER / name).write_text(text)
    done = subprocess.run(["cmake", "-S", ".", "-B", "b"], cwd=FOLDER, capture_output=True,
                          text=True)
    expect(done.returncode == 0, done.stderr)
    done = build()
    expect(done.returncode == 0, done.stdout + done.stderr)
    found = run("run", "m.tenon", "--plugin", "b/mul.so", "--input", "[1,2,3,4]").stdout
    expect("3 6 9 12" in found, found)
    symbols = subprocess.run(["nm", "b/libmul_static.a"], cwd=FOLDER, capture_output=True,
                             text=True).stdout
    expect("tenon_plugin_entry_ops" in symbols, symbols)
    # Nothing changed: nothing is made. The source changed: the plugin is.
    before = (FOLDER / "b" / "mul.so").stat().st_mtime_ns
    build()
    expect((FOLDER / "b" / "mul.so").stat().st_mtime_ns == before, "built again for nothing")
    (FOLDER / "ops.c").write_text(CODE.replace("3 * x[i]", "5 * x[i]"))
    expect(build().returncode == 0, "change")
    found = run("run", "m.tenon", "--plugin", "b/mul.so", "--input", "[1,2,3,4]").stdout
    expect("5 10 15 20" in found, found)
    # A function that nobody provides is an error of the build.
    (FOLDER / "ops.yaml").write_text(YAML.replace("custom::mul3", "custom::mul4"))
    done = build()
    expect(done.returncode != 0 and "which is nowhere" in done.stdout + done.stderr,
           done.stdout + done.stderr)


main([test_builds])
