// How: a guard is a line of Python, "L['x'].size()[0] == 2*L['n'] + 1". What it
// says of inputs is put in the place of names that the parser of sizes knows;
// each relation of a chain, and of what "and" joins, becomes a guard of the
// module, which a run checks, with the line as its text. Any other condition
// becomes the integer that is 1 where it holds. What is not about sizes, or a
// power of a size that cannot be compared with certainty (pt2_power.c), is
// refused; what is said of the layout of inputs is passed over, with a note.
#include "read/pt2/pt2_signature.h"
#include "read/pt2/symbol/pt2_expr.h"
#include "read/pt2/symbol/pt2_power.h"

#define MOST_REFERENCES 64
#define MOST_RELATIONS 4  // of a chain
#define MOST_DEPTH 32     // of conditions in parentheses
#define MOST_TEXT 65536   // what is longer is not read
#define PREFIX "g_"

typedef struct reading {
  const tenon_pt2_signature *g;
  tenon_dim sizes[MOST_REFERENCES];
  size_t n_sizes;
  tenon_buf text;  // without references
} reading;

// ---------------------------------------------------------------------------
// References
// ---------------------------------------------------------------------------

// The name of what torch calls flat_args[i], and args[i] in 2.9: user input i,
// literals counted.
static const char *name_flat(const tenon_pt2_signature *g, const char *name) {
  static const char *const prefixes[] = {"flat_args_", "args_"};
  tenon_text digits = tenon_text_of(name);
  int64_t wanted = 0, n = 0;
  size_t k = 0;
  while (k < 2 && strncmp(name, prefixes[k], strlen(prefixes[k])) != 0)
    ++k;
  if (k == 2) return name;
  digits.data += strlen(prefixes[k]);
  digits.size -= strlen(prefixes[k]);
  if (!tenon_text_int(digits, &wanted)) return name;
  for (size_t i = 0; i < tenon_json_count(&g->input_specs); ++i) {
    tenon_json spec = tenon_json_item(&g->input_specs, i);
    tenon_json user = tenon_json_get(&spec, "user_input");
    if (!tenon_json_is(&user) || n++ != wanted) continue;
    tenon_json arg = tenon_json_get(&user, "arg");
    tenon_json at = tenon_json_get(tenon_json_at(&arg, "as_tensor"), "name");
    if (!tenon_json_is(&at))
      at = tenon_json_get(tenon_json_at(&arg, "as_sym_int"), "as_name");
    if (!tenon_json_is(&at))
      at = tenon_json_get(tenon_json_at(&arg, "as_sym_float"), "as_name");
    const char *own = json_string_value(at.value);
    return own ? own : name;
  }
  return name;
}

static const tenon_pt2_name *find_named(const tenon_pt2_signature *g,
                                        const char *name) {
  const tenon_pt2_scope *s = g->scope;
  for (size_t i = 0; i < g->input_names.count; ++i) {
    if (strcmp(g->input_names.data[i], name) != 0) continue;
    const uint64_t *at = tenon_map_find_text(&s->names, name);
    return at ? &s->entries.data[*at] : NULL;
  }
  return NULL;
}

// Null also where the name means one input and its number another: that of
// forward(self, *args), with arguments that are no tensors.
static const tenon_pt2_name *guards_find_input(const reading *w,
                                               const char *name) {
  const char *flat = name_flat(w->g, name);
  const tenon_pt2_name *named = find_named(w->g, name);
  const tenon_pt2_name *numbered =
      flat == name ? named : find_named(w->g, flat);
  return !named ? numbered : !numbered || named == numbered ? named : NULL;
}

// Adds the key in brackets, or behind a point, to the name that torch gives the
// input; null: something else stands there.
static const char *take_key(const char *at, tenon_buf *name) {
  const char *end = NULL;
  char quote = at[0] == '[' ? at[1] : 0;
  if (quote == '\'' || quote == '"') {
    end = strchr(at + 2, quote);
    if (!end || end[1] != ']') return NULL;
    at += 2;
  } else if (at[0] == '[') {
    ++at;
    end = at + strspn(at, "0123456789");
    if (end == at || *end != ']') return NULL;
    if (name->size) tenon_buf_char(name, '_');
    tenon_buf_add(name, at, (size_t)(end - at));
    return end + 1;
  } else {
    return NULL;
  }
  if (name->size) tenon_buf_char(name, '_');
  tenon_buf_add(name, at, (size_t)(end - at));
  return end + 2;
}

static bool add_size(reading *w, tenon_dim d) {
  if (w->n_sizes == MOST_REFERENCES) return false;
  tenon_buf_format(&w->text, " " PREFIX "%zu ", w->n_sizes);
  w->sizes[w->n_sizes++] = d;
  return true;
}

// `at` stands behind L; null: a reference that is no size.
static const char *guards_take_reference(reading *w, const char *at,
                                         tenon_buf *name) {
  static const char size[] = ".size()[";
  const char *next = NULL;
  while ((next = take_key(at, name)) != NULL)
    at = next;
  if (name->failed || !name->data) return NULL;
  const tenon_pt2_name *input = guards_find_input(w, name->data);
  if (!input) return NULL;
  if (input->kind == TENON_PT2_NUMBER && *at != '.' && *at != '[') {
    const tenon_arg *a = &input->number;
    bool is_dim = a->kind == TENON_KIND_DIMS && a->as.dims.count == 1;
    if (!is_dim && a->kind != TENON_KIND_INT) return NULL;
    tenon_dim d = is_dim ? a->as.dims.data[0] : tenon_dim_fixed(a->as.i);
    return add_size(w, d) ? at : NULL;
  }
  if (input->kind != TENON_PT2_VALUE || strncmp(at, size, sizeof size - 1) != 0)
    return NULL;
  at += sizeof size - 1;
  size_t digits = strspn(at, "0123456789");
  if (digits != 1 || at[1] != ']') return NULL;
  const tenon_type *type = &input->value->type;
  int axis = at[0] - '0';
  if (axis >= type->rank || !add_size(w, type->dims[axis])) return NULL;
  return at + 2;
}

static bool guards_resolve(reading *w, const char *code) {
  tenon_buf name;
  tenon_buf_init(&name, w->g->scope->im->cx->allocator);
  while (code && *code) {
    if (code[0] != 'L' || code[1] != '[') {
      tenon_buf_char(&w->text, *code++);
      continue;
    }
    tenon_buf_clear(&name);
    code = guards_take_reference(w, code + 1, &name);
  }
  tenon_buf_deinit(&name);
  return code != NULL;
}

// ---------------------------------------------------------------------------
// Relations
// ---------------------------------------------------------------------------

static size_t relation_at(const char *text) {
  for (size_t i = 0; i < TENON_PT2_RELATIONS; ++i)
    if (strncmp(text, tenon_pt2_relations[i].token,
                strlen(tenon_pt2_relations[i].token)) == 0)
      return i;
  return TENON_PT2_RELATIONS;
}

// The first relation outside of parentheses; null: there is none.
static char *find_relation(char *text, size_t *which) {
  int depth = 0;
  for (char *at = text; *at; ++at) {
    depth += (*at == '(') - (*at == ')');
    *which = depth == 0 ? relation_at(at) : TENON_PT2_RELATIONS;
    if (*which != TENON_PT2_RELATIONS) return at;
  }
  return NULL;
}

// Without spaces, and as many parentheses around all of it as are read.
static char *guards_unwrap(char *text) {
  for (int i = 0; i < MOST_DEPTH; ++i) {
    text += strspn(text, " ");
    size_t n = strlen(text), end = 0;
    while (n > 0 && text[n - 1] == ' ')
      text[--n] = 0;
    if (text[0] != '(') return text;
    for (int depth = 0; end < n; ++end) {
      depth += (text[end] == '(') - (text[end] == ')');
      if (depth == 0) break;
    }
    if (end + 1 != n) return text;
    text[end] = 0;
    ++text;
  }
  return text;
}

// Whether one of the words that bind less than "and" joins parts of the text.
static bool is_joined(const char *text) {
  static const char *const words[] = {" or ", " if "};
  int depth = 0;
  for (const char *at = text; *at; ++at) {
    depth += (*at == '(') - (*at == ')');
    for (size_t i = 0; depth == 0 && i < 2; ++i)
      if (strncmp(at, words[i], strlen(words[i])) == 0) return true;
  }
  return false;
}

// Ends the text before the first "and" outside of parentheses, and returns what
// stands behind that; null: there is none.
static char *split_and(char *text) {
  static const char word[] = " and ";
  int depth = 0;
  for (char *at = text; *at; ++at) {
    depth += (*at == '(') - (*at == ')');
    if (depth != 0 || strncmp(at, word, sizeof word - 1) != 0) continue;
    *at = 0;
    return at + sizeof word - 1;
  }
  return NULL;
}

static bool guards_find_size(void *self, const char *name, bool is_size,
                             tenon_dim *out) {
  const reading *w = (const reading *)self;
  int64_t i = 0;
  (void)is_size;
  tenon_text text = tenon_text_of(name);
  if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) return false;
  text.data += sizeof PREFIX - 1;
  text.size -= sizeof PREFIX - 1;
  if (!tenon_text_int(text, &i) || i < 0 || (size_t)i >= w->n_sizes)
    return false;
  *out = w->sizes[i];
  return true;
}

// A side is a fraction: what stands above and below its line, the latter
// positive.
static bool parse_side(const tenon_pt2_expr *with, const char *text,
                       tenon_dim *up, tenon_dim *down) {
  return tenon_pt2_expr_fraction(with, text, up, down) == TENON_PT2_EXPR_OK &&
         tenon_dim_is_fixed(*down) && down->value > 0;
}

// Both sides times what both are divided by.
static bool parse_sides(const tenon_pt2_expr *with, const char *left,
                        const char *right, tenon_dim *a, tenon_dim *b) {
  tenon_symbols *symbols = with->symbols;
  tenon_dim below_a, below_b;
  if (!parse_side(with, left, a, &below_a) ||
      !parse_side(with, right, b, &below_b))
    return false;
  *a = tenon_symbols_apply(symbols, TENON_DIM_MUL, *a, below_b);
  *b = tenon_symbols_apply(symbols, TENON_DIM_MUL, *b, below_a);
  return !tenon_dim_is_none(*a) && !tenon_dim_is_none(*b);
}

// What holds for all sizes need not be asked in a run.
static bool always_holds(tenon_symbols *symbols, const tenon_guard *g) {
  uint32_t relation = g->relation;
  tenon_dim a = g->a, b = g->b;
  tenon_dim d = tenon_symbols_apply(symbols, TENON_DIM_SUB, a, b);
  if (tenon_dim_is_fixed(d) && d.value != TENON_UNKNOWN)
    return tenon_relation_holds(relation, d.value, 0);
  if (relation == TENON_RELATION_LT)
    a = tenon_symbols_apply(symbols, TENON_DIM_ADD, a, tenon_dim_fixed(1));
  else if (relation != TENON_RELATION_LE)
    return false;
  return tenon_dim_equals(tenon_symbols_apply(symbols, TENON_DIM_MIN, a, b), a);
}

tenon_status tenon_pt2_condition(tenon_pt2 *im, const tenon_guard *guard,
                                 tenon_loc loc) {
  if (always_holds(&im->m->symbols, guard)) return TENON_OK;
  return tenon_build_guard(im->m, guard, loc) ? TENON_OK : tenon_pt2_built(im);
}

static tenon_status guards_refuse(const reading *w, const char *code,
                                  const char *why) {
  tenon_pt2 *im = w->g->scope->im;
  tenon_place place = {im->m->name, "guards_code", NULL, 0, 0};
  return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "pt2-guard", &place,
                    "a condition that cannot be checked: %s: %s", code, why);
}

static tenon_status not_found(const reading *w, const char *code) {
  tenon_pt2 *im = w->g->scope->im;
  tenon_place place = {im->m->name, "guards_code", NULL, 0, 0};
  // Strides and offsets: Tenon's inputs are dense whatever torch's were.
  if (!strstr(code, ".stride()") && !strstr(code, ".storage_offset"))
    return guards_refuse(w, code, "names what is no size of an input");
  tenon_note(&im->m->report, "pt2-guard", &place,
             "not checked, since inputs are dense: %s", code);
  return TENON_OK;
}

static tenon_status not_compared(const reading *w, const char *code) {
  tenon_pt2 *im = w->g->scope->im;
  tenon_place place = {im->m->name, "guards_code", NULL, 0, 0};
  return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "pt2-guard", &place,
                    "a condition on powers of sizes that is not compared with "
                    "certainty: %s",
                    code);
}

// The conditions that a relation is: how many, or -1 where it is not read.
static int read_relation(reading *w, const char *left, size_t which,
                         const char *right,
                         tenon_guard out[TENON_PT2_POWER_GUARDS]) {
  char error[160] = "";
  const tenon_pt2_expr with = {&w->g->scope->im->m->symbols,
                               guards_find_size,
                               w,
                               error,
                               sizeof error,
                               true};
  const uint32_t relation = tenon_pt2_relations[which].relation;
  const bool is_turned = tenon_pt2_relations[which].is_turned;
  tenon_dim a, b;
  if (!parse_sides(&with, left, right, &a, &b))
    return tenon_pt2_power_guards(&with, left, relation, is_turned, right, out);
  out[0] = (tenon_guard){
      relation, is_turned ? b : a, is_turned ? a : b, "", false, 0};
  return 1;
}

// Any condition: what it is worth has to be 1.
static tenon_status add_truth(reading *w, const char *text, const char *code) {
  tenon_pt2 *im = w->g->scope->im;
  char error[160] = "";
  const tenon_pt2_expr with = {&im->m->symbols, guards_find_size, w,
                               error,           sizeof error,     true};
  tenon_guard guard = {
      TENON_RELATION_EQ, {0, 0}, tenon_dim_fixed(1), code, false, 0};
  if (tenon_pt2_expr_truth(&with, text, &guard.a) == TENON_PT2_EXPR_OK)
    return tenon_pt2_condition(im, &guard, tenon_pt2_listed(im, "guards_code"));
  if (im->m->arena.failed) return tenon_pt2_memory(im);
  return tenon_pt2_has_power(code) ? not_compared(w, code)
                                   : guards_refuse(w, code, error);
}

// "a <= b < c" is two relations. Nothing is added where one of them is not
// read, as "not a <= b" says neither: *known is false then.
static tenon_status add_chain(reading *w, char *left, const char *code,
                              bool *known) {
  tenon_pt2 *im = w->g->scope->im;
  tenon_guard guards[MOST_RELATIONS + TENON_PT2_POWER_GUARDS];
  size_t which = 0, next_which = 0, n = 0;
  char *at = find_relation(left, &which);
  bool is_read = at != NULL;
  while (is_read && at) {
    char *right = at + strlen(tenon_pt2_relations[which].token);
    char *next = find_relation(right, &next_which);
    *at = 0;
    if (next) *next = 0;
    int made = n < MOST_RELATIONS
                   ? read_relation(w, left, which, right, &guards[n])
                   : -1;
    is_read = made >= 0;
    for (; made > 0; --made)
      guards[n++].text = code;
    left = right;
    at = next;
    which = next_which;
  }
  const tenon_loc loc = tenon_pt2_listed(im, "guards_code");
  if (im->m->arena.failed) return tenon_pt2_memory(im);
  for (size_t i = 0; is_read && i < n; ++i)
    TENON_TRY(tenon_pt2_condition(im, &guards[i], loc));
  *known = is_read;
  return TENON_OK;
}

// Relations where it is a chain of such, else what it is worth.
static tenon_status guards_add_part(reading *w, char *text, const char *code) {
  tenon_pt2 *im = w->g->scope->im;
  const char *all = tenon_arena_string(&im->scratch, text);
  bool known = false;
  if (!all) return tenon_pt2_memory(im);
  if (!is_joined(text)) TENON_TRY(add_chain(w, text, code, &known));
  return known ? TENON_OK : add_truth(w, all, code);
}

// What "and" joins, and what it joins in parentheses.
static tenon_status guards_add_all(reading *w, char *text, const char *code,
                                   int depth) {
  for (text = guards_unwrap(text); text;) {
    if (is_joined(text)) return guards_add_part(w, text, code);
    char *rest = split_and(text), *first = guards_unwrap(text);
    if (first != text && depth < MOST_DEPTH)
      TENON_TRY(guards_add_all(w, first, code, depth + 1));
    else
      TENON_TRY(guards_add_part(w, first, code));
    text = rest;
  }
  return TENON_OK;
}

static tenon_status add_guard(reading *w, const char *code) {
  if (!guards_resolve(w, code)) return not_found(w, code);
  if (w->text.failed) return tenon_pt2_memory(w->g->scope->im);
  if (!w->text.data) return guards_refuse(w, code, "is empty");
  if (w->text.size > MOST_TEXT) return guards_refuse(w, code, "is too long");
  return guards_add_all(w, w->text.data, code, 0);
}

tenon_status tenon_pt2_guards(const tenon_pt2_signature *g) {
  tenon_pt2 *im = g->scope->im;
  tenon_json list = tenon_json_get(&im->program_root, "guards_code");
  TENON_TRY(tenon_pt2_range_guards(im, false));
  if (!tenon_json_is(&list)) return TENON_OK;
  TENON_TRY(tenon_json_array(&list));
  for (size_t i = 0; i < tenon_json_count(&list); ++i) {
    const char *code = NULL;
    tenon_json at = tenon_json_item(&list, i);
    reading w = {.g = g};
    TENON_TRY(tenon_json_text(&at, &code));
    tenon_buf_init(&w.text, im->cx->allocator);
    tenon_status status = add_guard(&w, code);
    tenon_buf_deinit(&w.text);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}
