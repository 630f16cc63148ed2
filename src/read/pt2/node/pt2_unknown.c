// How: a call of an operator that Tenon does not know tells most of its schema:
// names of arguments, which ones are keywords, kinds of their values, kinds of
// the results. Defaults and what is written it does not tell. What all calls of
// an operator say together is kept as metadata of the module, where `tenon new`
// finds it.
#include "read/pt2/pt2_import.h"

typedef struct row {
  const char *tag, *type;
} row;

// The type of an argument whose value has this tag; null: no schema can say it.
static const char *unknown_type_of(const char *tag) {
  static const row rows[] = {{"as_tensor", "Tensor"},
                             {"as_optional_tensor", "Tensor?"},
                             {"as_tensors", "Tensor[]"},
                             {"as_optional_tensors", "Tensor?[]"},
                             {"as_none", "Tensor?"},
                             {"as_int", "int"},
                             {"as_ints", "int[]"},
                             {"as_float", "float"},
                             {"as_floats", "float[]"},
                             {"as_bool", "bool"},
                             {"as_bools", "bool[]"},
                             {"as_string", "str"},
                             {"as_strings", "str[]"},
                             {"as_sym_int", "SymInt"},
                             {"as_sym_ints", "SymInt[]"},
                             {"as_sym_float", "float"},
                             {"as_sym_bool", "bool"},
                             {"as_scalar_type", "ScalarType"},
                             {"as_device", "Device"},
                             {"as_layout", "Layout"},
                             {"as_memory_format", "MemoryFormat"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strcmp(rows[i].tag, tag) == 0) return rows[i].type;
  return NULL;
}

// ---------------------------------------------------------------------------
// Arguments
// ---------------------------------------------------------------------------

// Texts point into the document or into the module.
typedef struct argument {
  tenon_text type, name;
  bool is_keyword;
  bool is_absent;  // None, in a call
  bool is_given;   // in this call
} argument;

typedef struct arguments {
  tenon_arena *arena;
  TENON_VEC(argument) list;
  bool can;  // a schema can say all of it
} arguments;

static bool unknown_is_number(tenon_text t) {
  return tenon_text_is(t, "int") || tenon_text_is(t, "float") ||
         tenon_text_is(t, "Scalar");
}

// One argument, as two calls have it.
static void unknown_widen(arguments *args, argument *known,
                          const argument *given) {
  static const char optional[] = "Tensor?";
  known->is_absent = known->is_absent || given->is_absent;
  if (tenon_text_same(known->type, given->type)) return;
  bool was_none = tenon_text_is(known->type, optional);
  if (was_none || tenon_text_is(given->type, optional)) {
    tenon_text type = was_none ? given->type : known->type;
    char *text = type.data[type.size - 1] == '?'
                     ? NULL
                     : tenon_arena_text(args->arena, type.data, type.size + 1);
    known->type = type;
    if (!text) return;
    text[type.size] = '?';
    known->type.data = text;
    ++known->type.size;
  } else if (unknown_is_number(known->type) && unknown_is_number(given->type)) {
    known->type = tenon_text_of("Scalar");
  } else {
    args->can = false;
  }
}

static bool unknown_add(arguments *args, const argument *given) {
  size_t i = 0;
  for (; i < args->list.count; ++i) {
    if (!tenon_text_same(args->list.data[i].name, given->name)) continue;
    unknown_widen(args, &args->list.data[i], given);
    args->list.data[i].is_given |= given->is_given;
    return true;
  }
  return tenon_vec_push(&args->list, *given);
}

// "ns::op(Tensor x, *, float gain, Tensor? b=None) -> ...", as it was written.
static bool unknown_parse(arguments *args, tenon_text schema) {
  bool is_keyword = false;
  const char *open = memchr(schema.data, '(', schema.size);
  const char *close = memchr(schema.data, ')', schema.size);
  if (!open || !close) return true;
  tenon_text rest = {open + 1, (size_t)(close - open - 1)}, piece;
  while (rest.size > 0 && tenon_text_next(&rest, ',', &piece)) {
    argument a = {.is_keyword = is_keyword};
    piece = tenon_text_trim(piece);
    is_keyword = is_keyword || tenon_text_is(piece, "*");
    const char *blank = memchr(piece.data, ' ', piece.size);
    if (!blank) continue;
    a.type = (tenon_text){piece.data, (size_t)(blank - piece.data)};
    a.name = (tenon_text){blank + 1, piece.size - a.type.size - 1};
    const char *equals = memchr(a.name.data, '=', a.name.size);
    if (equals) a.name.size = (size_t)(equals - a.name.data);
    a.is_absent = equals != NULL;
    if (!unknown_add(args, &a)) return false;
  }
  return true;
}

#define KEYWORD 2  // ArgumentKind

static tenon_status unknown_take(arguments *args, tenon_pt2_node *n, size_t i) {
  int64_t number = 0;
  const char *name = NULL, *tag = NULL, *type = NULL;
  char without[24];
  tenon_json input = tenon_json_item(&n->inputs, i), value;
  tenon_json arg = tenon_json_get(&input, "arg");
  tenon_json kind = tenon_json_get(&input, "kind");
  TENON_TRY(tenon_json_text(tenon_json_at(&input, "name"), &name));
  TENON_TRY(tenon_json_tag(&arg, &tag, &value));
  if (tenon_json_is(&kind)) TENON_TRY(tenon_json_int(&kind, &number));
  type = unknown_type_of(tag);
  if (!name[0]) {
    snprintf(without, sizeof without, "arg%zu", i);
    name = tenon_arena_string(args->arena, without);
    if (!name) return tenon_pt2_memory(n->scope->im);
  }
  args->can =
      args->can && type && tenon_text_is_identifier(tenon_text_of(name));
  argument a = {tenon_text_of(type), tenon_text_of(name), number == KEYWORD,
                strcmp(tag, "as_none") == 0, true};
  if (!args->can || unknown_add(args, &a)) return TENON_OK;
  return tenon_pt2_memory(n->scope->im);
}

// An operand that a call leaves out is None: there is no other default.
static void leave_out(arguments *args, size_t n_known) {
  static const argument none = {.type = {"Tensor?", 7}, .is_absent = true};
  for (size_t i = 0; i < args->list.count; ++i) {
    argument *a = &args->list.data[i];
    bool is_left_out = n_known > 0 && (!a->is_given || i >= n_known);
    if (is_left_out && tenon_text_is(a->type, "Tensor"))
      unknown_widen(args, a, &none);
  }
}

static void unknown_print(const arguments *args, bool keywords, bool *is_first,
                          tenon_buf *out) {
  bool has_star = false;
  for (size_t i = 0; i < args->list.count; ++i) {
    const argument *a = &args->list.data[i];
    if (a->is_keyword != keywords) continue;
    if (!*is_first) tenon_buf_text(out, ", ");
    if (keywords && !has_star) tenon_buf_text(out, "*, ");
    has_star = *is_first = false;
    has_star = keywords;
    tenon_buf_add(out, a->type.data, a->type.size);
    tenon_buf_char(out, ' ');
    tenon_buf_add(out, a->name.data, a->name.size);
    if (a->is_absent) tenon_buf_text(out, "=None");
  }
}

// ---------------------------------------------------------------------------
// The schema
// ---------------------------------------------------------------------------

static tenon_status unknown_add_results(tenon_buf *out,
                                        const tenon_json *outputs, bool *can) {
  size_t n = tenon_json_count(outputs);
  bool is_alone = n == 1;
  tenon_buf_text(out, is_alone ? ") -> " : ") -> (");
  for (size_t i = 0; i < n; ++i) {
    const char *tag = NULL;
    tenon_json output = tenon_json_item(outputs, i), value;
    TENON_TRY(tenon_json_tag(&output, &tag, &value));
    bool is_none = is_alone && strcmp(tag, "as_none") == 0;
    const char *type = is_none ? "()" : unknown_type_of(tag);
    *can = *can && type && strcmp(type, "Tensor?") != 0;
    tenon_buf_format(out, "%s%s", i > 0 ? ", " : "", type ? type : "");
  }
  tenon_buf_text(out, is_alone ? "" : ")");
  return TENON_OK;
}

static tenon_status unknown_write_schema(arguments *args, tenon_pt2_node *n,
                                         tenon_buf *out) {
  bool is_first = true;
  size_t n_known = args->list.count;
  for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i)
    TENON_TRY(unknown_take(args, n, i));
  leave_out(args, n_known);
  tenon_buf_format(out, "%s(", n->op->name);
  unknown_print(args, false, &is_first, out);
  unknown_print(args, true, &is_first, out);
  return unknown_add_results(out, &n->outputs, &args->can);
}

static tenon_metadata *unknown_find(tenon_module *m, const char *key) {
  for (size_t i = 0; i < m->metadata.count; ++i)
    if (strcmp(m->metadata.data[i].key, key) == 0) return &m->metadata.data[i];
  return NULL;
}

static bool unknown_keep(tenon_module *m, tenon_metadata *there,
                         const char *key, const tenon_buf *text) {
  tenon_metadata item = {
      there ? there->key : tenon_arena_string(&m->arena, key),
      there ? there->data : NULL, text->size};
  bool is_same_text = there && there->size == text->size &&
                      memcmp(there->data, text->data, text->size) == 0;
  if (is_same_text) return true;
  item.data = tenon_arena_copy(&m->arena, text->data, text->size, 1);
  if (!item.key || !item.data) return false;
  if (there) *there = item;
  return there || tenon_vec_push(&m->metadata, item);
}

tenon_status tenon_pt2_describe(tenon_pt2_node *n) {
  tenon_pt2 *im = n->scope->im;
  tenon_module *m = im->m;
  if (n->op->desc || n->n_graphs > 0) return TENON_OK;
  tenon_buf_clear(&im->text);
  tenon_buf_format(&im->text, TENON_SCHEMA_KEY "%s", n->op->name);
  if (im->text.failed) return tenon_pt2_memory(im);
  arguments args = {.arena = &im->scratch, .can = true};
  tenon_buf schema;
  tenon_metadata *there = unknown_find(m, im->text.data);
  tenon_buf_init(&schema, im->cx->allocator);
  tenon_vec_init(&args.list, im->cx->allocator);
  bool done = !there ||
              unknown_parse(
                  &args, (tenon_text){(const char *)there->data, there->size});
  tenon_status status =
      done ? unknown_write_schema(&args, n, &schema) : tenon_pt2_memory(im);
  bool fails = schema.failed || im->scratch.failed;
  if (status == TENON_OK &&
      (fails || (args.can && !unknown_keep(m, there, im->text.data, &schema))))
    status = tenon_pt2_memory(im);
  tenon_vec_deinit(&args.list);
  tenon_buf_deinit(&schema);
  return status;
}
