// How: every name leads to the parts that define it, and a part to those that
// define what it mentions; what the steps mention is where it begins. A macro
// that puts names together leads to whatever these might be. Members of tensors
// and calls that no kernel mentions are left out of these structs, and so of
// what each step has on its stack.
#include <string.h>

#include "emit/idents.h"
#include "emit/text/text_parts.h"

typedef struct tenon_parts parts;

// --- words ------------------------------------------------------------------

static const struct {
  const char *word;
  uint32_t bits;
} members_and_types[] = {
#define MEMBER(name) {#name, TENON_WORD_##name},
    TENON_EMIT_MEMBERS(MEMBER)
#undef MEMBER
        {"float", TENON_WORD_REAL},
    {"double", TENON_WORD_REAL},
    {"tenon_opt_float", TENON_WORD_REAL},
};
enum { WORDS = sizeof members_and_types / sizeof *members_and_types };

// Functions of <math.h>, without the f or l of a type, and what else it has.
static const char functions[] =
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf "
    "erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb "
    "ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf "
    "nan nearbyint nextafter nexttoward pow remainder remquo rint round "
    "scalbln scalbn sin sinh sqrt tan tanh tgamma trunc";
static const char macros[] =
    "FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF "
    "INFINITY NAN fpclassify isfinite isgreater isgreaterequal isinf isless "
    "islessequal islessgreater isnan isnormal isunordered signbit float_t "
    "double_t";

static void add_math(tenon_emission *e, const char *list, bool has_types) {
  tenon_map *map = &e->parts->words_map;
  tenon_text rest = tenon_text_of(list), word;
  char name[24];
  while (tenon_text_next(&rest, ' ', &word))
    for (int i = 0; i < (has_types ? 3 : 1); ++i) {
      memcpy(name, word.data, word.size);
      name[word.size] = "\0fl"[i];
      name[word.size + 1] = 0;
      const char *key = tenon_arena_string(&e->arena, name);
      if (!key) return;
      (void)tenon_map_put_text(
          map, key,
          has_types ? TENON_WORD_FUNCTION : TENON_WORD_MATH | TENON_WORD_REAL,
          NULL);
    }
}

static void shake_list_words(tenon_emission *e) {
  for (size_t i = 0; i < WORDS; ++i)
    (void)tenon_map_put_text(&e->parts->words_map, members_and_types[i].word,
                             members_and_types[i].bits, NULL);
  add_math(e, functions, true);
  add_math(e, macros, false);
}

static uint64_t *shake_find(const tenon_map *map, tenon_text word) {
  char name[128];
  if (word.size >= sizeof name) return NULL;  // no macro and no kernel has such
  memcpy(name, word.data, word.size);
  name[word.size] = 0;
  return tenon_map_find_text(map, name);
}

// What a word says of the part that it stands in; `after` is what follows it.
static uint32_t shake_bits_of(const parts *p, tenon_text word, char after) {
  const uint64_t *bits = shake_find(&p->words_map, word);
  bool is_limit = word.size > 4 && (memcmp(word.data, "FLT_", 4) == 0 ||
                                    memcmp(word.data, "DBL_", 4) == 0 ||
                                    memcmp(word.data, "LDBL", 4) == 0);
  if (is_limit) return TENON_WORD_LIMITS | TENON_WORD_REAL;
  if (!bits) return 0;
  if (*bits != TENON_WORD_FUNCTION) return (uint32_t)*bits;
  return after == '(' ? TENON_WORD_FUNCTION | TENON_WORD_MATH | TENON_WORD_REAL
                      : 0;
}

// --- operands ---------------------------------------------------------------

// Follows `in` and `out` as the members of a call: how many of their elements a
// text refers to, by numbers and for a member; all where it does anything else
// with them, as the address of an element may be that of those behind it.
typedef struct operands {
  char before;  // in front of the word
  int state;    // 0: none; 1: a word; 2: its [; 3: the number; 4: its ]
  bool is_out;
  bool is_member;  // behind -> or .
  uint32_t number;
} operands;

static void shake_raise(uint32_t *most, uint32_t n) {
  if (n > *most) *most = n;
}

static void shake_follow(operands *o, tenon_c_token t, uint32_t *in,
                         uint32_t *out) {
  uint32_t *most = o->is_out ? out : in;
  char before = o->before;
  o->before = t.kind;
  if (o->state == 1 && t.kind == '[') {
    o->state = 2;
    return;
  }
  if (o->state == 2 && t.kind == '0' && t.text.size == 1) {
    o->state = 3;
    o->number = (uint32_t)(*t.text.data - '0') + 1;
    return;
  }
  if (o->state == 3 && t.kind == ']') {
    o->state = 4;
    return;
  }
  if (o->state == 4 && (t.kind == '.' || !o->is_member)) {
    shake_raise(most, o->number);
    o->state = 0;
  }
  // A local of this name may be anything, an argument of a macro is a member.
  if (o->state > 1 ||
      (o->state == 1 && (o->is_member || t.kind == ',' || t.kind == ')')))
    shake_raise(most, TENON_EMIT_ALL_OPERANDS);
  o->state = 0;
  if (t.kind != 'a') return;
  bool is_in = tenon_text_is(t.text, "in");
  o->is_out = tenon_text_is(t.text, "out");
  if (!is_in && !o->is_out) return;
  o->state = 1;
  o->is_member = before == '.' || before == '>';
}

// --- references -------------------------------------------------------------

static bool add_edge(parts *p, tenon_part *from, uint32_t to) {
  if (p->stamps[to] == p->stamp) return true;
  p->stamps[to] = p->stamp;
  ++from->n_edges;
  return tenon_vec_push(&p->edges, to);
}

static bool add_edges(parts *p, tenon_part *from, const uint64_t *first) {
  for (uint64_t i = first ? *first : 0; i; i = p->chain.data[i - 1].next)
    if (!add_edge(p, from, p->chain.data[i - 1].part)) return false;
  return true;
}

static bool is_parameter(tenon_text parameters, tenon_text word) {
  tenon_c_scan s = {parameters.data, parameters.data + parameters.size, false};
  for (;;) {
    tenon_c_token t = tenon_c_next(&s, false);
    if (t.kind == 0) return false;
    if (t.kind == 'a' && t.text.size == word.size &&
        memcmp(t.text.data, word.data, word.size) == 0)
      return true;
  }
}

// All names that begin and end so.
static bool add_pasted(parts *p, tenon_part *from, tenon_text head,
                       tenon_text tail) {
  for (size_t i = 0; i < p->map.count; ++i) {
    const char *name = p->map.entries[i].text;
    size_t size = strlen(name);
    if (size < head.size + tail.size ||
        memcmp(name, head.data, head.size) != 0 ||
        memcmp(name + size - tail.size, tail.data, tail.size) != 0)
      continue;
    if (!add_edges(p, from, &p->map.entries[i].value)) return false;
  }
  return true;
}

// `tenon_load_##t`, `name##_add`: the ends that are not parameters.
static bool follow_pasting(parts *p, tenon_part *from, const char *text) {
  tenon_c_scan s = {text + from->body, text + from->end, false};
  tenon_text parameters = {text + from->body, 0}, head = {NULL, 0};
  tenon_c_token last = {0, {NULL, 0}}, t;
  bool is_open = false;  // behind a ##
  while ((t = tenon_c_next(&s, false)).kind) {
    if (parameters.size == 0 && t.kind == ')')
      parameters.size = (size_t)(s.p - parameters.data);
    tenon_text none = {"", 0}, piece = t.text;
    if (t.kind == '2' && !is_open) {
      head = last.kind == 'a' && !is_parameter(parameters, last.text)
                 ? last.text
                 : none;
      is_open = true;
    } else if (is_open && t.kind != '2') {
      tenon_c_scan ahead = s;
      bool goes_on = tenon_c_next(&ahead, false).kind == '2';
      if (!goes_on) {
        bool is_text = (t.kind == 'a' || t.kind == '0') &&
                       !is_parameter(parameters, t.text);
        if (!add_pasted(p, from, head, is_text ? piece : none)) return false;
        is_open = false;
      }
    }
    last = t;
  }
  return true;
}

// A conditional is printed whole, and within those that it stands in.
static bool follow_group(parts *p, uint32_t index) {
  tenon_part *part = &p->list.data[index];
  if (part->group && !add_edge(p, part, part->group - 1)) return false;
  if (part->kind != TENON_PART_LINE) return true;
  for (uint32_t i = index + 1; i < p->list.count; ++i) {
    const tenon_part *other = &p->list.data[i];
    if (other->piece != part->piece || other->group < index + 1) break;
    if (other->group == index + 1 && other->kind == TENON_PART_LINE &&
        !other->is_root && !add_edge(p, part, i))
      return false;
  }
  return true;
}

static bool follow_part(parts *p, uint32_t index, const char *text) {
  tenon_part *part = &p->list.data[index];
  tenon_c_scan s = {text + part->body, text + part->end, true};
  operands o = {0};
  part->edge = (uint32_t)p->edges.count;
  // Theirs depend on what is read of them.
  if (tenon_emit_is_call_type(p, part)) return follow_group(p, index);
  p->stamps[index] = ++p->stamp;
  for (tenon_c_token t = tenon_c_next(&s, false); t.kind;
       t = tenon_c_next(&s, false)) {
    bool is_type = part->kind == TENON_PART_TYPE;
    if (!is_type) shake_follow(&o, t, &part->most_in, &part->most_out);
    if (t.kind != 'a') continue;
    if (!add_edges(p, part, shake_find(&p->map, t.text))) return false;
    if (is_type) continue;
    char after = s.p < s.end ? *s.p : 0;
    // A function that a macro is given is called in the macro's text.
    bool is_given = part->is_call && (after == ',' || after == ')');
    part->words |= shake_bits_of(p, t.text, is_given ? '(' : after);
  }
  if (o.state)  // a macro's text goes on where it is called
    shake_raise(o.is_out ? &part->most_out : &part->most_in,
                TENON_EMIT_ALL_OPERANDS);
  if (part->is_pasting && !follow_pasting(p, part, text)) return false;
  return follow_group(p, index);
}

// What calls a macro that puts names together may define any.
static bool may_define(const parts *p, const tenon_part *part, int depth) {
  for (uint32_t i = 0; i < part->n_edges; ++i) {
    const tenon_part *to = &p->list.data[p->edges.data[part->edge + i]];
    if (to->kind != TENON_PART_MACRO) continue;
    if (to->is_pasting || (depth > 0 && may_define(p, to, depth - 1)))
      return true;
  }
  return false;
}

static bool list_names(parts *p) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.data[i].n_names; ++k) {
      const char *name = p->names.data[p->list.data[i].name + k];
      uint64_t *first = tenon_map_put_text(&p->map, name, 0, NULL);
      if (!first ||
          !tenon_vec_push(&p->chain, (tenon_part_chain){i, (uint32_t)*first}))
        return false;
      *first = p->chain.count;
    }
  return true;
}

tenon_status tenon_emit_open_parts(tenon_emission *e) {
  parts *p = e->parts = tenon_arena_new(&e->arena, struct tenon_parts);
  if (!p) return tenon_emission_memory(e);
  tenon_map_init(&p->map, e->allocator);
  tenon_map_init(&p->words_map, e->allocator);
  tenon_vec_init(&p->pieces, e->allocator);
  tenon_vec_init(&p->list, e->allocator);
  tenon_vec_init(&p->names, e->allocator);
  tenon_vec_init(&p->edges, e->allocator);
  tenon_vec_init(&p->stack, e->allocator);
  tenon_vec_init(&p->chain, e->allocator);
  return TENON_OK;
}

void tenon_emit_close_parts(tenon_emission *e) {
  parts *p = e->parts;
  if (!p) return;
  tenon_map_deinit(&p->map);
  tenon_map_deinit(&p->words_map);
  tenon_vec_deinit(&p->pieces);
  tenon_vec_deinit(&p->list);
  tenon_vec_deinit(&p->names);
  tenon_vec_deinit(&p->edges);
  tenon_vec_deinit(&p->stack);
  tenon_vec_deinit(&p->chain);
}

bool tenon_emit_take_apart(tenon_emission *e) {
  parts *p = e->parts;
  shake_list_words(e);
  for (uint32_t i = 0; i < p->pieces.count; ++i)
    if (!tenon_parts_cut(e, i)) return false;
  p->stamps = tenon_arena_array(&e->arena, uint32_t, p->list.count + 1);
  if (!p->stamps || !list_names(p)) return false;
  for (uint32_t i = 0; i < p->list.count; ++i)
    if (!follow_part(p, i, e->texts.data)) return false;
  for (uint32_t i = 0; i < p->list.count; ++i)
    if (p->list.data[i].is_call && may_define(p, &p->list.data[i], 8))
      p->list.data[i].is_root = true;
  return true;
}

// --- reaching ---------------------------------------------------------------

static bool shake_push(parts *p, uint32_t part) {
  if (p->stamps[part] == p->stamp) return true;
  p->stamps[part] = p->stamp;
  return tenon_vec_push(&p->stack, part);
}

static bool shake_push_named(parts *p, const uint64_t *first) {
  for (uint64_t i = first ? *first : 0; i; i = p->chain.data[i - 1].next)
    if (!shake_push(p, p->chain.data[i - 1].part)) return false;
  return true;
}

// Empties the stack; parts are marked if they are to be printed.
static bool shake_spread(parts *p, tenon_emit_reads *reads, bool marks) {
  while (p->stack.count) {
    tenon_part *part = &p->list.data[tenon_vec_pop(&p->stack)];
    if (marks) part->is_used = true;
    reads->words |= part->words;
    shake_raise(&reads->in, part->most_in);
    shake_raise(&reads->out, part->most_out);
    for (uint32_t i = 0; i < part->n_edges; ++i)
      if (!shake_push(p, p->edges.data[part->edge + i])) return false;
  }
  return true;
}

static bool push_roots(parts *p) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    if (p->list.data[i].is_root && !shake_push(p, i)) return false;
  return true;
}

// With what a kernel measures and counts by.
bool tenon_emit_reads_of(tenon_emission *e, const char *symbol,
                         tenon_emit_reads *reads) {
  static const char *const suffixes[] = {"", "_measure", "_items"};
  parts *p = e->parts;
  memset(reads, 0, sizeof *reads);
  ++p->stamp;
  if (!push_roots(p)) return false;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
    const char *const names[] = {symbol, suffixes[i], NULL};
    const char *name = tenon_ident_join(&e->arena, names);
    if (!name || !shake_push_named(p, tenon_map_find_text(&p->map, name)))
      return false;
  }
  return shake_spread(p, reads, false);
}

static bool mark_text(parts *p, const tenon_buf *text) {
  if (!text->data) return true;
  tenon_c_scan s = {text->data, text->data + text->size, true};
  for (tenon_c_token t = tenon_c_next(&s, false); t.kind;
       t = tenon_c_next(&s, false)) {
    if (t.kind != 'a') continue;
    if (!shake_push_named(p, shake_find(&p->map, t.text))) return false;
    p->used.words |= shake_bits_of(p, t.text, s.p < s.end ? *s.p : 0);
  }
  return true;
}

bool tenon_emit_mark(tenon_emission *e, const tenon_buf *const *texts,
                     size_t n) {
  parts *p = e->parts;
  tenon_buf calls;
  bool ok = true, has_calls = false;
  ++p->stamp;
  for (uint32_t i = 0; i < e->p->n_kernels; ++i)
    has_calls |=
        e->ways[i] == TENON_WAY_SOURCE || e->ways[i] == TENON_WAY_EXTERN;
  if (!push_roots(p)) return false;
  tenon_buf_init(&calls, e->allocator);
  if (has_calls) tenon_emit_call_types(e, &calls);
  for (uint32_t i = 0; i < e->p->n_constants; ++i)
    if (e->is_used[i] && e->p->constants[i].dtype == TENON_STR)
      tenon_buf_text(&calls, " tenon_string");  // their type
  ok = !calls.failed && mark_text(p, &calls);
  tenon_buf_deinit(&calls);
  for (size_t i = 0; ok && i < n; ++i)
    ok = mark_text(p, texts[i]);
  return ok && shake_spread(p, &p->used, true);
}

bool tenon_emit_has(const tenon_emission *e, uint32_t words) {
  return (e->parts->used.words & words) != 0;
}
