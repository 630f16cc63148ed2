#include "core/template.h"

#include "base/arena.h"
#include "base/heap.h"
#include "harness/harness.h"

static const char schema_text[] =
    "acme::op(Tensor x, Tensor? y=None, *, float gain=1.0, int[] dims=[], str "
    "mode='', int? most=None) -> (Tensor, Tensor)";

static tenon_schema *parse(tenon_arena *arena, const char *text) {
  char error[256];
  size_t at = 0;
  tenon_schema *schema = NULL;
  tenon_arena_init(arena, tenon_heap());
  bool ok = tenon_schema_parse(arena, text, &schema, error, sizeof error, &at);
  CHECK(ok, "%s", error);
  return schema;
}

// Walks to the end; true when there is no fault.
static bool walk(tenon_template *t, const char *text,
                 const tenon_schema *schema) {
  tenon_piece piece;
  tenon_template_init(t, text, schema);
  while (tenon_template_next(t, &piece)) {
  }
  return !t->has_failed;
}

static void cuts_at_references(void **state) {
  (void)state;
  static const struct {
    uint32_t kind;
    const char *text;
    uint32_t line, tensor;
    bool is_out;
    const char *name;
    int64_t index;
  } want[] = {{TENON_PIECE_TEXT, "for (;;) {\n  ", 1, 0, false, NULL, -1},
              {TENON_PIECE_DATA, "$out1", 2, 1, true, NULL, -1},
              {TENON_PIECE_TEXT, "[i] = ", 2, 0, false, NULL, -1},
              {TENON_PIECE_F32, "$f32(gain)", 2, 0, false, "gain", -1},
              {TENON_PIECE_TEXT, " * ", 2, 0, false, NULL, -1},
              {TENON_PIECE_DATA, "$in0", 2, 0, false, NULL, -1},
              {TENON_PIECE_TEXT, "[", 2, 0, false, NULL, -1},
              {TENON_PIECE_I64, "$i64( dims , 2 )", 2, 0, false, "dims", 2},
              {TENON_PIECE_TEXT, "];\n", 2, 0, false, NULL, -1},
              {TENON_PIECE_TEXT, "$\n", 3, 0, false, NULL, -1},
              {TENON_PIECE_DIM, "$dim(in1, 3)", 4, 1, false, NULL, 3},
              {TENON_PIECE_SCRATCH, "$scratch", 4, 0, false, NULL, -1}};
  tenon_arena arena;
  tenon_schema *schema = parse(&arena, schema_text);
  tenon_template t;
  tenon_piece piece;
  tenon_template_init(&t,
                      "for (;;) {\n  $out1[i] = $f32(gain) * $in0[$i64( dims , "
                      "2 )];\n$$\n$dim(in1, 3)$scratch",
                      schema);
  EACH_ROW(i, want) {
    CHECK(tenon_template_next(&t, &piece), "row %zu: %s", i, t.error);
    CHECK(piece.kind == want[i].kind, "row %zu", i);
    CHECK(tenon_text_is(piece.text, want[i].text), "row %zu: '%.*s'", i,
          (int)piece.text.size, piece.text.data);
    CHECK(piece.line == want[i].line && piece.tensor == want[i].tensor &&
              piece.is_out == want[i].is_out && piece.index == want[i].index,
          "row %zu", i);
    if (want[i].name) CHECK_TEXT(piece.attr->name, want[i].name, i);
  }
  assert_false(tenon_template_next(&t, &piece));
  assert_false(t.has_failed);
  tenon_arena_deinit(&arena);
}

static void says_what_is_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;  // null: nothing
  } rows[] = {
      {"", NULL},
      {"$$$$", NULL},
      {"$count(in0) $rank(out1) $dims(in0) $stride(out0,7)", NULL},
      {"$scale(in0) $scale(in0, 12) $zero(out0)", NULL},
      {"$attr(mode) $attr(dims) $attr(dims, 0) $int(most) $f64(gain)", NULL},
      {"$packed", NULL},
      {"$", "a '$' that refers to nothing"},
      {"a $ b", "'$$' prints a dollar"},
      {"$in2", "'$in2' of an operator with 2 operands"},
      {"$out2[0]", "'$out2' of an operator with 2 results"},
      {"$count(in9)", "'$in9' of an operator with 2 operands"},
      {"$in0x", "'$in0x' refers to nothing; did you mean '$in0'?"},
      {"$count", "expected '(' behind '$count'"},
      {"$count(in0", "expected ')' at the end of '$count'"},
      {"$count(x)", "'$count' takes in0, out0 or the like, found 'x'"},
      {"$count(in0, 1)", "expected ')' at the end of '$count'"},
      {"$dim(in0)", "'$dim' takes a dimension: '$dim(in0, 0)'"},
      {"$dim(in0, 8)", "'$dim' of dimension 8, the last possible is 7"},
      {"$dim(in0, x)", "'$dim' takes a number behind the comma"},
      {"$dim(in0, 12345678901)", "'$dim' takes a number"},
      {"$f32(gian)", "'$f32(gian)' names no attribute; did you mean 'gain'?"},
      {"$attr(x)", "'$attr(x)' names no attribute"},
      {"$attr()", "'$attr()' names no attribute of 'acme::op'"},
      {"$attr(gain, 1)", "'gain' is no list"},
      {"$i32(dims)", "'dims' is a list: '$i32(dims, 0)' is its first element"},
      {"$f32(mode)", "'mode' is a text, '$f32' prints numbers"},
      {"$cuont(in0)", "did you mean '$count'?"},
      {"$zzzzzzzzz", "'$zzzzzzzzz' refers to nothing"}};
  tenon_arena arena;
  tenon_schema *schema = parse(&arena, schema_text);
  EACH_ROW(i, rows) {
    tenon_template t;
    bool ok = walk(&t, rows[i].text, schema);
    CHECK(ok == !rows[i].error, "row %zu: %s", i, t.error);
    if (rows[i].error)
      CHECK(strstr(t.error, rows[i].error), "row %zu: '%s'", i, t.error);
  }
  tenon_arena_deinit(&arena);
}

// How long a list is only a model tells; without a schema nothing is counted.
static void counts_what_can_be_counted(void **state) {
  (void)state;
  static const struct {
    const char *schema, *text;
    bool ok;
  } rows[] = {{"a::b(Tensor[] xs, Tensor y) -> Tensor", "$in17", true},
              {"a::b(Tensor[] xs, Tensor y) -> Tensor", "$out1", false},
              {"a::b(Tensor x) -> Tensor[]", "$out9", true},
              {"a::b(Tensor x) -> Tensor[]", "$in1", false},
              {"a::b(Tensor x, Tensor(a!) s) -> Tensor", "$out1", true},
              {"a::b(Tensor x, Tensor(a!) s) -> Tensor(a!)", "$out1", false},
              {"a::b(Tensor x) -> (Tensor, int)", "$out1", false},
              {NULL, "$in9999 $f32(anything)", true},
              {NULL, "$in99999", false},
              {NULL, "$cuont(in0)", false}};
  EACH_ROW(i, rows) {
    tenon_arena arena;
    tenon_template t;
    tenon_schema *schema =
        parse(&arena, rows[i].schema ? rows[i].schema : schema_text);
    bool ok = walk(&t, rows[i].text, rows[i].schema ? schema : NULL);
    CHECK(ok == rows[i].ok, "row %zu: %s", i, t.error);
    tenon_arena_deinit(&arena);
  }
}

TEST_GROUP(template, cmocka_unit_test(cuts_at_references),
           cmocka_unit_test(says_what_is_wrong),
           cmocka_unit_test(counts_what_can_be_counted))
