"""What `info` tells of a .tflite beside its operators: metadata, files that it carries, signatures."""
import io
import json
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from cli import FOLDER, expect, main, run  # noqa: E402
from flatfile import Model, Table, write  # noqa: E402


def described():
    labels = Table({0: ("s", "labels.txt"), 1: ("s", "a name for each class"), 2: ("b", 2)})
    graph = Table({2: ("T", [Table({0: ("s", "image"), 1: ("s", "a picture of 2 by 2")})]),
                   3: ("T", [Table({0: ("s", "probability"), 1: ("s", "of each class"), 6: ("T", [labels])})])})
    return write(Table({0: ("s", "classifier"), 1: ("s", "tells two things\x1b[2J apart"), 2: ("s", "v3"),
                        3: ("T", [graph]), 4: ("s", "somebody"), 5: ("s", "Apache-2.0"), 7: ("s", "1.0.0")}), b"M001")


def model(metadata, files=()):
    m = Model()
    x, y = m.tensor("x", [1, 4]), m.tensor("y", [1, 4])
    m.op("RELU", [x], [y])
    m.io([x], [y])
    m.signature("serve", [("image", x)], [("scores", y)])
    m.signature("again", [("picture", x)], [("numbers", y)])
    m.metadata("TFLITE_METADATA", metadata)
    m.metadata("min_runtime_version", b"1.5.0")
    raw = io.BytesIO(m.dump())
    if files:
        with zipfile.ZipFile(raw, "a") as z:
            for name, text in files:
                z.writestr(name, text)
    file = FOLDER / "about.tflite"
    file.write_bytes(raw.getvalue())
    return file


def test_text():
    said = run("info", model(described(), [("labels.txt", "cat\ndog\n"), ("more.bin", "x" * 100)])).stdout
    for part in ("serve(image: f32[1,4])", "-> scores: f32[1,4]", "again(picture: f32[1,4])", "name: classifier",
                 "description: tells two things\\x1b[2J apart", "version: v3", "author: somebody", "license: Apache-2.0",
                 "input 'image': a picture of 2 by 2", "output 'probability': of each class",
                 "file 'labels.txt': a name for each class", "labels.txt: 8 bytes", "more.bin: 100 bytes",
                 "metadata min_runtime_version: 5 bytes"):
        expect(part in said, f"'{part}' is not in {said}")


def test_json():
    found = json.loads(run("info", model(described(), [("labels.txt", "cat\n")]), "--json").stdout)["report"]
    expect([e["name"] for e in found["entries"]] == ["serve", "again"], f"signatures: {found['entries']}")
    expect({"what": "license", "name": None, "text": "Apache-2.0"} in found["about"], f"about: {found['about']}")
    expect({"what": "input", "name": "image", "text": "a picture of 2 by 2"} in found["about"], f"about: {found['about']}")
    expect(found["files"] == [{"name": "labels.txt", "bytes": 4}], f"files: {found['files']}")


def test_appended():
    """An archive that was appended as it is (cat) counts from its own beginning."""
    file, raw = model(described()), io.BytesIO()
    with zipfile.ZipFile(raw, "w") as z:
        z.writestr("labels.txt", "cat\n")
    file.write_bytes(file.read_bytes() + raw.getvalue())
    found = json.loads(run("info", file, "--json").stdout)["report"]
    expect(found["files"] == [{"name": "labels.txt", "bytes": 4}], f"files: {found['files']}")


def test_damaged():
    """What is no metadata, or cut, is left out; the model is the same."""
    for raw in (b"", b"M001", described()[:60], b"\0" * 64):
        said = run("info", model(raw)).stdout
        expect("the file says" not in said and "RELU" in said, said)
        run("run", FOLDER / "about.tflite", "--random", "1")


main([test_text, test_json, test_appended, test_damaged])
