"""Why LiteRT itself refuses what the families of tools/litert_cases.py build with all types alike: a row per kind of message.

The sweep fails where LiteRT refuses a case by a message that no row has: the case is then built wrongly, or is a row more.
"""
import re

REFUSALS = [
    ("narrow ranges in the run", r"narrow_range"),
    # Element types that a kernel has not; families try them all.
    ("type", r"not (currently )?support|[Uu]nsupported|is_supported_type|only (currently )?supports|only bool|[Oo]nly float|Unknown (index )?(output|input)"
             r"|Does not support type|Currently Unique|Logical ops only|requires (bool|float)|currently supports"),
    ("type", r"(input|output|data|filter|values|lhs_data|input_y|params|condition|indices)?(_type|->type|_data->type) (==|!=) ?kTfLite|data_type == kTfLite|->type != kTfLite"),
    ("type", r"EvalImpl|ReduceGeneric|EvalLogic|EvalGeneric"),
    ("type", r"^\s*(Node number.*)?$"),  # kernels that say nothing: reductions of types that they have not
    ("a body of operators that its reference set lacks", r"Didn't find op"),  # bodies whose operators the reference set lacks
    # What integers and shapes rule out.
    ("a square root or a power of what is below zero", r"only defined for (non-negative|positive)|negative value for int"),
    ("a division by zero", r"Division by 0"),
    ("scales that differ where the kernel moves bytes", r"params.(scale|zero_point) != output->params|t->params.(scale|zero_point)"),
    ("a zero point beside 16 bits", r"zero_point != 0"),
    ("scales of sums that are no product of those of operands", r"scale_diff"),
    ("powers of two that no shift of one operand relates", r"input\d_shift == 0"),
    ("a factor that is no shift to the right", r"output_multiplier_exponent"),
    ("ranks", r"NumDimensions|dims->size|rank > 0|has_low_rank|not broadcastable|axis >= 0|(input|t0)->dims|do not match|rank"),
    ("sizes that do not fit the type of the result", r"output_type_size|initial_state"),
    ("paddings larger than what is mirrored", r"MirrorPad paddings"),
    ("an axis without elements, of which one is asked for", r"empty axis"),
    ("ids that are not in order", r"delta == 0"),
    ("a sum of one tensor", r"num_inputs >= 2"),
    ("blocks of other than 4 bits, or beside integers", r"[Bb]lockwise|quantization.type != kTfLiteAffine"),
    ("what TensorFlow Lite Micro alone has", r"num_intermediate_tensors"),
    ("an activation that is no RELU, or one of complex numbers", r"params->activation|Activation is not allowed"),
    ("operands that are no vectors", r"SizeOfDimension"),
]


def reason(message):
    """None: no row has it."""
    return next((why for why, pattern in REFUSALS if re.search(pattern, message)), None)
