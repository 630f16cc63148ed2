"""The call that `tenon info` shows is the one that a user of the module would write, whatever
torch the file is from; what it returns stands there by the names of the outputs."""
from cli import SOURCE, expect, main, run

MODELS = SOURCE / "tests" / "models" / "pt2"
CALLS = {
    "call_nested": 'forward({"x": d_x}, (t_0, [t_1_0]), k=k, mode="zz", flag=False, sc=1.5, n=4) -> '
                   '{"o": sub, "l": [k, (t_0, None)], "c": 7, "s": "zz", "f": 1.5, "b": False}',
    "call_aliases": "forward(x, y) -> (x, p_p, b_held, c_c, add, y, x_1)",
    "call_classes": 'forward(Pair(left=pair_left, right=pair_right), Options(options_scale, 4), '
                    'key={"b": key_b, "a": key_a}) -> (Pair(left=sub, right={"o": Options(mul, 5)}), '
                    '{"z": div, "y": [key_a, None, "text"]})',
    "torch2_1_mixed": 'forward({"a": arg13_1}, other=arg14_1) -> '
                      '{"y": add, "rest": [_to_copy, (add_3, add_4)], "cat": cat}',
    "torch2_1_branch": "forward(arg0_1) -> cond",
    "torch2_2_mixed": 'forward({"a": l_x_a_}, other=l_other_) -> '
                      '{"y": add, "rest": [_to_copy, (add_3, add_4)], "cat": cat}',
    "torch2_8_mixed": 'forward({"a": x_a}, other=other) -> '
                      '{"y": add, "rest": [to, (add_3, add_4)], "cat": cat}',
}


def test_calls():
    for name, call in CALLS.items():
        text = run("info", MODELS / name / "model.pt2").stdout
        expect(f"called as {call}\n" in text, f"{name}: {text}")


main([test_calls])
