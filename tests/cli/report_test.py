"""tenon report: one page that holds all of it. What is in it, whatever the names of the model; and,
where there is a Chromium, that it draws at three widths, without an error of its script."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zlib

from cli import ACME, FOLDER, SOURCE, document, expect, main, run

DEMO = SOURCE / "examples" / "demo"
HOSTILE = "</script><img src=x onerror=alert(1)>"
NAMES = f"""module "evil" {{
  %"{HOSTILE}" = input f32[2,3]
  %w = const f32[2,3] {{1, 2, 3, 4, 5, 6}}
  %"a&<b>" = core::add(%"{HOSTILE}", %w) @"node 0 (<i>)" "m.py:1, in f, module m.<b> (M)"
  %c = core::neg(%"a&<b>") @"node 1 (c)" "m.py:2, in f, module m.<b> (M)"
  %d = core::tanh(%c) @"node 2 (d)" "m.py:3, in f, module m.act (A)"
  return %d as "{HOSTILE}"
}}
"""
# What works on the page: its answers stand in an attribute.
PROBE = """<script>
const said = {width: document.documentElement.scrollWidth, room: document.documentElement.clientWidth};
said.boxes = graph.items.length;
openTo(9); rebuild(null);
said.opened = graph.items.length;
searchFor('c', true);
said.hits = graph.hits.length;
said.detail = $('detail').textContent.length;
said.apart = graph.items.every((a, i) => graph.items.every((b, k) => k <= i ||
  Math.abs(a.x - b.x) >= (a.w + b.w) / 2 || Math.abs(a.y - b.y) >= (a.h + b.h) / 2));
said.down = graph.links.every(l => !l.points || l.points[0].y < l.points[l.points.length - 1].y);
for (const key of ['n', 'p', 'Enter', '+', '-', '0', 'ArrowLeft', 'Escape'])
  $('canvas').dispatchEvent(new KeyboardEvent('keydown', {key}));
$('theme').click();
said.theme = document.documentElement.dataset.theme;
said.images = document.images.length;
document.documentElement.dataset.probe = JSON.stringify(said);
</script></body>"""


def data_of(path):
    page = path.read_text()
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
    return page, json.loads(text)


def make(model, name, *args, code=0):
    run("report", model, "-o", name, *args, code=code)
    return data_of(FOLDER / name)


def test_content():
    page, data = make(DEMO / "keywords" / "model.tflite", "kws.html", "--runs", 3, "--case",
                      DEMO / "keywords" / "case0")
    expect(not re.search(r'(src|href)="(?!#)', page) and "@import" not in page and "url(" not in
           page.replace("url(#hatch)", ""), "the page loads something")
    expect(re.findall(r"https?://[^'\"]+", page) == ["http://www.w3.org/2000/svg"], "addresses")
    expect(len(page) < 5e6 and data["failures"] == [], data["failures"])
    nodes = data["source"]["functions"][0]["nodes"]
    ops = [data["texts"][n[0]] for n in nodes]
    expect(len(nodes) == 12 and ops[0] == "tfl::CONV_2D" and ops[-1] == "tfl::SOFTMAX", ops)
    lowered = {data["texts"][n[0]] for n in data["lowered"]["functions"][0]["nodes"]}
    expect("core::conv" in lowered, lowered)
    expect({data["texts"][n[4]] for n in nodes} >= {s["place"] for s in data["plan"]["steps"]},
           "steps find their operators")
    expect(data["time"]["runs"] == 3 and len(data["time"]["steps"]) == len(data["plan"]["steps"]),
           data["time"])
    accuracy = data["accuracy"]
    expect(accuracy["left"] == 0 and len(accuracy["nodes"]) == 12 and
           all(a["equal"] for a in accuracy["nodes"] + accuracy["outputs"]), accuracy)
    expect(len(accuracy["outputs"]) == 1, accuracy["outputs"])
    report = document("report", DEMO / "keywords" / "model.tflite")["report"]
    expect(report["time"] is None and report["plan"]["arena"] == data["plan"]["arena"], report["time"])


def test_plugins_and_what_is_not_supported():
    model = DEMO / "gain" / "model.tflite"
    _, data = make(model, "gain.html", "--plugin", ACME)
    expect(data["owners"] == {"acme::gain": "acme_gain"} and data["plan"], data["owners"])
    error = run("report", model, "-o", "none.html").stderr
    _, data = data_of(FOLDER / "none.html")
    bad = [o for o in data["explain"]["operators"] if not o["supported"]]
    expect(data["plan"] is None and [o["op"] for o in bad] == ["custom::AcmeGain"] and
           "AcmeGain" in data["failures"][0] and "[report-partial]" in error, error)


def test_accuracy_of_what_differs():
    """An output that is another one than was recorded says by how much."""
    case = FOLDER / "case"
    run("run", DEMO / "gain" / "model.tflite", "--plugin", ACME, "--random", 1, "--save", case)
    whole = bytearray((case / "out0.npy").read_bytes())
    whole[-1] ^= 0x01  # an exponent
    (case / "out0.npy").write_bytes(whole)
    _, data = make(DEMO / "gain" / "model.tflite", "off.html", "--plugin", ACME, "--case", case)
    off = data["accuracy"]["outputs"]
    expect(len(off) == 1 and not off[0]["equal"] and off[0]["max_abs"] > 0, off)


def test_compare():
    """Other flags, or another model, beside it: what the first has, and the second wins."""
    model = DEMO / "keywords" / "model.tflite"
    _, alone = make(model, "alone.html", "--keep-order")
    expect(alone["other"] is None, "nothing to compare")
    _, data = make(model, "flags.html", "--runs", 1, "--random", 1, "--compare", "--stripe 0 --no-pass 'channels'")
    other = data["other"]
    expect(other["label"] == "--stripe 0 --no-pass 'channels'" and other["name"] == data["name"], other["label"])
    expect(other["plan"]["arena"] < data["plan"]["arena"], (other["plan"]["arena"], data["plan"]["arena"]))
    stripes = document("plan", model, "--stripe", 0, "--no-pass", "channels")["report"]
    expect(other["plan"]["arena"] == stripes["arena"] and other["time"]["runs"] == 1, other["time"])
    gain = DEMO / "gain" / "model.tflite"
    _, data = make(model, "models.html", "--plugin", ACME, f"--compare={gain}")
    other = data["other"]
    ops = [other["texts"][n[0]] for n in other["source"]["functions"][0]["nodes"]]
    expect("acme::gain" in ops and other["plan"] and "acme::gain" not in data["texts"], ops)
    _, data = make(model, "bad.html", "--compare", gain)
    expect(data["other"]["plan"] is None and "AcmeGain" in data["other"]["failures"][0], data["other"]["failures"])
    for words, part in (("absent.tflite", "cannot read"), ("--none", "no flag '--none'"), (" ", "found nothing"),
                        ("a.tflite b.tflite", "expects one model at most")):
        said = run("report", model, "-o", "no.html", "--compare", words, code=None)
        expect(said.returncode > 1 and part in said.stderr and not (FOLDER / "no.html").exists(), said.stderr)


def test_names():
    (FOLDER / "evil.tenon").write_text(NAMES)
    page, data = make("evil.tenon", "evil.html")
    expect(HOSTILE not in page and page.count("</script>") == 2, "a name ends the script")
    expect(data["source"]["functions"][0]["params"][0][0] == HOSTILE, data["source"])
    expect(data["texts"][data["source"]["functions"][0]["nodes"][0][5]] == "m.<b> (M)", data["texts"])


def test_refused():
    run("report", code=2)
    run("report", "absent.tflite", code=8)
    run("report", DEMO / "gain" / "model.tflite", "--runs", 0, code=2)
    run("report", DEMO / "gain" / "model.tflite", "--plugin", ACME, "--case", FOLDER / "nothing", code=8)
    (FOLDER / "evil.tenon").write_text(NAMES)
    run("compile", "evil.tenon", "-o", "evil.tnp")
    run("report", "evil.tnp", code=2)


# --- in a browser ---------------------------------------------------------------------------

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next((b for b in map(shutil.which, BROWSERS) if b), None)


def browse(page, width, *args):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               f"--user-data-dir={profile}", f"--window-size={width},1000",
                               "--virtual-time-budget=4000", *args, page.resolve().as_uri()],
                              capture_output=True, text=True, timeout=240)
    return done.stdout


def drawn(png):
    """The share of bytes of a picture that differ from the pixel before: none of a blank one."""
    body = png.read_bytes()
    at, packed = 8, b""
    while at < len(body):
        size, kind = int.from_bytes(body[at:at + 4], "big"), body[at + 4:at + 8]
        packed += body[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw = zlib.decompress(packed)
    return 1 - raw.count(0) / len(raw)


def test_browser():
    if not BROWSER:
        print("skipped: pages in a browser; no Chromium is installed")
        return
    (FOLDER / "evil.tenon").write_text(NAMES)
    make("evil.tenon", "evil.html", "--random", 1, "--runs", 1)
    make(DEMO / "keywords" / "model.tflite", "kws.html", "--runs", 1, "--random", 1)
    run("report", DEMO / "gain" / "model.tflite", "-o", "none.html")
    make(DEMO / "keywords" / "model.tflite", "two.html", "--runs", 1, "--compare", "--stripe 0 --no-pass channels")
    (FOLDER / "blank.html").write_text("<!doctype html>")
    browse(FOLDER / "blank.html", 1300, f"--screenshot={FOLDER / 'blank.png'}")
    for name in ("evil", "kws", "none", "two"):
        probed = FOLDER / f"{name}_probe.html"
        page = (FOLDER / f"{name}.html").read_text()
        probed.write_text(page.replace("</body>", PROBE))
        for width in (1500, 900, 600):
            dom = browse(probed, width, "--dump-dom")
            head = re.search(r"<html[^>]*>", dom)[0]
            said = re.search(r'data-probe="([^"]*)"', head)
            expect('data-ready="yes"' in head and "data-error" not in head and said, head)
            said = json.loads(said[1].replace("&quot;", '"'))
            expect(said["width"] <= said["room"], f"{name}, {width}: {said}")
            expect(said["apart"] and said["down"] and said["opened"] >= said["boxes"] > 2, said)
            expect(said["detail"] > 40 and said["images"] == 0 and said["theme"] == "dark", said)
            shot = FOLDER / f"{name}{width}.png"
            browse(FOLDER / f"{name}.html", width, f"--screenshot={shot}")
            expect(drawn(shot) > 4 * drawn(FOLDER / "blank.png") and drawn(shot) > 0.002, drawn(shot))
    if os.environ.get("TENON_SHOTS"):  # to be looked at
        for shot in FOLDER.glob("*.png"):
            shutil.copy(shot, pathlib.Path(os.environ["TENON_SHOTS"]))


main([test_content, test_plugins_and_what_is_not_supported, test_accuracy_of_what_differs, test_compare, test_names,
      test_refused, test_browser])
