// How: jansson reads the file; keys that are not named in docs/cli.md are
// ignored, and a named one of another type is an error.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verify/verifying.h"

struct verify_meta {
  json_t *root;  // null: no file
};

// [[atol, rtol], ...], or null for an output that has none.
static bool are_pairs(const json_t *list) {
  if (list && !json_is_array(list)) return false;
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *row = json_array_get(list, i);
    if (json_is_null(row)) continue;
    if (json_array_size(row) != 2 || !json_is_number(json_array_get(row, 0)) ||
        !json_is_number(json_array_get(row, 1)))
      return false;
  }
  return true;
}

// Every case an object, every input and output in it one with a kind.
static bool are_cases(const json_t *cases) {
  static const char *const lists[] = {"inputs", "outputs"};
  if (cases && !json_is_array(cases)) return false;
  for (size_t i = 0; i < json_array_size(cases); ++i) {
    const json_t *item = json_array_get(cases, i);
    const json_t *entry = json_object_get(item, "entry");
    if (!json_is_object(item) || (entry && !json_is_string(entry)))
      return false;
    for (int l = 0; l < 2; ++l) {
      const json_t *list = json_object_get(item, lists[l]);
      if (list && !json_is_array(list)) return false;
      for (size_t k = 0; k < json_array_size(list); ++k)
        if (!json_is_object(json_array_get(list, k))) return false;
    }
  }
  return true;
}

static bool is_shape_right(const json_t *root) {
  const json_t *cases = json_object_get(root, "cases");
  const json_t *tolerance = json_object_get(root, "tolerance");
  const json_t *signatures = json_object_get(root, "signatures");
  const char *const flags[] = {"stateful", "sequential"};
  for (int i = 0; i < 2; ++i) {
    const json_t *f = json_object_get(root, flags[i]);
    if (f && !json_is_boolean(f)) return false;
  }
  return json_is_object(root) && are_cases(cases) &&
         (!tolerance || json_is_object(tolerance)) &&
         are_pairs(json_object_get(tolerance, "outputs")) &&
         (!signatures || json_is_array(signatures) ||
          json_is_object(signatures));
}

// Python writes what is not finite as words that are no JSON: they become
// numbers of the same length, the largest there are and, for NaN, 0.
static void admit_words(char *data, size_t size) {
  bool is_string = false;
  for (size_t i = 0; i < size; ++i) {
    if (data[i] == '\\' && is_string)
      ++i;
    else if (data[i] == '"')
      is_string = !is_string;
    else if (is_string)
      continue;
    else if (size - i >= 8 && memcmp(data + i, "Infinity", 8) == 0)
      memcpy(data + i, "1e308   ", 8);
    else if (size - i >= 3 && memcmp(data + i, "NaN", 3) == 0)
      memcpy(data + i, "0.0", 3);
  }
}

int verify_meta_read(cli *c, const char *folder, struct verify_meta **out) {
  struct verify_meta *m = (struct verify_meta *)calloc(1, sizeof *m);
  char *path = cli_join(folder, "meta.json");
  tenon_buf b = {0};
  json_error_t error;
  int code = 0;
  *out = m;
  if (!m || !path) {
    code = CLI_NO_MEMORY;
  } else if (cli_is_file(path)) {
    if (!cli_read_file(c, path, &b)) {
      code = TENON_IO;
    } else {
      admit_words(b.data, b.size);
      m->root = json_loadb(b.data, b.size, 0, &error);
      if (!m->root)
        code = cli_fail(c, CLI_USAGE, "verify-meta", "%s:%d: %s", path,
                        error.line, error.text);
      else if (!is_shape_right(m->root))
        code =
            cli_fail(c, CLI_USAGE, "verify-meta",
                     "%s: a key has a value of another type than docs/cli.md "
                     "says",
                     path);
    }
  }
  tenon_buf_deinit(&b);
  free(path);
  return code;
}

void verify_meta_free(struct verify_meta *meta) {
  if (!meta) return;
  json_decref(meta->root);
  free(meta);
}

bool verify_meta_stateful(const struct verify_meta *meta) {
  return json_is_true(json_object_get(meta->root, "stateful")) ||
         json_is_true(json_object_get(meta->root, "sequential"));
}

static const json_t *case_of(const struct verify_meta *meta, long k) {
  return k < 0
             ? NULL
             : json_array_get(json_object_get(meta->root, "cases"), (size_t)k);
}

const char *verify_meta_entry(const struct verify_meta *meta, long k) {
  return json_string_value(json_object_get(case_of(meta, k), "entry"));
}

size_t verify_meta_order(const struct verify_meta *meta, const char *entry) {
  const json_t *list = json_object_get(meta->root, "signatures");
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *item = json_array_get(list, i);
    const char *name = json_string_value(item);
    if (!name) name = json_string_value(json_object_get(item, "key"));
    if (!name) name = json_string_value(json_object_get(item, "name"));
    if (name && strcmp(name, entry) == 0) return i;
  }
  return SIZE_MAX;
}

bool verify_meta_value(const struct verify_meta *meta, long k, const char *list,
                       size_t i, char *text, size_t size) {
  const json_t *item =
      json_array_get(json_object_get(case_of(meta, k), list), i);
  const json_t *v = json_object_get(item, "value");
  const char *kind = json_string_value(json_object_get(item, "kind"));
  int n = -1;
  if (kind && strcmp(kind, "none") == 0)
    n = snprintf(text, size, "none");
  else if (json_is_integer(v))
    n = snprintf(text, size, "%lld", (long long)json_integer_value(v));
  else if (json_is_real(v))
    n = snprintf(text, size, "%.17g", json_real_value(v));
  else if (json_is_boolean(v))
    n = snprintf(text, size, "%s", json_is_true(v) ? "true" : "false");
  else if (json_is_string(v))
    n = snprintf(text, size, "'%s'", json_string_value(v));
  return n >= 0 && (size_t)n < size;
}

// Counts, and with `out` lists, the items that are among so many kinds: all;
// all but None and strings; tensors alone.
static size_t case_meta_pick(const json_t *items, int which, size_t *out) {
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(items); ++i) {
    const char *kind =
        json_string_value(json_object_get(json_array_get(items, i), "kind"));
    bool is_tensor = !kind || strcmp(kind, "tensor") == 0;
    bool is_number = kind && strcmp(kind, "none") != 0 &&
                     strcmp(kind, "str") != 0 && !is_tensor;
    if (which > 0 && !is_tensor && !(which == 1 && is_number)) continue;
    if (out) out[n] = i;
    ++n;
  }
  return n;
}

bool verify_meta_positions(const struct verify_meta *meta, long k,
                           const char *list, size_t n, size_t *out) {
  const json_t *items = json_object_get(case_of(meta, k), list);
  for (size_t i = 0; i < n; ++i)
    out[i] = i;
  if (!items) return true;
  for (int which = 0; which < 3; ++which)
    if (case_meta_pick(items, which, NULL) == n) {
      (void)case_meta_pick(items, which, out);
      return true;
    }
  return false;
}

bool verify_meta_tolerance(const struct verify_meta *meta, size_t i,
                           double *abs, double *rel) {
  const json_t *tolerance = json_object_get(meta->root, "tolerance");
  const json_t *a = json_object_get(tolerance, "atol");
  const json_t *r = json_object_get(tolerance, "rtol");
  if (i != SIZE_MAX) {
    const json_t *row =
        json_array_get(json_object_get(tolerance, "outputs"), i);
    a = json_array_get(row, 0);
    r = json_array_get(row, 1);
  }
  if (!json_is_number(a) || !json_is_number(r)) return false;
  *abs = json_number_value(a);
  *rel = json_number_value(r);
  return true;
}
