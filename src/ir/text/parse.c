// ir/text/parse.c - what stands in a module, and the parse as a whole.
//
// Items may come in any order but for what names something: states before their
// types are looked at, constants before their uses, functions by number. Entry
// points are kept until all functions are there. A module is given out only
// when everything was read; before, its owner is the parser.
#include "ir/out_variant.h"
#include "ir/text/parser.h"

// ---------------------------------------------------------------------------
// Items
// ---------------------------------------------------------------------------

static bool parse_const(tenon_parser *p) {
  const tenon_token at = p->token;
  const char *name = NULL, *key = NULL;
  if (!tenon_parser_name(p, &name, &key)) return false;
  key = tenon_arena_string(&p->arena, key);
  if (!key) return tenon_parser_memory(p);
  return tenon_parser_constant(p, &at, name, key, true);
}

static bool parse_state(tenon_parser *p) {
  const tenon_token at = p->token;
  const void *data = NULL;
  const tenon_text *texts = NULL;
  tenon_tensor initial;
  tenon_state state;
  int32_t dims[TENON_MAX_RANK];
  memset(&state, 0, sizeof state);
  (void)tenon_parser_accept(p, '%');
  if (!tenon_parser_text(p, &state.name) || !tenon_parser_expect(p, ':') ||
      !tenon_parser_type(p, &state.type))
    return false;
  if (tenon_parser_accept(p, '=')) {
    if (!tenon_parser_data(p, &state.type, &data, &texts)) return false;
    memset(&initial, 0, sizeof initial);
    for (int i = 0; i < state.type.rank; ++i)
      dims[i] = (int32_t)state.type.dims[i].value;
    initial.data = (void *)(uintptr_t)data;
    initial.dims = dims;
    initial.rank = state.type.rank;
    if (state.type.dtype == TENON_STR)
      initial.data = (void *)(uintptr_t)tenon_build_texts(
          p->m, texts, tenon_count(&initial));
    initial.dtype = state.type.dtype;
    initial.quant = state.type.quant;
    state.initial = &initial;
    state.is_borrowed = true;  // the parser made it in the module's arena
  }
  if (!tenon_parser_place(p, &at, &state.loc)) return false;
  return tenon_parser_built(p, tenon_build_state(p->m, &state));
}

// An out variant has a schema and nothing else: what it writes stands in it.
static bool ir_describe(tenon_parser *p, const tenon_metadata *d) {
  tenon_module *m = p->m;
  char error[256];
  size_t at = 0;
  tenon_schema *schema = NULL;
  const tenon_op *op = NULL;
  bool has_written = false;
  if (!tenon_text_starts(d->key, TENON_SCHEMA_KEY)) return true;
  const char *text = tenon_arena_text(&m->arena, d->data, d->size);
  if (!text) return tenon_parser_memory(p);
  // Another text of that key is nobody's schema.
  if (!tenon_schema_parse(&m->arena, text, &schema, error, sizeof error, &at))
    return !m->arena.failed || tenon_parser_memory(p);
  for (int i = 0; i < schema->n_args; ++i)
    has_written |= schema->args[i].is_written;
  if (!has_written) return true;
  const tenon_op *known = tenon_module_op(m, schema->name);
  bool is_open =
      known && (!known->desc || (known->desc->flags & TENON_OP_DECLARED) != 0);
  return !is_open ||
         tenon_parser_built(
             p, tenon_out_variant_of_schema(m, schema, text, &op) == TENON_OK);
}

static bool parse_metadata(tenon_parser *p) {
  tenon_metadata d = {NULL, NULL, 0};
  const void *data = NULL;
  if (!tenon_parser_text(p, &d.key) || !tenon_parser_expect(p, '='))
    return false;
  if (tenon_parser_is(p, TENON_TOKEN_ELLIPSIS))
    return tenon_parser_fail(p, &p->token,
                             "metadata were left out of this text");
  if (!tenon_parser_bytes(p, &data, &d.size)) return false;
  d.key = tenon_arena_string(&p->m->arena, d.key);
  d.data = tenon_arena_copy(&p->m->arena, data, d.size, 1);
  if (!d.key || !d.data || !tenon_vec_push(&p->m->metadata, d))
    return tenon_parser_memory(p);
  return ir_describe(p, &d);
}

static bool parse_names(tenon_parser *p, const char *const **out, size_t *n) {
  TENON_VEC(const char *) list;
  bool done = tenon_parser_expect(p, '(');
  tenon_vec_init(&list, p->m->arena.allocator);
  while (done && !tenon_parser_is(p, ')')) {
    const char *name = NULL;
    if (list.count > 0) done = tenon_parser_expect(p, ',');
    done = done && tenon_parser_text(p, &name);
    if (done && !tenon_vec_push(&list, name)) done = tenon_parser_memory(p);
  }
  done = done && tenon_parser_expect(p, ')');
  if (done) {
    *n = list.count;
    *out =
        tenon_arena_copy(&p->arena, list.data, list.count * sizeof *list.data,
                         _Alignof(const char *));
    if (!*out) done = tenon_parser_memory(p);
  }
  tenon_vec_deinit(&list);
  return done;
}

// into (1, 2)
static bool parse_writes(tenon_parser *p, const uint16_t **out, size_t *n) {
  TENON_VEC(uint16_t) list;
  if (!tenon_parser_accept_word(p, "into")) return true;
  bool done = tenon_parser_expect(p, '(');
  tenon_vec_init(&list, p->m->arena.allocator);
  do {
    uint16_t input = 0;
    done = done && tenon_parser_input(p, &input);
    if (done && !tenon_vec_push(&list, input)) done = tenon_parser_memory(p);
  } while (done && tenon_parser_accept(p, ','));
  done = done && tenon_parser_expect(p, ')');
  if (done) {
    *n = list.count;
    *out = tenon_arena_copy(&p->arena, list.data,
                            list.count * sizeof *list.data, _Alignof(uint16_t));
    if (!*out) done = tenon_parser_memory(p);
  }
  tenon_vec_deinit(&list);
  return done;
}

// entry "serving_default" = @0 ("x") -> ("y") into (0)
static bool ir_parse_entry(tenon_parser *p) {
  tenon_pending_entry e;
  memset(&e, 0, sizeof e);
  e.at = p->token;
  return tenon_parser_text(p, &e.name) && tenon_parser_expect(p, '=') &&
         tenon_parser_expect(p, '@') && tenon_parser_int(p, &e.function) &&
         parse_names(p, &e.inputs, &e.n_inputs) &&
         tenon_parser_expect(p, TENON_TOKEN_ARROW) &&
         parse_names(p, &e.outputs, &e.n_outputs) &&
         parse_writes(p, &e.writes, &e.n_writes) &&
         (tenon_vec_push(&p->entries, e) || tenon_parser_memory(p));
}

// func @0 "main" (%x: f32[2]) { ... }
static bool parse_function(tenon_parser *p) {
  const tenon_token at = p->token;
  const char *name = NULL;
  int64_t index = 0;
  size_t n_bindings = p->bindings.count;
  if (p->body)
    return tenon_parser_fail(p, &at, "a function beside a body without one");
  if (!tenon_parser_expect(p, '@') || !tenon_parser_int(p, &index))
    return false;
  if (index < 0 || (uint64_t)index != p->m->functions.count)
    return tenon_parser_fail(p, &at, "expected function @%zu, found @%lld",
                             p->m->functions.count, (long long)index);
  if (!tenon_parser_text(p, &name)) return false;
  tenon_graph *g = tenon_build_function(p->m, name, 0);
  if (!tenon_parser_built(p, g != NULL) || !tenon_parser_params(p, g) ||
      !tenon_parser_place(p, &at, &g->loc))
    return false;
  if (!tenon_parser_expect(p, '{') || !tenon_parser_body(p, g)) return false;
  tenon_parser_leave(p, n_bindings);
  return true;
}

static bool parse_header_text(tenon_parser *p, const char **out) {
  const char *text = NULL;
  if (!tenon_parser_text(p, &text)) return false;
  *out = tenon_arena_string(&p->m->arena, text);
  return *out || tenon_parser_memory(p);
}

// ---------------------------------------------------------------------------
// The module
// ---------------------------------------------------------------------------

// A statement of the short form: the body of function 0, "main".
static bool parse_short(tenon_parser *p) {
  if (!p->body && p->m->functions.count > 0)
    return tenon_parser_expected(p, "an item of a module");
  if (p->has_returned)
    return tenon_parser_expected(p, "'}' behind the end of the body");
  if (!p->body) {
    p->body =
        tenon_build_function(p->m, "main", tenon_parser_implied(p, &p->token));
    if (!tenon_parser_built(p, p->body != NULL)) return false;
  }
  return tenon_parser_statement(p, p->body, &p->has_returned);
}

static bool ir_parse_item(tenon_parser *p) {
  static const struct {
    const char *word;
    bool (*parse)(tenon_parser *p);
  } items[] = {{"dim", tenon_parser_range},  {"state", parse_state},
               {"const", parse_const},       {"metadata", parse_metadata},
               {"entry", ir_parse_entry},    {"func", parse_function},
               {"guard", tenon_parser_guard}};
  for (size_t i = 0; i < sizeof items / sizeof *items; ++i) {
    if (tenon_parser_accept_word(p, items[i].word)) return items[i].parse(p);
  }
  if (tenon_parser_accept_word(p, "format"))
    return parse_header_text(p, &p->m->format);
  if (tenon_parser_accept_word(p, "description"))
    return parse_header_text(p, &p->m->description);
  if (tenon_parser_accept_word(p, "target"))
    return parse_header_text(p, &p->m->target);
  return parse_short(p);
}

static bool build_entry(tenon_parser *p, const tenon_pending_entry *e) {
  if (e->function < 0 || (uint64_t)e->function >= p->m->functions.count)
    return tenon_parser_fail(p, &e->at, "there is no function @%lld",
                             (long long)e->function);
  tenon_graph *g = p->m->functions.data[e->function];
  if (e->n_inputs != g->n_params ||
      e->n_outputs + e->n_writes != g->end->n_in || e->n_writes > g->n_params)
    return tenon_parser_fail(
        p, &e->at,
        "function @%lld has %u parameters and %u results, not %zu "
        "and %zu",
        (long long)e->function, (unsigned)g->n_params, (unsigned)g->end->n_in,
        e->n_inputs, e->n_outputs + e->n_writes);
  return tenon_parser_built(
      p, tenon_build_entry_writing(p->m, e->name, g, e->inputs, e->outputs,
                                   e->writes, (uint32_t)e->n_writes));
}

// The entry that a body in the module itself is.
static bool build_short_entry(tenon_parser *p) {
  const tenon_graph *g = p->body;
  const char **inputs = tenon_arena_array(&p->arena, const char *, g->n_params);
  const char **outputs =
      tenon_arena_array(&p->arena, const char *, g->end->n_in);
  if (!inputs || !outputs) return tenon_parser_memory(p);
  if (!p->has_returned) return tenon_parser_expected(p, "'return'");
  for (uint32_t i = 0; i < g->n_params; ++i)
    inputs[i] = g->params[i]->name;
  for (uint32_t i = 0; i < p->outputs.count; ++i) {
    const char *name = p->outputs.data[i];
    outputs[i] = name ? name : tenon_node_in(g->end, i)->name;
  }
  if (p->writes.count > g->n_params)
    return tenon_parser_fail(p, &p->token, "%zu inputs of %u are written",
                             p->writes.count, (unsigned)g->n_params);
  return tenon_parser_built(
      p, tenon_build_entry_writing(p->m, "main", p->body, inputs, outputs,
                                   p->writes.data, (uint32_t)p->writes.count));
}

// Symbols without a `dim` are sizes.
static void narrow_symbols(tenon_parser *p) {
  for (size_t i = 0; i < p->symbols.count; ++i) {
    const tenon_map_entry *e = &p->symbols.entries[i];
    if (!(e->value & 1))
      (void)tenon_symbols_narrow(&p->m->symbols, (uint32_t)(e->value / 2), 0,
                                 INT64_MAX);
  }
}

static bool parse_module(tenon_parser *p) {
  tenon_parser_next(p);
  if (!tenon_parser_accept_word(p, "module"))
    return tenon_parser_expected(p, "'module'");
  p->m->is_anonymous = !tenon_parser_is(p, TENON_TOKEN_STRING);
  if (!p->m->is_anonymous && !parse_header_text(p, &p->m->name)) return false;
  if (!tenon_parser_expect(p, '{')) return false;
  while (!tenon_parser_is(p, '}')) {
    if (!ir_parse_item(p)) return false;
  }
  if (p->body && !build_short_entry(p)) return false;
  tenon_parser_next(p);
  if (!tenon_parser_is(p, TENON_TOKEN_END))
    return tenon_parser_expected(p, "the end of the text");
  for (size_t i = 0; i < p->entries.count; ++i) {
    if (!build_entry(p, &p->entries.data[i])) return false;
  }
  narrow_symbols(p);
  return !p->m->arena.failed || tenon_parser_memory(p);
}

bool tenon_parse_recognise(const void *data, size_t size) {
  const char *s = data;
  for (size_t i = 0; i < size;) {
    if (s[i] == '#') {
      while (i < size && s[i] != '\n')
        ++i;
    } else if (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n') {
      ++i;
    } else {
      static const char word[] = "module";
      size_t n = sizeof word - 1;
      return size - i > n && memcmp(s + i, word, n) == 0 &&
             (memchr(" \t\r\n{\"#", s[i + n], 7) != NULL);
    }
  }
  return false;
}

void tenon_parser_init(tenon_parser *p, tenon_allocator allocator) {
  memset(p, 0, sizeof *p);
  p->line = 1;
  tenon_arena_init(&p->arena, allocator);
  tenon_buf_init(&p->key, allocator);
  tenon_map_init(&p->scope, allocator);
  tenon_map_init(&p->symbols, allocator);
  tenon_vec_init(&p->bindings, allocator);
  tenon_vec_init(&p->entries, allocator);
  tenon_vec_init(&p->outputs, allocator);
  tenon_vec_init(&p->writes, allocator);
}

void tenon_parser_deinit(tenon_parser *p) {
  tenon_vec_deinit(&p->writes);
  tenon_vec_deinit(&p->outputs);
  tenon_vec_deinit(&p->entries);
  tenon_vec_deinit(&p->bindings);
  tenon_map_deinit(&p->symbols);
  tenon_map_deinit(&p->scope);
  tenon_buf_deinit(&p->key);
  tenon_arena_deinit(&p->arena);
}

tenon_status tenon_parse_module(tenon_context *cx, const void *data,
                                size_t size, const char *name,
                                tenon_module **out) {
  tenon_parser p;
  *out = NULL;
  tenon_parser_init(&p, cx->allocator);
  p.status = tenon_module_create(cx, name, &p.m);
  if (p.status == TENON_OK) {
    p.file = p.m->name;
    p.text.data = data;
    p.text.size = size;
    if (parse_module(&p)) {
      *out = p.m;
    } else {
      tenon_module_release(p.m);
    }
  }
  tenon_parser_deinit(&p);
  return p.status;
}
