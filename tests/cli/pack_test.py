"""tenon pack: buffers of a file get places, and what makes no sense is refused."""
import csv
from cli import FOLDER, SOURCE, document, expect, main, run

SMALL = """id,lower,upper,size
a,0,3,10
b,2,5,20
c,4,9,30
d,8,12,10
"""
SHARED = SOURCE.parent / "shared" / "data" / "minimalloc"


def write(name, text):
    (FOLDER / name).write_text(text)
    return name


def placed(name):
    with open(FOLDER / name, newline="") as file:
        return list(csv.DictReader(file))


def overlaps(rows):
    """Pairs that live together and share bytes."""
    found = []
    rows = [{k: int(v) if k != "id" else v for k, v in r.items() if v} for r in rows]
    for i, a in enumerate(rows):
        for b in rows[:i]:
            if (a["lower"] < b["upper"] and b["lower"] < a["upper"]
                    and a["offset"] < b["offset"] + b["size"]
                    and b["offset"] < a["offset"] + a["size"]):
                found.append((a["id"], b["id"]))
    return found


def test_small():
    write("a.csv", SMALL)
    report = document("pack", "a.csv", "-o", "b.csv")["report"]
    expect(report["size"] == report["bound"] == 50 and report["optimal"], report)
    rows = placed("b.csv")
    expect([r["id"] for r in rows] == ["a", "b", "c", "d"], rows)
    expect(not overlaps(rows), rows)
    expect("proved smallest" in run("pack", "a.csv").stdout, "text")
    # What was placed is given: packing it again changes nothing.
    document("pack", "b.csv", "-o", "c.csv")
    expect((FOLDER / "b.csv").read_text() == (FOLDER / "c.csv").read_text(), "again")


def test_columns():
    write("g.csv", "buffer,start,end,size,alignment,gaps\n"
                   "x,0,9,64,32,2-4 6-8\ny,2,4,64,,\nz,6,8,64,64,\n")
    report = document("pack", "g.csv", "-o", "h.csv")["report"]
    expect(report["size"] == 64, report)
    expect([r["offset"] for r in placed("h.csv")] == ["0", "0", "0"], "places")
    write("i.csv", "id,lower,upper,size,group,inner\n"
                   "l,0,9,8,1,0\nr,4,9,8,1,8\nt,0,4,8,,\n")
    expect(document("pack", "i.csv")["report"]["size"] == 16, "group")


def test_capacity():
    write("a.csv", SMALL)
    run("pack", "a.csv", "--capacity", 50)
    done = run("pack", "a.csv", "--capacity", 49, "-o", "no.csv", code=5)
    expect("no packing fits" in done.stderr, done.stderr)
    expect(not (FOLDER / "no.csv").exists(), "a command that fails writes nothing")


def test_refusals():
    for text in ("id,lower,upper\n1,2,3\n", "id,lower,upper,size,colour\n1,2,3,4,5\n",
                 "id,lower,upper,size\n1,2,3\n", "id,lower,upper,size\n1,3,3,4\n",
                 "id,lower,upper,size\n1,2,3,x\n", "id,lower,upper,size\n1,2,3,4x\n",
                 "id,lower,upper,size,gaps\n1,0,9,4,5-4\n", "",
                 "id,lower,upper,size\n1,2,3,99999999999999999999999\n"):
        write("bad.csv", text)
        expect("cli-pack" in run("pack", "bad.csv", code=10).stderr, text)
    write("bad.csv", "id,lower,upper,size,alignment\n1,2,3,4,3\n")
    expect("pack-span" in run("pack", "bad.csv", code=2).stderr, "alignment")
    write("bad.csv", "id,lower,upper,size,offset\n1,2,3,4,0\n2,2,3,4,2\n")
    expect("fixed" in run("pack", "bad.csv", code=2).stderr, "fixed")
    run("pack", code=2)
    run("pack", "nowhere.csv", code=8)
    run("pack", "a.csv", "--capacity", -1, code=2)


def test_public_instances():
    """MiniMalloc's instances, where they lie beside the repository."""
    enough = dict(C=1039360, D=1040000, J=1040000)
    for name in "ABCDEFGHIJK":
        path = SHARED / f"{name}.1048576.csv"
        if not path.exists():
            continue
        capacity = enough.get(name, 1048576)
        report = document("pack", path, "--capacity", capacity, "--plan-effort", 1000000000, "-o",
                          "placed.csv")["report"]
        expect(report["size"] <= capacity and (report["optimal"] or name in "DJ"), report)
        expect(not overlaps(placed("placed.csv")), name)


main([test_small, test_columns, test_capacity, test_refusals, test_public_instances])
