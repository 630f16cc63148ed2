"""PosenetDecoderOp of plugins/tflite: people drawn into maps of scores and offsets are found again."""
import math
import random
import shutil

from cli import FOLDER, SOURCE, expect, main, run
from npy import read_f32, write, write_f32

PLUGIN = SOURCE / "plugins" / "tflite"
ROWS, COLUMNS, STRIDE, PEOPLE = 12, 16, 8, 4
# Parent and child of each edge, in the order of the channels.
EDGES = [(0, 1), (1, 3), (0, 2), (2, 4), (0, 5), (5, 7), (7, 9), (5, 11), (11, 13), (13, 15), (0, 6), (6, 8), (8, 10), (6, 12), (12, 14), (14, 16)]
RESULTS = "%k, %s, %p, %n"


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def person(seed, left):
    """Keypoints in whole places, no two in one, none next to the edge; all in `COLUMNS / 2` columns."""
    some = random.Random(seed)
    places = [(y, x) for y in range(1, ROWS - 1) for x in range(left + 1, left + COLUMNS // 2 - 1)]
    return some.sample(places, 17)


def drawn(people, logits):
    """Maps in which each person's edges lead from keypoint to keypoint, wherever in their half they are followed from."""
    scores = [[[-9.0] * 17 for _ in range(COLUMNS)] for _ in range(ROWS)]
    shorts = [[[0.0] * 34 for _ in range(COLUMNS)] for _ in range(ROWS)]
    mids = [[[0.0] * 64 for _ in range(COLUMNS)] for _ in range(ROWS)]
    for half, (at, logit) in enumerate(zip(people, logits)):
        for k, (y, x) in enumerate(at):
            scores[y][x][k] = logit
        for y in range(ROWS):
            for x in range(half * COLUMNS // 2, (half + 1) * COLUMNS // 2):
                for e, (a, b) in enumerate(EDGES):
                    for back, to in ((0, at[b]), (1, at[a])):
                        if y == at[(a, b)[back]][0] and x == at[(a, b)[back]][1]:
                            # Of the way back: two blocks further, but for the first edge, as Coral's.
                            first = e if not back else 16 if e == 0 else 32 + e
                            mids[y][x][first], mids[y][x][first + 16] = ((to[0] - y) * STRIDE, (to[1] - x) * STRIDE)
    return scores, shorts, mids


def model(threshold, types=("f32",) * 3):
    operands = ", ".join(f"%x{i}: {t.split('{')[0]}[1,{ROWS},{COLUMNS},{n}]{t[t.find('{'):] if '{' in t else ''}" for i, (t, n) in enumerate(zip(types, (17, 34, 64))))
    (FOLDER / "m.tir").write_text(
        'module "m" {\n  entry "main" = @0 ("a", "b", "c") -> ("k", "s", "p", "n")\n'
        f'  func @0 "main" ({operands}) {{\n'
        f"    {RESULTS} = tflite::posenet_decoder(%x0, %x1, %x2) [max_detections={PEOPLE}, stride={STRIDE}, score_threshold={threshold}, nms_radius=10.0]"
        f" : f32[1,{PEOPLE},17,2], f32[1,{PEOPLE},17], f32[1,{PEOPLE}], f32[1]\n    return {RESULTS}\n  }}\n}}\n")


def flat(image):
    return [v for row in image for place in row for v in place]


def decode():
    run("run", "m.tir", "--plugin", PLUGIN, "--input", "x0.npy", "--input", "x1.npy", "--input", "x2.npy", "-o", "out")
    return [read_f32(FOLDER / "out" / f"out{i}.npy") for i in range(4)]


def prepare(maps):
    for i, (image, n) in enumerate(zip(maps, (17, 34, 64))):
        write_f32(FOLDER / f"x{i}.npy", [1, ROWS, COLUMNS, n], flat(image))


def test_two_people():
    for seed in range(4):
        people, logits = [person(seed, 0), person(seed + 9, COLUMNS // 2)], (1.0, 2.5)
        prepare(drawn(people, logits))
        model(0.5)
        at, scores, whole, count = decode()
        expect(count == [2], f"{seed}: {count}")
        for i, k in enumerate((1, 0)):  # the better one first
            want = [v * STRIDE for p in people[k] for v in p]
            expect(at[34 * i:34 * i + 34] == want, f"{seed}: {at[34 * i:34 * i + 34]}, {want}")
            for v in (*scores[17 * i:17 * i + 17], whole[i]):
                expect(abs(v - sigmoid(logits[k])) < 1e-6, f"{seed}: {v}, {logits[k]}")
        expect(not any(at[68:] + scores[34:] + whole[2:]), "behind the last person are no zeros")


def test_threshold():
    prepare(drawn([person(1, 0), person(2, COLUMNS // 2)], (1.0, 2.5)))
    model(0.8)
    at, _, _, count = decode()
    expect(count == [1] and not any(at[34:]), f"{count}")
    model(0.99)
    expect(decode()[3] == [0], "a person of 0.92")


def test_refined():
    """Short offsets move what a root and what an edge leads to."""
    people = [person(3, 0)]
    scores, shorts, mids = drawn(people, (2.0,))
    for k, (y, x) in enumerate(people[0]):
        shorts[y][x][k] = 0.25 * STRIDE
    prepare((scores, shorts, mids))
    model(0.0001)
    at, _, _, count = decode()
    best = people[0]
    expect(count[0] >= 1 and any(at[2 * k] == (y + 0.25) * STRIDE for k, (y, _) in enumerate(best)), f"{at[:34]}")


def test_unsigned_bytes():
    people = [person(5, 0), person(6, COLUMNS // 2)]
    maps = drawn(people, (1.0, 2.5))
    quants = ((0.5, 128), (1.0, 128), (1.0, 128))
    for i, (image, n, (scale, zero)) in enumerate(zip(maps, (17, 34, 64), quants)):
        write(FOLDER / f"x{i}.npy", "|u1", [1, ROWS, COLUMNS, n], bytes(min(255, max(0, round(v / scale) + zero)) for v in flat(image)))
    model(0.5, [f"u8{{{s}:{z}}}" for s, z in quants])
    at, _, _, count = decode()
    expect(count == [2] and at[:34] == [v * STRIDE for p in people[1] for v in p], f"{count} {at[:34]}")
    for i in range(3):
        shutil.copy(FOLDER / f"x{i}.npy", FOLDER / "out" / f"in{i}.npy")
    run("verify", "m.tir", "--plugin", PLUGIN, "--case", "out", "--with", "run,emitted,threads")


def test_masks():
    """Places belong to the person that the long offsets of their half lead to."""
    people = [person(7, 0), person(8, COLUMNS // 2)]
    longs = [[[0.0] * 34 for _ in range(COLUMNS)] for _ in range(ROWS)]
    for y in range(ROWS):
        for x in range(COLUMNS):
            for k, (to_y, to_x) in enumerate(people[x >= COLUMNS // 2]):
                longs[y][x][k], longs[y][x][k + 17] = (to_y - y) * STRIDE, (to_x - x) * STRIDE
    prepare(drawn(people, (1.0, 2.5)))
    write_f32(FOLDER / "x3.npy", [1, ROWS, COLUMNS, 34], flat(longs))
    model(0.5)
    text = (FOLDER / "m.tir").read_text()
    for old, new in (('"c")', '"c", "d")'), ('"n")', '"n", "m")'), (", %n", ", %n, %m"), ("%x2) [", "%x2, %x3) ["),
                     (") {\n    %k", f", %x3: f32[1,{ROWS},{COLUMNS},34]) {{\n    %k"), ("f32[1]\n", f"f32[1], f32[1,{PEOPLE},{ROWS},{COLUMNS}]\n")):
        expect(old in text, old)
        text = text.replace(old, new)
    (FOLDER / "m.tir").write_text(text)
    given = [w for i in range(4) for w in ("--input", f"x{i}.npy")]
    run("run", "m.tir", "--plugin", PLUGIN, *given, "-o", "out")
    masks = read_f32(FOLDER / "out" / "out4.npy")
    right = [float(x >= COLUMNS // 2) for _ in range(ROWS) for x in range(COLUMNS)]
    n = ROWS * COLUMNS
    expect(masks[:n] == right and masks[n:2 * n] == [1 - v for v in right] and not any(masks[2 * n:]), f"{masks[:2 * n]}")
    for i in range(4):
        shutil.copy(FOLDER / f"x{i}.npy", FOLDER / "out" / f"in{i}.npy")
    run("verify", "m.tir", "--plugin", PLUGIN, "--case", "out", "--with", "run,emitted,threads")


def test_refused():
    prepare(drawn([person(1, 0)], (math.nan,)))
    model(0.5)
    done = run("run", "m.tir", "--plugin", PLUGIN, "--input", "x0.npy", "--input", "x1.npy", "--input", "x2.npy", code=10)
    expect("of operand 0 is not a number" in done.stderr, done.stderr)
    model(1.5)
    done = run("run", "m.tir", "--plugin", PLUGIN, "--random", "1", code=3)
    expect("score_threshold must be from 0 to 1" in done.stderr, done.stderr)


main([test_two_people, test_threshold, test_refined, test_unsigned_bytes, test_masks, test_refused])
