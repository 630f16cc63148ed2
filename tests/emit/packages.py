"""Every layout of emitted files, built the way its users build it.

What cannot be had here (Zephyr, ESP-IDF, the Arduino and PlatformIO builders) is stood in
for by a CMake file or a compiler call that does what their documentation says of the same
description, so a wrong path, name or flag in it fails to build."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from cli import FOLDER, SOURCE, expect, main, run  # noqa: E402
import formats  # noqa: E402

MODEL = SOURCE / "examples" / "demo" / "keywords"
USE = '#include "kws.h"\nstatic kws m;\nint main(void) { kws_init(&m); return 0; }\n'


ABOUT = ("--package-about", "license=MIT", "--package-about", "url=https://kws.org/a?b=1&c=2",
         "--package-about", "author=A. Näme <a@kws.org>", "--package-about", "version=1.0.2")


def emit(package, *more, code=0, about=ABOUT):
    folder = FOLDER / package
    done = run("emit", MODEL / "model.tflite", "--package", package, "--prefix", "kws",
               "--self-test", MODEL / "case0", "-o", folder, *about, *more, code=code)
    if code == 0:
        check_manual(package, folder)
    return folder if code == 0 else done.stderr


def check_manual(package, folder):
    """It is of its build system, and what it names is there."""
    text = (folder / "README.md").read_text()
    building = text.split("## Calling it")[0]
    if package in SYSTEMS:
        expect("## Building it" in building and "## Where the memory goes" in building, building)
        expect("cc -O2" not in building and SYSTEMS[package] in building, building)
        # A table or a block stands after an empty line, and every block ends.
        expect(building.count("```") % 2 == 0 and "%" not in building.replace("%s", "%"), building)
    for path in re.findall(r"\b(?:examples|samples)/[\w./]+", building):
        expect((folder / path).exists(), f"README.md of {package} names {path}")


SYSTEMS = {"cmake": "add_subdirectory", "make": "make CC=", "zephyr": "west build",
           "cmsis-pack": "cbuild", "arduino": "arduino-cli", "esp-idf": "idf.py",
           "platformio": "pio run"}


def call(*args, folder):
    done = subprocess.run([str(a) for a in args], cwd=folder, capture_output=True, text=True)
    expect(done.returncode == 0, f"{args}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def cmake(folder, *more):
    build = folder / "build"
    call("cmake", "-S", ".", "-B", build, *more, folder=folder)
    call("cmake", "--build", build, folder=folder)
    return build


def compile_all(folder, sources, includes, flags, use="c"):
    """Every source with these flags, and a program that includes the header and links them."""
    includes = [f"-I{folder / i}" for i in includes]
    objects = []
    for source in sources:
        objects.append(folder / (source.replace("/", "_") + ".o"))
        call("cc", *flags, *includes, "-c", source, "-o", objects[-1], folder=folder)
    main_file = folder / ("use." + use)
    main_file.write_text(USE)
    call("cc" if use == "c" else "c++", *includes, main_file, "-c", "-o", "use.o", folder=folder)
    call("cc", "use.o", *objects, "-lm", "-o", "use", folder=folder)
    call("./use", folder=folder)


def test_cmake():
    folder = emit("cmake")
    build = cmake(folder)
    said = call("ctest", "--test-dir", build, folder=folder)
    expect("100% tests passed" in said and "out of 1" in said, said)
    # As part of another project it is a library and nothing else.
    other = FOLDER / "other"
    other.mkdir()
    (other / "use.c").write_text(USE)
    (other / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(other C)\n"
        "add_subdirectory(../cmake kws)\nadd_executable(use use.c)\n"
        "target_link_libraries(use PRIVATE kws)\n")
    call(cmake(other) / "use", folder=other)


def test_make():
    folder = emit("make")
    call("make", folder=folder)
    expect((folder / "libkws.a").is_file(), "libkws.a")
    expect("1 passed, 0 failed" in call("make", "test", folder=folder), "the self-test passes")
    call("make", "clean", folder=folder)
    expect(not list(folder.glob("*.[oa]")) and not (folder / "kws_test").exists(), "clean")


ZEPHYR = """cmake_minimum_required(VERSION 3.20)
project(app C)
function(zephyr_include_directories)
  set_property(GLOBAL APPEND PROPERTY includes ${ARGN})
endfunction()
macro(zephyr_library_named name)
  set(ZEPHYR_CURRENT_LIBRARY ${name})
  add_library(${name} STATIC "")
endmacro()
function(zephyr_library_sources)
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
function(zephyr_library_compile_options)
  target_compile_options(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
set(CONFIG_%s y)
add_subdirectory(${MODULE}/%s module)
add_executable(use use.c)
get_property(includes GLOBAL PROPERTY includes)
target_include_directories(kws PRIVATE ${includes})
target_include_directories(use PRIVATE ${includes})
target_link_libraries(use PRIVATE kws m)
"""


# The same for the sample, whose application is called app and has Zephyr's own sources.
ZEPHYR_APP = "project(recorded_case C)\n" + ZEPHYR.split("project(app C)\n")[1].split(
    "add_executable")[0].replace("${MODULE}", "${ZEPHYR_EXTRA_MODULES}") + """
file(WRITE none.c "")
add_executable(app none.c)
get_property(includes GLOBAL PROPERTY includes)
target_include_directories(kws PRIVATE ${includes})
target_include_directories(app PRIVATE ${includes})
target_link_libraries(app PRIVATE kws m)
"""


def test_zephyr():
    folder = emit("zephyr")
    module = (folder / "zephyr" / "module.yml").read_text()
    expect(formats.zephyr(module) == [], formats.zephyr(module))
    found = dict(re.findall(r"^ *(\w+): (\S+)$", module, re.M))
    expect(found["name"] == "kws" and re.search(r"^build:$", module, re.M), module)
    kconfig = (folder / found["kconfig"]).read_text()
    option = re.match(r"config (\w+)\n\tbool", kconfig)
    expect(option, kconfig)
    app = FOLDER / "app"
    app.mkdir()
    (app / "use.c").write_text(USE)
    (app / "CMakeLists.txt").write_text(ZEPHYR % (option[1], found["cmake"]))
    call(cmake(app, f"-DMODULE={folder}") / "use", folder=app)
    # The sample switches that option on, and its application is the recordings.
    sample = folder / "samples" / "recorded_case"
    expect(f"CONFIG_{option[1]}=y" in (sample / "prj.conf").read_text().splitlines(), option[1])
    text = (sample / "CMakeLists.txt").read_text()
    expect("/../..)" in text and (sample / "../../zephyr/module.yml").is_file(), text)
    stands_in = text.replace("find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})\n", "").replace(
        "project(recorded_case LANGUAGES C)\n", ZEPHYR_APP % (option[1], found["cmake"]))
    (sample / "CMakeLists.txt").write_text(stands_in)
    said = call(cmake(sample) / "app", folder=sample)
    pattern = re.search(r'- "(.*)"', (sample / "sample.yaml").read_text())[1]
    expect(re.search(pattern, said), said)


ESP_IDF = """cmake_minimum_required(VERSION 3.20)
project(app C)
function(idf_component_register)
  cmake_parse_arguments(c "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
  if(c_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unknown: ${c_UNPARSED_ARGUMENTS}")
  endif()
  add_library(component STATIC ${c_SRCS})
  target_include_directories(component PUBLIC ${c_INCLUDE_DIRS})
  set(COMPONENT_LIB component PARENT_SCOPE)
endfunction()
add_subdirectory(${COMPONENT} component)
add_executable(use use.c)
target_link_libraries(use PRIVATE component m)
"""


def test_esp_idf():
    folder = emit("esp-idf")
    manifest = (folder / "idf_component.yml").read_text()
    expect(formats.esp_idf(manifest) == [], formats.esp_idf(manifest))
    app = FOLDER / "idf"
    app.mkdir()
    (app / "use.c").write_text(USE)
    (app / "CMakeLists.txt").write_text(ESP_IDF)
    call(cmake(app, f"-DCOMPONENT={folder}") / "use", folder=app)
    expect(re.search(r"^license: MIT$", manifest, re.M) and "A. Näme <a@kws.org>" in manifest, manifest)
    # The example: what its main component says, by the same stand-in; app_main is called.
    example = folder / "examples" / "recorded_case"
    text = (example / "CMakeLists.txt").read_text()
    expect("EXTRA_COMPONENT_DIRS \"${CMAKE_CURRENT_LIST_DIR}/../..\"" in text, text)
    (example / "start.c").write_text("void app_main(void);\nint main(void) { app_main(); return 0; }\n")
    (example / "CMakeLists.txt").write_text(
        ESP_IDF.split("add_subdirectory")[0] + "add_subdirectory(../.. model)\n"
        "set(MODEL ${COMPONENT_LIB})\n" + ESP_IDF_MAIN)
    said = call(cmake(example) / "start", folder=example)
    expect("1 passed, 0 failed" in said and "kws: passed" in said, said)


ESP_IDF_MAIN = """function(idf_component_register)
  cmake_parse_arguments(c "" "" "SRCS" ${ARGN})
  add_library(main STATIC ${c_SRCS})
  target_link_libraries(main PRIVATE component m)
  set(COMPONENT_LIB main PARENT_SCOPE)
endfunction()
add_subdirectory(main)
add_executable(start start.c)
target_link_libraries(start PRIVATE main)
"""


def test_arduino():
    folder = emit("arduino")
    text = (folder / "library.properties").read_text()
    files = [str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()]
    expect(formats.arduino(text, files) == [], formats.arduino(text, files))
    found = formats.properties(text)
    expect(found["category"] == "Data Processing" and found["includes"] == "kws.h", text)
    # A sketch of the same name as the library's folder is not in it; nor does src/ hold the test.
    case = "examples/recorded_case/"
    expect(sorted(files) == ["README.md", case + "recorded_case.ino", case + "recordings.c",
                             case + "recordings.h", "library.properties", "src/kws.c",
                             "src/kws.h"], files)
    expect(found["author"] == found["maintainer"] == "A. Näme <a@kws.org>" and
           found["url"] == "https://kws.org/a?b=1&c=2" and found["version"] == "1.0.2", text)
    # Its builder compiles what is under src/ with flags of its own, sketches as C++.
    sources = [str(p.relative_to(folder)) for p in (folder / "src").rglob("*.c")]
    expect(sources == ["src/kws.c"], sources)
    compile_all(folder, sources, ["src"], ["-std=gnu11", "-ffp-contract=off"], use="cpp")
    sketch(folder)
    error = run("emit", MODEL / "model.tflite", "--package", "arduino", "--prefix", "arduino_kws",
                "-o", FOLDER / "wrong", code=2).stderr
    expect("begins with 'arduino'" in error and "[emit-layout]" in error, error)
    error = emit("arduino", "--target", "host", code=2)
    expect("emit for target c" in error and "[emit-layout]" in error, error)


# What a core gives a sketch, in front of it.
CORE = """#include <cstdio>
struct Port {
  void begin(long) {}
  operator bool() const { return true; }
  void print(const char *text) { std::fputs(text, stdout); }
  void println(const char *text) { std::puts(text); }
} Serial;
void setup();
void loop();
"""


def sketch(folder):
    """The example, as the builder does it: a sketch is C++ with the core in front, files beside it
    are compiled as they are."""
    case = folder / "examples" / "recorded_case"
    (case / "sketch.cpp").write_text(CORE + (case / "recorded_case.ino").read_text() +
                                     "int main() { setup(); loop(); return 0; }\n")
    call("c++", "-std=gnu++11", "-Wall", "-Werror", "-I../../src", "-c", "sketch.cpp", "-o", "sketch.o", folder=case)
    for source in ("recordings.c", "../../src/kws.c"):
        call("cc", "-std=gnu11", "-ffp-contract=off", "-I../../src", "-c", source, "-o",
             pathlib.Path(source).stem + ".o", folder=case)
    call("c++", "sketch.o", "recordings.o", "kws.o", "-lm", "-o", "sketch", folder=case)
    said = call("./sketch", folder=case)
    expect("1 passed, 0 failed" in said and said.endswith("passed\n"), said)


def test_platformio():
    folder = emit("platformio")
    found = json.loads((folder / "library.json").read_text())
    build = found["build"]
    expect(formats.platformio(found) == [] and found["name"] == "kws", formats.platformio(found))
    sources = [str(p.relative_to(folder)) for p in (folder / build["srcDir"]).rglob("*.c")]
    expect((folder / build["includeDir"] / found["headers"]).is_file(), found)
    compile_all(folder, sources, [build["includeDir"]], build["flags"].split())
    expect(found["license"] == "MIT" and found["authors"]["name"] == "A. Näme <a@kws.org>", found)
    # The example's sources are a program with those of the library.
    example = folder / "examples" / "recorded_case"
    expect("lib_deps = symlink://../..\n" in (example / "platformio.ini").read_text(), "lib_deps")
    call("cc", "-I../../include", *example.glob("src/*.c"), "../../src/kws.c", "-lm", "-o", "program",
         folder=example)
    expect("1 passed, 0 failed" in call("./program", folder=example), "the case")


def test_about():
    """What nobody says is made up, with a warning; what no format takes is refused."""
    for package, wanted in (("arduino", "'url', 'author'"), ("esp-idf", "'url'"), ("cmake", ""),
                            ("platformio", "'license'"), ("cmsis-pack", "'license'")):
        said = run("emit", MODEL / "model.tflite", "--package", package, "--prefix", "kws", "-o",
                   FOLDER / "made_up").stderr
        expect(("[emit-about]" in said) == bool(wanted) and wanted in said, f"{package}: {said}")
        for path in (FOLDER / "made_up").rglob("*"):
            expect(path.is_dir() or not re.search(r'(?m)(url|author|license)["=:]+ *("" *|)$',
                                                  path.read_text()), f"{path} has an empty field")
        shutil.rmtree(FOLDER / "made_up")
    (FOLDER / "p.yaml").write_text("package: platformio\nprefix: kws\npackage_about:\n"
                                   "  license: Apache-2.0\n  url: https://x.org\n  author: X\n")
    said = run("emit", MODEL / "model.tflite", "--project", FOLDER / "p.yaml", "-o", FOLDER / "file").stderr
    found = json.loads((FOLDER / "file" / "library.json").read_text())
    expect(said == "" and found["license"] == "Apache-2.0" and found["version"] == "0.1.0", found)
    for word, part in (("licence=MIT", "found 'licence=MIT'"), ("license=", "expected an expression"),
                       ("url=x.org", "expected https://"), ("url=https://x.org/a b", "expected https://"),
                       ('author=A "B"', "without quotes"), ("version=1.0", "three numbers"),
                       ("version=1.0.2-rc1", "three numbers"), ("version=01.0.2", "three numbers"),
                       ("author=" + "a" * 201, "at most 200 bytes"), ("author=a\nb", "without quotes")):
        error = emit("arduino", "--package-about", word, code=2)
        expect(part in error and "[emit-about]" in error, f"{word}: {error}")


WRONG = [  # a description that was written, what is changed in it, and the fault
    ("arduino", "library.properties", "url=", "link=", "no url"),
    ("arduino", "library.properties", "url=https:", "url=", "url: "),
    ("arduino", "library.properties", "Data Processing", "Machine Learning", "category: "),
    ("arduino", "library.properties", "name=kws", "name=Arduino_kws", "name: "),
    ("arduino", "library.properties", "architectures=*", "architectures=all of them",
     "architectures: "),
    ("arduino", "library.properties", "includes=kws.h", "includes=kw.h", "no src/kw.h"),
    ("arduino", "library.properties", "version=1", "version=v1", "version: "),
    ("arduino", "library.properties", "author=", "author =", "nobody knows "),
    ("platformio", "library.json", '"kws"', '"k@ws"', "name: "),
    ("platformio", "library.json", "machine-learning", "Machine Learning", "keywords: "),
    ("platformio", "library.json", '"headers"', '"header"', "nobody knows header"),
    ("platformio", "library.json", '"srcDir"', '"sources"', "nobody knows sources"),
    ("esp-idf", "idf_component.yml", 'version: "', 'version: "v', "version: "),
    ("esp-idf", "idf_component.yml", "description", "summary", "nobody knows summary"),
    ("esp-idf", "idf_component.yml", "license: MIT", "license: two words", "license: "),
    ("esp-idf", "idf_component.yml", '["', '"', "maintainers: "),
    ("platformio", "library.json", '"name": "A', '"nam": "A', "an author without"),
    ("zephyr", "zephyr/module.yml", "  cmake", "  make", "nobody knows build.make"),
    ("zephyr", "zephyr/module.yml", "name: kws", "name: k ws", "name: "),
]


def test_faults_are_found():
    """That the checks of descriptions find what is wrong."""
    check = {"arduino": lambda t: formats.arduino(t, ["src/kws.h"]),
             "platformio": lambda t: formats.platformio(json.loads(t)),
             "esp-idf": formats.esp_idf, "zephyr": formats.zephyr}
    for package, name, old, new, said in WRONG:
        path = FOLDER / package / name
        text = path.read_text() if path.is_file() else (emit(package) / name).read_text()
        expect(check[package](text) == [] and old in text, f"{package}: {text}")
        found = check[package](text.replace(old, new))
        expect(any(said in fault for fault in found), f"{old} -> {new}: {found}")


# Of PACK.xsd 1.7.60, what concerns the elements that are written.
PACK_TEXTS = {
    ("package", "schemaVersion"): r"\d+\.\d+(\.\d+)?",
    ("release", "version"): r"\d+\.\d+\.\d+",
    ("component", "Cclass"): r"Machine Learning",
    ("component", "Cgroup"): r"[A-Za-z0-9][A-Za-z0-9_+():/\- .]{1,31}",
    ("component", "Csub"): r"[A-Za-z0-9][A-Za-z0-9_+():/\- .]{0,31}",
    ("component", "Cversion"): r"\d+\.\d+\.\d+",
    ("file", "category"): r"doc|include|header|sourceC",
    ("file", "name"): r"[^\\]+",
    ("vendor", None): r"[\-_A-Za-z0-9]+",
    ("name", None): r"[\-_A-Za-z0-9]+",
}


def hold_schema(root):
    """No attribute, and no text with a form, but those of the schema."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key.startswith("{http://www.w3.org/2001/XMLSchema-instance}"):
                continue
            pattern = PACK_TEXTS.get((element.tag, key))
            expect(pattern and re.fullmatch(pattern, value), f"{element.tag}.{key}={value}")
        pattern = PACK_TEXTS.get((element.tag, None))
        expect(not pattern or re.fullmatch(pattern, element.text or ""), element.tag)


def test_names_of_formats():
    """A prefix that C takes, and the format does not."""
    error = run("emit", MODEL / "model.tflite", "--package", "cmsis-pack", "--prefix", "k" * 33,
                "-o", FOLDER / "wrong", code=2).stderr
    expect("--prefix" in error and "[emit-layout]" in error, error)
    expect(not (FOLDER / "wrong").exists(), "nothing is written")


def test_cmsis_pack():
    folder = emit("cmsis-pack")
    names = list(folder.glob("*.pdsc"))
    root = xml.parse(names[0]).getroot()
    expect(names[0].name == f"{root.findtext('vendor')}.{root.findtext('name')}.pdsc", names)
    order = [e.tag for e in root]
    expect(order == ["vendor", "name", "description", "url", "license", "releases",
                     "components"], order)
    hold_schema(root)
    version = root.find("releases/release").get("version")
    component = root.find("components/component")
    expect(version and component.get("Cversion") == version, version)
    files = {f.get("category"): f.get("name") for f in component.iter("file")}
    for name in [*files.values(), root.findtext("license")]:
        expect((folder / name).exists(), name)
    expect(root.findtext("url") == "https://kws.org/a?b=1&c=2", root.findtext("url"))
    expect("SPDX-License-Identifier: MIT\n" in (folder / "LICENSE.txt").read_text(), "LICENSE.txt")
    case = folder / "examples" / "recorded_case"
    solution = (case / "recorded_case.csolution.yml").read_text()
    project = (case / re.search(r"project: (\S+)", solution)[1]).read_text()
    expect((case / re.search(r"path: (\S+)", solution)[1]).resolve() == folder.resolve(), solution)
    expect((case / re.search(r"file: (\S+)", project)[1]).is_file(), project)
    wanted = ":".join(component.get(k) for k in ("Cclass", "Cgroup", "Csub"))
    expect(f"component: {wanted}\n" in project, project)
    flags = component.findtext("description").split(": ", 1)[1].split()
    compile_all(folder, [files["sourceC"]], [files["include"]], flags)


PLUGIN = """#include "tenon/ext/package.h"
#include "tenon/ext/plugin.h"
static tenon_status lay_out(tenon_packaging *p) {
  const tenon_package_file *f = p->api->file(p, 0);
  if (f->role != TENON_PACKAGE_HEADER || p->api->file(p, 99)) return p->api->fail(p, "roles");
  %s
}
static const tenon_package_desc ours = {
    .struct_size = sizeof ours, .name = "ours", .doc = "Of a test.", .lay_out = lay_out,
    .user = "ours alone"};
static const tenon_plugin plugin = {TENON_PLUGIN_HEADER, .name = "ours", .version = "1",
    .packages = (const tenon_package_desc *const[]){&ours, NULL}};
TENON_PLUGIN_EXPORT(ours, plugin);
"""


def test_a_layout_of_a_plugin():
    plugin = FOLDER / "ours.c"
    plugin.write_text(PLUGIN % '''TENON_TRY(p->api->place(p, 0, "deep/er/model.h"));
  TENON_TRY(p->api->place(p, 2, NULL));
  return p->api->add(p, "BUILD", p->api->format(p, "lib %s %s\\n", p->api->prefix(p),
                                              (const char *)p->api->user(p)));''')
    folder = emit("ours", "--plugin", plugin)
    there = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    expect(there == ["BUILD", "README.md", "deep/er/model.h", "kws.c"], there)
    expect((folder / "BUILD").read_text() == "lib kws ours alone\n", "BUILD")
    shutil.rmtree(folder)
    for body, code, said in (
            ('return p->api->fail(p, "no more than %d", 3);', 2, "package 'ours': no more than 3"),
            ('return p->api->place(p, 0, "../x");', 7, "no relative path: '../x'"),
            ('return p->api->place(p, 0, "/x");', 7, "no relative path: '/x'"),
            ('return p->api->place(p, 9, "x");', 7, "no such file"),
            ('return p->api->add(p, "a//b", "");', 7, "no relative path: 'a//b'"),
            ('return p->api->place(p, 0, "kws.c");', 7, "two files are called 'kws.c'"),
            ('return p->api->add(p, "kws.c", "");', 7, "two files are called 'kws.c'")):
        plugin.write_text(PLUGIN % body)
        error = emit("ours", "--plugin", plugin, code=code)
        expect(said in error and error.count("error:") == 1, error)
        expect(not folder.exists(), f"nothing is written: {body}")


def test_names():
    error = emit("cmak", code=2)
    expect("no package 'cmak'; did you mean 'cmake'; there are 'arduino'" in error, error)
    listed = run("ops", "--kind", "packagers").stdout
    expect(len(listed.splitlines()) == 9 and "A Zephyr module" in listed, listed)


main([test_cmake, test_make, test_zephyr, test_esp_idf, test_arduino, test_platformio, test_about,
      test_faults_are_found, test_cmsis_pack, test_names_of_formats, test_a_layout_of_a_plugin, test_names])
