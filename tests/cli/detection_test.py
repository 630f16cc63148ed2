"""TFLite_Detection_PostProcess of plugins/tflite, beside a plain reading of its documentation:
every order of what overlaps is tried here in the simplest way, over lists."""
import math
import random
import shutil
import struct

from cli import FOLDER, SOURCE, expect, main, run
from npy import read_f32, write, write_f32

PLUGIN = SOURCE / "plugins" / "tflite"
SCALES = {"y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}
BOXES, ITEMS = 24, ("boxes", "classes", "scores", "count")


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def decoded(box, anchor):
    y = box[0] / SCALES["y_scale"] * anchor[2] + anchor[0]
    x = box[1] / SCALES["x_scale"] * anchor[3] + anchor[1]
    h = math.exp(box[2] / SCALES["h_scale"]) * anchor[2] / 2
    w = math.exp(box[3] / SCALES["w_scale"]) * anchor[3] / 2
    return y - h, x - w, y + h, x + w


def overlap(a, b):
    height = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    width = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    both = height * width
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def suppressed(found, boxes, limit, most):
    """Of (score, box, class), the ones that overlap none better by more than the limit."""
    kept = []
    for one in sorted(found, key=lambda f: (-f[0], f[1])):
        if len(kept) < most and all(overlap(boxes[one[1]], boxes[k[1]]) <= limit for k in kept):
            kept.append(one)
    return kept


def expected(boxes, scores, options):
    """The detections, and how many boxes they are of."""
    threshold, limit = f32(options["nms_score_threshold"]), f32(options["nms_iou_threshold"])
    classes, most = options["num_classes"], options["max_detections"]
    rows = [row[len(row) - classes:] for row in scores]  # without the background
    if options["use_regular_nms"]:
        found = []
        for k in range(classes):
            found += suppressed([(row[k], i, k) for i, row in enumerate(rows) if row[k] >= threshold],
                                boxes, limit, options["detections_per_class"])
        found = sorted(found, key=lambda f: -f[0])[:most]
        return found, len(found)
    best = [(max(row), i, row.index(max(row))) for i, row in enumerate(rows) if max(row) >= threshold]
    kept = suppressed(best, boxes, limit, most)
    orders = {i: sorted(range(classes), key=lambda k: (-rows[i][k], k)) for _, i, _ in kept}
    return [(rows[i][k], i, k) for _, i, _ in kept
            for k in orders[i][:options["max_classes_per_detection"]]], len(kept)


def model(columns, anchors, options, types=("f32", "f32"), scaled=("", "")):
    words = ", ".join(f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in options.items())
    data = struct.pack(f"<{len(anchors) * 4}f", *(v for a in anchors for v in a)).hex()
    results = ", ".join(f"%{name}" for name in ITEMS)
    n = options["max_detections"] * options["max_classes_per_detection"]
    (FOLDER / "m.tir").write_text(
        'module "m" {\n'
        f'  const %anchors : f32[{BOXES},4] = hex"{data}"\n'
        '  entry "main" = @0 ("x", "s") -> ("boxes", "classes", "scores", "count")\n'
        f'  func @0 "main" (%x: {types[0]}[1,{BOXES},4]{scaled[0]}, '
        f'%s: {types[1]}[1,{BOXES},{columns}]{scaled[1]}) {{\n'
        f"    {results} = tflite::detection_postprocess(%x, %s, %anchors) [{words}]"
        f" : f32[1,{n},4], f32[1,{n}], f32[1,{n}], f32[1]\n"
        f"    return {results}\n  }}\n}}\n")


def inputs(seed, columns):
    """Anchors in a grid, so that neighbours overlap, and scores of which no two are equal."""
    some = random.Random(seed)
    anchors = [[f32(0.2 + 0.1 * (i // 6)), f32(0.1 + 0.1 * (i % 6)), 0.25, 0.25] for i in range(BOXES)]
    box = [[f32(some.uniform(-2, 2)) for _ in range(4)] for _ in range(BOXES)]
    values = [f32((i + 1) / (BOXES * columns + 1)) for i in range(BOXES * columns)]
    some.shuffle(values)
    return anchors, box, [values[i * columns:(i + 1) * columns] for i in range(BOXES)]


def compare(seed, background=1, **changed):
    options = {"max_detections": 6, "num_classes": 5, "max_classes_per_detection": 1,
               "detections_per_class": 3, "nms_score_threshold": 0.3, "nms_iou_threshold": 0.4,
               "use_regular_nms": False, **SCALES, **changed}
    columns = options["num_classes"] + background
    anchors, box, scores = inputs(seed, columns)
    model(columns, anchors, options)
    write_f32(FOLDER / "x.npy", [1, BOXES, 4], [v for b in box for v in b])
    write_f32(FOLDER / "s.npy", [1, BOXES, columns], [v for row in scores for v in row])
    run("run", "m.tir", "--plugin", PLUGIN, "--input", "x.npy", "--input", "s.npy", "-o", "out")
    got = [read_f32(FOLDER / "out" / f"out{i}.npy") for i in range(4)]
    boxes = [decoded(b, a) for b, a in zip(box, anchors)]
    want, count = expected(boxes, scores, options)
    what = f"seed {seed}, {options}: {got}, {want}"
    expect(0 < count and got[3] == [count], what)
    zeros = [0] * (options["max_detections"] * options["max_classes_per_detection"] - len(want))
    expect(got[1] == [k for _, _, k in want] + zeros, what)
    expect(got[2] == [s for s, _, _ in want] + zeros, what)
    flat = [v for _, i, _ in want for v in boxes[i]] + zeros * 4
    expect(all(abs(a - b) < 1e-5 for a, b in zip(got[0], flat, strict=True)), what)
    return count


def test_bytes():
    """What TensorFlow 1 has: boxes and scores of bytes, with a scale and a zero point each."""
    some = random.Random(7)
    anchors = inputs(7, 6)[0]
    box = [some.randrange(256) for _ in range(BOXES * 4)]
    scores = some.sample(range(256), BOXES * 6)
    options = {"max_detections": 6, "num_classes": 5, "max_classes_per_detection": 1, "detections_per_class": 3,
               "nms_score_threshold": 0.3, "nms_iou_threshold": 0.4, "use_regular_nms": False, **SCALES}
    model(6, anchors, options, ("u8", "u8"), ("{0.015625:117}", "{0.00390625:0}"))
    write(FOLDER / "x.npy", "|u1", [1, BOXES, 4], bytes(box))
    write(FOLDER / "s.npy", "|u1", [1, BOXES, 6], bytes(scores))
    run("run", "m.tir", "--plugin", PLUGIN, "--input", "x.npy", "--input", "s.npy", "-o", "out")
    boxes = [decoded([(q - 117) / 64 for q in box[4 * i:4 * i + 4]], a) for i, a in enumerate(anchors)]
    want, count = expected(boxes, [[q / 256 for q in scores[6 * i:6 * i + 6]] for i in range(BOXES)], options)
    got = [read_f32(FOLDER / "out" / f"out{i}.npy") for i in range(4)]
    expect(0 < count and got[3] == [count], got)
    expect(got[2][:count] == [s for s, _, _ in want], f"{got}, {want}")
    expect(got[1][:count] == [k for _, _, k in want], f"{got}, {want}")
    flat = [v for _, i, _ in want for v in boxes[i]]
    expect(all(abs(a - b) < 1e-5 for a, b in zip(got[0], flat)), f"{got}, {want}")


def test_all_classes():
    counts = {compare(seed) for seed in range(4)}
    counts |= {compare(seed, 0, max_classes_per_detection=3, nms_score_threshold=0.9,
                       max_detections=20) for seed in range(4)}
    expect(len(counts) > 1, f"always as many: {counts}")


def test_per_class():
    for seed in range(4):
        compare(seed, use_regular_nms=True)
        compare(seed, 0, use_regular_nms=True, max_detections=20, max_classes_per_detection=2)


def test_emitted():
    compare(1, use_regular_nms=True)
    for i, name in enumerate("xs"):
        shutil.copy(FOLDER / f"{name}.npy", FOLDER / "out" / f"in{i}.npy")
    run("verify", "m.tir", "--plugin", PLUGIN, "--case", "out", "--with", "run,emitted,threads")


def refused(text, **changed):
    try:
        compare(0, **changed)
    except AssertionError as failure:
        expect(text in str(failure), failure)
    else:
        expect(False, f"accepted: {changed}")


def test_refused():
    refused("scores of num_classes=7", num_classes=7, background=-1)
    refused("a scale is not above 0", y_scale=0.0)
    refused("max_classes_per_detection at most num_classes", max_classes_per_detection=6)
    compare(0)
    write_f32(FOLDER / "s.npy", [1, BOXES, 6], [math.nan] * (BOXES * 6))
    done = run("run", "m.tir", "--plugin", PLUGIN, "--input", "x.npy", "--input", "s.npy", code=10)
    expect("score 0 is not a number" in done.stderr, done.stderr)


main([test_all_classes, test_bytes, test_per_class, test_emitted, test_refused])
