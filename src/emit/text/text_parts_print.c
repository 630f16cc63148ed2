// How: the parts that are used, in their order, each with the comments in front
// of it; a text that has none goes with its title. Declarations of the public
// headers go without comments, which those headers have, and without members
// that no kernel reads.
#include "emit/text/text_parts.h"

typedef struct tenon_parts parts;

static uint32_t member_bit(tenon_text word) {
#define MEMBER(name) \
  if (tenon_text_is(word, #name)) return TENON_WORD_##name;
  TENON_EMIT_MEMBERS(MEMBER)
#undef MEMBER
  return 0;
}

static bool names(const parts *p, const tenon_part *part, const char *name) {
  for (uint32_t i = 0; i < part->n_names; ++i)
    if (strcmp(p->names.data[part->name + i], name) == 0) return true;
  return false;
}

bool tenon_emit_is_call_type(const parts *p, const tenon_part *part) {
  return part->kind == TENON_PART_TYPE &&
         p->pieces.data[part->piece].is_public &&
         (names(p, part, "tenon_tensor") || names(p, part, "tenon_call"));
}

// A line without its comment and the blanks in front of that.
static size_t bare_size(const char *line, size_t size) {
  for (size_t i = 0; i + 1 < size; ++i)
    if (line[i] == '/' && line[i + 1] == '/') {
      size = i;
      break;
    }
  while (size && (line[size - 1] == ' ' || line[size - 1] == '\t'))
    --size;
  return size;
}

// Drops a declaration of members that are not read: `const void *user;`.
static bool text_print_is_read(const char *text, size_t size, uint32_t read) {
  tenon_c_scan s = {text, text + size, false};
  tenon_c_token last = {0, {NULL, 0}}, t;
  bool any = false, known = true;
  while ((t = tenon_c_next(&s, false)).kind) {
    if ((t.kind == ';' || t.kind == ',') && last.kind == 'a') {
      uint32_t bit = member_bit(last.text);
      known &= bit != 0;
      any |= (bit & read) != 0;
    }
    last = t;
  }
  return any || !known;
}

// Lines of the public headers; a member has one line but for its comment.
static void put_bare(tenon_buf *out, const char *text, size_t size,
                     bool is_trimmed, uint32_t read) {
  const char *end = text + size;
  bool is_first = true;
  while (text < end) {
    const char *stop = text;
    while (stop < end && *stop != '\n')
      ++stop;
    size_t n = bare_size(text, (size_t)(stop - text));
    bool is_member =
        is_trimmed && !is_first && n && text[n - 1] == ';' && *text == ' ';
    if (n && (!is_member || text_print_is_read(text, n, read))) {
      tenon_buf_add(out, text, n);
      bool goes_on = text[n - 1] == '=' && stop < end;
      tenon_buf_char(out, goes_on ? ' ' : '\n');
      while (goes_on && stop + 1 < end && stop[1] == ' ')
        ++stop;
    }
    is_first = false;
    text = stop + 1;
  }
}

// The structs of a call without what no kernel reads.
void tenon_emit_call_types(const tenon_emission *e, tenon_buf *out) {
  const parts *p = e->parts;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    const tenon_part *part = &p->list.data[i];
    if (tenon_emit_is_call_type(p, part))
      put_bare(out, e->texts.data + part->body, part->end - part->body, true,
               e->members);
  }
}

static bool is_long(const tenon_part *part) {
  return part->kind == TENON_PART_CODE || part->kind == TENON_PART_TYPE;
}

static void text_print_put_part(const tenon_emission *e, tenon_buf *out,
                                const tenon_part *part) {
  const parts *p = e->parts;
  const char *text = e->texts.data;
  if (!p->pieces.data[part->piece].is_public) {
    tenon_buf_add(out, text + part->begin, part->end - part->begin);
    return;
  }
  put_bare(out, text + part->body, part->end - part->body,
           tenon_emit_is_call_type(p, part), e->members);
}

void tenon_emit_parts(const tenon_emission *e, tenon_buf *out, bool is_public) {
  const parts *p = e->parts;
  uint32_t titled = UINT32_MAX;
  bool was_long = false;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    const tenon_part *part = &p->list.data[i];
    const tenon_emit_piece *piece = &p->pieces.data[part->piece];
    if (!part->is_used || piece->is_public != is_public) continue;
    if (titled != part->piece && !is_public)
      tenon_buf_add(out, e->texts.data + piece->begin,
                    piece->head - piece->begin);
    titled = part->piece;
    if (is_public && (is_long(part) || was_long)) tenon_buf_char(out, '\n');
    was_long = is_long(part);
    text_print_put_part(e, out, part);
  }
}
