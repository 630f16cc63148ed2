"""A wheel from the tree: builds the shared library with CMake (or takes TENON_BUILD, a build
folder that is there) and makes the ctypes declarations from the headers with tools/abi.py."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
VERSION = re.search(r"project\(tenon VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def copy_tree(source, to, endings):
    """The files with these endings, in their folders."""
    for path in source.rglob("*"):
        if path.is_file() and path.name.endswith(endings):
            target = to / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def build_library():
    given = os.environ.get("TENON_BUILD")
    build = pathlib.Path(given) if given else ROOT / "build-release"
    if not given:
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "tenon_shared",
                        "tenon_plugin_libtorch"], check=True)
    return build


class build(build_py):
    def run(self):
        super().run()
        to = pathlib.Path(self.build_lib) / "tenon"
        built = build_library()
        images = [to / "libtenon.so"]
        shutil.copyfile(built / "libtenon.so", images[0])
        copy_tree(ROOT / "include", to / "include", (".h",))
        copy_tree(ROOT / "plugins", to / "plugins",
                  (".c", ".cc", ".h", ".def", ".md", ".sh", ".yaml"))
        if (built / "plugins" / "libtorch.so").is_file():
            images.append(to / "plugins" / "libtorch.so")
            shutil.copyfile(built / "plugins" / "libtorch.so", images[-1])
        # Names that nobody outside looks for, and lines of the source.
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", *map(str, images)], check=True)
        shutil.copyfile(ROOT / "LICENSE", to / "LICENSE")
        subprocess.run([sys.executable, str(ROOT / "tools" / "abi.py"), "--python",
                        str(to / "_abi.py")], check=True)


class Binary(Distribution):
    def has_ext_modules(self):
        return True


try:
    from wheel.bdist_wheel import bdist_wheel

    class wheel(bdist_wheel):
        def get_tag(self):  # ctypes: any Python 3, this platform
            return "py3", "none", super().get_tag()[2]
    commands = {"build_py": build, "bdist_wheel": wheel}
except ImportError:
    commands = {"build_py": build}

setup(version=VERSION, packages=["tenon"], package_data={"tenon": ["*.pyi", "py.typed"]},
      distclass=Binary, cmdclass=commands)
