// How: the text is read into an arena that ends with the loading; what stays is
// what the parts register.
#include "plug/load_yaml.h"

#include "base/os.h"
#include "plug/load.h"
#include "plug/rules_read.h"

bool tenon_plug_is_yaml(const char *path) {
  return tenon_text_ends(path, ".yaml") || tenon_text_ends(path, ".yml");
}

static tenon_status yaml_load_read_text(tenon_context *cx, tenon_arena *arena,
                                        const char *name, tenon_text text,
                                        const tenon_yaml **root) {
  static const char *const known[] = {"name", "version", TENON_BINDINGS_KEYS,
                                      TENON_RULES_KEYS, NULL};
  TENON_TRY(
      tenon_yaml_read(arena, &cx->report, TENON_BAD_PLUGIN, name, text, root));
  if ((*root)->kind == TENON_YAML_LIST) return TENON_OK;
  return tenon_yaml_keys(*root, known);
}

static tenon_status read_root(tenon_context *cx, tenon_arena *arena,
                              const char *path, const tenon_yaml **root) {
  char error[TENON_OS_ERROR];
  tenon_place place = {.file = path, .where = "plugin"};
  tenon_os_map map;
  if (!tenon_os_map_file(path, &map, error))
    return tenon_fail(&cx->report, TENON_IO, "plugin-read", &place,
                      "cannot be read: %s", error);
  tenon_status status = yaml_load_read_text(
      cx, arena, path, (tenon_text){(const char *)map.data, map.size}, root);
  tenon_os_unmap(&map);
  return status;
}

static bool yaml_load_has_any(const tenon_yaml *root, const char *const *keys) {
  for (; *keys; ++keys)
    if (tenon_yaml_get(root, *keys)) return true;
  return false;
}

static tenon_status load_bindings(tenon_context *cx, tenon_arena *arena,
                                  const char *path, const uint64_t id[2],
                                  const tenon_yaml *root) {
  tenon_bindings b;
  TENON_TRY(tenon_bindings_read(&b, cx, arena, path, root));
  return tenon_bindings_load(&b, id);
}

// A map without any part is an empty list of bindings.
static tenon_status load_parts(tenon_context *cx, tenon_arena *arena,
                               const char *path, const uint64_t id[2],
                               const tenon_yaml *root) {
  static const char *const rules[] = {TENON_RULES_KEYS, NULL};
  static const char *const bindings[] = {TENON_BINDINGS_KEYS, NULL};
  bool has_rules = yaml_load_has_any(root, rules);
  if (!has_rules || yaml_load_has_any(root, bindings))
    TENON_TRY(load_bindings(cx, arena, path, id, root));
  if (!has_rules) return TENON_OK;
  TENON_TRY(tenon_rules_read(cx, path, root));
  return tenon_plug_keep(cx, path, id);
}

tenon_status tenon_plug_load_yaml(tenon_context *cx, const char *path,
                                  const uint64_t id[2]) {
  tenon_arena arena;
  const tenon_yaml *root = NULL;
  tenon_arena_init(&arena, cx->allocator);
  tenon_status status = read_root(cx, &arena, path, &root);
  if (status == TENON_OK) status = load_parts(cx, &arena, path, id, root);
  tenon_arena_deinit(&arena);
  return status;
}

tenon_status tenon_plug_load_yaml_text(tenon_context *cx, const char *name,
                                       tenon_text text, const uint64_t id[2]) {
  tenon_arena arena;
  const tenon_yaml *root = NULL;
  tenon_arena_init(&arena, cx->allocator);
  tenon_status status = yaml_load_read_text(cx, &arena, name, text, &root);
  if (status == TENON_OK) status = load_parts(cx, &arena, name, id, root);
  tenon_arena_deinit(&arena);
  return status;
}

tenon_status tenon_plug_glue(tenon_context *cx, const char *path,
                             const tenon_text *given, tenon_write_fn *write,
                             void *self) {
  tenon_arena arena;
  tenon_bindings b;
  tenon_buf text;
  const tenon_yaml *root = NULL;
  tenon_arena_init(&arena, cx->allocator);
  tenon_buf_init(&text, cx->allocator);
  tenon_status status =
      given ? yaml_load_read_text(cx, &arena, path, *given, &root)
            : read_root(cx, &arena, path, &root);
  if (status == TENON_OK)
    status = tenon_bindings_read(&b, cx, &arena, path, root);
  if (status == TENON_OK) status = tenon_bindings_check_seen(&b);
  if (status == TENON_OK) status = tenon_bindings_check_functions(&b, true);
  if (status == TENON_OK) status = tenon_glue_write(&b, TENON_GLUE_KEPT, &text);
  if (status == TENON_OK) status = write(self, "glue.c", text.data, text.size);
  tenon_buf_deinit(&text);
  tenon_arena_deinit(&arena);
  return status;
}
