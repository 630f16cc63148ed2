// How: each question looks at one node, and a failure says what it is instead.
#include <stdio.h>

#include "base/label.h"
#include "conf/yaml.h"

// ---------------------------------------------------------------------------
// Failing
// ---------------------------------------------------------------------------

tenon_place tenon_yaml_place(const tenon_yaml *at,
                             char where[TENON_YAML_WHERE]) {
  snprintf(where, TENON_YAML_WHERE, "line %u, column %u", (unsigned)at->line,
           (unsigned)at->column);
  return (tenon_place){.file = at->doc->file, .where = where};
}

tenon_status tenon_yaml_fail(const tenon_yaml *at, const char *id,
                             const char *fmt, ...) {
  char where[TENON_YAML_WHERE];
  tenon_place place = tenon_yaml_place(at, where);
  va_list args;
  va_start(args, fmt);
  tenon_status status = tenon_vfail(at->doc->report, at->doc->status, id,
                                    &place, NULL, fmt, args);
  va_end(args);
  return status;
}

tenon_status tenon_yaml_fail_note(const tenon_yaml *at, const char *id,
                                  const char *note, const char *fmt, ...) {
  char where[TENON_YAML_WHERE];
  tenon_place place = tenon_yaml_place(at, where);
  tenon_diag more = tenon_note_of(id, note, &place);
  va_list args;
  va_start(args, fmt);
  tenon_status status = tenon_vfail(at->doc->report, at->doc->status, id,
                                    &place, &more, fmt, args);
  va_end(args);
  return status;
}

tenon_status tenon_yaml_expected(const tenon_yaml *at, const char *what) {
  char label[TENON_LABEL];
  if (at->kind != TENON_YAML_SCALAR)
    return tenon_yaml_fail(at, "yaml-value", "expected %s, found a %s", what,
                           at->kind == TENON_YAML_LIST ? "list" : "map");
  if (tenon_yaml_is_null(at))
    return tenon_yaml_fail(at, "yaml-value", "expected %s, found nothing",
                           what);
  tenon_label_make(label, at->text);
  return tenon_yaml_fail(at, "yaml-value", "expected %s, found %s'%s'", what,
                         at->is_plain ? "" : "the text ", label);
}

// ---------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------

bool tenon_yaml_is_null(const tenon_yaml *at) {
  return at->kind == TENON_YAML_SCALAR && at->is_plain &&
         (at->text.size == 0 || tenon_text_is(at->text, "~") ||
          tenon_text_is(at->text, "null"));
}

bool tenon_yaml_is(const tenon_yaml *at, const char *text) {
  return at->kind == TENON_YAML_SCALAR && tenon_text_is(at->text, text);
}

const tenon_yaml *tenon_yaml_get(const tenon_yaml *at, const char *key) {
  if (at->kind != TENON_YAML_MAP) return NULL;
  for (const tenon_yaml *v = at->first; v; v = v->next) {
    if (tenon_text_is(v->key->text, key)) return v;
  }
  return NULL;
}

tenon_status tenon_yaml_map(const tenon_yaml *at) {
  return at->kind == TENON_YAML_MAP ? TENON_OK
                                    : tenon_yaml_expected(at, "a map");
}

tenon_status tenon_yaml_list(const tenon_yaml *at) {
  return at->kind == TENON_YAML_LIST ? TENON_OK
                                     : tenon_yaml_expected(at, "a list");
}

// "keys here are 'a', 'b' and 'c'", cut where the room ends.
static void list_words(char *out, size_t size, const char *what,
                       const char *const *words) {
  int used = snprintf(out, size, "%s", what);
  for (size_t i = 0; words[i] && used >= 0 && (size_t)used < size; ++i) {
    const char *before = i == 0 ? " " : words[i + 1] ? ", " : " and ";
    int more =
        snprintf(out + used, size - (size_t)used, "%s'%s'", before, words[i]);
    used = more < 0 ? more : used + more;
  }
}

static bool yaml_get_is_known(const tenon_yaml *key, const char *const *known) {
  for (size_t i = 0; known[i]; ++i) {
    if (tenon_text_is(key->text, known[i])) return true;
  }
  return false;
}

static const char *nearest_of(const tenon_yaml *at, const char *const *words) {
  tenon_nearest near;
  tenon_nearest_init(&near, at->text.data);
  for (size_t i = 0; words[i]; ++i)
    tenon_nearest_feed(&near, words[i]);
  return near.best;
}

tenon_status tenon_yaml_keys(const tenon_yaml *at, const char *const *known) {
  static const char *const none[] = {NULL};
  return tenon_yaml_keys_beside(at, known, none);
}

tenon_status tenon_yaml_keys_beside(const tenon_yaml *at,
                                    const char *const *known,
                                    const char *const *others) {
  char note[TENON_MESSAGE_SIZE], label[TENON_LABEL];
  tenon_status status = tenon_yaml_map(at);
  if (status != TENON_OK) return status;
  for (const tenon_yaml *v = at->first; v; v = v->next) {
    if (yaml_get_is_known(v->key, known) || yaml_get_is_known(v->key, others))
      continue;
    const char *best = nearest_of(v->key, known);
    list_words(note, sizeof note, "keys here are", known);
    tenon_label_make(label, v->key->text);
    status =
        tenon_yaml_fail_note(v->key, "yaml-key", note, "unknown key '%s'%s%s%s",
                             label, TENON_DID_YOU_MEAN(best));
  }
  return status;
}

tenon_status tenon_yaml_need(const tenon_yaml *at, const char *key,
                             const tenon_yaml **out) {
  TENON_TRY(tenon_yaml_map(at));
  *out = tenon_yaml_get(at, key);
  if (!*out)
    return tenon_yaml_fail(at, "yaml-key", "the key '%s' is missing", key);
  if (tenon_yaml_is_null(*out))
    return tenon_yaml_fail(*out, "yaml-value", "the key '%s' has no value",
                           key);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Scalars
// ---------------------------------------------------------------------------

static bool is_bare(const tenon_yaml *at) {
  return at->kind == TENON_YAML_SCALAR && at->is_plain;
}

tenon_status tenon_yaml_text(const tenon_yaml *at, const char **out) {
  if (at->kind != TENON_YAML_SCALAR || tenon_yaml_is_null(at))
    return tenon_yaml_expected(at, "a text");
  *out = at->text.data;
  return TENON_OK;
}

tenon_status tenon_yaml_bool(const tenon_yaml *at, bool *out) {
  *out = is_bare(at) && tenon_yaml_is(at, "true");
  if (*out || (is_bare(at) && tenon_yaml_is(at, "false"))) return TENON_OK;
  return tenon_yaml_expected(at, "true or false");
}

tenon_status tenon_yaml_int(const tenon_yaml *at, int64_t least, int64_t most,
                            int64_t *out) {
  char what[96];
  if (is_bare(at) && tenon_text_int(at->text, out) && *out >= least &&
      *out <= most)
    return TENON_OK;
  if (least == INT64_MIN && most == INT64_MAX)
    snprintf(what, sizeof what, "an integer");
  else if (most == INT64_MAX)
    snprintf(what, sizeof what, "an integer from %lld on", (long long)least);
  else
    snprintf(what, sizeof what, "an integer from %lld to %lld",
             (long long)least, (long long)most);
  return tenon_yaml_expected(at, what);
}

tenon_status tenon_yaml_real(const tenon_yaml *at, double *out) {
  if (is_bare(at) && tenon_text_double(at->text, out)) return TENON_OK;
  return tenon_yaml_expected(at, "a number");
}

tenon_status tenon_yaml_word(const tenon_yaml *at, const char *const *words,
                             size_t *out) {
  char note[TENON_MESSAGE_SIZE], label[TENON_LABEL];
  if (at->kind != TENON_YAML_SCALAR || tenon_yaml_is_null(at))
    return tenon_yaml_expected(at, "a word");
  for (*out = 0; words[*out]; ++*out) {
    if (tenon_text_is(at->text, words[*out])) return TENON_OK;
  }
  const char *best = nearest_of(at, words);
  list_words(note, sizeof note, "words here are", words);
  tenon_label_make(label, at->text);
  return tenon_yaml_fail_note(at, "yaml-value", note,
                              "expected another word than '%s'%s%s%s", label,
                              TENON_DID_YOU_MEAN(best));
}
