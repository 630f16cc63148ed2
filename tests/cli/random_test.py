"""Random operators: PyTorch's numbers from a state; seeds, what is given to it, what is refused."""
import random
import struct

from cli import FOLDER, expect, main, run
from npy import read, write

DRAWS = """module {
  %x = input f32[2]
  %a = aten::rand() [size=[3]]
  %d = aten::rand() [size=[2], dtype=f64]
  %b = aten::dropout(%x) [p=0.5, train=true]
  return %a, %d, %b
}
"""
NONE = """module {
  %x = input f32[2]
  %y = core::neg(%x)
  return %y
}
"""


class Generator:
    """Python's own MT19937, brought to the words that PyTorch makes of a seed."""

    def __init__(self, seed):
        words = [seed & 0xffffffff]
        for i in range(1, 624):
            words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + i) & 0xffffffff)
        self.of = random.Random()
        self.of.setstate((3, (*words, 624), None))

    def f32(self):
        return (self.of.getrandbits(32) & 0xffffff) / 2**24

    def f64(self):
        high, low = self.of.getrandbits(32), self.of.getrandbits(32)
        return ((high << 32 | low) & (1 << 53) - 1) / 2**53

    def draws(self):
        floats = [self.f32() for _ in range(3)]
        return floats, [self.f64() for _ in range(2)], [2. * (self.f64() < .5) for _ in range(2)]


def model(text=DRAWS, name="draws.tenon"):
    (FOLDER / name).write_text(text)
    return name


def numbers(folder, types=("f", "d", "f")):
    out = []
    for i, t in enumerate(types):
        _, _, data = read(FOLDER / folder / f"out{i}.npy")
        out.append(list(struct.unpack(f"<{len(data) // struct.calcsize(t)}{t}", data)))
    return tuple(out)


def test_seeds():
    m = model()
    for seed in (0, 7, 5489, 2**32 + 7, -1):
        run("run", m, "--input", "[1, 1]", "--seed", seed, "-o", "seeded")
        expect(numbers("seeded") == Generator(seed).draws(), seed)
    run("run", m, "--input", "[1, 1]", "-o", "unseeded")
    expect(numbers("unseeded") == Generator(0).draws(), "without a seed")
    run("run", m, "--input", "[1, 1]", "--seed", 7, "--pass", "functional,lower,inline,dce", "-o",
        "seeded")
    expect(numbers("seeded") == Generator(7).draws(), "other passes")


def test_seeds_everywhere():
    m = model()
    run("compile", m, "--seed", 7, "-o", "draws.tnp")
    run("run", "draws.tnp", "--input", "[1, 1]", "-o", "loaded")
    expect(numbers("loaded") == Generator(7).draws(), "program file")
    run("run", m, "--input", "[1, 1]", "--seed", 7, "--save", "case7")
    run("verify", m, "--case", "case7", "--seed", 7, "--with", "run,emitted,reference,threads")
    run("verify", m, "--case", "case7", code=1)
    run("verify", "draws.tnp", "--case", "case7", "--with", "run,emitted")
    text = run("plan", f"a={m}", f"b={model(name='more.tenon')}", "--seed", 7).stdout
    expect("state      5024 bytes" in text, text)


def test_the_state():
    """One after the other, as the generator goes on; and from what is given to it."""
    m = model()
    run("run", m, "--input", "[1, 1]", "--save", "first")
    after = FOLDER / "first" / "buf_default_generator.npy"
    run("run", m, "--input", "[1, 1]", "--state", f"default_generator={after}", "-o", "second")
    generator = Generator(0)
    generator.draws()
    expect(numbers("second") == generator.draws(), "the second run")
    words = [7] + [0] * 627
    write(FOLDER / "seed.npy", "<u4", [628], struct.pack("<628I", *words))
    run("run", m, "--input", "[1, 1]", "--state", "default_generator=seed.npy", "-o", "given")
    expect(numbers("given") == Generator(7).draws(), "a seed as the state")


def test_refused():
    error = run("run", model(NONE, "none.tenon"), "--input", "[1, 1]", "--seed", 1, code=2).stderr
    expect("'none.tenon' has no state 'default_generator', which was given a value" in error and
           "[module-state-unknown]" in error, error)
    rows = [("aten::rand() [size=[3], dtype=s32]", "it draws floats, as s32"),
            ("aten::randint() [high=300, size=[3], dtype=u8]", "numbers that u8 has not"),
            ("aten::randint() [high=0, size=[3]]", "no integer from 0 to -1"),
            ("aten::dropout(%x) [p=1.5, train=true]", "1.5 is no probability"),
            ("aten::poisson(%x)", "how many numbers it draws is up to the data"),
            ("aten::rrelu(%x) [training=true]", "it draws random numbers in training"),
            ("aten::multinomial(%x) [num_samples=0]", "how many samples it draws"),
            ("aten::normal.Tensor_float(%x) [std=-1.0]", "std is -1"),
            ("core::random_permutation(%x) [n=3]", "a generator is 'u32[628]'")]
    for i, (call, why) in enumerate(rows):
        types = " : f32[2]" if "poisson" in call or "rrelu" in call else ""
        results = "%y, %g" if "core::" in call else "%y"
        text = f"module {{\n  %x = input f32[2]\n  {results} = {call}{types}\n  return %y\n}}\n"
        done = run("run", model(text, f"refused{i}.tenon"), "--input", "[1, 1]", code=None)
        expect(done.returncode in (3, 4) and why in done.stderr, (call, done.returncode, done.stderr))


def test_refused_in_the_run():
    for call, given, why in (
            ("aten::bernoulli(%x)", "[0.5, 1.5]", "a probability outside of 0 to 1"),
            ("aten::multinomial(%x) [num_samples=1]", "[1, -1]", "a weight that is negative"),
            ("aten::multinomial(%x) [num_samples=1]", "[0, 0]", "weights whose sum is zero")):
        m = model(f"module {{\n  %x = input f32[2]\n  %y = {call}\n  return %y\n}}\n", "checked.tenon")
        error = run("run", m, "--input", given, code=10).stderr
        expect(why in error, (call, error))


main([test_seeds, test_seeds_everywhere, test_the_state, test_refused, test_refused_in_the_run])
