// How: libyaml's events, one after the other, are hung into the innermost open
// list or map; a stack of those replaces recursion. Keys of a map are looked
// for in a table for the whole text, by the number of the map and the key.
#include "conf/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/hash.h"
#include "base/label.h"
#include "base/map.h"

typedef struct open {
  tenon_yaml *node;
  tenon_yaml **tail;
  tenon_yaml *key;  // of a map: read, and waiting for its value
} open;

typedef struct pair {
  const void *map;
  const tenon_yaml *key;
} pair;

typedef struct reading {
  const tenon_yaml_doc *doc;
  tenon_text text;
  yaml_parser_t parser;
  open stack[TENON_YAML_DEPTH];
  size_t depth;
  uint32_t nodes;
  tenon_yaml *root;
  tenon_map keys;   // hash of map and key -> pair
  tenon_text rest;  // of the text, from behind line `lines` on
  uint32_t lines;
} reading;

// ---------------------------------------------------------------------------
// Failing
// ---------------------------------------------------------------------------

#define fail_mark(r, mark, ...)                                                \
  tenon_yaml_fail(&(const tenon_yaml){.doc = (r)->doc,                         \
                                      .line = (uint32_t)(mark)->line + 1,      \
                                      .column = (uint32_t)(mark)->column + 1}, \
                  "yaml-text", __VA_ARGS__)

static tenon_status yaml_no_memory(const reading *r) {
  return tenon_fail_memory(r->doc->report, "reading YAML");
}

// What libyaml says is wrong.
static tenon_status fail_parser(const reading *r) {
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) return yaml_no_memory(r);
  if (p->error == YAML_READER_ERROR) {
    tenon_place place = {.file = r->doc->file, .offset = p->problem_offset};
    return tenon_fail(r->doc->report, r->doc->status, "yaml-text", &place,
                      "%s (byte %zu)", p->problem, p->problem_offset);
  }
  return fail_mark(r, &p->problem_mark, "%s%s%s", p->context ? p->context : "",
                   p->context ? ": " : "",
                   p->problem ? p->problem : "is no YAML");
}

// ---------------------------------------------------------------------------
// Nodes
// ---------------------------------------------------------------------------

static tenon_status add_key(reading *r, const open *in, const tenon_yaml *node,
                            const yaml_mark_t *mark) {
  char label[TENON_LABEL];
  const void *map = in->node;
  uint64_t hash = tenon_hash(node->text.data, node->text.size,
                             tenon_hash(&map, sizeof map, TENON_HASH_SEED));
  pair *fresh = tenon_arena_new(r->doc->arena, pair);
  if (!fresh) return yaml_no_memory(r);
  *fresh = (pair){map, node};
  for (;; ++hash) {  // another pair may have this hash
    bool added = false;
    uint64_t *value =
        tenon_map_put(&r->keys, hash, (uint64_t)(uintptr_t)fresh, &added);
    if (!value) return yaml_no_memory(r);
    if (added) return TENON_OK;
    const pair *first = (const pair *)(uintptr_t)*value;
    if (first->map != map || first->key->text.size != node->text.size ||
        memcmp(first->key->text.data, node->text.data, node->text.size) != 0)
      continue;
    tenon_label_make(label, node->text);
    return fail_mark(r, mark,
                     "the key '%s' stands twice; the first is in line %u",
                     label, (unsigned)first->key->line);
  }
}

static tenon_status hang(reading *r, tenon_yaml *node,
                         const yaml_mark_t *mark) {
  if (r->depth == 0) {
    r->root = node;
    return TENON_OK;
  }
  open *in = &r->stack[r->depth - 1];
  if (in->node->kind == TENON_YAML_MAP && !in->key) {
    if (node->kind != TENON_YAML_SCALAR)
      return fail_mark(r, mark, "a %s cannot be a key",
                       node->kind == TENON_YAML_LIST ? "list" : "map");
    in->key = node;
    return add_key(r, in, node, mark);
  }
  node->key = in->key;
  in->key = NULL;
  *in->tail = node;
  in->tail = (tenon_yaml **)&node->next;
  ++in->node->count;
  return TENON_OK;
}

static tenon_yaml *yaml_make_node(reading *r, tenon_yaml_kind kind,
                                  const yaml_mark_t *mark) {
  tenon_yaml *node = tenon_arena_new(r->doc->arena, tenon_yaml);
  if (!node) return NULL;
  node->doc = r->doc;
  node->kind = (uint8_t)kind;
  node->line = (uint32_t)mark->line + 1;
  node->column = (uint32_t)mark->column + 1;
  node->text = (tenon_text){"", 0};
  return node;
}

static tenon_status yaml_check_node(const reading *r, const yaml_mark_t *mark,
                                    const yaml_char_t *anchor,
                                    const yaml_char_t *tag) {
  if (anchor) return fail_mark(r, mark, "anchors (&) are not taken");
  if (tag) return fail_mark(r, mark, "tags (!) are not taken");
  if (r->nodes > TENON_YAML_NODES)
    return fail_mark(r, mark, "more than %u nodes", TENON_YAML_NODES);
  return TENON_OK;
}

// Where the first line of a block begins: libyaml has taken its indentation
// off, so it is what the line has more than the text.
static void find_body(reading *r, tenon_yaml *node) {
  tenon_text line = {"", 0};
  size_t at = 0, blank = 0, own = 0;
  for (; r->lines < node->line; ++r->lines)
    (void)tenon_text_next(&r->rest, '\n', &line);
  tenon_text rest = r->rest;
  while (at < node->text.size && node->text.data[at] == '\n')
    ++at;
  node->body_line = node->line + 1;
  for (size_t i = 0; i <= at; ++i) {
    if (!tenon_text_next(&rest, '\n', &line)) return;
  }
  while (blank < line.size && line.data[blank] == ' ')
    ++blank;
  while (at < node->text.size && node->text.data[at] == ' ')
    ++at, ++own;
  node->body_column = (uint32_t)(blank > own ? blank - own : 0) + 1;
}

static tenon_status add_scalar(reading *r, const yaml_event_t *event) {
  const char *value = (const char *)event->data.scalar.value;
  size_t size = event->data.scalar.length;
  tenon_yaml *node = yaml_make_node(r, TENON_YAML_SCALAR, &event->start_mark);
  char *text = tenon_arena_text(r->doc->arena, value, size);
  if (!node || !text) return yaml_no_memory(r);
  if (memchr(value, 0, size))
    return fail_mark(r, &event->start_mark, "a zero byte in a text");
  node->text = (tenon_text){text, size};
  node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE) find_body(r, node);
  return hang(r, node, &event->start_mark);
}

static tenon_status yaml_begin(reading *r, tenon_yaml_kind kind,
                               const yaml_event_t *event) {
  tenon_yaml *node = yaml_make_node(r, kind, &event->start_mark);
  if (!node) return yaml_no_memory(r);
  TENON_TRY(hang(r, node, &event->start_mark));
  if (r->depth == TENON_YAML_DEPTH)
    return fail_mark(r, &event->start_mark,
                     "lists and maps nest deeper than %d", TENON_YAML_DEPTH);
  r->stack[r->depth++] = (open){node, (tenon_yaml **)&node->first, NULL};
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The text
// ---------------------------------------------------------------------------

static tenon_status take_event(reading *r, const yaml_event_t *e) {
  ++r->nodes;
  switch (e->type) {
    case YAML_ALIAS_EVENT:
      return fail_mark(r, &e->start_mark, "aliases (*) are not taken");
    case YAML_SCALAR_EVENT:
      TENON_TRY(yaml_check_node(r, &e->start_mark, e->data.scalar.anchor,
                                e->data.scalar.tag));
      return add_scalar(r, e);
    case YAML_SEQUENCE_START_EVENT:
      TENON_TRY(yaml_check_node(r, &e->start_mark,
                                e->data.sequence_start.anchor,
                                e->data.sequence_start.tag));
      return yaml_begin(r, TENON_YAML_LIST, e);
    case YAML_MAPPING_START_EVENT:
      TENON_TRY(yaml_check_node(r, &e->start_mark, e->data.mapping_start.anchor,
                                e->data.mapping_start.tag));
      return yaml_begin(r, TENON_YAML_MAP, e);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      --r->depth;
      return TENON_OK;
    case YAML_DOCUMENT_START_EVENT:
      return r->root ? fail_mark(r, &e->start_mark, "a second document")
                     : TENON_OK;
    default:
      return TENON_OK;
  }
}

static tenon_status yaml_take_all(reading *r) {
  tenon_status status = TENON_OK;
  for (bool is_done = false; status == TENON_OK && !is_done;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r->parser, &event)) return fail_parser(r);
    is_done = event.type == YAML_STREAM_END_EVENT;
    status = take_event(r, &event);
    yaml_event_delete(&event);
  }
  return status;
}

static tenon_status yaml_read_text(reading *r) {
  static const yaml_mark_t start = {0, 0, 0};
  if (r->text.size > TENON_YAML_SIZE)
    return fail_mark(r, &start, "%zu bytes; at most %u are read", r->text.size,
                     TENON_YAML_SIZE);
  if (!yaml_parser_initialize(&r->parser)) return yaml_no_memory(r);
  yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(
      &r->parser, (const unsigned char *)(r->text.data ? r->text.data : ""),
      r->text.size);
  tenon_map_init(&r->keys, r->doc->arena->allocator);
  tenon_status status = yaml_take_all(r);
  tenon_map_deinit(&r->keys);
  yaml_parser_delete(&r->parser);
  if (status != TENON_OK || r->root) return status;
  r->root = yaml_make_node(r, TENON_YAML_SCALAR, &start);
  if (!r->root) return yaml_no_memory(r);
  r->root->is_plain = true;
  return TENON_OK;
}

tenon_status tenon_yaml_read(tenon_arena *arena, const tenon_report *report,
                             tenon_status status, const char *file,
                             tenon_text text, const tenon_yaml **root) {
  reading r = {.text = text, .rest = text};
  *root = NULL;
  tenon_yaml_doc *doc = tenon_arena_new(arena, tenon_yaml_doc);
  char *name = tenon_arena_string(arena, file);
  if (!doc || (file && !name)) return tenon_fail_memory(report, "reading YAML");
  *doc = (tenon_yaml_doc){arena, report, status, name};
  r.doc = doc;
  TENON_TRY(yaml_read_text(&r));
  r.root->is_plain |= r.root->kind == TENON_YAML_SCALAR && !r.root->text.size &&
                      r.root->line == 0;
  *root = r.root;
  return TENON_OK;
}
