// How: emitted C is one file, so what two plugins' texts define at file level
// under one name would collide, or, worse, silently mean the other's. The texts
// are read as a row of declarations: a name is defined where it is followed by
// a body, an initialiser, a bracket, a comma or a semicolon. Macros that a text
// leaves behind must not occur in another plugin's at all.
#include "emit/text/clash.h"

#include <string.h>

#include "base/hash.h"
#include "emit/emission.h"
#include "emit/text/text_parts.h"

#define MOST_ERRORS 16u

typedef struct checker {
  tenon_emission *e;
  const tenon_emit_piece *pieces;
  size_t n;
  tenon_map defined;  // name to the piece that defines it
  tenon_map names;    // the same names
  tenon_map macros;   // name to the piece whose macro it is
  uint32_t errors;
  tenon_status status;
} checker;

// --- tokens -----------------------------------------------------------------

static tenon_c_scan scan_of(const checker *c, const tenon_emit_piece *p) {
  return (tenon_c_scan){c->e->texts.data + p->begin, c->e->texts.data + p->end,
                        true};
}

static tenon_c_token clash_next(tenon_c_scan *s) {
  return tenon_c_next(s, true);
}

// To behind what closes the bracket that was just read.
static void skip_balanced(tenon_c_scan *s, char open, char close) {
  int depth = 1;
  for (char t = clash_next(s).kind; t; t = depth > 0 ? clash_next(s).kind : 0) {
    if (t == open) ++depth;
    if (t == close) --depth;
  }
}

// --- what texts define ------------------------------------------------------

static uint64_t clash_key_of(tenon_text name) {
  return tenon_hash(name.data, name.size, TENON_HASH_SEED);
}

static bool is_macro(const checker *c, tenon_text name) {
  return tenon_map_find(&c->macros, clash_key_of(name)) != NULL;
}

static void clash_blame(checker *c, tenon_text name, const tenon_emit_piece *a,
                        const tenon_emit_piece *b, const char *how) {
  const tenon_diag note = tenon_note_of(
      "emit-clash",
      "emitted C is one file: let names in a text begin with the plugin's, and "
      "#undef its macros at the end",
      NULL);
  if (++c->errors > MOST_ERRORS) return;
  c->status = tenon_fail_notes(
      c->e->report, TENON_CONFLICT, "emit-clash", NULL, &note,
      "'%.*s' of the text '%s' of plugin '%s' %s the text '%s' of plugin '%s'",
      (int)(name.size < 100 ? name.size : 100), name.data, a->name, a->owner,
      how, b->name, b->owner);
}

static void blame_prefix(checker *c, tenon_text name,
                         const tenon_emit_piece *p) {
  const tenon_diag note = tenon_note_of(
      "emit-clash",
      "give another prefix (--prefix), or let names in the plugin's text begin "
      "with something else",
      NULL);
  if (++c->errors > MOST_ERRORS) return;
  c->status = tenon_fail_notes(
      c->e->report, TENON_CONFLICT, "emit-clash", NULL, &note,
      "'%.*s' of the text '%s' of plugin '%s' is a name that emitted C with "
      "the prefix '%s' has itself",
      (int)(name.size < 100 ? name.size : 100), name.data, p->name, p->owner,
      c->e->prefix);
}

static bool is_foreign(const tenon_emit_piece *a, const tenon_emit_piece *b) {
  return *a->owner && *b->owner && strcmp(a->owner, b->owner) != 0;
}

static void clash_define(checker *c, size_t piece, tenon_text name) {
  bool added = false;
  if (name.size == 0 || is_macro(c, name)) return;
  if (name.size > 1 && name.data[0] == '_' && name.data[1] == '_') return;
  if (*c->pieces[piece].owner && tenon_emit_owns(c->e, name)) {
    blame_prefix(c, name, &c->pieces[piece]);
    return;
  }
  uint64_t *slot =
      tenon_map_put(&c->defined, clash_key_of(name), piece, &added);
  if (added) {
    const char *text = tenon_arena_text(&c->e->arena, name.data, name.size);
    if (text) (void)tenon_map_put_text(&c->names, text, piece, NULL);
  }
  if (!slot || added) return;  // without memory the map has latched that
  if (is_foreign(&c->pieces[*slot], &c->pieces[piece])) {
    clash_blame(c, name, &c->pieces[*slot], &c->pieces[piece],
                "is also defined by");
    *slot = piece;
  }
}

typedef struct declaration {
  tenon_text last;    // the latest name
  tenon_text callee;  // the name before the first parenthesis
  tenon_text tag;     // behind struct, union or enum
  bool is_extern, has_parens, ends_in_parens;
  bool is_in_value;  // behind a '=', where names are used
  bool is_tag_next, is_enum, is_tag_only;
} declaration;

static void take_enumerators(checker *c, size_t piece, tenon_c_scan *s) {
  char before = '{';
  int depth = 1;
  for (tenon_c_token t = clash_next(s); t.kind; t = clash_next(s)) {
    if (t.kind == '{' || t.kind == '(') ++depth;
    if (t.kind == '}' || t.kind == ')') --depth;
    if (t.kind == 'a' && depth == 1 && (before == '{' || before == ','))
      clash_define(c, piece, t.text);
    before = t.kind;
    if (depth == 0) return;
  }
}

static void clash_take_word(checker *c, declaration *d, tenon_text word) {
  // A macro that stood for a whole declaration needs no semicolon.
  if (d->ends_in_parens && is_macro(c, d->callee)) *d = (declaration){0};
  bool is_tag = tenon_text_is(word, "struct") || tenon_text_is(word, "union") ||
                tenon_text_is(word, "enum");
  d->ends_in_parens = false;
  if (tenon_text_is(word, "extern")) d->is_extern = true;
  if (d->is_in_value) return;
  d->is_enum = d->is_enum || tenon_text_is(word, "enum");
  if (is_tag) {
    d->is_tag_next = d->is_tag_only = true;
  } else if (d->is_tag_next) {
    d->is_tag_next = false;
    d->tag = word;
  } else {
    d->is_tag_only = false;
    d->last = word;
  }
}

// Behind a brace at file level; true: the declaration has ended with it.
static bool take_brace(checker *c, size_t piece, tenon_c_scan *s,
                       declaration *d) {
  bool is_body = d->has_parens && !d->is_tag_only && !d->is_in_value;
  if (is_body) clash_define(c, piece, d->callee);
  if (d->is_tag_only && !d->is_in_value) clash_define(c, piece, d->tag);
  if (d->is_enum && !is_body)
    take_enumerators(c, piece, s);
  else
    skip_balanced(s, '{', '}');
  d->is_tag_next = d->is_tag_only = d->is_enum = false;
  return is_body;
}

static void end_declarator(checker *c, size_t piece, const declaration *d) {
  if (!d->has_parens && !d->is_extern && !d->is_tag_only && !d->is_in_value)
    clash_define(c, piece, d->last);
}

static void read_definitions(checker *c, size_t piece) {
  tenon_c_scan s = scan_of(c, &c->pieces[piece]);
  declaration d = {0};
  for (tenon_c_token t = clash_next(&s); t.kind; t = clash_next(&s)) {
    if (t.kind == 'a') {
      clash_take_word(c, &d, t.text);
    } else if (t.kind == '(') {
      if (!d.has_parens) d.callee = d.last;
      // tenon/tensor.h: what stands in the brackets is the function's name.
      if (!d.has_parens && (tenon_text_is(d.last, "TENON_KERNEL") ||
                            tenon_text_is(d.last, "TENON_KERNEL_RANGE"))) {
        t = clash_next(&s);
        if (t.kind == 'a') d.callee = t.text;
      }
      d.has_parens = d.ends_in_parens = true;
      skip_balanced(&s, '(', ')');
    } else if (t.kind == '{') {
      if (take_brace(c, piece, &s, &d)) d = (declaration){0};
    } else if (t.kind == '[') {
      skip_balanced(&s, '[', ']');
    } else if (t.kind == '=') {
      end_declarator(c, piece, &d);
      d.is_in_value = true;
    } else if (t.kind == ',' || t.kind == ';') {
      end_declarator(c, piece, &d);
      d.has_parens = d.is_in_value = false;
      if (t.kind == ';') d = (declaration){0};
    }
  }
}

// --- macros -----------------------------------------------------------------

// The verb of a directive and the name behind it: of "#define N 3", N.
static tenon_text clash_name_of(tenon_text directive, tenon_text *verb) {
  tenon_c_scan s = {directive.data + 1, directive.data + directive.size, false};
  *verb = clash_next(&s).text;
  return clash_next(&s).text;
}

static void read_macros(checker *c, size_t piece) {
  tenon_c_scan s = scan_of(c, &c->pieces[piece]);
  for (tenon_c_token t = clash_next(&s); t.kind; t = clash_next(&s)) {
    tenon_text verb, name;
    if (t.kind != '#') continue;
    name = clash_name_of(t.text, &verb);
    if (tenon_text_is(verb, "define"))
      (void)tenon_map_put(&c->macros, clash_key_of(name), piece, NULL);
  }
}

// Whether a text says of a macro itself what it is to be.
static bool settles(const checker *c, const tenon_emit_piece *p,
                    tenon_text name) {
  tenon_c_scan s = scan_of(c, p);
  for (tenon_c_token t = clash_next(&s); t.kind; t = clash_next(&s)) {
    tenon_text verb, other;
    if (t.kind != '#') continue;
    other = clash_name_of(t.text, &verb);
    bool is_settling =
        tenon_text_is(verb, "undef") || tenon_text_is(verb, "ifndef");
    if (is_settling && other.size == name.size &&
        memcmp(other.data, name.data, name.size) == 0)
      return true;
  }
  return false;
}

static void look_at_word(checker *c, size_t piece, tenon_text word) {
  const tenon_emit_piece *p = &c->pieces[piece];
  uint64_t *slot = tenon_map_find(&c->macros, clash_key_of(word));
  if (!slot) return;
  const tenon_emit_piece *a = &c->pieces[*slot];
  if (a->begin > p->begin || !is_foreign(a, p)) return;
  if (settles(c, p, word) || settles(c, a, word)) return;
  clash_blame(c, word, a, p, "is a macro that also stands in");
  *slot = piece;
}

static void look_for_macros(checker *c, size_t piece) {
  tenon_c_scan s = scan_of(c, &c->pieces[piece]);
  for (tenon_c_token t = clash_next(&s); t.kind; t = clash_next(&s)) {
    if (t.kind == 'a') look_at_word(c, piece, t.text);
    if (t.kind != '#') continue;
    tenon_c_scan line = {t.text.data + 1, t.text.data + t.text.size, false};
    for (tenon_c_token w = clash_next(&line); w.kind; w = clash_next(&line))
      if (w.kind == 'a') look_at_word(c, piece, w.text);
  }
}

tenon_status tenon_emit_check_clashes(tenon_emission *e,
                                      const tenon_emit_piece *pieces,
                                      size_t n) {
  checker c = {.e = e, .pieces = pieces, .n = n, .status = TENON_OK};
  tenon_map_init(&c.defined, e->allocator);
  tenon_map_init(&c.names, e->allocator);
  tenon_map_init(&c.macros, e->allocator);
  for (size_t i = 0; i < n; ++i)
    read_macros(&c, i);
  for (size_t i = 0; i < n; ++i)
    read_definitions(&c, i);
  for (size_t i = 0; i < n; ++i)
    look_for_macros(&c, i);
  // Names given from here on keep clear of those in texts.
  for (size_t i = 0; i < c.names.count; ++i)
    (void)tenon_map_put_text(&e->symbols, c.names.entries[i].text, 0, NULL);
  if (c.defined.failed || c.names.failed || c.macros.failed ||
      tenon_emission_failed(e))
    c.status = tenon_emission_memory(e);
  tenon_map_deinit(&c.defined);
  tenon_map_deinit(&c.names);
  tenon_map_deinit(&c.macros);
  return c.status;
}
