// How: the text is walked once, token by token. At depth 0 a declaration ends
// at its semicolon or the brace of a function's body; a directive is a part of
// its own there, and of what it stands in elsewhere. Which names a part defines
// is read off what follows them, generously: a name too many keeps a part.
#include "emit/text/text_parts.h"

typedef struct cutter {
  tenon_emission *e;
  tenon_c_scan scan;
  const char *text;  // of all pieces
  const char *lead;  // where the next part begins, comments included
  uint32_t piece, group;
  tenon_part part;
} cutter;

static bool push_part(cutter *c) {
  c->part.piece = c->piece;
  c->part.group = c->group;
  c->part.n_names = (uint32_t)c->e->parts->names.count - c->part.name;
  if (c->part.n_names == 0 && c->part.kind != TENON_PART_LINE)
    c->part.is_root = true;
  return tenon_vec_push(&c->e->parts->list, c->part);
}

static void open_part(cutter *c, const char *body, tenon_part_kind kind) {
  memset(&c->part, 0, sizeof c->part);
  c->part.begin = (size_t)(c->lead - c->text);
  c->part.body = (size_t)(body - c->text);
  c->part.name = (uint32_t)c->e->parts->names.count;
  c->part.kind = (uint8_t)kind;
}

// A comment behind it in the same line is its own.
static void close_part(cutter *c) {
  const char *p = c->scan.p;
  while (p < c->scan.end && (*p == ' ' || *p == '\t'))
    ++p;
  if (p + 1 < c->scan.end && p[0] == '/' && p[1] == '/')
    while (p < c->scan.end && *p != '\n')
      ++p;
  if (p < c->scan.end && *p == '\n') {
    ++p;
    c->scan.p = p;
    c->scan.at_line = true;
  }
  c->part.end = (size_t)(c->scan.p - c->text);
  c->lead = c->scan.p;
}

static bool text_part_add_name(cutter *c, tenon_text word) {
  const char *name = tenon_arena_text(&c->e->arena, word.data, word.size);
  return name && tenon_vec_push(&c->e->parts->names, name);
}

// --- directives -------------------------------------------------------------

static bool text_part_take_directive(cutter *c, tenon_c_token line) {
  tenon_c_scan s = {line.text.data, line.text.data + line.text.size, false};
  (void)tenon_c_next(&s, false);  // the #
  tenon_c_token word = tenon_c_next(&s, false);
  bool is_macro = word.kind == 'a' && (tenon_text_is(word.text, "define") ||
                                       tenon_text_is(word.text, "undef"));
  bool opens = word.kind == 'a' && word.text.size >= 2 &&
               memcmp(word.text.data, "if", 2) == 0;
  bool closes = word.kind == 'a' && tenon_text_is(word.text, "endif");
  bool turns = word.kind == 'a' && (tenon_text_is(word.text, "else") ||
                                    tenon_text_is(word.text, "elif"));
  open_part(c, line.text.data, is_macro ? TENON_PART_MACRO : TENON_PART_LINE);
  if (is_macro) {
    tenon_c_token name = tenon_c_next(&s, false);
    if (name.kind == 'a' && !text_part_add_name(c, name.text)) return false;
    for (tenon_c_token t = name; t.kind; t = tenon_c_next(&s, false))
      c->part.is_pasting |= t.kind == '2';
  } else if (!opens && !closes && !turns) {
    c->part.is_root = true;
  }
  close_part(c);
  if (!push_part(c)) return false;
  // Parts are counted from 1 in `group`.
  if (opens) c->group = (uint32_t)c->e->parts->list.count;
  if (closes && c->group) c->group = c->e->parts->list.data[c->group - 1].group;
  return true;
}

// Of a macro that is defined within a declaration.
static bool add_macro(cutter *c, tenon_c_token line) {
  tenon_c_scan s = {line.text.data, line.text.data + line.text.size, false};
  (void)tenon_c_next(&s, false);
  tenon_c_token word = tenon_c_next(&s, false), name = tenon_c_next(&s, false);
  for (tenon_c_token t = name; t.kind; t = tenon_c_next(&s, false))
    c->part.is_pasting |= t.kind == '2';
  return !tenon_text_is(word.text, "define") || name.kind != 'a' ||
         text_part_add_name(c, name.text);
}

// --- declarations -----------------------------------------------------------

typedef struct reading {
  int braces, parens;
  bool is_function;  // the brace at depth 0 is of a body
  bool is_assigned;  // an = at depth 0
  bool is_calls;     // so far nothing but calls of macros
  bool is_type, has_enum;
  tenon_c_token last;  // the token before
  tenon_text called;   // the word in front of the last ( at depth 0
} reading;

// What stands in front of a ( that is no list of parameters.
static bool is_attribute(tenon_text word) {
  return tenon_text_is(word, "__attribute__") ||
         tenon_text_is(word, "__declspec") || tenon_text_is(word, "_Alignas");
}

static bool names_type(tenon_text word) {
  return tenon_text_is(word, "struct") || tenon_text_is(word, "union") ||
         tenon_text_is(word, "enum");
}

// A macro's call may define what it is given, but no word of C's own.
static bool is_word_of_c(tenon_text word) {
  static const char *const words[] = {
      "_Alignof", "_Bool",     "bool",     "char",      "const",    "double",
      "enum",     "float",     "int",      "int16_t",   "int32_t",  "int64_t",
      "int8_t",   "intptr_t",  "long",     "ptrdiff_t", "short",    "signed",
      "size_t",   "sizeof",    "struct",   "uint16_t",  "uint32_t", "uint64_t",
      "uint8_t",  "uintptr_t", "unsigned", "union",     "void"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (tenon_text_is(word, words[i])) return true;
  return false;
}

// Whether the word before `t` is a name that is defined here: of a macro's call
// what is an argument alone, not what stands in an expression.
static bool defines(const reading *r, tenon_c_token before, tenon_c_token t) {
  if (r->last.kind != 'a') return false;
  if (r->braces > 0)
    return r->has_enum && r->is_type &&
           (t.kind == ',' || t.kind == '=' || t.kind == '}');
  if (r->parens > 0)
    return (r->is_calls && r->parens == 1 && !is_word_of_c(r->last.text) &&
            (before.kind == '(' || before.kind == ',') &&
            (t.kind == ',' || t.kind == ')')) ||
           (r->is_type && t.kind == ')');
  if (before.kind == 'a' && names_type(before.text)) return true;
  if (t.kind == '{' && r->is_type) return true;    // a tag behind an attribute
  if (r->is_calls && t.kind == '(') return false;  // a macro's call
  return !r->is_assigned && (t.kind == '(' || t.kind == ';' || t.kind == ',' ||
                             t.kind == '=' || t.kind == '[');
}

static void count_depth(reading *r, char kind) {
  if (kind == '(' || kind == '[') ++r->parens;
  if ((kind == ')' || kind == ']') && r->parens > 0) --r->parens;
  if (kind == '{' && r->braces++ == 0)
    r->is_function = r->last.kind == ')' && !r->is_assigned && !r->parens &&
                     !is_attribute(r->called);
  if (kind == '}' && r->braces > 0) --r->braces;
}

// Whether the declaration ends with `t`, which has been counted.
static bool is_end(const reading *r, char kind) {
  if (r->braces > 0 || r->parens > 0) return false;
  return kind == ';' || (kind == '}' && r->is_function);
}

// Whether what was read is macros' calls, whole ones. What follows such a row
// is its own, but the body of a function that it declares.
static bool ends_row(const cutter *c, const reading *r) {
  return c->part.is_call && r->is_calls && r->last.kind == ')' &&
         r->braces == 0 && r->parens == 0;
}

static bool take_declaration(cutter *c, tenon_c_token first) {
  reading r = {.is_calls = true};
  tenon_c_token t = first, before = {0, {NULL, 0}};
  open_part(c, first.text.data, TENON_PART_CODE);
  r.is_type = first.kind == 'a' &&
              (names_type(first.text) || tenon_text_is(first.text, "typedef"));
  for (; t.kind; t = tenon_c_next(&c->scan, true)) {
    if (t.kind == '#') {
      if (ends_row(c, &r)) {  // without a semicolon
        c->scan.p = r.last.text.data + r.last.text.size;
        break;
      }
      if (!add_macro(c, t)) return false;
      continue;
    }
    if (defines(&r, before, t) && !text_part_add_name(c, r.last.text))
      return false;
    if (t.kind == 'a' && tenon_text_is(t.text, "enum")) r.has_enum = true;
    // Two words in a row, or anything but a call, is no row of calls.
    if (r.braces == 0 && r.parens == 0) {
      if (r.is_calls && t.kind == '(' && r.last.kind == 'a')
        c->part.is_call = true;
      if (t.kind != '(' && (t.kind != 'a' || r.last.kind == 'a') &&
          t.kind != '{' && t.kind != ';' && t.kind != ')')
        r.is_calls = false;
      if (t.kind == '(' && r.last.kind == 'a') r.called = r.last.text;
      if (t.kind == '=') r.is_assigned = true;
    }
    count_depth(&r, t.kind);
    before = r.last;
    r.last = t;
    if (is_end(&r, t.kind)) break;
  }
  if (t.kind == 0) {
    c->part.is_root = r.braces > 0 || r.parens > 0 || !c->part.is_call;
    c->scan.p = c->scan.end;
  }
  if (r.is_type && !r.is_assigned && !r.is_function)
    c->part.kind = TENON_PART_TYPE;
  close_part(c);
  return push_part(c);
}

bool tenon_parts_cut(tenon_emission *e, uint32_t index) {
  const tenon_emit_piece *piece = &e->parts->pieces.data[index];
  const char *text = e->texts.data;
  cutter c = {.e = e, .text = text, .piece = index};
  c.scan.p = c.lead = text + piece->head;
  c.scan.end = text + piece->end;
  c.scan.at_line = true;
  for (;;) {
    tenon_c_token t = tenon_c_next(&c.scan, true);
    if (t.kind == 0) return true;
    if (t.kind == '#' ? !text_part_take_directive(&c, t)
                      : !take_declaration(&c, t))
      return false;
  }
}
