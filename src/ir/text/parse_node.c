// ir/text/parse_node.c - statements, bodies.
//
// Regions are parsed before the node that owns them is made, as a rewriting
// does (ir/rewrite/rewrite.c): the end of the graph around them stands for
// their parent until then. So what a node needs is known when it is built, and
// its results are not visible in its regions.

#include "ir/text/parser.h"

// ---------------------------------------------------------------------------
// Operands
// ---------------------------------------------------------------------------

// What a name stands for: a value, or what a list has.
typedef struct operands {
  tenon_value *one, *const *list;
  uint32_t n;
} operands;

// An operand: a value, or `none`; in a text with a host, also the name of a
// list.
static bool take_operand(tenon_parser *p, operands *out) {
  const tenon_token at = p->token;
  const char *name = NULL, *key = NULL;
  *out = (operands){.n = 1, .list = &out->one};
  if (tenon_parser_accept_word(p, "none")) return true;
  if (p->host && tenon_parser_is(p, '$'))
    return tenon_parser_expected(
        p, "a value, such as %k of '%k = const f32[] {$a}'");
  if (!tenon_parser_is(p, '%')) return tenon_parser_expected(p, "a value");
  if (!tenon_parser_name(p, &name, &key)) return false;
  const uint64_t *slot = tenon_map_find_text(&p->scope, key);
  if (slot && *slot != 0) {
    out->one = p->bindings.data[*slot - 1].value;
    return true;
  }
  if (p->host && p->host->list(p, name, &out->list, &out->n)) return true;
  if (p->host && p->host->is_open(p))
    return p->host->input(p, &at, name, key, &out->one);
  size_t size = (size_t)(p->token.text.data - at.text.data);
  while (size > 0 &&
         (at.text.data[size - 1] == ' ' || at.text.data[size - 1] == '\n'))
    --size;
  return tenon_parser_fail(p, &at, "'%.*s' is not defined here",
                           size > 60 ? 60 : (int)size, at.text.data);
}

// ---------------------------------------------------------------------------
// The parts of a statement
// ---------------------------------------------------------------------------

typedef struct result {
  tenon_token at;
  const char *name, *key;
} result;

// A statement while it is being read. Lists are flat, with bounds; no bounds
// where nothing was in brackets.
typedef struct statement {
  tenon_statement_at at;
  TENON_VEC(result) results;
  TENON_VEC(uint16_t) out_bounds;
  TENON_VEC(tenon_value *) in;
  TENON_VEC(uint16_t) in_bounds;
  TENON_VEC(tenon_type) types;
  TENON_VEC(uint32_t) decided;
  TENON_VEC(tenon_graph *) regions;
  bool has_out_lists, has_in_lists, has_types;
  tenon_node_spec spec;
} statement;

static void parse_node_start(tenon_parser *p, statement *s) {
  tenon_allocator allocator = p->m->arena.allocator;
  memset(s, 0, sizeof *s);
  s->at.whole = s->at.op = p->token;
  tenon_vec_init(&s->results, allocator);
  tenon_vec_init(&s->out_bounds, allocator);
  tenon_vec_init(&s->in, allocator);
  tenon_vec_init(&s->in_bounds, allocator);
  tenon_vec_init(&s->types, allocator);
  tenon_vec_init(&s->decided, allocator);
  tenon_vec_init(&s->regions, allocator);
}

static void parse_node_finish(statement *s) {
  tenon_vec_deinit(&s->results);
  tenon_vec_deinit(&s->out_bounds);
  tenon_vec_deinit(&s->in);
  tenon_vec_deinit(&s->in_bounds);
  tenon_vec_deinit(&s->types);
  tenon_vec_deinit(&s->decided);
  tenon_vec_deinit(&s->regions);
}

static bool check_count(tenon_parser *p, size_t n) {
  return n <= UINT16_MAX ||
         tenon_parser_fail(p, &p->token, "more than %d in one list",
                           UINT16_MAX);
}

static bool take_result(tenon_parser *p, statement *s) {
  result r = {p->token, NULL, NULL};
  if (!tenon_parser_name(p, &r.name, &r.key)) return false;
  r.key = tenon_arena_string(&p->arena, r.key);
  if (!r.key || !tenon_vec_push(&s->results, r)) return tenon_parser_memory(p);
  return check_count(p, s->results.count);
}

static bool take_in(tenon_parser *p, statement *s) {
  operands o;
  if (!take_operand(p, &o)) return false;
  for (uint32_t i = 0; i < o.n; ++i)
    if (!tenon_vec_push(&s->in, o.list[i])) return tenon_parser_memory(p);
  return check_count(p, s->in.count);
}

// One, or any number in brackets.
static bool take_group(tenon_parser *p, statement *s, bool *has_lists,
                       bool (*take)(tenon_parser *p, statement *s)) {
  if (!tenon_parser_accept(p, '[')) return take(p, s);
  *has_lists = true;
  while (!tenon_parser_is(p, ']')) {
    if (!take(p, s)) return false;
    if (!tenon_parser_accept(p, ',')) break;
  }
  return tenon_parser_expect(p, ']');
}

// `%a, [%b, %c] =`
static bool parse_node_take_results(tenon_parser *p, statement *s) {
  if (!tenon_vec_push(&s->out_bounds, 0)) return tenon_parser_memory(p);
  do {
    if (!take_group(p, s, &s->has_out_lists, take_result)) return false;
    if (!tenon_vec_push(&s->out_bounds, (uint16_t)s->results.count))
      return tenon_parser_memory(p);
  } while (tenon_parser_accept(p, ','));
  return check_count(p, s->out_bounds.count) && tenon_parser_expect(p, '=');
}

static bool take_argument(tenon_parser *p, statement *s) {
  if (!take_group(p, s, &s->has_in_lists, take_in)) return false;
  if (!tenon_vec_push(&s->in_bounds, (uint16_t)s->in.count))
    return tenon_parser_memory(p);
  return check_count(p, s->in_bounds.count);
}

static bool parse_node_take_operands(tenon_parser *p, statement *s) {
  if (!tenon_vec_push(&s->in_bounds, 0)) return tenon_parser_memory(p);
  if (!tenon_parser_expect(p, '(')) return false;
  if (tenon_parser_accept(p, ')')) return true;
  do {
    if (!take_argument(p, s)) return false;
  } while (tenon_parser_accept(p, ','));
  return tenon_parser_expect(p, ')');
}

static bool take_operator(tenon_parser *p, statement *s) {
  const char *name = NULL;
  s->at.op = p->token;
  if (tenon_parser_is(p, TENON_TOKEN_WORD)) {
    name = tenon_arena_text(&p->arena, p->token.text.data, p->token.text.size);
    if (!name) return tenon_parser_memory(p);
    tenon_parser_next(p);
  } else if (tenon_parser_is(p, TENON_TOKEN_STRING)) {
    if (!tenon_parser_text(p, &name)) return false;
    if (!name[0])
      return tenon_parser_fail(p, &s->at.op, "an operator without a name");
  } else {
    return tenon_parser_expected(p, "an operator");
  }
  s->spec.op = tenon_module_op(p->m, name);
  return s->spec.op || tenon_parser_memory(p);
}

// Whether the next token goes on with the statement: it is on its line.
static bool goes_on(const tenon_parser *p, const char *word) {
  return !p->token.is_first && tenon_parser_is_word(p, word);
}

static bool take_decided(tenon_parser *p, statement *s) {
  do {
    tenon_dim d = {0, 0};
    if (!tenon_parser_symbol(p, &d)) return false;
    if (!tenon_vec_push(&s->decided, d.symbol)) return tenon_parser_memory(p);
  } while (tenon_parser_accept(p, ','));
  return true;
}

static bool take_extras(tenon_parser *p, statement *s) {
  if (tenon_parser_is(p, '[') && !p->token.is_first) {
    tenon_parser_next(p);
    if (!tenon_parser_args(p, &s->spec.args, &s->at.args)) return false;
  }
  if (goes_on(p, "functional")) {
    s->spec.is_functional = true;
    tenon_parser_next(p);
  }
  if (goes_on(p, "opaque")) {
    tenon_parser_next(p);
    if (!tenon_parser_bytes(p, &s->spec.opaque, &s->spec.opaque_size))
      return false;
  }
  if (!goes_on(p, "decides")) return true;
  tenon_parser_next(p);
  return take_decided(p, s);
}

static bool take_types(tenon_parser *p, statement *s) {
  const tenon_token at = p->token;
  if (!tenon_parser_accept(p, ':')) return true;
  s->has_types = true;
  do {
    tenon_type t;
    if (!tenon_parser_type(p, &t)) return false;
    if (!tenon_vec_push(&s->types, t)) return tenon_parser_memory(p);
  } while (tenon_parser_accept(p, ','));
  if (s->types.count == s->results.count) return true;
  return tenon_parser_fail(p, &at, "%zu types for %zu results", s->types.count,
                           s->results.count);
}

// ---------------------------------------------------------------------------
// Regions
// ---------------------------------------------------------------------------

bool tenon_parser_params(tenon_parser *p, tenon_graph *g) {
  if (!tenon_parser_expect(p, '(')) return false;
  if (tenon_parser_accept(p, ')')) return true;
  do {
    const tenon_token at = p->token;
    const char *name = NULL, *key = NULL;
    tenon_type type;
    tenon_loc loc = 0;
    if (!tenon_parser_name(p, &name, &key)) return false;
    key = tenon_arena_string(&p->arena, key);
    if (!key) return tenon_parser_memory(p);
    if (!tenon_parser_expect(p, ':') || !tenon_parser_type(p, &type) ||
        !tenon_parser_place(p, &at, &loc))
      return false;
    tenon_value *v = tenon_build_param(g, name, &type, loc);
    if (!tenon_parser_built(p, v != NULL) ||
        !tenon_parser_define(p, &at, key, v))
      return false;
  } while (tenon_parser_accept(p, ','));
  return tenon_parser_expect(p, ')');
}

static bool take_region(tenon_parser *p, statement *s, tenon_graph *around) {
  const tenon_token at = p->token;
  size_t n_bindings = p->bindings.count;
  tenon_graph *g = tenon_graph_alloc(p->m, "", around->end,
                                     (uint32_t)s->regions.count, s->spec.loc);
  if (!g || !tenon_vec_push(&s->regions, g)) return tenon_parser_memory(p);
  if (!tenon_parser_params(p, g)) return false;
  if (tenon_parser_is(p, '@') && !tenon_parser_place(p, &at, &g->loc))
    return false;
  if (!tenon_parser_expect(p, '{') || !tenon_parser_body(p, g)) return false;
  tenon_parser_leave(p, n_bindings);
  return true;
}

static bool take_regions(tenon_parser *p, statement *s, tenon_graph *around) {
  if (!tenon_parser_is(p, '{')) return true;
  if (around->depth >= TENON_MAX_NESTING)
    return tenon_parser_fail(p, &p->token, "more than %d regions in each other",
                             TENON_MAX_NESTING);
  tenon_parser_next(p);
  while (!tenon_parser_is(p, '}')) {
    if (!take_region(p, s, around) || !check_count(p, s->regions.count))
      return false;
  }
  return tenon_parser_expect(p, '}');
}

// ---------------------------------------------------------------------------
// Statements
// ---------------------------------------------------------------------------

static bool parse_node_make(tenon_parser *p, const tenon_statement_at *at,
                            tenon_node_spec *spec, tenon_graph *g,
                            tenon_value ***out) {
  if (p->host) return p->host->statement(p, at, spec, g, out);
  tenon_node *node = tenon_build_node(g, NULL, spec);
  if (!tenon_parser_built(p, node != NULL)) return false;
  *out = node->out;
  return true;
}

static bool parse_node_build(tenon_parser *p, statement *s, tenon_graph *g) {
  size_t n = s->results.count;
  tenon_node_spec *spec = &s->spec;
  const char **names = tenon_arena_array(&p->arena, const char *, n);
  const tenon_type **types =
      tenon_arena_array(&p->arena, const tenon_type *, n);
  if (!names || !types) return tenon_parser_memory(p);
  for (size_t i = 0; i < n; ++i) {
    names[i] = s->results.data[i].name;
    if (s->has_types) types[i] = &s->types.data[i];
  }
  spec->in = s->in.data;
  spec->n_in = (uint32_t)s->in.count;
  if (s->has_in_lists) {
    spec->in_group = s->in_bounds.data;
    spec->n_in_groups = (uint16_t)(s->in_bounds.count - 1);
  }
  spec->n_out = (uint32_t)n;
  if (s->has_out_lists) {
    spec->out_group = s->out_bounds.data;
    spec->n_out_groups = (uint16_t)(s->out_bounds.count - 1);
  }
  spec->names = names;
  spec->types = s->has_types ? types : NULL;
  spec->decided = s->decided.data;
  spec->n_decided = (uint32_t)s->decided.count;
  spec->n_regions = (uint32_t)s->regions.count;
  spec->regions = s->regions.data;
  tenon_value **out = NULL;
  if (!parse_node_make(p, &s->at, spec, g, &out)) return false;
  for (size_t i = 0; i < n; ++i) {
    const result *r = &s->results.data[i];
    if (!tenon_parser_define(p, &r->at, r->key, out[i])) return false;
  }
  return true;
}

static bool parse_node(tenon_parser *p, statement *s, tenon_graph *g) {
  return take_operator(p, s) && parse_node_take_operands(p, s) &&
         take_extras(p, s) && take_types(p, s) &&
         tenon_parser_place(p, &s->at.whole, &s->spec.loc) &&
         take_regions(p, s, g) && parse_node_build(p, s, g);
}

// `%x = input f32[2]`: a parameter of the short form.
static bool parse_input(tenon_parser *p, const result *r, tenon_graph *g) {
  tenon_type type;
  tenon_loc loc = 0;
  tenon_parser_next(p);
  if (g != p->body)
    return tenon_parser_fail(p, &r->at, "an input in a function or region");
  if (!tenon_parser_type(p, &type) || !tenon_parser_place(p, &r->at, &loc))
    return false;
  tenon_value *v = tenon_build_param(g, r->name, &type, loc);
  return tenon_parser_built(p, v != NULL) &&
         tenon_parser_define(p, &r->at, r->key, v);
}

// Behind the `=` of a single result.
static bool parse_definition(tenon_parser *p, statement *s, tenon_graph *g) {
  bool is_single = s->results.count == 1 && !s->has_out_lists;
  if (is_single && tenon_parser_is_word(p, "const")) {
    const result *r = &s->results.data[0];
    tenon_parser_next(p);
    return tenon_parser_constant(p, &r->at, r->name, r->key, false);
  }
  if (is_single && tenon_parser_is_word(p, "input"))
    return parse_input(p, &s->results.data[0], g);
  return parse_node(p, s, g);
}

// `as "y"`: in the short form, the name of an output. `into 1`: the value of an
// input after the run; these stand at the end.
static bool take_output(tenon_parser *p) {
  const char *name = NULL;
  if (goes_on(p, "into")) {
    uint16_t input = 0;
    tenon_parser_next(p);
    return tenon_parser_input(p, &input) &&
           (tenon_vec_push(&p->writes, input) || tenon_parser_memory(p));
  }
  if (p->writes.count > 0) return tenon_parser_expected(p, "'into'");
  if (goes_on(p, "as")) {
    tenon_parser_next(p);
    if (!tenon_parser_text(p, &name)) return false;
  }
  return tenon_vec_push(&p->outputs, name) || tenon_parser_memory(p);
}

static bool parse_return(tenon_parser *p, statement *s, tenon_graph *g) {
  tenon_loc loc = 0;
  tenon_parser_next(p);
  if (!p->token.is_first && tenon_parser_is(p, '%')) {
    do {
      if (!take_in(p, s) || (g == p->body && !take_output(p))) return false;
    } while (tenon_parser_accept(p, ','));
  }
  if (!tenon_parser_place(p, &s->at.whole, &loc)) return false;
  if (p->host)
    return p->host->returns(p, &s->at.whole, g, s->in.data,
                            (uint32_t)s->in.count, loc);
  return tenon_parser_built(
      p, tenon_build_results(g, s->in.data, (uint32_t)s->in.count, loc));
}

bool tenon_parser_statement(tenon_parser *p, tenon_graph *g, bool *is_end) {
  statement s;
  bool done = false;
  parse_node_start(p, &s);
  *is_end = tenon_parser_is_word(p, "return");
  if (*is_end) {
    done = parse_return(p, &s, g);
  } else if (tenon_parser_is(p, '%') || tenon_parser_is(p, '[')) {
    done = parse_node_take_results(p, &s) && parse_definition(p, &s, g);
  } else {
    done = parse_node(p, &s, g);
  }
  parse_node_finish(&s);
  return done;
}

bool tenon_parser_body(tenon_parser *p, tenon_graph *g) {
  bool is_end = false;
  while (!is_end) {
    if (tenon_parser_is(p, '}'))
      return tenon_parser_expected(p, "a statement or 'return'");
    if (!tenon_parser_statement(p, g, &is_end)) return false;
  }
  return tenon_parser_expect(p, '}');
}
