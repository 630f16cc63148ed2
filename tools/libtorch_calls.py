"""Calls of ATen operators, for libtorch_sweep.py: recorded from PyTorch's operator tests, made of
the calls of an operator's sibling, or drawn from the schema.

A call is (args, kwargs) with tensors, as `torch.ops.aten` takes them. Needs torch.
"""
import collections
import itertools
import random

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

TENSORS = {"Tensor", "Optional[Tensor]"}


def full_name(schema):
    return schema.name + ("." + schema.overload_name if schema.overload_name else "")


def overload(name):
    """The operator as Python calls it, or None where only TorchScript has it."""
    packet, _, rest = name.removeprefix("aten::").partition(".")
    try:
        return getattr(getattr(torch.ops.aten, packet), rest or "default")
    except (AttributeError, TypeError):
        return None


def schemas():
    """Every operator under aten::, by its full name; one with several schemas has the first."""
    found = {}
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            found.setdefault(full_name(schema), schema)
    return found


def copy_of(tree):
    """Tensors with memory of their own, in the order of their indices."""
    return pytree.tree_map(
        lambda t: t.detach().clone(memory_format=torch.contiguous_format)
        if isinstance(t, torch.Tensor) else t, tree)


# --- recorded ------------------------------------------------------------------------------------

class Recorder(TorchDispatchMode):
    """Keeps the first calls of each operator that is wanted."""

    def __init__(self, wanted, most):
        super().__init__()
        self.wanted, self.most = wanted, most
        self.calls = collections.defaultdict(list)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = full_name(function._schema)
        kept = self.calls[name]
        if name in self.wanted and len(kept) < self.most:
            leaves = pytree.tree_leaves((args, kwargs or {}))
            tensors = [t for t in leaves if isinstance(t, torch.Tensor)]
            plain = all(t.layout == torch.strided and not t.is_quantized for t in tensors)
            if plain and sum(t.numel() for t in tensors) < 20000:
                kept.append(copy_of((args, kwargs or {})))
        return function(*args, **(kwargs or {}))


def run_sample(op, sample, dtype):
    """Forwards, and backwards where there is a way back."""
    result = op.op(sample.input, *sample.args, **sample.kwargs)
    if not (dtype.is_floating_point or dtype.is_complex):
        return
    outputs = [t for t in pytree.tree_leaves(result)
               if isinstance(t, torch.Tensor) and t.requires_grad]
    if outputs:
        torch.autograd.backward(outputs, [torch.randn_like(t) for t in outputs])


def record(wanted, most, only=None):
    """Calls that PyTorch's own operator tests make, theirs and those inside of them."""
    from torch.testing._internal import common_methods_invocations as tests

    recorder = Recorder(wanted, most)
    lists = [tests.foreach_unary_op_db, tests.foreach_binary_op_db, tests.foreach_pointwise_op_db,
             tests.foreach_reduce_op_db, tests.foreach_other_op_db]
    for op in itertools.chain(tests.op_db, *lists):
        if only and not only.search(op.name):
            continue
        for dtype in (torch.float32, torch.int64, torch.complex64):
            if dtype not in op.dtypes:
                continue
            try:
                samples = list(itertools.islice(
                    op.sample_inputs("cpu", dtype, requires_grad=dtype != torch.int64), 12))
            except Exception:  # the generator of this type wants what is not here
                continue
            direct(recorder, op, samples)
            for sample in samples:
                try:
                    with recorder:
                        run_sample(op, sample, dtype)
                except Exception:  # not every sample has a way back
                    continue
    return recorder.calls


def direct(recorder, op, samples):
    """A composite never arrives at the recorder: the samples of a test are calls of the operator
    of its name, if its schema takes them."""
    packet = getattr(torch.ops.aten, op.aten_name, None)
    for rest in packet.overloads() if packet else ():
        schema = getattr(packet, rest)._schema
        name = full_name(schema)
        for sample in samples:
            if name not in recorder.wanted or len(recorder.calls[name]) >= recorder.most:
                break
            recorder.calls[name].append(
                copy_of(((sample.input, *sample.args), dict(sample.kwargs))))


# --- of a sibling --------------------------------------------------------------------------------

def siblings(name):
    """Names of operators that take the same arguments, but those that are written."""
    packet, _, rest = name.partition(".")
    bare = packet[:-1] if packet.endswith("_") and not packet.endswith("__") else packet
    stems = {packet, bare, bare.removesuffix("_copy")}
    stems |= {"aten::_" + s.removeprefix("aten::") for s in list(stems)}
    rests = {rest, rest.removesuffix("_out"), "" if rest == "out" else rest}
    if rest in ("out", "grad_input"):
        rests |= {""}
    if rest == "out":
        rests |= {"Tensor", "default", "int", "dim"}
    found = [s + ("." + r if r else "") for s in sorted(stems) for r in sorted(rests)]
    return [f for f in found if f != name]


def with_outs(schema, args, kwargs, sibling):
    """The call with what is to be written: as many as the sibling gives, of the same types."""
    outs = [a.name for a in schema.arguments if a.is_out]
    if not outs:
        return args, kwargs
    results = overload(sibling)(*copy_of(args), **copy_of(kwargs))
    results = list(results) if isinstance(results, tuple) else [results]
    if len(outs) == 1 and not isinstance(results[0], (torch.Tensor, list)):
        return None
    made = [[torch.zeros_like(t) for t in r] if isinstance(r, (list, tuple)) else
            torch.zeros_like(r) for r in results]
    # By name: what says of which type a result is made, an overload with an out has not.
    given = {a.name: v for a, v in zip(overload(sibling)._schema.arguments, args)} | kwargs
    known = {a.name for a in schema.arguments}
    given = {name: v for name, v in given.items() if name in known}
    return ((), {**given, **dict(zip(outs, made))}) if len(made) >= len(outs) else None


def of_siblings(schema, calls):
    """Of those that were recorded; of an operator with outs, whose sizes have to be right, of
    those that are drawn, too."""
    known = schemas()
    has_outs = any(a.is_out for a in schema.arguments)
    for sibling in siblings(full_name(schema)):
        if sibling not in known or any(a.is_out for a in known[sibling].arguments):
            continue
        more = drawn(known[sibling]) if has_outs and overload(sibling) else ()
        for args, kwargs in itertools.chain(calls.get(sibling, ()), more):
            try:
                made = with_outs(schema, args, kwargs, sibling)
            except Exception:  # the sibling does not take them either
                continue
            if made:
                yield made


# --- drawn from the schema -----------------------------------------------------------------------

INDICES = ("index", "indices", "ind", "idx", "target", "targets", "offsets", "offset2bag", "batch_sizes",
           "sorted_indices", "unsorted_indices", "crow_indices", "col_indices", "bag_size",
           "maximum_indices", "batch_offsets", "lengths", "input_lengths", "target_lengths",
           "ccol_indices", "row_indices", "compressed_indices", "plain_indices")
MASKS = ("mask", "condition", "src_mask", "key_padding_mask")
SHAPES = ((2, 3), (3,), (3, 3), (2, 3, 4), (1, 2, 4, 4), (1, 2, 4, 4, 4), ())
DTYPES = (torch.float32, torch.int64, torch.complex64, torch.bool, torch.uint8)
NUMBERS = (1, 0, 2)
CHANCES = 400
WORDS = {"mode": ("constant", "reduced"), "reduce": ("sum",), "equation": ("ij,jk->ik",),
         "indexing": ("ij",), "UPLO": ("L",), "pad_mode": ("reflect",), "side": ("right",),
         "ord": ("fro",), "rounding_mode": ("trunc",), "approximate": ("none",),
         "padding": ("same",), "interpolation": ("linear",), "layout": (torch.strided,)}


def tensor(name, shape, dtype):
    if name in INDICES:
        return torch.zeros(shape, dtype=torch.int64)
    if name in MASKS:
        return torch.ones(shape, dtype=torch.bool)
    n = torch.Size(shape).numel()
    values = torch.arange(1, n + 1, dtype=torch.float64).reshape(shape)
    if dtype.is_floating_point:
        return (values.sin() * 2).to(dtype)
    if dtype.is_complex:
        return torch.complex(values.sin(), values.cos()).to(dtype)
    return (values % 5).to(dtype)


def value(a, shape, dtype, number):
    """An argument of that type; of several of a call, all are made alike."""
    of, name = str(a.type), a.name
    if of == "Optional[Tensor]" and number == 2:
        return None
    if of in TENSORS:
        return tensor(name, shape, dtype)
    if of in ("List[Tensor]", "List[Optional[Tensor]]"):
        return [tensor(name, shape, dtype), tensor(name, shape, dtype)]
    if of == "int" and str(getattr(a, "real_type", "")) == "ScalarType":
        return torch.float32
    plain = {"int": number, "number": number, "float": float(number), "bool": bool(number % 2),
             "List[int]": [number] * (a.N or len(shape) or 1), "List[bool]": [True] * (a.N or 1),
             "List[number]": [number, number + 1], "List[float]": [float(number)] * 2,
             "str": WORDS.get(name, ("sum",))[0], "Device": torch.device("cpu"),
             "complex": complex(number, 1), "Storage": torch.zeros(6).untyped_storage(),
             "Stream": torch.Stream(device="cpu")}
    if of.removeprefix("Optional[").removesuffix("]") in plain and of.startswith("Optional["):
        return None
    return plain.get(of)


REAL = {"ScalarType": torch.float32, "Layout": torch.strided,
        "MemoryFormat": torch.contiguous_format}


def made(schema, choose):
    """A call with every argument that has no default, each as `choose` says."""
    args, kwargs = [], {}
    for place, a in enumerate(schema.arguments):
        if a.has_default_value():
            continue
        real = REAL.get(str(a.real_type))
        given = real if real is not None else choose(a)
        # Behind one that is left out the others go by name.
        if a.kwarg_only or len(args) < place:
            kwargs[a.name] = given
        else:
            args.append(given)
    return tuple(args), kwargs


def drawn(schema):
    """Alike first: tensors of one shape and type; then each by chance."""
    for shape, dtype, number in itertools.product(SHAPES, DTYPES, NUMBERS):
        yield made(schema, lambda a: value(a, shape, dtype, number))
    chance = random.Random(full_name(schema))
    for _ in range(CHANCES):
        dtype = chance.choice(DTYPES[:3] if chance.random() < 0.3 else DTYPES[:1])
        rank = chance.randrange(1, 6)
        yield made(schema, lambda a: value(
            a, (*(chance.choice((1, 2, 2, 3, 4)) for _ in range(
                rank if chance.random() < 0.5 else chance.randrange(0, 6))),), dtype,
            chance.choice((0, 1, 1, 2, 3))))


# --- written by hand -----------------------------------------------------------------------------

def by_hand():
    """Of operators that take little else."""
    def f(*shape):
        return tensor("", shape, torch.float32)

    one, x, w, x3, w3 = [1, 1], f(1, 2, 5, 5), f(3, 2, 3, 3), f(1, 2, 5, 5, 5), f(2, 3, 2, 2, 2)
    q, heads = f(2, 3, 8), (8, 2)
    layer = (f(24, 8), f(24), f(8, 8), f(8))
    return {
        "_convolution.deprecated": (x, w, None, one, [0, 0], one, False, [0, 0], 1, False, False,
                                    False),
        "_slow_conv2d_forward": (x, w, [3, 3], None, one, [0, 0]),
        "_slow_conv2d_backward.output_mask": (f(1, 3, 3, 3), x, w, [3, 3], one, [0, 0],
                                              [True, True, False]),
        "slow_conv_dilated2d": (x, w, [3, 3]), "slow_conv_dilated3d": (x3, f(3, 2, 2, 2, 2),
                                                                     [2, 2, 2]),
        "slow_conv_transpose2d": (x, f(2, 3, 3, 3), [3, 3]),
        "slow_conv_transpose3d": (x3, w3, [2, 2, 2]),
        "mkldnn_convolution": (x, w, None, [0, 0], one, one, 1),
        "_batch_norm_impl_index_backward": (0, x, x, None, None, None, f(2), f(2), True, 1e-5,
                                            [True, False, False], torch.zeros(0, dtype=torch.uint8)),
        "_batch_norm_no_update": (x, f(2), f(2), f(2), f(2).abs(), 0.1, 1e-5),
        "_amp_update_scale": (f(1), torch.ones(1, dtype=torch.int32), f(1), 2.0, 0.5, 3),
        "_amp_update_scale_": (f(1), torch.ones(1, dtype=torch.int32), f(1), 2.0, 0.5, 3),
        "_embedding_bag_dense_backward": (
            f(2, 3), torch.tensor([0, 2, 1]), torch.tensor([0, 0, 1]), torch.tensor([2, 1]),
            torch.zeros(0, dtype=torch.int64), 4, False, 0, None),
        "_upsample_nearest_exact3d_backward": (f(1, 2, 4, 4, 4), [4, 4, 4], [1, 2, 2, 2, 2]),
        "_upsample_bicubic2d_aa_backward": (f(1, 2, 4, 4), [4, 4], [1, 2, 2, 2], False),
        "_upsample_lanczos2d_aa_backward": (f(1, 2, 4, 4), [4, 4], [1, 2, 2, 2], False),
        "affine_grid_generator_backward": (f(2, 3, 4, 2), [2, 1, 3, 4], False),
        "_native_multi_head_attention": (q, q, q, *heads, *layer),
        "_transformer_encoder_layer_fwd": (q, *heads, *layer, False, True, 1e-5, f(8), f(8), f(8),
                                           f(8), f(16, 8), f(16), f(8, 16), f(8)),
        "_transform_bias_rescale_qkv": (f(2, 3, 24), f(24), 2),
        "addmm.dtype": (f(2, 2).half(), f(2, 3).half(), f(3, 2).half(), torch.float32),
        "_rowwise_prune": (f(3, 2), torch.tensor([True, False, True]), torch.int64),
        "_pack_padded_sequence": (f(2, 3, 4), torch.tensor([3, 2]), True),
        "_grouped_mm": (f(4, 8), f(2, 8, 4), torch.tensor([2, 4], dtype=torch.int32)),
        "_fused_moving_avg_obs_fq_helper_functional": (
            f(2, 3), torch.ones(1), torch.ones(1), f(1), f(1).abs(), torch.ones(1),
            torch.zeros(1, dtype=torch.int32), 0.01, 0, 255, 0),
        "_convolution_double_backward": (
            f(1, 2, 5, 5), f(3, 2, 3, 3), None, f(1, 3, 3, 3), w, x, one, [0, 0], one, False,
            [0, 0], 1, [True, True, False]),
        "_add_batch_dim": (f(2, 3), 0, 1),
    }


# --- all of them ---------------------------------------------------------------------------------

def with_siblings(names):
    return set(names) | {s for name in names for s in siblings(name)}


def all_calls(schema, recorded):
    """Those that say most first."""
    hand = by_hand().get(full_name(schema).removeprefix("aten::"))
    if hand:
        yield hand, {}
    yield from recorded.get(full_name(schema), ())
    yield from of_siblings(schema, recorded)
    if not any(a.is_out for a in schema.arguments):
        yield from drawn(schema)
