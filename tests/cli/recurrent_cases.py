#!/usr/bin/env python3
"""Layers with states, a model each, their inputs in two runs, and what LiteRT's reference kernels
make of them (recurrent_cases.json).

    python3 tests/cli/recurrent_cases.py      records the file; needs numpy, ai-edge-litert and tflite-micro

Those of MICRO are TFLite Micro's, of layers that LiteRT has not and of one that it has.

recurrent_test.py compares with the record and needs no package."""
import base64
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "recurrent_cases.json"
# Of the cases of tools/litert_cases.py: operator, and which ones.
WANTED = {"UNIDIRECTIONAL_SEQUENCE_LSTM": ("f32 {'cifg': 0, 'peephole': 1, 'norm': 1, 'projection': 1} batch 2",
                                           "s8 {'cifg': 1, 'peephole': 1, 'norm': 0, 'projection': 1} batch 2 major 1",
                                           "{'cifg': 0, 'peephole': 0, 'norm': 0, 'projection': 0} batch 2 major 1 clip 0.4 cell",
                                           "{'cifg': 1, 'peephole': 1, 'norm': 1, 'projection': 0} batch 2 major 0 clip 0.0 cell",
                                           "{'cifg': 0, 'peephole': 1, 'norm': 1, 'projection': 1} batch 1 major 1 clip 0.9 cell"),
          "BIDIRECTIONAL_SEQUENCE_LSTM": ("f32 {'cifg': 1, 'peephole': 1, 'norm': 0, 'projection': 1} major 1 merge 1",
                                          "s8 {'cifg': 0, 'peephole': 0, 'norm': 0, 'projection': 0} major 1 merge 0"),
          "RNN": ("f32 relu6",), "UNIDIRECTIONAL_SEQUENCE_RNN": ("s8 tanh major 0",),
          "BIDIRECTIONAL_SEQUENCE_RNN": ("f32 relu major 1 merge 0 aux 1",),
          "SVDF": ("s8 rank 2 units 3 relu bias 1", "s16 rank 2 units 3 relu bias 1")}

WANTED["LSTM"] = ("5 {'cifg': 0, 'peephole': 1, 'norm': 1, 'projection': 0} batch 2", "12 batch 3 p 4 clip 0.4 0", "12 batch 1 p 9 clip 0.0 1",
                  "f32 {'cifg': 1, 'peephole': 1, 'norm': 1, 'projection': 1} batch 2")
MICRO = {"UNIDIRECTIONAL_SEQUENCE_LSTM": (("s8", "micro batch 2 major 0 clip 0.7 cell 2^-11"), ("s16", "micro batch 2 major 1 clip 0.7 cell 2^-15"),
                                          ("s16", "micro batch 1 major 0 clip 0.0 cell 2^-9"),
                                          ("s8", "{'cifg': 0, 'peephole': 0, 'norm': 0, 'projection': 0} batch 2 major 1 clip 0.4 cell")),
         "SVDF": (("s8", "s8 rank 2 units 3 relu bias 1"),)}


def main():
    sys.path[:0] = [str(HERE.parents[1] / "tools"), str(HERE.parent / "models")]
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter
    from tflite_micro.python.tflite_micro import runtime

    from litert_cases import cases
    from litert_sweep import known_version, model_of, versions_served

    def described(arrays):
        return [{"dtype": a.dtype.str, "shape": list(a.shape), "data": a.tobytes().hex()} for a in arrays]

    record, served = {}, versions_served()
    for op, labels in WANTED.items():
        all_cases = [(t, case) for t, case in cases(op)]
        version, kind = known_version(op, all_cases[0][1], served)
        for label in labels:
            case = next(case for t, case in all_cases if case.label.startswith(label) and (t == "s8") == label.startswith(("{", "s16", "5 ", "12 ")))
            model, feeds = model_of(op, version, case, [None] * len(case.outs))
            lite = Interpreter(model_content=model, experimental_op_resolver_type=kind, num_threads=1)
            lite.allocate_tensors()
            runs = []
            for x in (feeds, [a[::-1].copy() for a in feeds]):
                for detail, a in zip(lite.get_input_details(), x):
                    lite.set_tensor(detail["index"], a)
                lite.invoke()
                out = [lite.get_tensor(d["index"]).copy() for d in lite.get_output_details()]
                runs.append({"in": described(x), "out": described(out)})
            model, _ = model_of(op, version, case, [y.shape for y in out])
            record[f"{op} {label}"] = {"model": base64.b64encode(model).decode(), "runs": runs}
    for op, wanted in MICRO.items():
        for t, label in wanted:
            case = next(case for kind, case in cases(op) if kind == t and case.label.startswith(label))
            x = case.ins[0].array
            shape = case.declared[0] if case.declared else (*x.shape[:2], case.ins[13].array.shape[0])
            model, feeds = model_of(op, 1, case, [shape])
            lite = runtime.Interpreter.from_bytes(model, arena_size=1 << 20)
            runs = []
            for given in (feeds, [a[::-1].copy() for a in feeds]):
                for i, a in enumerate(given):
                    lite.set_input(a, i)
                lite.invoke()
                runs.append({"in": described(given), "out": described([lite.get_output(0).copy()])})
            rounding = "" if "micro" in label or op == "SVDF" else " --rounding tflm"
            record[f"{op} {t} {label}{rounding}"] = {"model": base64.b64encode(model).decode(), "runs": runs}
    RECORD.write_text(json.dumps(record, indent=0) + "\n")
    print(f"{len(record)} cases, {RECORD.stat().st_size} bytes")


if __name__ == "__main__":
    main()
