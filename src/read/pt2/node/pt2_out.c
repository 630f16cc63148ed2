// How: a call of an overload that nobody describes, or by its schema alone, is
// looked at as a call of an out variant (ir/out_variant.h). What it writes a
// schema says, or a call that was made functional by its bases.
#include "ir/out_variant.h"
#include "read/pt2/pt2_import.h"

static bool pt2_out_is_open(const tenon_op *op) {
  bool is_declared = op->desc && (op->desc->flags & TENON_OP_DECLARED) != 0;
  return !op->desc ||
         (is_declared && op->n_kernels == 0 && op->n_lowerings == 0);
}

static bool pt2_out_writes(const tenon_schema *s) {
  for (int i = 0; s && i < s->n_args; ++i)
    if (s->args[i].is_written) return true;
  return false;
}

// A descriptor of the operator's own says what the call leaves open.
static tenon_status pt2_out_refuse(const tenon_json *at, const tenon_op *op,
                                   const tenon_out_match *match) {
  if (match->other)
    return tenon_json_fail(at, TENON_UNSUPPORTED, "pt2-operator",
                           "'%s' may be the out variant of '%s' or of '%s'",
                           op->name, match->functional->name,
                           match->other->name);
  return tenon_json_fail(at, TENON_UNSUPPORTED, "pt2-operator",
                         "'%s' may be the out variant of '%s', but what it "
                         "writes has the names of results in another order",
                         op->name, match->functional->name);
}

static tenon_status pt2_out_find(tenon_pt2_node *n, const tenon_out_call *call,
                                 const tenon_op **op) {
  tenon_pt2 *im = n->scope->im;
  tenon_out_match match;
  tenon_out_variant_find(im->cx, call, &match);
  if (!match.functional) return TENON_OK;
  if (match.other || match.is_crossed)
    return pt2_out_refuse(&n->json, *op, &match);
  *op = tenon_out_variant_make(im->m, call, &match);
  return *op ? TENON_OK : tenon_pt2_memory(im);
}

// Of an operator with a schema: it says what is written.
static tenon_status find_declared(tenon_pt2 *im, const tenon_op **op) {
  const tenon_op *found = NULL;
  if (!pt2_out_is_open(*op) || !pt2_out_writes((*op)->schema)) return TENON_OK;
  TENON_TRY(tenon_out_variant_of_schema(im->m, (*op)->schema,
                                        (*op)->desc->schema, &found));
  if (found) *op = found;
  return TENON_OK;
}

static tenon_status read_arg(const tenon_json *input, tenon_out_arg *out) {
  tenon_json arg = tenon_json_get(input, "arg"), value;
  const char *tag = NULL;
  memset(out, 0, sizeof *out);
  TENON_TRY(tenon_json_text(tenon_json_at(input, "name"), &out->name));
  TENON_TRY(tenon_json_tag(&arg, &tag, &value));
  out->is_tensor = strcmp(tag, "as_tensor") == 0;
  out->is_list =
      strcmp(tag, "as_tensors") == 0 || strcmp(tag, "as_optional_tensors") == 0;
  return TENON_OK;
}

static uint32_t pt2_out_count_results(const tenon_json *outputs, size_t n) {
  uint32_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    tenon_json output = tenon_json_item(outputs, i);
    count += !tenon_json_is(tenon_json_at(&output, "as_none"));
  }
  return count;
}

tenon_status tenon_pt2_out_variant(tenon_pt2_node *n) {
  tenon_pt2 *im = n->scope->im;
  bool is_made = tenon_out_variant_is_made(n->op);
  if (n->op->schema && !is_made) return find_declared(im, &n->op);
  if (!strrchr(n->op->name, '.') ||
      tenon_text_starts(n->op->name, "higher_order::"))
    return TENON_OK;
  TENON_TRY(tenon_json_array(&n->inputs));
  TENON_TRY(tenon_json_array(&n->outputs));
  size_t count = tenon_json_count(&n->inputs);
  tenon_out_arg *args = tenon_arena_array(&im->scratch, tenon_out_arg, count);
  if (!args) return tenon_pt2_memory(im);
  for (size_t i = 0; i < count; ++i) {
    tenon_json input = tenon_json_item(&n->inputs, i);
    TENON_TRY(read_arg(&input, &args[i]));
  }
  tenon_out_call call = {.name = n->op->name,
                         .args = args,
                         .n_args = (uint32_t)count,
                         .n_returns = pt2_out_count_results(
                             &n->outputs, tenon_json_count(&n->outputs))};
  if (is_made && !tenon_out_variant_lacks(n->op, &call)) return TENON_OK;
  return pt2_out_find(n, &call, &n->op);
}

// ---------------------------------------------------------------------------
// Calls that were made functional
// ---------------------------------------------------------------------------

// "_NAME_base_index" and "_NAME_length" are those of a written argument NAME,
// but "_NAME_0_base_index" where NAME is a list. *out null: `key` is neither.
static tenon_status written_name(tenon_pt2 *im, const char *key,
                                 const char *end, const char **out) {
  size_t size = strlen(key), tail = strlen(end);
  *out = NULL;
  if (key[0] != '_' || size < tail + 2 || !tenon_text_ends(key, end))
    return TENON_OK;
  *out = tenon_arena_text(&im->scratch, key + 1, size - tail - 1);
  return *out ? TENON_OK : tenon_pt2_memory(im);
}

static bool is_element(const tenon_out_arg *args, size_t n, const char *name) {
  for (size_t i = 0; i < n; ++i) {
    size_t size = strlen(args[i].name);
    if (!args[i].is_list || !args[i].is_written) continue;
    if (strncmp(name, args[i].name, size) != 0 || name[size] != '_') continue;
    size_t digits = strspn(name + size + 1, "0123456789");
    if (digits > 0 && name[size + 1 + digits] == 0) return true;
  }
  return false;
}

// In the order of the file, which is that of the schema.
static tenon_status read_written(tenon_pt2_node *n, tenon_out_arg *args,
                                 size_t *count) {
  for (size_t i = 1; i < tenon_json_count(&n->inputs); ++i) {
    tenon_json input = tenon_json_item(&n->inputs, i);
    tenon_json none = tenon_json_get(tenon_json_at(&input, "arg"), "as_none");
    const char *key = NULL, *name = NULL, *list = NULL;
    TENON_TRY(tenon_json_text(tenon_json_at(&input, "name"), &key));
    TENON_TRY(written_name(n->scope->im, key, "_length", &list));
    TENON_TRY(written_name(n->scope->im, key, "_base_index", &name));
    if (list) name = list;
    if (!name || is_element(args, *count, name)) continue;
    args[(*count)++] =
        (tenon_out_arg){name, !list && !tenon_json_is(&none), list, true};
  }
  return TENON_OK;
}

// Those that belong to a written argument have its name in theirs.
static bool is_of_written(const tenon_out_arg *args, size_t n,
                          const char *key) {
  if (strcmp(key, "_all_bases") == 0) return true;
  for (size_t i = 0; key[0] == '_' && i < n; ++i) {
    size_t size = strlen(args[i].name);
    if (args[i].is_written && strncmp(key + 1, args[i].name, size) == 0 &&
        key[1 + size] == '_')
      return true;
  }
  return false;
}

tenon_status tenon_pt2_functionalized_out(tenon_pt2_node *n, bool is_first,
                                          size_t n_bases, const tenon_op **op) {
  tenon_pt2 *im = n->scope->im;
  size_t n_in = tenon_json_count(&n->inputs), count = 0;
  size_t n_out = tenon_json_count(&n->outputs);
  if ((*op)->schema) return find_declared(im, op);
  tenon_out_arg *args = tenon_arena_array(&im->scratch, tenon_out_arg, n_in);
  if (!args) return tenon_pt2_memory(im);
  TENON_TRY(read_written(n, args, &count));
  size_t n_written = count;
  for (size_t i = 1; i < n_in; ++i) {
    tenon_json input = tenon_json_item(&n->inputs, i);
    TENON_TRY(read_arg(&input, &args[count]));
    count += !is_of_written(args, n_written, args[count].name);
  }
  // In the older form results and written tensors follow each other.
  size_t n_own = is_first ? 1 : n_out - n_bases;
  if (n_own > n_out) return TENON_OK;
  tenon_out_call call = {.name = (*op)->name,
                         .args = args,
                         .n_args = (uint32_t)count,
                         .n_returns = pt2_out_count_results(&n->outputs, n_own),
                         .says_written = !is_first};
  return pt2_out_find(n, &call, op);
}
