// How: jansson reads the file; keys that are not named in docs/cli.md are
// ignored, and a named one of another type is an error.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verifying.h"

struct verify_meta {
  json_t *root;  // null: no file
};

static bool is_shape_right(const json_t *root) {
  const json_t *cases = json_object_get(root, "cases");
  const json_t *tolerance = json_object_get(root, "tolerance");
  const json_t *signatures = json_object_get(root, "signatures");
  const char *const flags[] = {"stateful", "sequential"};
  for (int i = 0; i < 2; ++i) {
    const json_t *f = json_object_get(root, flags[i]);
    if (f && !json_is_boolean(f)) return false;
  }
  return json_is_object(root) && (!cases || json_is_array(cases)) &&
         (!tolerance || json_is_object(tolerance)) &&
         (!signatures || json_is_array(signatures) ||
          json_is_object(signatures));
}

int verify_meta_read(cli *c, const char *folder, struct verify_meta **out) {
  struct verify_meta *m = (struct verify_meta *)calloc(1, sizeof *m);
  char *path = cli_join(folder, "meta.json");
  cli_bytes b = {0};
  json_error_t error;
  int code = 0;
  *out = m;
  if (!m || !path) {
    code = CLI_NO_MEMORY;
  } else if (cli_is_file(path)) {
    if (!cli_read_file(c, path, &b)) {
      code = TENON_IO;
    } else {
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
  cli_bytes_free(&b);
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
  if (json_is_integer(v))
    snprintf(text, size, "%lld", (long long)json_integer_value(v));
  else if (json_is_real(v))
    snprintf(text, size, "%.17g", json_real_value(v));
  else if (json_is_boolean(v))
    snprintf(text, size, "%s", json_is_true(v) ? "true" : "false");
  else
    return false;
  return true;
}

bool verify_meta_tolerance(const struct verify_meta *meta, size_t i,
                           double *abs, double *rel) {
  const json_t *all = json_object_get(meta->root, "tolerance");
  const json_t *row = json_array_get(json_object_get(all, "outputs"), i);
  const json_t *atol = json_object_get(all, "atol");
  const json_t *rtol = json_object_get(all, "rtol");
  if (i == SIZE_MAX && json_is_number(atol) && json_is_number(rtol)) {
    *abs = json_number_value(atol);
    *rel = json_number_value(rtol);
    return true;
  }
  if (json_array_size(row) != 2) return false;
  *abs = json_number_value(json_array_get(row, 0));
  *rel = json_number_value(json_array_get(row, 1));
  return true;
}
