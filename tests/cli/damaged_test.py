"""Programs of torch.export whose graphs give other than their nodes are said to give: refused with a
place, and no defect of a pass. Found by tests/fuzz/mutate.py."""
import io
import json
import sys
import zipfile

from cli import FOLDER, SOURCE, expect, main, run

sys.path.insert(0, str(SOURCE / "tests" / "models"))
import make_pt2  # noqa: E402

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


def test_scan():
    """The graph of a scan gives another type than it carries."""
    def change(document):
        for name, graph in graphs(document):
            if "scan_combine" in name:
                graph["tensor_values"][graph["outputs"][0]["as_tensor"]["name"]]["dtype"] = 1
    said = run("run", damaged("scan_pair", change), "--random", "1", code=4).stderr
    expect("result 0 of graph 0 is of another type" in said and "node 4 (scan)" in said, said)


def test_branch():
    """A branch gives another type than its node."""
    def change(document):
        for name, graph in graphs(document):
            if "false" in name:
                for output in graph["outputs"]:
                    graph["tensor_values"][output["as_tensor"]["name"]]["dtype"] = 4
    said = run("run", damaged("torch2_2_branch", change), "--random", "1", code=4).stderr
    expect("result 0 of graph 1 is of another type" in said and "node 2" in said, said)


def test_parameters():
    """A branch takes another shape than it is given: what is found for its body would not hold."""
    def change(document):
        for name, graph in graphs(document):
            if "true" in name:
                first = graph["inputs"][0]["as_tensor"]["name"]
                graph["tensor_values"][first]["sizes"][0] = {"as_int": 7}
    said = run("run", damaged("cond_same_names", change), "--random", "1", code=4).stderr
    expect("argument 0 of graph 0 is of another type" in said and "node 2 (cond)" in said, said)


def test_arguments_of_graphs():
    """What is no graph where one belongs, and one or a list where something else does."""
    def replaced(at, arg):
        def change(document):
            for node in document["graph_module"]["graph"]["nodes"]:
                if "higher_order" in node["target"]:
                    graphs_of = [i["arg"] for i in node["inputs"] if "as_graph" in i["arg"]]
                    node["inputs"][at]["arg"] = arg or graphs_of[0]
        return change
    for at, arg, said in ((0, {"as_tensors": [{"name": "x"}]}, "takes one operand here"),
                          (0, None, "takes one operand here"),
                          (1, {"as_tensors": [{"name": "x"}]}, "takes a graph here"),
                          (3, None, "takes operands here")):
        model = damaged("higher_cond_closure", replaced(at, arg))
        found = run("info", model, code=3).stderr
        expect(said in found and "'higher_order::cond'" in found and "[pt2-argument]" in found,
               f"{at} {arg}: {found}")


def test_written_views():
    """Arguments of a call that torch made functional, which do not go together."""
    def read(inputs=(), without=(), outputs=None, code=3):
        document = json.loads(dict(make_pt2.programs())["functionalized"])
        [node] = document["graph_module"]["graph"]["nodes"]
        given = dict(inputs)
        node["inputs"] = [i for i in node["inputs"] if i["name"] not in {*given, *without}]
        node["inputs"] += [{"name": n, "arg": a, "kind": 1} for n, a in inputs]
        if outputs is not None:
            node["outputs"] = outputs
        file = FOLDER / "functionalized.pt2"
        file.write_bytes(make_pt2.package(json.dumps(document)))
        return run("info", file, code=code).stderr
    expect(read(code=0) == "", "as it is")
    slices = ("_self_slice_dim", "_self_slice_start", "_self_slice_end")
    window = (("_self_size", {"as_ints": [1]}), ("_self_stride", {"as_ints": [1]}),
              ("_self_storage_offset", {"as_int": 1}))
    expect(read(window, slices, code=0) == "", "a window")
    for inputs, without, said in (
            ([("_self_slice_end", {"as_float": 1.5})], (), "a bound of a slice is no integer"),
            ([("_self_slice_dim", {"as_int": 1})], (), "a slice of no dimension"),
            ([("_self_slice_start", {"as_int": 2})], (), "a slice that is none"),
            ([("_self_base_index", {"as_int": 1})], (), "a written argument has no base"),
            ([*window[:2], ("_self_storage_offset", {"as_string": "1"})], slices, "an offset is no integer"),
            ([("_self_stride", {"as_ints": [1, 1]}), window[0], window[2]], slices,
             "a view with more sizes than strides"),
            ([("_self_stride", {"as_floats": [1.0]}), window[0], window[2]], slices, "a size is no integer")):
        found = read(inputs, without)
        expect("'higher_order::auto_functionalized_v2': " + said in found and "[pt2-argument]" in found,
               f"{inputs}: {found}")
    found = read(outputs=[])
    expect("has too few results" in found, found)


BRANCHES = """module {
  func @0 "main" (%p: bool[], %x: f32[2]) {
    %y = tfl::IF(%p, [%x]) [then_subgraph_index=1, else_subgraph_index=2] : f32[2]
    %z = tfl::WHILE([%y]) [cond_subgraph_index=3, body_subgraph_index=2] : f32[2]
    return %z
  }
  func @1 "then" (%a: f32[2]) {
    return %a
  }
  func @2 "else" (%a: f32[2]) {
    return %a
  }
  func @3 "goes on" (%a: f32[2]) {
    %f = const bool[] {0}
    return %f
  }
  entry "main" = @0 ("p", "x") -> ("z")
}
"""


def test_functions_of_texts():
    """What a file of .tflite is checked for when it is read holds of text, too."""
    file = FOLDER / "branches.tenon"
    file.write_text(BRANCHES)
    run("run", file, "--random", 1)
    for old, new, said in (
            ('"then" (%a: f32[2])', '"then" (%a: f32[2], %b: f32[2])',
             "function 1 (then_subgraph_index) has 2 parameters, expected 1"),
            ('"else" (%a: f32[2]) {\n    return %a', '"else" (%a: f32[2]) {\n    return %a, %a',
             "function 2 (else_subgraph_index) has 2 results, expected 1"),
            ("return %f", "return %f, %f", "function 3 (cond_subgraph_index) has 2 results, expected 1"),
            ('"goes on" (%a: f32[2])', '"goes on" ()',
             "function 3 (cond_subgraph_index) has 0 parameters, expected 1"),
            ("bool[] {0}", "s32[] {0}", "the result of function 3 (cond_subgraph_index) is not one boolean"),
            ("bool[] {0}", "bool[2] {0, 1}", "the result of function 3 (cond_subgraph_index) is not one"),
            ("then_subgraph_index=1", "then_subgraph_index=4", "'then_subgraph_index' is 4 of 4 functions")):
        expect(old in BRANCHES, old)
        file.write_text(BRANCHES.replace(old, new))
        found = run("info", file, code=3).stderr
        expect(said in found and "[tflite-call]" in found and "branches.tenon: line" in found,
               f"{new}: {found}")


main([test_functions_of_texts, test_condition, test_scan, test_branch, test_parameters, test_arguments_of_graphs, test_written_views])
