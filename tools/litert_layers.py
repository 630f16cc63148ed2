"""Layers over time for tools/litert_cases.py."""
import itertools

import numpy as np

from litert_base import TYPES, Case, Operand, operand, scale

ACTIVATION = {"none": 0, "relu": 1, "relu6": 3, "tanh": 4}


def spread(rng, shape, width=0.6):
    return (rng.standard_normal(shape) * width).astype(np.float32)


def weight(rng, t, shape, width=0.6):
    """A constant matrix: floats, or bytes at the scale of its largest."""
    x = spread(rng, shape, width)
    if t == "f32":
        return Operand(x, "f32", None, True)
    s = float(np.abs(x).max() / 127) or 1.0
    return Operand(np.clip(np.round(x / s), -127, 127).astype(np.int8), "s8", scale(s), True)


def state(t, shape, quant=None):
    return Operand(np.zeros(shape, TYPES[t][1]), t, quant, False, True)


LSTM_FORMS = [dict(zip(("cifg", "peephole", "norm", "projection"), bits)) for bits in itertools.product((0, 1), repeat=4)]


def lstm_weights(rng, kind, form, n, p, k):
    """Operands 1 to 17 of the layer of form `form`, and 20 to 23."""
    def gates(count, shape, there=lambda i: True):
        return [weight(rng, kind, shape) if there(i) else None for i in range(count)]
    has_in = lambda i: i > 0 or not form["cifg"]
    w, r = gates(4, (n, k), has_in), gates(4, (n, p), has_in)
    peephole = [None] * 3
    norms = [None] * 4
    if form["peephole"]:
        peephole = gates(3, (n,), has_in)
    if form["norm"]:
        norms = [Operand(spread(rng, n, 0.3) + 1, "f32", None, True) if has_in(i) else None for i in range(4)]
    bias = [Operand(spread(rng, n), "f32", None, True) if has_in(i) else None for i in range(4)]
    projection = [weight(rng, kind, (p, n)) if form["projection"] else None,
                  Operand(spread(rng, p), "f32", None, True) if form["projection"] > 1 else None]
    return w + r + peephole + bias + projection, norms


def integer_weights(rng, form, n, p, k, has_bias):
    """The same in integers, and the intermediate tensors; has_bias: of the projection."""
    w, norms = lstm_weights(rng, "s8", form, n, p, k)
    for i in range(9, 12):  # peepholes of 16 bits
        if w[i - 1] is not None:
            w[i - 1] = Operand(rng.integers(-9000, 9000, n).astype(np.int16), "s16", scale(1e-4), True)
    for i in range(12, 16):
        if w[i - 1] is not None:
            w[i - 1] = Operand(rng.integers(-9000, 9000, n).astype(np.int32), "s32", scale(1e-4), True)
    norms = [Operand(rng.integers(5000, 30000, n).astype(np.int16), "s16", scale(3e-5 * (i + 1)), True)
             if form["norm"] and (i or not form["cifg"]) else None for i in range(4)]
    if form["projection"] and has_bias:
        w[16] = Operand(rng.integers(-3000, 3000, p).astype(np.int32), "s32", scale(1e-4), True)
    between = [("s16", scale(0.002 * (i + 1))) if form["norm"] else ("f32", None) for i in range(4)]
    return w, norms, between + [("s8", scale(0.009, 7))]


def lstm_options(table, **more):
    return (table, {"fused_activation_function": ACTIVATION["tanh"], **more})


def lstm(op, t, rng):
    if t not in ("f32", "s8", "s16"):
        return
    time, k, n = 4, 5, 6
    for form, (kind, batch, major, clip, asym) in itertools.product(
            LSTM_FORMS, [("f32", 2, 0, 0.0, 0), ("f32", 1, 1, 0.5, 0), ("s8", 2, 0, 0.0, 0), ("s8", 2, 1, 0.4, 1)]):
        if t != "f32":
            continue
        p = 4 if form["projection"] else n
        w, norms = lstm_weights(rng, kind, dict(form, projection=form["projection"] * (1 + batch % 2)), n, p, k)
        x = Operand(spread(rng, (time, batch, k) if major else (batch, time, k), 1.0), "f32")
        yield Case(f"{kind} {form} batch {batch} major {major} clip {clip}",
                   [x, *w, state("f32", (batch, p)), state("f32", (batch, n)), *norms], [("f32", None)],
                   lstm_options("UnidirectionalSequenceLSTMOptions", cell_clip=clip, proj_clip=clip, time_major=major,
                                asymmetric_quantize_inputs=asym))
    for form, (batch, major, clip, power) in itertools.product(
            LSTM_FORMS, [(2, 0, 0.0, -11), (1, 1, 0.9, -15), (2, 1, 0.4, -10)] if t == "s8" else []):
        p = 4 if form["projection"] else n
        w, norms, between = integer_weights(rng, form, n, p, k, batch == 2)
        qx, qh = scale(0.02, 3), scale(0.008, -5)
        x = operand(rng, "s8", (time, batch, k) if major else (batch, time, k), qx)
        yield Case(f"{form} batch {batch} major {major} clip {clip} cell 2^{power}",
                   [x, *w, state("s8", (batch, p), qh), state("s16", (batch, n), scale(2.0 ** power)), *norms], [("s8", qh)],
                   lstm_options("UnidirectionalSequenceLSTMOptions", cell_clip=clip, proj_clip=clip, time_major=major), between)
    for batch, major, clip, power in itertools.product((1, 2), (0, 1), (0.0, 0.7), (-15, -12, -11, -9) if t != "f32" else ()):
        yield micro_lstm(rng, t, batch, major, clip, power)


def integer_cells(rng):
    """LSTM with 5 intermediate tensors, and with 12."""
    k, n = 5, 6
    for form, (batch, clip, power) in itertools.product(LSTM_FORMS, [(2, 0.0, -11), (1, 0.9, -15)]):
        p = 4 if form["projection"] else n
        if form["peephole"] and form["projection"] and batch > 1:
            continue
        w, norms, between = integer_weights(rng, form, n, p, k, batch == 2)
        qh = scale(0.008, -5)
        yield Case(f"5 {form} batch {batch} clip {clip} cell 2^{power}",
                   [operand(rng, "s8", (batch, k), scale(0.02, 3)), *w, state("s8", (batch, p), qh),
                    state("s16", (batch, n), scale(2.0 ** power)), *norms], [("s8", qh)],
                   lstm_options("LSTMOptions", cell_clip=clip, proj_clip=clip), between)
    for batch, p, clip, wide in itertools.product((1, 3), (4, 6, 9), (0.0, 0.4), (0, 1)):
        form = {"cifg": 0, "peephole": 0, "norm": 1, "projection": 1}
        w, norms, _ = integer_weights(rng, form, n, p, k, True)
        for i in range(4):
            norms[i] = Operand(rng.integers(9000, 30000, n).astype(np.int16), "s16", scale(3e-5 * (i + 1)), True)
        qh = scale(0.009, 4)
        between = [("s16" if i % 3 == 0 else "s8", scale((0.0003 if i % 3 == 0 else 0.03) * (1 + i / 9) * (1 + wide), 0 if i % 3 == 0 else i - 4))
                   for i in range(12)]
        yield Case(f"12 batch {batch} p {p} clip {clip} {wide}",
                   [operand(rng, "s8", (batch, k), scale(0.02, 3)), *w, state("s8", (batch, p), qh),
                    state("s16", (batch, n), scale(2.0 ** -15)), *norms], [("s8", qh)],
                   lstm_options("LSTMOptions", cell_clip=clip, proj_clip=clip), between)


def micro_lstm(rng, t, batch, major, clip, power):
    """What TFLite Micro alone has of UNIDIRECTIONAL_SEQUENCE_LSTM: no intermediate tensors, or 16 bits."""
    time, k, n = 5, 5, 6
    form = dict.fromkeys(("cifg", "peephole", "norm", "projection"), 0)
    w, norms, _ = integer_weights(rng, form, n, n, k, False)
    wide = t == "s16"
    for i in range(12, 16):
        bias = rng.integers(-9000, 9000, n)
        w[i - 1] = Operand(bias.astype(np.int64 if wide else np.int32), "s64" if wide else "s32", scale(1e-4), True)
    qx, qh = (scale(1e-4), scale(2.0 ** -15)) if wide else (scale(0.02, 3), scale(0.008, -5))
    x = operand(rng, t, (time, batch, k) if major else (batch, time, k), qx)
    return Case(f"micro batch {batch} major {major} clip {clip} cell 2^{power}",
                [x, *w, state(t, (batch, n), qh), state("s16", (batch, n), scale(2.0 ** power)), *norms], [(t, qh)],
                lstm_options("UnidirectionalSequenceLSTMOptions", cell_clip=clip, time_major=major), declared=[(*x.array.shape[:2], n)])


def byte_cells(rng):
    """The basic kind on unsigned bytes."""
    for batch, k, n, zero, bias_scale in itertools.product((1, 3), (1, 5), (1, 4, 9), (128, 0, 201), (2.0 ** -14, 1e-4, 3e-6)):
        given = lambda shape: operand(rng, "u8", shape, scale(1 / 128, 128), edges=False)
        weights = operand(rng, "u8", (4 * n, k + n), scale(bias_scale * 128, zero), True, edges=False)
        bias = Operand(rng.integers(-9000, 9000, 4 * n).astype(np.int32), "s32", scale(bias_scale), True)
        cell_state = operand(rng, "s16", (batch, n), scale(2.0 ** -11))
        yield Case(f"basic u8 {batch} {k} {n} {zero} {bias_scale}", [given((batch, k)), given((batch, n)), weights, bias, cell_state],
                   [("u8", scale(1 / 128, 128)), ("s16", scale(2.0 ** -11)), ("u8", scale(1 / 128, 128)), ("s16", scale(2.0 ** -12))],
                   lstm_options("LSTMOptions", kernel_type=1))


def cell(op, t, rng):
    if t == "u8":
        yield from byte_cells(rng)
    if t == "s8":
        yield from integer_cells(rng)
    if t != "f32":
        return
    k, n = 5, 6
    for form, (kind, batch, clip, asym) in itertools.product(LSTM_FORMS, [("f32", 2, 0.0, 0), ("f32", 1, 0.5, 0), ("s8", 2, 0.0, 0), ("s8", 2, 0.4, 1)]):
        p = 4 if form["projection"] else n
        w, norms = lstm_weights(rng, kind, dict(form, projection=form["projection"] * (1 + batch % 2)), n, p, k)
        x = Operand(spread(rng, (batch, k), 1.0), "f32")
        for more in ([], norms)[form["norm"]:]:
            yield Case(f"{kind} {form} batch {batch} clip {clip}", [x, *w, state("f32", (batch, p)), state("f32", (batch, n)), *more], [("f32", None)],
                       lstm_options("LSTMOptions", cell_clip=clip, proj_clip=clip, asymmetric_quantize_inputs=asym))
    for batch, k, n, fixed in itertools.product((1, 3), (1, 5), (1, 4), (True, False)):
        given = lambda shape: Operand(spread(rng, shape, 1.0), "f32", None, fixed)
        yield Case(f"basic {batch} {k} {n}", [Operand(spread(rng, (batch, k), 1.0), "f32"), Operand(spread(rng, (batch, n), 1.0), "f32"),
                                              given((4 * n, k + n)), given((4 * n,)), Operand(spread(rng, (batch, n), 1.0), "f32")],
                   [("f32", None)] * 4, lstm_options("LSTMOptions", kernel_type=1))


def rnn(op, t, rng):
    if t != "f32":
        return
    time, batch, k, n = 3, 2, 5, 4
    both = op.startswith("BIDIRECTIONAL")
    for kind, act, major, merge, aux in itertools.product(("f32", "s8"), ("none", "relu", "relu6", "tanh"), (0, 1), (0, 1), (0, 1, 2)):
        if (merge or aux) and not both or major and op == "RNN":
            continue
        shape = (batch, k) if op == "RNN" else (time, batch, k) if major else (batch, time, k)
        layer = lambda: [weight(rng, kind, (n, k)), weight(rng, kind, (n, n)), Operand(spread(rng, n), "f32", None, True),
                         state("f32", (batch, n))]
        members = {"fused_activation_function": ACTIVATION[act], "asymmetric_quantize_inputs": int(act == "relu")}
        if op != "RNN":
            members["time_major"] = major
        ins, outs = [Operand(spread(rng, shape, 1.0), "f32"), *layer()], [("f32", None)]
        if both:
            ins += layer()
            ins += [Operand(spread(rng, shape, 1.0), "f32") if aux else None] + \
                   [weight(rng, kind, (n, k)) if aux == 2 else None for _ in range(2)]
            members["merge_outputs"] = merge
            outs *= 2 - merge
        table = {"RNN": "RNNOptions", "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions"}.get(op, "BidirectionalSequenceRNNOptions")
        yield Case(f"{kind} {act} major {major} merge {merge} aux {aux}", ins, outs, (table, members))


def two_lstms(op, t, rng):
    if t != "f32":
        return
    time, batch, k, n = 3, 2, 4, 5
    for form, (kind, major, merge, aux, clip) in itertools.product(
            [f for f in LSTM_FORMS if not f["norm"]],
            [("f32", 0, 0, 0, 0.0), ("f32", 1, 1, 1, 0.5), ("s8", 1, 0, 2, 0.0), ("s8", 0, 1, 0, 0.3)]):
        p = 3 if form["projection"] else n
        shape = (time, batch, k) if major else (batch, time, k)
        fw, bw = (lstm_weights(rng, kind, form, n, p, k)[0] for _ in range(2))
        states = [state("f32", (batch, p)), state("f32", (batch, n))] * 2
        extra = [[weight(rng, kind, (n, k)) if i or not form["cifg"] else None for i in range(4)] if aux == 2 else [None] * 4
                 for _ in range(2)]
        yield Case(f"{kind} {form} major {major} merge {merge} aux {aux} clip {clip}",
                   [Operand(spread(rng, shape, 1.0), "f32"), *fw, *bw, *states,
                    Operand(spread(rng, shape, 1.0), "f32") if aux else None, *extra[0], *extra[1]],
                   [("f32", None)] * (2 - merge),
                   lstm_options("BidirectionalSequenceLSTMOptions", cell_clip=clip, proj_clip=clip, time_major=major, merge_outputs=merge))


def svdf(op, t, rng):
    batch, k, steps = 2, 4, 5
    for rank, units, act, bias, kind in itertools.product((1, 2), (1, 3), ("none", "relu"), (0, 1), ("f32", "s8")):
        filters = rank * units
        options = ("SVDFOptions", {"rank": rank, "fused_activation_function": ACTIVATION[act]})
        if t == "f32":
            # LiteRT's bytes have floats as weights of the time.
            w_time = weight(rng, "f32" if kind == "f32" else "s8", (filters, steps))
            yield Case(f"{kind} rank {rank} units {units} {act} bias {bias}",
                       [Operand(spread(rng, (batch, k), 1.0), "f32"), weight(rng, kind, (filters, k)), w_time,
                        Operand(spread(rng, units), "f32", None, True) if bias else None, state("f32", (batch, filters * steps))],
                       [("f32", None)], options)
        if t == "s8":
            wide = kind == "f32"
            w_time = Operand(rng.integers(-20000, 20000, (filters, steps)).astype(np.int16), "s16", scale(3e-5), True) if wide else \
                Operand(rng.integers(-127, 128, (filters, steps)).astype(np.int8), "s8", scale(0.008), True)
            keep = state("s16", (batch, filters * steps), scale(2e-4)) if wide else state("s8", (batch, filters * steps), scale(0.05, 4))
            qx, qy = scale(0.03, 2), scale(0.02, -9)
            unit = (2e-4 * 3e-5) if wide else 0.05 * 0.008
            yield Case(f"{'s16' if wide else 's8'} rank {rank} units {units} {act} bias {bias}",
                       [operand(rng, "s8", (batch, k), qx), weight(rng, "s8", (filters, k)), w_time,
                        Operand(rng.integers(-30000, 30000, units).astype(np.int32), "s32", scale(unit), True) if bias else None, keep],
                       [("s8", qy)], options, declared=[(batch, units)])
