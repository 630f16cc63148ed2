from collections.abc import Iterable, Mapping
from typing import Any, Optional

import torch

import tenon

class Compiled:
    exported: torch.export.ExportedProgram
    program: tenon.Program
    session: tenon.Session
    def __init__(self, exported: torch.export.ExportedProgram, program: tenon.Program,
                 threads: int = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def program(exported: torch.export.ExportedProgram, plugins: Iterable[str] = ...,
            ops: Iterable[tenon.Op] = ..., context: Optional[tenon.Context] = ...,
            pipeline: Optional[str] = ..., **options: Any) -> tenon.Program: ...
def compile(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Optional[Mapping[str, Any]] = ...,
            dynamic_shapes: Any = ..., threads: int = ..., **options: Any) -> Compiled: ...
def empty(*shape: int, dtype: torch.dtype = ...) -> torch.Tensor: ...
def register(op: Any) -> tenon.Op: ...
