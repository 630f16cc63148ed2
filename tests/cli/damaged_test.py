"""Programs of torch.export whose graphs give other than their nodes are said to give: refused with a
place, and no defect of a pass. Found by tests/fuzz/mutate.py."""
import io
import json
import zipfile

from cli import FOLDER, SOURCE, expect, main, run

MODELS = SOURCE / "tests" / "models" / "pt2"


def graphs(value):
    """Every graph that is an argument, by its name."""
    if isinstance(value, dict):
        if isinstance(value.get("as_graph"), dict):
            yield value["as_graph"]["name"], value["as_graph"]["graph"]
        for v in value.values():
            yield from graphs(v)
    elif isinstance(value, list):
        for v in value:
            yield from graphs(v)


def damaged(model, change):
    """The model with its JSON changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(MODELS / model / "model.pt2") as old, zipfile.ZipFile(made, "w") as new:
        for info in old.infolist():
            raw = old.read(info)
            if info.filename.endswith(".json") and b'"graph_module"' in raw:
                document = json.loads(raw)
                change(document)
                raw = json.dumps(document).encode()
            new.writestr(zipfile.ZipInfo(info.filename), raw)
    file = FOLDER / f"{model}.pt2"
    file.write_bytes(made.getvalue())
    return file


def test_condition():
    """The graph that says whether a loop goes on gives what it carries."""
    def change(document):
        for name, graph in graphs(document):
            if "cond_graph" in name:
                graph["outputs"] = [graph["inputs"][-1]]
    said = run("run", damaged("higher_while_never", change), "--random", "1", code=4).stderr
    expect("the condition is not one boolean" in said and "while_loop" in said, said)


def test_branch():
    """A branch gives another type than its node."""
    def change(document):
        for name, graph in graphs(document):
            if "false" in name:
                for output in graph["outputs"]:
                    graph["tensor_values"][output["as_tensor"]["name"]]["dtype"] = 4
    said = run("run", damaged("torch2_2_branch", change), "--random", "1", code=4).stderr
    expect("result 0 of graph 1 is of another type" in said and "node 2" in said, said)


main([test_condition, test_branch])
