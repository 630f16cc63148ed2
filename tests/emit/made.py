"""Small models as text, with pseudo-random weights, and their recordings: for
tests that compare what is emitted with what this machine computes."""
import random
import subprocess


def run(*command, **options):
    """Standard output and error of a command that must succeed."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\nexit code {done.returncode}\n"
                         f"{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def floats(n, seed):
    draw = random.Random(seed)
    return "{" + ", ".join(f"{draw.uniform(-1, 1):.6f}" for _ in range(n)) + "}"


def ints(n, most, seed):
    draw = random.Random(seed)
    return "{" + ", ".join(str(draw.randint(-most, most)) for _ in range(n)) + "}"


def channels(n, axis, base):
    scales = ", ".join(f"{base * (1 + i / n):.6f}" for i in range(n))
    return "{[" + scales + "]:[" + ", ".join("0" * n) + f"]@{axis}}}"


def made_float():
    return f"""module {{
  %x = input f32[1,8,8,3]
  %w0 = const f32[8,3,3,3] {floats(216, 1)}
  %b0 = const f32[8] {floats(8, 2)}
  %w1 = const f32[1,3,3,8] {floats(72, 3)}
  %w2 = const f32[5,8] {floats(40, 4)}
  %a = core::conv(%x, %w0, %b0) [stride=[2, 2], pad=[0, 0, 1, 1], lo=0.0] : f32[1,4,4,8]
  %b = core::depthwise_conv(%a, %w1) [pad=[1, 1, 1, 1]] : f32[1,4,4,8]
  %c = core::tanh(%b) : f32[1,4,4,8]
  %d = core::avg_pool(%c) [window=[4, 4]] : f32[1,1,1,8]
  %e = core::reshape(%d) [shape=[1, 8]] : f32[1,8]
  %f = core::fully_connected(%e, %w2) : f32[1,5]
  %g = core::logistic(%f) : f32[1,5]
  %h = core::softmax(%f) : f32[1,5]
  return %g, %h
}}
"""


def made_int8():
    return f"""module {{
  %x = input s8[1,8,8,3]{{0.05:3}}
  %w0 = const s8[8,3,3,3]{channels(8, 0, 0.01)} {ints(216, 127, 1)}
  %b0 = const s32[8]{channels(8, 0, 0.0005)} {ints(8, 2000, 2)}
  %w1 = const s8[1,3,3,8]{channels(8, 3, 0.02)} {ints(72, 127, 3)}
  %b1 = const s32[8]{channels(8, 0, 0.001)} {ints(8, 1000, 4)}
  %w2 = const s8[5,8]{{0.03:0}} {ints(40, 127, 5)}
  %a = core::conv(%x, %w0, %b0) [stride=[2, 2], pad=[0, 0, 1, 1], lo=0.0] : s8[1,4,4,8]{{0.05:-128}}
  %b = core::depthwise_conv(%a, %w1, %b1) [pad=[1, 1, 1, 1]] : s8[1,4,4,8]{{0.2:5}}
  %c = core::avg_pool(%b) [window=[4, 4]] : s8[1,1,1,8]{{0.2:5}}
  %d = core::reshape(%c) [shape=[1, 8]] : s8[1,8]{{0.2:5}}
  %e = core::fully_connected(%d, %w2) : s8[1,5]{{0.2:-10}}
  %f = core::softmax(%e) : s8[1,5]{{0.00390625:-128}}
  return %f
}}
"""


def made_wide():
    """Images of 16 bits, large enough for stripes, with weights of 8."""
    return f"""module {{
  %x = input s16[1,16,10,3]{{0.001:0}}
  %w0 = const s8[8,3,3,3]{channels(8, 0, 0.01)} {ints(216, 127, 1)}
  %b0 = const s64[8]{channels(8, 0, 0.00001)} {ints(8, 90000, 2)}
  %w1 = const s8[1,3,3,8]{channels(8, 3, 0.02)} {ints(72, 127, 3)}
  %b1 = const s64[8]{channels(8, 0, 0.00002)} {ints(8, 9000, 4)}
  %w2 = const s8[4,1,1,8]{channels(4, 0, 0.02)} {ints(32, 127, 5)}
  %a = core::conv(%x, %w0, %b0) [pad=[1, 1, 1, 1], lo=0.0] : s16[1,16,10,8]{{0.003:0}}
  %b = core::depthwise_conv(%a, %w1, %b1) [pad=[1, 1, 1, 1]] : s16[1,16,10,8]{{0.01:0}}
  %c = core::conv(%b, %w2) [stride=[2, 2]] : s16[1,8,5,4]{{0.02:0}}
  return %c
}}
"""


def made_tiny():
    """Floats below the normal range, which some vectors flush to zero."""
    return f"""module {{
  %x = input f32[1,6,6,8]
  %s = const f32[1] {{1e-38}}
  %h = const f32[1] {{0.3}}
  %w = const f32[12,1,1,8] {floats(96, 1)}
  %a = core::mul(%x, %s) : f32[1,6,6,8]
  %b = core::add(%a, %a) : f32[1,6,6,8]
  %c = core::mul(%b, %h) : f32[1,6,6,8]
  %d = core::conv(%a, %w) [lo=0.0] : f32[1,6,6,12]
  %e = core::avg_pool(%d) [window=[2, 2], stride=[2, 2]] : f32[1,3,3,12]
  return %b, %c, %d, %e
}}
"""


def made_fewer():
    """Products with fewer multiplications: tiles of 4 and of 2 outputs, and rows in pairs, of which some differ
    too much to be paired and the last stands alone."""
    rows = ", ".join(["1000.0", "0.0", "1.0", "0.25", "1.5"][i % 5] for i in range(81))
    return f"""module {{
  %x = input f32[1,9,9,16]
  %w0 = const f32[32,3,3,16] {floats(4608, 1)}
  %b0 = const f32[32] {floats(32, 2)}
  %w1 = const f32[32,3,3,32] {floats(9216, 3)}
  %s = const f32[81,1] {{{rows}}}
  %w2 = const f32[71,32] {floats(2272, 4)}
  %b2 = const f32[71] {floats(71, 5)}
  %a = core::conv_winograd(%x, %w0, %b0) [pad=[1, 1, 1, 1], tile=4, lo=0.0] : f32[1,9,9,32]
  %b = core::conv_winograd(%a, %w1) [pad=[1, 1, 1, 1], tile=2] : f32[1,9,9,32]
  %c = core::reshape(%b) [shape=[81, 32]] : f32[81,32]
  %d = core::mul(%c, %s) : f32[81,32]
  %e = core::fully_connected_strassen(%d, %w2, %b2) : f32[81,71]
  %f = core::tanh(%e) : f32[81,71]
  return %e, %f
}}
"""


def made_styled():
    """Convolutions whose weights, bias, scale and shift a run computes: whole, in narrow and in wide groups, of a
    pixel, of a row, and depthwise."""
    return f"""module {{
  %x = input f32[2,9,9,16]
  %s = input f32[1]
  %w0 = const f32[37,3,3,16] {floats(5328, 1)}
  %b0 = const f32[37] {floats(37, 2)}
  %w1 = const f32[40,1,1,37] {floats(1480, 3)}
  %b1 = const f32[40] {floats(40, 4)}
  %w2 = const f32[40,3,3,4] {floats(1440, 5)}
  %w3 = const f32[136,2,3,20] {floats(16320, 6)}
  %w4 = const f32[1,3,3,136] {floats(1224, 7)}
  %t = const f32[136] {floats(136, 8)}
  %v0 = core::mul(%w0, %s) : f32[37,3,3,16]
  %v1 = core::mul(%w1, %s) : f32[40,1,1,37]
  %c1 = core::mul(%b1, %s) : f32[40]
  %v2 = core::mul(%w2, %s) : f32[40,3,3,4]
  %v3 = core::mul(%w3, %s) : f32[136,2,3,20]
  %v4 = core::mul(%w4, %s) : f32[1,3,3,136]
  %u = core::mul(%t, %s) : f32[136]
  %a = core::conv(%x, %v0, %b0) [stride=[1, 2], pad=[1, 1, 1, 1], lo=-1.0] : f32[2,9,5,37]
  %b = core::conv(%a, %v1, %c1) : f32[2,9,5,40]
  %c = core::conv(%b, %v2) [pad=[1, 1, 1, 1], groups=10] : f32[2,9,5,40]
  %d = core::conv(%c, %v3, %t, %u, %t) [dilation=[2, 1], groups=2] : f32[2,7,3,136]
  %e = core::depthwise_conv(%d, %v4, %u, %u) [pad=[1, 1, 1, 1], hi=0.5] : f32[2,7,3,136]
  return %e, %d
}}
"""


def made_halved():
    """Elements of a step half as wide as those it makes, and the other way round: both from one memory."""
    return """module {
  %x = input f32[3,64]
  %a = core::cast(%x) [dtype=bf16] : bf16[3,64]
  %b = core::cast(%a) [dtype=f32] : f32[3,64]
  %c = core::exp(%b) : f32[3,64]
  return %c
}
"""


def made_state():
    return """module {
  state "sum" : f32[2,2] = {1.0, 2.0, 3.0, 4.0}
  %x = input f32[2,2]
  %s = core::state_read() [state="sum"] : f32[2,2]
  %t = core::add(%s, %x) : f32[2,2]
  core::state_write(%t) [state="sum"]
  %y = core::exp(%t) : f32[2,2]
  return %y
}
"""


def made_written():
    return """module {
  %n = input f32[3]
  %x = input f32[3]
  %c = core::add(%x, %n) : f32[3]
  %y = core::mul(%c, %x) : f32[3]
  %z = core::exp(%n) : f32[3]
  return %y, %c into 1, %z into 0
}
"""


def made_loop():
    """Powers of a matrix until they have shrunk, or for so many turns."""
    return f"""module {{
  %n = input s32[]
  %x = input f32[4,4]
  %w = const f32[4,4] {floats(16, 1)}
  %one = const s32[] {{1}}
  %eight = const s32[] {{8}}
  %m = core::minimum(%n, %eight) : s32[]
  %k, %p, %q = core::while([%m, %x, %w]) : s32[], f32[4,4], f32[4,4] {{
    (%i: s32[], %u: f32[4,4], %v: f32[4,4]) {{
      %zero = core::sub(%one, %one) : s32[]
      %more = core::maximum(%i, %zero) : s32[]
      %go = core::cast(%more) [dtype=bool] : bool[]
      return %go
    }}
    (%i: s32[], %u: f32[4,4], %v: f32[4,4]) {{
      %d = core::sub(%i, %one) : s32[]
      %r = core::fully_connected(%u, %w) : f32[4,4]
      return %d, %r, %u
    }}
  }}
  return %p, %q, %k
}}
"""


MODELS = {f.__name__: f for f in (made_loop, made_float, made_int8, made_wide, made_tiny, made_fewer, made_halved,
                                  made_styled, made_state, made_written)}


def make(tenon, folder, name):
    """The folder of a model with two recorded cases."""
    made = folder / name
    made.mkdir()
    (made / "model.tenon").write_text(MODELS[name]())
    for k in range(2):
        run(tenon, "run", made / "model.tenon", "--target", "c", "--random", k + 1, "--save",
            made / f"case{k}")
    return made


def model_in(folder):
    for suffix in ("tflite", "pt2", "tenon"):
        if (folder / f"model.{suffix}").exists():
            return folder / f"model.{suffix}"
    raise SystemExit(f"{folder}: no model in it")
