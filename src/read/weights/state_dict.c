// How: the folder is that of data.pkl, whatever its name.
#include "read/weights/state_dict.h"

#include <stdio.h>

static tenon_status state_dict_fail(const tenon_state_dict *d,
                                    const char *where, const char *what) {
  tenon_place place = {d->zip.file, where, NULL, d->zip.base, 0};
  return tenon_fail(d->zip.report, TENON_BAD_MODEL, "read-pickle", &place, "%s",
                    what);
}

static tenon_status find_folder(tenon_state_dict *d, const char *where) {
  for (size_t i = 0; i < d->zip.count; ++i) {
    const char *name = d->zip.members[i].name;
    const char *slash = strchr(name, '/');
    if (!slash || strcmp(slash + 1, "data.pkl") != 0) continue;
    d->folder =
        tenon_arena_text(d->zip.arena, name, (size_t)(slash - name) + 1);
    return d->folder ? TENON_OK
                     : tenon_fail_memory(d->zip.report, "reading weights");
  }
  return state_dict_fail(d, where,
                         "expected a file of torch.save, found no data.pkl");
}

static tenon_zip_member *state_dict_find_member(const tenon_state_dict *d,
                                                const char *prefix,
                                                const char *name) {
  char path[512];
  int n = snprintf(path, sizeof path, "%s%s%s", d->folder, prefix, name);
  return n > 0 && (size_t)n < sizeof path ? tenon_zip_find(&d->zip, path)
                                          : NULL;
}

static tenon_status open_any(tenon_state_dict *dict, tenon_bytes bytes,
                             uint64_t base, tenon_arena *arena,
                             const tenon_report *report, const char *file,
                             const char *where) {
  tenon_bytes text = {NULL, 0};
  if (tenon_state_dict_is_legacy(bytes))
    return tenon_state_dict_open_legacy(dict, bytes, base, arena, report, file,
                                        where);
  memset(dict, 0, sizeof *dict);
  TENON_TRY(tenon_zip_open(&dict->zip, bytes, base, arena, report, file));
  TENON_TRY(find_folder(dict, where));
  tenon_zip_member *order = state_dict_find_member(dict, "", "byteorder");
  if (order) {
    TENON_TRY(tenon_zip_read(&dict->zip, order, &text));
    if (text.size < 6 || memcmp(text.data, "little", 6) != 0)
      return state_dict_fail(dict, where,
                             "has bytes in another order than little-endian");
  }
  tenon_zip_member *pickle = state_dict_find_member(dict, "", "data.pkl");
  TENON_TRY(tenon_zip_read(&dict->zip, pickle, &text));
  uint64_t at =
      pickle->is_deflated ? base : base + (uint64_t)(text.data - bytes.data);
  tenon_pickle parsed;
  TENON_TRY(tenon_pickle_parse(text, at, arena, report, file, where, &parsed));
  dict->root = parsed.root;
  return TENON_OK;
}

tenon_status tenon_state_dict_open(tenon_state_dict *dict, tenon_bytes bytes,
                                   uint64_t base, tenon_arena *arena,
                                   const tenon_report *report, const char *file,
                                   const char *where) {
  TENON_TRY(open_any(dict, bytes, base, arena, report, file, where));
  if (dict->root->kind == TENON_PICKLE_DICT) return TENON_OK;
  return state_dict_fail(dict, where, "expected a dictionary of tensors");
}

tenon_status tenon_state_dict_open_tensor(tenon_state_dict *dict,
                                          tenon_bytes bytes, uint64_t base,
                                          tenon_arena *arena,
                                          const tenon_report *report,
                                          const char *file, const char *where) {
  TENON_TRY(open_any(dict, bytes, base, arena, report, file, where));
  if (dict->root->kind == TENON_PICKLE_TENSOR) return TENON_OK;
  return state_dict_fail(dict, where, "expected one tensor");
}

void tenon_state_dict_deinit(tenon_state_dict *dict) {
  tenon_zip_deinit(&dict->zip);
}

const tenon_pickle_value *tenon_state_dict_find(const tenon_state_dict *dict,
                                                const char *name) {
  const tenon_pickle_value *value = tenon_pickle_get(dict->root, name);
  return value && value->kind == TENON_PICKLE_TENSOR ? value : NULL;
}

tenon_zip_member *tenon_state_dict_member(const tenon_state_dict *dict,
                                          const tenon_pickle_value *tensor) {
  return state_dict_find_member(dict, "data/", tensor->storage->text);
}
