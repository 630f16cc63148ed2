"""The signal operators of plugins/tflite, against what TensorFlow Lite Micro has computed, run
after run: in the executor and in emitted C. The last model is a whole audio front end."""
import json

from cli import FOLDER, SOURCE, expect, main, run
from signal_cases import RECORD, TYPES, cases, count, pack, single

PLUGIN = SOURCE / "plugins" / "tflite"


def write_npy(path, dtype, shape, raw):
    head = f"{{'descr': '{TYPES[dtype][2]}', 'fortran_order': False, 'shape': ({''.join(f'{n},' for n in shape)}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + raw)


def test_records():
    """Bits equal, of floats too."""
    recorded = json.loads(RECORD.read_text())
    names = [name for name, *_ in cases()]
    expect(sorted(recorded) == sorted(names), "other cases were recorded")
    for number, (name, model, ins, outs, inputs) in enumerate(cases()):
        folder = FOLDER / f"signal{number}"
        words = ["verify", folder / "model.tflite", "--plugin", PLUGIN, "--stateful", "--with", "run,emitted,reference",
                 "--abs", "0", "--rel", "0"]
        expect(len(recorded[name]) == len(inputs), f"{name}: {len(recorded[name])} runs were recorded")
        for k, (values, results) in enumerate(zip(inputs, recorded[name])):
            case = folder / f"case{k}"
            case.mkdir(parents=True)
            for i, ((dtype, shape), x) in enumerate(zip(ins, values)):
                write_npy(case / f"in{i}.npy", dtype, shape, pack(dtype, x))
            for i, ((dtype, shape), y) in enumerate(zip(outs, results)):
                raw = bytes.fromhex(y)
                expect(len(raw) * 8 == count(shape) * (8 if dtype == "bool" else int(dtype[1:])), f"{name}: size")
                write_npy(case / f"out{i}.npy", dtype, shape, raw)
            words += ["--case", case]
        (folder / "model.tflite").write_bytes(model)
        said = run(*words).stdout
        expect(f"{', 0 disagree'}" in said, f"{name}: {said}")


def refused(what, code, options, ins, outs, constants=()):
    file = FOLDER / "refused.tflite"
    file.write_bytes(single(code, options, ins, outs, constants))
    said = run("run", file, "--plugin", PLUGIN, "--random", "1", code=3).stderr
    expect(what in said and "subgraph 0, op 0" in said, f"{code} {options}: {said}")


def test_refusals():
    """What the operators cannot do is said where the model has it."""
    refused("a power of two", "SignalRfft", {"T": 7, "fft_length": 12}, [("s16", (12,))], [("s16", (14,))])
    refused("longer than fft_length", "SignalRfft", {"T": 7, "fft_length": 8}, [("s16", (9,))], [("s16", (10,))])
    refused("T is 0", "SignalRfft", {"T": 0, "fft_length": 8}, [("s16", (8,))], [("s16", (10,))])
    refused("differ in size", "SignalWindow", {"shift": 1}, [("s16", (8,))], [("s16", (8,))], [[1, 2, 3]])
    refused("do not go into blocks", "SignalFramer", {"frame_size": 4, "frame_step": 3, "prefill": False},
            [("s16", (8,))], [("s16", (2, 4)), ("bool", ())])
    refused("for 3 channels", "SignalStacker", {"num_channels": 3, "stacker_left_context": 1, "stacker_right_context": 0,
                                                "stacker_step": 1}, [("s16", (4,))], [("s16", (6,)), ("bool", ())])


def test_check():
    """Each file passes the tests that are derived from it."""
    for file in sorted(PLUGIN.glob("signal_*.c")):
        # What needs five lists that fit each other is met by the records alone.
        if file.name != "signal_filter_bank.c":
            run("check", file, "--runs", "2", "--with", "reference,lowered,default,in-place,text")


main([test_records, test_refusals, test_check])
