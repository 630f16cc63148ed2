"""Layouts of emitted files before the tools of the systems that they are for: package_tools.py TENON
SOURCE. What is not installed is skipped, and said. Debian has arduino-builder (with arduino-core-avr,
arduino-ctags, gcc-avr, avr-libc) and python3-kconfiglib, PyPI platformio, idf-component-manager, west and
cmsis-pack-manager; arduino-lint is a program of Go."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from cli import FOLDER, SOURCE, expect, main, run  # noqa: E402

MODEL = SOURCE / "tests" / "models" / "tflite" / "conv_int8.tflite"
ABOUT = [word for text in ("license=MIT", "url=https://kws.org/model", "author=A. Name <a@kws.org>",
                           "version=1.0.2") for word in ("--package-about", text)]
skipped = []


def emit(package):
    if not (FOLDER / "case").is_dir():
        run("run", MODEL, "--random", 1, "--save", FOLDER / "case")
    # The folder of a library is called as the library.
    folder = FOLDER / package / "kws"
    run("emit", MODEL, "--package", package, "--prefix", "kws", "--self-test", FOLDER / "case", *ABOUT,
        "-o", folder)
    return folder


def call(*args, folder, env=None):
    done = subprocess.run([str(a) for a in args], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, **(env or {})})
    return done.returncode, done.stdout + done.stderr


def has(what, tool):
    if tool:
        return True
    skipped.append(what)
    print(f"skipped: {what} is not installed")
    return False


def python_of(command, module):
    """The interpreter that has a module: this one, or the one a command of it was installed with."""
    if importlib.util.find_spec(module):
        return sys.executable
    found = shutil.which(command) if command else None
    first = pathlib.Path(found).read_text(errors="replace").splitlines()[0] if found else ""
    return first[2:].strip() if first.startswith("#!") and "python" in first else None


# The list of licences is what PlatformIO would fetch; the rest is its own.
PIO = """import sys
from platformio.package.manifest.parser import ManifestParserFactory
from platformio.package.manifest.schema import ManifestSchema
ManifestSchema.load_spdx_licenses = staticmethod(lambda: {"licenses": [{"licenseId": "MIT"}]})
found = ManifestParserFactory.new_from_file(sys.argv[1]).as_dict()
ManifestSchema().load_manifest(found)
print(found["name"], found["version"], found["license"], found["homepage"])
"""


def test_platformio():
    python = python_of("pio", "platformio")
    if not has("platformio", python):
        return
    folder = emit("platformio")
    env = {"PLATFORMIO_CORE_DIR": str(FOLDER / "pio")}
    code, said = call(python, "-c", PIO, folder / "library.json", folder=folder, env=env)
    expect(code == 0 and said.startswith("kws 1.0.2 MIT https://kws.org/model"), said)
    path = folder / "library.json"
    path.write_text(path.read_text().replace('"1.0.2"', '"one"'))
    code, said = call(python, "-c", PIO, path, folder=folder, env=env)
    expect(code != 0 and "version" in said, f"it takes any version: {said}")
    # Its reader of projects takes the example's, and finds the environment.
    code, said = call(python, "-m", "platformio", "project", "config", "--json-output", "-d",
                      folder / "examples" / "recorded_case", folder=folder, env=env)
    expect(code == 0 and "env:native" in said and "symlink://../.." in said, said)


def test_esp_idf():
    python = python_of("compote", "idf_component_manager")
    if not has("idf-component-manager", python):
        return
    folder = emit("esp-idf")
    pack = [python, "-m", "idf_component_manager", "component", "pack", "--name", "kws", "--dest-dir",
            FOLDER / "packed"]
    if call(python, "-c", "import idf_component_manager.__main__", folder=folder)[0]:
        pack[0:3] = [shutil.which("compote")]
    code, said = call(*pack, folder=folder)
    expect(code == 0, said)
    archive, = (FOLDER / "packed").glob("kws_1.0.2.t*gz")
    names = tarfile.open(archive).getnames()
    expect(any(n.endswith("examples/recorded_case/main/main.c") for n in names), names)
    manifest = folder / "idf_component.yml"
    manifest.write_text(manifest.read_text().replace("license: MIT", "license: [MIT]"))
    expect(call(*pack, folder=folder)[0] != 0, "it takes any license")


KCONFIG = """import kconfiglib, sys
found = kconfiglib.Kconfig(sys.argv[1])
found.load_config(sys.argv[2])
print(found.syms["TENON_MODEL_KWS"].str_value, [w for w in found.warnings if "MAIN_STACK_SIZE" not in w])
"""


def test_zephyr():
    python = next((p for p in (sys.executable, "/usr/bin/python3", python_of("genconfig", "kconfiglib"))
                   if p and call(p, "-c", "import kconfiglib", folder=FOLDER)[0] == 0), None)
    if not has("python3-kconfiglib", python):
        return
    folder = emit("zephyr")
    code, said = call(python, "-c", KCONFIG, folder / "zephyr" / "Kconfig",
                      folder / "samples" / "recorded_case" / "prj.conf", folder=folder)
    expect(code == 0 and said.split() == ["y", "[]"], said)


def git(folder, *words):
    code, said = call("git", "-c", "user.name=t", "-c", "user.email=t@t.org", "-c", "init.defaultBranch=main", *words,
                      folder=folder)
    expect(code == 0, said)


def test_west():
    """The module is a project of a manifest, as its README says: west fetches it and knows where it lies."""
    west = shutil.which("west")
    if not has("west", west and shutil.which("git")):
        return
    module = emit("zephyr")
    git(module, "init", "-q")
    git(module, "add", ".")
    git(module, "commit", "-q", "-m", "model")
    space = FOLDER / "space"
    (space / "app").mkdir(parents=True)
    (space / "app" / "west.yml").write_text(
        f"manifest:\n  projects:\n    - name: kws\n      url: file://{module}\n      revision: main\n"
        "      path: modules/kws\n  self:\n    path: app\n")
    env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow", "GIT_CONFIG_VALUE_0": "always"}
    for words in (("init", "-l", "app"), ("update",)):
        code, said = call(west, *words, folder=space, env=env)
        expect(code == 0, said)
    code, said = call(west, "list", "-f", "{name} {path}", folder=space, env=env)
    expect(code == 0 and "kws modules/kws" in said.splitlines(), said)
    expect((space / "modules" / "kws" / "zephyr" / "module.yml").is_file() and
           (space / "modules" / "kws" / "samples" / "recorded_case" / "sample.yaml").is_file(), "what it fetched")


def test_arduino_lint():
    lint = shutil.which("arduino-lint")
    if not has("arduino-lint", lint):
        return
    folder = emit("arduino")
    words = (lint, "--compliance", "strict", "--library-manager", "submit", "--project-type", "library")
    code, said = call(*words, folder, folder=folder)
    expect(code == 0, said)
    path = folder / "library.properties"
    path.write_text(path.read_text().replace("version=1.0.2", "version=one"))
    expect(call(*words, folder, folder=folder)[0] != 0, "it takes any version")


# Reads a pack from a file and lists what it has of it.
PACK = """import sys, cmsis_pack_manager
cache = cmsis_pack_manager.Cache(True, True, json_path=sys.argv[2], data_path=sys.argv[2])
cache.add_pack_from_path(sys.argv[1])
print("read")
"""


def test_cmsis_pack():
    python = python_of("pack-manager", "cmsis_pack_manager")
    if not has("cmsis-pack-manager", python):
        return
    folder = emit("cmsis-pack")
    pack = FOLDER / "Tenon.kws.1.0.2.pack"
    with zipfile.ZipFile(pack, "w") as z:
        for path in sorted(folder.rglob("*")):
            z.write(path, path.relative_to(folder))
    code, said = call(python, "-c", PACK, pack, FOLDER / "packs", folder=folder)
    expect(code == 0 and "read" in said, said)


def test_arduino():
    """The builder finds library and sketch and compiles all that is not the model; that refuses the
    only core of Debian, whose int has 16 bits."""
    tools = ("arduino-builder", "arduino-ctags", "avr-gcc")
    if not has("arduino-builder, arduino-ctags, arduino-core-avr or gcc-avr",
               all(shutil.which(t) for t in tools) and
               pathlib.Path("/usr/share/arduino/hardware/arduino/avr").is_dir()):
        return
    folder = emit("arduino")
    pattern = ('"{cmd.path}" -u --language-force=c++ -f - --c++-kinds=svpf --fields=KSTtzns '
               '--line-directives "{source_file}"')
    prefs = {"runtime.tools.avr-gcc.path": "/usr", "runtime.tools.avrdude.path": "/usr",
             "tools.ctags.path": "/usr/bin", "tools.ctags.cmd.path": "/usr/bin/arduino-ctags",
             "tools.ctags.pattern": pattern,
             # The core asks C++ for what its compiler has for C alone.
             "compiler.cpp.extra_flags": "-DDECIMAL_DIG=9 -D__DBL_MAX_10_EXP__=38"}

    def build(*more):
        (FOLDER / "avr").mkdir(exist_ok=True)
        flags = {**prefs, **dict(more)}
        return call("arduino-builder", "-compile", "-hardware", "/usr/share/arduino/hardware", "-tools",
                    "/usr/share/arduino-builder", "-tools", "/usr/bin", "-libraries", folder.parent,
                    "-fqbn", "arduino:avr:mega:cpu=atmega2560", "-build-path", FOLDER / "avr",
                    *[f"-prefs={k}={v}" for k, v in flags.items()],
                    folder / "examples" / "recorded_case" / "recorded_case.ino", folder=folder)
    code, said = build()
    expect(code != 0 and said.count("error:") == said.count("error: #error") == 1, said)
    expect("int of 32 bits" in said, said)
    # Without that line all of it compiles and links.
    code, said = build(("compiler.c.extra_flags", "-U__INT_MAX__"))
    expect(code == 0 and "Sketch uses" in said, said)


if __name__ == "__main__":
    tests = [test_platformio, test_esp_idf, test_zephyr, test_west, test_arduino, test_arduino_lint, test_cmsis_pack]
    try:
        main(tests)
    except SystemExit as end:
        sys.exit(77 if not end.code and len(skipped) == len(tests) else end.code)
