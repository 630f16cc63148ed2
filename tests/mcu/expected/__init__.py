"""What the operators of kernel_cases.py have to give, computed here: neither the text of a reference kernel nor what
packs its factors takes part, so that a mistake in them is found on every core, even where they are all there is."""
from . import elements, products, time  # each adds its operators
from .model import OPERATORS, differences, evaluate

__all__ = ["OPERATORS", "differences", "evaluate", "elements", "products", "time"]
