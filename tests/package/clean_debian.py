"""A clean Debian 12 with what script/package made: clean_debian.py DIST SOURCE [CHROOT.tar].

Makes a system with mmdebstrap (root and a network are needed), installs the packages with apt and the
wheel with pip, and does there what the README shows, as a user who has nothing else: models run,
plugins are compiled, C is emitted and compiled, a program is built against the library, `man` finds
pages, and bash, zsh and fish complete. Skipped with exit code 77 where that cannot be."""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

DIST, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])

SESSION = r"""
set -eux
cd /srv/session
tenon --version
# The README's session: what is unknown is said, and a plugin in C makes it run.
code=0; tenon explain model.tflite > explained || code=$?
test $code = 4; grep -q AcmeGain explained
tenon run    model.tflite --plugin gain.c --input case0/in0.npy
tenon verify model.tflite --plugin gain.c --case case0/
tenon emit   model.tflite --plugin gain.c --self-test case0 -o out/ --prefix gain
cc -O2 -std=c99 -ffp-contract=off out/gain.c out/gain_test.c -lm -o gain_test
./gain_test | grep '1 passed, 0 failed'
tenon run model.tflite --plugin gain.c --input case0/in0.npy --trace t.json
test -s t.json
# What is written to start from passes.
tenon new 'acme::x(Tensor a, float by=2) -> Tensor'
tenon check acme_x.c --runs 2 --with reference,text
# An application, by pkg-config.
cc -std=c11 -Wall -Werror use.c $(pkg-config --cflags --libs tenon) -o use
./use | grep ': 0 0 2$'
cc -std=c11 use.c -o use_static -Wl,-Bstatic -ltenon -Wl,-Bdynamic -ljansson -lyaml -lz -lm -ldl -pthread
./use_static | grep ': 0 0 2$'
# Manual pages, of the command and of a verb.
man tenon | grep -q 'TENON(1)'
man tenon-run | grep -q -e '--trace'
test -f /usr/share/doc/tenon/copyright -a -f /usr/share/doc/libtenon0/copyright
test -f /usr/share/tenon/plugins/acme/gain.c
"""

BASH = r"""
. /usr/share/bash-completion/completions/tenon
COMP_WORDS=(tenon ru); COMP_CWORD=1; _tenon; test "${COMPREPLY[*]}" = run
COMP_WORDS=(tenon run --tra); COMP_CWORD=2; _tenon; test "${COMPREPLY[*]}" = --trace
"""

# Completion in zsh is for a terminal: a shell in one, of which what it lists is taken.
ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='> '; autoload -Uz compinit; compinit -u; stty columns 400; echo rea''dy"
zpty -r z said '*ready*'
zpty -n -w z "tenon ru"$'	'
sleep 2; zpty -r -t z said; print -r -- "$said"
zpty -n -w z $''"tenon run --tra"$'	'
sleep 2; zpty -r -t z more; print -r -- "$more"
all=$said$more
[[ $all == *"tenon run"* && $all == *"--trace"* ]]
"""

FISH = r"""
complete -C 'tenon ru' | string match -q 'run*'; or exit 1
complete -C 'tenon run --tra' | string match -q -- '--trace*'; or exit 2
"""

WHEEL = r"""
set -eux
cd /srv/session
python3 -m pip install --break-system-packages --no-deps --no-index /srv/dist/*.whl
mkdir -p elsewhere && cd elsewhere
python3 -c "
import numpy as np, pathlib, tenon
program = tenon.Context(plugins=['../gain.c']).read('../model.tflite').compile()
y, = program.session().run(np.load('../case0/in0.npy'))
assert np.allclose(y, np.load('../case0/out0.npy'), atol=1e-5)
assert (pathlib.Path(tenon.get_include()) / 'tenon' / 'tenon.h').is_file()
assert (pathlib.Path(tenon.get_plugins()) / 'acme' / 'gain.c').is_file()
print(tenon.version(), np.__version__)
"
# The command of the wheel, without the package's.
/usr/local/bin/tenon verify ../model.tflite --plugin ../gain.c --case ../case0
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def call(*args, **more):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{args}\n{done.stdout}\n{done.stderr}\nexit code {done.returncode}")
    return done.stdout


def make(root):
    if len(sys.argv) > 3:
        root.mkdir()
        call("tar", "-C", root, "-xf", sys.argv[3])
        return
    # Compilers come as the recommendation of `tenon`, shells and man as a user has them.
    call("mmdebstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", root)


def devices(folder):
    """Nodes of its own: nothing of this machine's is below a folder that is removed."""
    for name, major, minor in (("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8),
                               ("urandom", 1, 9), ("tty", 5, 0)):
        if not (folder / name).exists():
            os.mknod(folder / name, 0o666 | stat.S_IFCHR, os.makedev(major, minor))
            os.chmod(folder / name, 0o666)
    (folder / "pts").mkdir(exist_ok=True)
    if not (folder / "ptmx").is_symlink():
        (folder / "ptmx").unlink(missing_ok=True)
        (folder / "ptmx").symlink_to("pts/ptmx")


def main():
    if os.geteuid() != 0:
        skip("a chroot needs root")
    if len(sys.argv) < 4 and not shutil.which("mmdebstrap"):
        skip("mmdebstrap is not installed")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-clean-"))
    try:
        root = folder / "root"
        make(root)
        devices(root / "dev")
        shutil.copytree(DIST, root / "srv" / "dist")
        shutil.copytree(SOURCE / "examples" / "demo" / "gain", root / "srv" / "session")
        shutil.copy(SOURCE / "plugins" / "acme" / "gain.c", root / "srv" / "session")
        text = (SOURCE / "tests" / "api" / "install.py").read_text()
        (root / "srv" / "session" / "use.c").write_text(text.split('USE = r"""')[1].split('"""')[0])
        if os.path.exists("/etc/resolv.conf"):
            shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
               "LC_ALL": "C.UTF-8", "HOME": "/srv", "TERM": "xterm", "MANPAGER": "cat"}

        def inside(*words):
            print("+", " ".join(words)[:100].replace("\n", " "), flush=True)
            return call("chroot", root, *words, env=env)
        call("mount", "-t", "proc", "proc", root / "proc")
        call("mount", "-t", "devpts", "devpts", root / "dev" / "pts", "-o", "newinstance,ptmxmode=0666")
        try:
            inside("apt-get", "update", "-qq")
            inside("sh", "-c", "apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-unsafe-io /srv/dist/tenon_*.deb "
                   "/srv/dist/libtenon*.deb gcc libc6-dev pkg-config man-db zsh fish "
                   "python3-numpy python3-pip")
            inside("sh", "-c", SESSION)
            for shell, text in (("bash", BASH), ("zsh", ZSH), ("fish", FISH)):
                inside(shell, "-c", text)
            wheels = list(DIST.glob("*.whl"))
            if wheels:
                inside("sh", "-c", WHEEL)
            else:
                print("skipped: the wheel; none was made")
            inside("sh", "-c", "apt-get remove -y -qq tenon libtenon0 libtenon-dev; "
                   "test ! -e /usr/bin/tenon -a ! -e /usr/share/tenon")
        finally:
            for path in ("dev/pts", "proc"):
                subprocess.run(["umount", "-l", root / path])
    finally:
        # What is still mounted there is not ours.
        subprocess.run(["rm", "-rf", "--one-file-system", folder])
    print("a clean Debian 12: packages, README's session, manual pages, three shells, wheel: passed")


main()
