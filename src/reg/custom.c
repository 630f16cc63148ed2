// reg/custom.c - from a custom code of a .tflite to the operator that serves
// it.
//
// Two sorted arrays, made when the context freezes: exact codes, and keys. A
// code is an operator's tflite_name, or its whole name if it has none; the
// names of reserved sets are no codes, since a code that spells a builtin
// operator stays custom.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "reg/admit/refuse.h"
#include "reg/store.h"

size_t tenon_custom_key(const char *code, char *key, size_t size) {
  tenon_text text = tenon_text_trim(tenon_text_of(code));
  for (size_t i = 0; i < text.size && i + 1 < size; ++i) {
    char c = text.data[i];
    if (c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
    key[i] = c == '-' ? '_' : c;
  }
  if (size != 0) key[text.size < size ? text.size : size - 1] = 0;
  return text.size;
}

static const char *code_of(const tenon_op *op) {
  if (op->desc->tflite_name) return op->desc->tflite_name;
  if (tenon_name_is_reserved(op->schema->set, strlen(op->schema->set)))
    return NULL;
  return op->name;
}

static bool has_any_version(const tenon_op *op) {
  return op->desc->version_min == 0 && op->desc->version_max == 0;
}

static bool custom_serves(const tenon_op *op, uint32_t version) {
  return has_any_version(op) ||
         (version >= op->desc->version_min && version <= op->desc->version_max);
}

static int custom_compare(const void *left, const void *right) {
  const tenon_custom *a = left, *b = right;
  int order = strcmp(a->text, b->text);
  uint32_t x = a->op->desc->version_min, y = b->op->desc->version_min;
  if (order == 0) order = (x > y) - (x < y);
  return order != 0 ? order : strcmp(a->op->name, b->op->name);
}

static bool custom_overlap(const tenon_op *a, const tenon_op *b) {
  if (has_any_version(a) || has_any_version(b)) return true;
  return b->desc->version_min <= a->desc->version_max &&
         a->desc->version_min <= b->desc->version_max;
}

// Neighbours in the order of version_min overlap if any two do.
static tenon_status check_codes(const tenon_context *cx) {
  const tenon_registry *r = cx->registry;
  tenon_status status = TENON_OK;
  for (size_t i = 1; i < r->n_codes; ++i) {
    const tenon_op *a = r->codes[i - 1].op, *b = r->codes[i].op;
    if (strcmp(r->codes[i - 1].text, r->codes[i].text) != 0 ||
        !custom_overlap(a, b))
      continue;
    tenon_subject s = {cx, b->owner, "operator", b->name};
    tenon_status one = tenon_refuse(
        &s, TENON_CONFLICT, "plugin-tflite-name",
        "give each a version_min and version_max of its own, or rename one",
        "custom code '%s' is also that of '%s' of plugin " TENON_OWNER
        ", for the same versions",
        r->codes[i].text, a->name, TENON_OWNER_ARGS(a->owner));
    if (status == TENON_OK) status = one;
  }
  return status;
}

static const char *custom_key_of(tenon_context *cx, const char *code) {
  size_t size = strlen(code) + 1;
  char *key = tenon_arena_alloc(&cx->arena, size, 1);
  if (key) (void)tenon_custom_key(code, key, size);
  return key;
}

tenon_status tenon_registry_index_custom(tenon_context *cx) {
  tenon_registry *r = cx->registry;
  size_t n = 0;
  r->codes = tenon_arena_array(&cx->arena, tenon_custom, r->n_ops);
  r->keys = tenon_arena_array(&cx->arena, tenon_custom, r->n_ops);
  r->n_codes = 0;
  if (!r->codes || !r->keys)
    return tenon_fail_memory(&cx->report, "freezing a context");
  for (size_t i = 0; i < r->n_ops; ++i) {
    const char *code = code_of(r->ops[i]);
    if (!code) continue;
    r->codes[n] = (tenon_custom){code, r->ops[i]};
    r->keys[n].op = r->ops[i];
    r->keys[n].text = custom_key_of(cx, code);
    if (!r->keys[n++].text)
      return tenon_fail_memory(&cx->report, "freezing a context");
  }
  r->n_codes = n;
  if (n == 0) return TENON_OK;
  qsort(r->codes, n, sizeof *r->codes, custom_compare);
  qsort(r->keys, n, sizeof *r->keys, custom_compare);
  return check_codes(cx);
}

// Index of the first entry whose text is not below.
static size_t custom_place_of(const tenon_custom *list, size_t n,
                              const char *text) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(list[middle].text, text) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Among the entries of one text, those of one code: the one of that version.
static tenon_custom_match custom_pick(const tenon_custom *list, size_t n,
                                      size_t at, uint32_t version,
                                      const tenon_op **out,
                                      const tenon_op **other) {
  const char *text = list[at].text;
  *out = list[at].op;
  for (size_t i = at; i < n && strcmp(list[i].text, text) == 0; ++i) {
    if (strcmp(code_of(list[i].op), code_of(list[at].op)) == 0) continue;
    *other = list[i].op;
    return TENON_CUSTOM_AMBIGUOUS;
  }
  for (size_t i = at; i < n && strcmp(list[i].text, text) == 0; ++i) {
    if (!custom_serves(list[i].op, version)) continue;
    *out = list[i].op;
    return TENON_CUSTOM_FOUND;
  }
  return TENON_CUSTOM_VERSION;
}

// Compares the key of `code` with a stored key without making one: codes come
// from files and have any length.
static int compare_key(const char *stored, tenon_text code) {
  for (size_t i = 0; i < code.size; ++i) {
    char c = code.data[i];
    if (c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
    if (c == '-') c = '_';
    if (stored[i] != c)
      return (unsigned char)stored[i] < (unsigned char)c ? -1 : 1;
  }
  return stored[code.size] != 0;
}

static bool find_key(const tenon_registry *r, const char *code, size_t *at) {
  tenon_text text = tenon_text_trim(tenon_text_of(code));
  size_t low = 0, high = r->n_codes;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_key(r->keys[middle].text, text) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  *at = low;
  return low < r->n_codes && compare_key(r->keys[low].text, text) == 0;
}

tenon_custom_match tenon_registry_find_custom(const tenon_context *cx,
                                              const char *code,
                                              uint32_t version,
                                              const tenon_op **out,
                                              const tenon_op **other) {
  const tenon_registry *r = cx->registry;
  size_t at = custom_place_of(r->codes, r->n_codes, code);
  *out = *other = NULL;
  if (at < r->n_codes && strcmp(r->codes[at].text, code) == 0)
    return custom_pick(r->codes, r->n_codes, at, version, out, other);
  if (!find_key(r, code, &at)) return TENON_CUSTOM_UNKNOWN;
  return custom_pick(r->keys, r->n_codes, at, version, out, other);
}
