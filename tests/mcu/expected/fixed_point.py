"""The integer arithmetic of LiteRT's quantised kernels and of gemmlowp, written down from their definitions, not
from src/kern: what expected.py holds kernels against."""
import ctypes
import math

INT32_MAX = 2**31 - 1


def f32(x):
    return ctypes.c_float(x).value


def wrap(x, bits=32):
    half = 1 << (bits - 1)
    return (x + half) % (2 * half) - half


def clamp(x, lo, hi):
    return max(lo, min(hi, x))


def saturate(x, bits):
    return clamp(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def divide(a, b):
    """Towards zero, as C."""
    return a // b if (a < 0) == (b < 0) or a == 0 else -(-a // b)


def rounded(x):
    """The nearest integer, halves away from zero, of a finite float."""
    whole = math.floor(abs(x))
    whole += abs(x) - whole >= 0.5
    return -whole if x < 0 else whole


# --- a real factor as an integer and a shift ---------------------------------------


def quantize_multiplier(factor):
    part, shift = math.frexp(factor)
    fixed = rounded(part * 2.0**31)
    if fixed == 1 << 31:
        fixed, shift = fixed // 2, shift + 1
    if shift < -31:
        return 0, 0
    return (INT32_MAX, 30) if shift > 30 else (fixed, shift)


def high_mul(a, b, bits=32):
    """SaturatingRoundingDoublingHighMul, of 32 and of 16 bits."""
    least = -(1 << (bits - 1))
    if a == b == least:
        return -least - 1
    product, nudge = a * b, 1 << (bits - 2)
    return divide(product + (nudge if product >= 0 else 1 - nudge), 1 << (bits - 1))


def divide_by_pot(x, n):
    """RoundingDivideByPOT: halves away from zero."""
    half = (1 << n) >> 1
    return (x + half) >> n if x >= 0 else -((-x + half) >> n)


def shift_left(x, n, bits=32):
    """SaturatingRoundingMultiplyByPOT of what is not negative."""
    return saturate(x << n, bits)


def multiply(x, factor):
    """MultiplyByQuantizedMultiplier: rounded twice."""
    mult, shift = factor
    return divide_by_pot(high_mul(wrap(x << max(shift, 0)), mult), max(-shift, 0))


def multiply_wide(x, factor):
    """The same of sums of 64 bits, within what it is defined for: 15 bits of the factor, rounded once."""
    mult, shift = factor
    mult = (mult + (1 << 15)) >> 16 if mult < 0x7FFF0000 else 0x7FFF
    right = 15 - shift
    if right > 62:
        return 0
    return saturate((clamp(x, -(1 << 47), (1 << 47) - 1) * mult + (1 << (right - 1))) >> right, 32)


# --- exponentials and reciprocals ------------------------------------------------------


def exp_quarter(a, bits):
    """exp_on_interval_between_negative_one_quarter_and_0_excl, without integer bits."""
    one = 1 << (bits - 1)
    middle, third = (1895147668, 715827883) if bits == 32 else (28918, 10923)
    x = wrap(a + one // 8, bits)
    x2 = high_mul(x, x, bits)
    x3, x4 = high_mul(x2, x, bits), high_mul(x2, x2, bits)
    rest = high_mul(wrap(divide_by_pot(x4, 2) + x3, bits), third, bits)
    rest = divide_by_pot(wrap(rest + x2, bits), 1)
    return saturate(middle + high_mul(middle, wrap(x + rest, bits), bits), bits)


POWERS = {32: (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242),
          16: (25520, 19875, 12055, 4435, 600, 11, 0)}


def exp_on_negative_values(x, integer_bits, bits=32):
    fraction = bits - 1 - integer_bits
    quarter = 1 << (fraction - 2)
    part = x % quarter - quarter
    y = exp_quarter(saturate(part << integer_bits, bits), bits)
    rest = wrap(part - x, bits)
    for exponent, power in zip(range(-2, 5), POWERS[bits]):
        if exponent < integer_bits and rest & (1 << (fraction + exponent)):
            y = high_mul(y, power, bits)
    if integer_bits > 5 and x < -(1 << (fraction + 5)):
        y = 0
    return (1 << (bits - 1)) - 1 if x == 0 else y


def half_sum(a, b):
    total = a + b
    return divide(total + (1 if total >= 0 else -1), 2)


def newton(x, bits):
    """2 / (1 + x) for x in [0, 1], with two integer bits."""
    one = 1 << (bits - 3)
    first, slope = (1515870810, -1010580540) if bits == 32 else (23130, -15420)
    half = half_sum(x, (1 << (bits - 1)) - 1)
    y = wrap(first + high_mul(half, slope, bits), bits)
    for _ in range(3):
        rest = wrap(one - high_mul(half, y, bits), bits)
        y = wrap(y + saturate(high_mul(y, rest, bits) << 2, bits), bits)
    return y


def one_over_one_plus(x, bits=32):
    return saturate(newton(x, bits) << 1, bits)


def logistic_s16(x, integer_bits):
    if x == 0:
        return 1 << 14
    y = one_over_one_plus(exp_on_negative_values(-abs(x), integer_bits, 16), 16)
    return y if x > 0 else 32767 - y


def tanh_s16(x, integer_bits):
    """Of twice x: (1 - e) / (1 + e), which is 2 / (1 + e) - 1."""
    if x == 0:
        return 0
    y = wrap(newton(exp_on_negative_values(-abs(x), integer_bits + 1, 16), 16) - (1 << 13), 16)
    y = saturate(y << 2, 16)
    return y if x > 0 else -y


# --- functions of 16 bits from TFLite's table of the logistic function --------------------------


def sigmoid_entry(i):
    if i == 255:
        return 65535
    here, middle, after = (65536 / (1 + math.exp(-(i + k) / 24)) for k in (0, 0.5, 1))
    return math.floor(here + 0.5 * (middle - 0.5 * (here + after)) + 0.5)


SIGMOID = [sigmoid_entry(i) for i in range(256)]


def sigmoid_table(x, bits, most):
    """At x, which is not negative, in units of a 24th with so many bits behind the point."""
    at, part = x >> bits, x & ((1 << bits) - 1)
    if at >= 255:
        return most << (bits + 1 if bits == 9 else bits)
    return (SIGMOID[at] << bits) + part * (SIGMOID[at + 1] - SIGMOID[at])


def lut_logistic(x, mult, shift):
    x = (x * mult + ((1 << shift) >> 1)) >> shift
    y = sigmoid_table(abs(x), 9, 0x7FFF)
    return (y + (1 << 9) if x >= 0 else (1 << 25) - y + (1 << 9) - 1) >> 10


def lut_tanh(x, mult, shift):
    x = (x * mult + ((1 << shift) >> 1)) >> shift
    y = sigmoid_table(abs(x), 8, 0xFFFF)
    return (y - (1 << 23) + (1 << 7) if x >= 0 else (1 << 23) - y + (1 << 7) - 1) >> 8


# --- floats ------------------------------------------------------------------------------------


def fma32(a, b, c):
    """a * b + c of floats of 32 bits, rounded once: the exact product of doubles, a sum rounded to odd."""
    product = a * b
    total = product + c
    back = total - product
    miss = (product - (total - back)) + (c - back)
    if miss and ctypes.c_int64.from_buffer_copy(ctypes.c_double(total)).value & 1 == 0:
        total = math.nextafter(total, math.inf if miss > 0 else -math.inf)
    return f32(total)
