// How: entry by entry, whatever is wrong with those before. An operator that
// two entries name, in one file or in several, gets the kernels of both.
#include <string.h>

#include "base/chars.h"
#include "base/label.h"
#include "base/os.h"
#include "plug/bindings.h"

static void bind_read_keep(tenon_status *status, tenon_status one) {
  if (*status == TENON_OK) *status = one;
}

// ---------------------------------------------------------------------------
// Names and files
// ---------------------------------------------------------------------------

// `name` of a file as seen from the folder of the file in which it stands.
static const char *bind_read_beside(const tenon_bindings *b, const char *from,
                                    const char *name, size_t size) {
  const char *slash = strrchr(from, '/');
  size_t folder = slash && name[0] != '/' ? (size_t)(slash - from) + 1 : 0;
  char *path = tenon_arena_alloc(b->arena, folder + size + 1, 1);
  if (!path) return NULL;
  memcpy(path, from, folder);
  memcpy(path + folder, name, size);
  path[folder + size] = 0;
  return path;
}

// "custom-ops.yaml" to "custom_ops".
static char *plugin_name(const tenon_bindings *b) {
  const char *slash = strrchr(b->path, '/'),
             *base = slash ? slash + 1 : b->path;
  size_t size = strcspn(base, ".");
  char *name = tenon_arena_alloc(b->arena, size + 3, 1);
  if (!name) return NULL;
  size_t at = 0;
  if (size == 0 || !tenon_char_begins_name(base[0])) name[at++] = 'b';
  for (size_t i = 0; i < size; ++i)
    name[at++] = tenon_char_is_in_name(base[i]) ? base[i] : '_';
  name[at] = 0;
  return name;
}

// "custom::mul3_out_impl" to "custom_mul3_out_impl".
static tenon_status find_function(const tenon_bindings *b, const tenon_yaml *at,
                                  const char **out) {
  char label[TENON_LABEL];
  const char *name = at->text.data;
  char *function = tenon_arena_alloc(b->arena, at->text.size + 1, 1);
  size_t size = 0;
  bool is_right = tenon_char_begins_name(*name);
  if (!function) return tenon_bindings_memory(b);
  while (is_right && *name) {
    if (name[0] == ':' && name[1] == ':' && tenon_char_begins_name(name[2])) {
      function[size++] = '_';
      name += 2;
    } else {
      is_right = tenon_char_is_in_name(*name);
      function[size++] = *name++;
    }
  }
  function[size] = 0;
  *out = function;
  if (is_right) return TENON_OK;
  tenon_label_make(label, at->text);
  return tenon_yaml_fail_note(
      at, "binding-function",
      "'custom::mul3_out_impl' means the C function 'custom_mul3_out_impl'",
      "'%s' names no C function", label);
}

static tenon_status add_file(const tenon_bindings *b, const char *path,
                             const tenon_yaml *at, bool is_source,
                             tenon_bind_file **list) {
  char error[TENON_OS_ERROR];
  tenon_os_map map;
  tenon_bind_file *file = tenon_arena_new(b->arena, tenon_bind_file);
  if (!file || !path) return tenon_bindings_memory(b);
  while (*list)
    list = &(*list)->next;
  *list = file;
  file->path = path;
  file->at = at;
  if (!tenon_os_map_file(path, &map, error))
    return tenon_yaml_fail(at, "binding-file", "'%s' cannot be read: %s", path,
                           error);
  if (is_source) {
    char *text = tenon_arena_text(b->arena, map.data, map.size);
    file->text = (tenon_text){text, map.size};
  }
  tenon_os_unmap(&map);
  return is_source && !file->text.data ? tenon_bindings_memory(b) : TENON_OK;
}

static tenon_status read_files(const tenon_bindings *b, const tenon_yaml *root,
                               const char *key, tenon_bind_file **list) {
  const tenon_yaml *at = tenon_yaml_get(root, key);
  tenon_status status = TENON_OK;
  if (!at) return TENON_OK;
  TENON_TRY(tenon_yaml_list(at));
  for (const tenon_yaml *e = at->first; e; e = e->next) {
    const char *name = NULL;
    tenon_status one = tenon_yaml_text(e, &name);
    if (one == TENON_OK)
      one = add_file(b, bind_read_beside(b, b->path, name, e->text.size), e,
                     list == &((tenon_bindings *)b)->sources, list);
    bind_read_keep(&status, one);
  }
  return status;
}

// Without `sources`: the .c of the same name beside the file, if there is one.
static tenon_status default_source(tenon_bindings *b) {
  const char *dot = strrchr(b->path, '.');
  size_t size = dot ? (size_t)(dot - b->path) : strlen(b->path);
  char *path = tenon_arena_alloc(b->arena, size + 3, 1);
  if (!path) return tenon_bindings_memory(b);
  memcpy(path, b->path, size);
  memcpy(path + size, ".c", 3);
  if (tenon_os_look(path) != TENON_OS_FILE) return TENON_OK;
  return add_file(b, path, NULL, true, &b->sources);
}

static tenon_status bind_read_sizes(const tenon_yaml *at, bool *has_dims) {
  static const char *const words[] = {"count", "dims", NULL};
  size_t word = 0;
  if (!at) return TENON_OK;
  TENON_TRY(tenon_yaml_word(at, words, &word));
  *has_dims = word == 1;
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Entries
// ---------------------------------------------------------------------------

// Words with blanks between: "avx2 fma".
static tenon_status read_needs(const tenon_bindings *b, const tenon_yaml *at,
                               const char **out) {
  const char *text = NULL;
  if (!at) return TENON_OK;
  TENON_TRY(tenon_yaml_text(at, &text));
  for (const char *p = text; *p; ++p)
    if (!tenon_char_is_in_name(*p) && !strchr(" .+-", *p))
      return tenon_yaml_expected(at, "features with blanks between");
  *out = tenon_arena_string(b->arena, text);
  return *out ? TENON_OK : tenon_bindings_memory(b);
}

static tenon_status read_kernel(const tenon_bindings *b,
                                const tenon_yaml *entry, const tenon_yaml *at,
                                tenon_bind_op *op) {
  static const char *const known[] = {"arg_meta", "kernel_name", "fails",
                                      "needs",    "when",        NULL};
  tenon_bind_kernel *kernel = tenon_arena_new(b->arena, tenon_bind_kernel);
  const tenon_yaml *fails = NULL;
  if (!kernel) return tenon_bindings_memory(b);
  TENON_TRY(tenon_yaml_keys(at, known));
  TENON_TRY(tenon_yaml_need(at, "kernel_name", &kernel->at));
  TENON_TRY(tenon_yaml_text(kernel->at, &kernel->name));
  TENON_TRY(find_function(b, kernel->at, &kernel->function));
  fails = tenon_yaml_get(at, "fails");
  if (fails) TENON_TRY(tenon_yaml_bool(fails, &kernel->may_fail));
  TENON_TRY(read_needs(b, tenon_yaml_get(at, "needs"), &kernel->needs));
  if (tenon_yaml_get(at, "when"))
    TENON_TRY(tenon_bindings_when(b, op, tenon_yaml_get(at, "when"),
                                  &kernel->condition));
  kernel->has_dims = b->has_dims;
  TENON_TRY(bind_read_sizes(tenon_yaml_get(entry, "sizes"), &kernel->has_dims));
  TENON_TRY(tenon_bindings_keys(b, entry, at, op, kernel));
  *op->tail = kernel;
  op->tail = &kernel->next;
  return TENON_OK;
}

// `variants: function, method` says how Python spells a call: checked, and of
// no consequence here.
static tenon_status check_variants(const tenon_yaml *at) {
  static const char *const words[] = {"function", "method", NULL};
  const char *text = NULL;
  size_t word = 0;
  if (!at) return TENON_OK;
  TENON_TRY(tenon_yaml_text(at, &text));
  tenon_text rest = at->text, piece;
  while (tenon_text_next(&rest, ',', &piece)) {
    char copy[TENON_LABEL];
    tenon_yaml one = *at;
    tenon_label_make(copy, tenon_text_trim(piece));
    one.text = tenon_text_of(copy);
    TENON_TRY(tenon_yaml_word(&one, words, &word));
  }
  return TENON_OK;
}

// What PyTorch's native_functions.yaml says of the same operators, for its own
// code: of no consequence here, but for tags.
static const char *const native_keys[] = {"autogen",
                                          "category_override",
                                          "cpp_no_default_args",
                                          "device_check",
                                          "device_guard",
                                          "dispatch",
                                          "manual_cpp_binding",
                                          "manual_kernel_registration",
                                          "precomputed",
                                          "python_module",
                                          "structured",
                                          "structured_delegate",
                                          "structured_inherits",
                                          "tags",
                                          "ufunc_inner_loop",
                                          "use_const_ref_for_mutable_tensors",
                                          NULL};

// A tag says that equal calls may give different results.
static bool is_random(const tenon_yaml *tags) {
  if (!tags) return false;
  if (tags->kind == TENON_YAML_SCALAR)
    return strncmp(tags->text.data, "nondeterministic", 16) == 0;
  for (const tenon_yaml *e = tags->first; e; e = e->next)
    if (is_random(e)) return true;
  return false;
}

static tenon_bind_op *bind_read_find_op(const tenon_bindings *b,
                                        const tenon_bind_op *op) {
  for (tenon_bind_op *o = b->first; o; o = o->next) {
    if (strcmp(o->schema->name, op->schema->name) == 0) return o;
  }
  return NULL;
}

// The same operator again must be the same in every way that functions see.
static tenon_status join_op(tenon_bindings *b, tenon_bind_op **op) {
  tenon_bind_op *other = bind_read_find_op(b, *op);
  char where[TENON_YAML_WHERE];
  if (!other) {
    *b->tail = *op;
    b->tail = &(*op)->next;
    (*op)->tail = &(*op)->first;
    return TENON_OK;
  }
  tenon_place place = tenon_yaml_place(other->at, where);
  if (strcmp(other->given->name, (*op)->given->name) != 0)
    return tenon_yaml_fail((*op)->at, "binding-op",
                           "'%s' serves '%s', as '%s' does in %s, %s: "
                           "bind it under one name",
                           (*op)->written, (*op)->schema->name, other->written,
                           place.file, place.where);
  if (strcmp(other->text, (*op)->text) != 0)
    return tenon_yaml_fail((*op)->at, "binding-schema",
                           "'%s' is another schema than that of %s, %s: '%s'",
                           (*op)->text, place.file, place.where, other->text);
  *op = other;
  return TENON_OK;
}

static tenon_status bind_read_entry(tenon_bindings *b, const tenon_yaml *at) {
  static const char *const known[] = {
      "op",       "func",  "kernels", "type_alias", "dim_order_alias",
      "variants", "sizes", "like",    NULL};
  const tenon_yaml *kernels = tenon_yaml_get(at, "kernels");
  tenon_status status = tenon_yaml_keys_beside(at, known, native_keys);
  if (at->kind != TENON_YAML_MAP) return status;
  const tenon_yaml *op = tenon_yaml_get(at, "op");
  const tenon_yaml *func = tenon_yaml_get(at, "func");
  if (!op == !func) {
    bind_read_keep(&status,
                   tenon_yaml_fail(at, "yaml-key",
                                   "expected either 'op' or 'func', found %s",
                                   op ? "both" : "neither"));
    return status;
  }
  bind_read_keep(&status, check_variants(tenon_yaml_get(at, "variants")));
  tenon_bind_op *bound = tenon_arena_new(b->arena, tenon_bind_op);
  if (!bound) return tenon_bindings_memory(b);
  tenon_status one = tenon_bindings_op(b, func ? func : op, func, bound);
  bound->is_random = is_random(tenon_yaml_get(at, "tags"));
  if (one == TENON_OK && op && !kernels) {
    ++b->n_left;  // ATen mode's lists name operators alone
    return status;
  }
  if (one == TENON_OK) one = join_op(b, &bound);
  if (one == TENON_OK) one = tenon_yaml_need(at, "kernels", &kernels);
  if (one == TENON_OK) one = tenon_yaml_list(kernels);
  if (one == TENON_OK && kernels->count == 0)
    one =
        tenon_yaml_fail(kernels, "yaml-value", "expected a kernel, found none");
  if (one == TENON_OK && tenon_yaml_get(at, "like"))
    one = tenon_bindings_like(b, tenon_yaml_get(at, "like"), bound);
  bind_read_keep(&status, one);
  for (const tenon_yaml *k = one ? NULL : kernels->first; k; k = k->next)
    bind_read_keep(&status, read_kernel(b, at, k, bound));
  return status;
}

static tenon_status bind_read_list(tenon_bindings *b, const tenon_yaml *list,
                                   bool takes_files);

// Another file, whose entries are taken as if they stood here.
static tenon_status bind_read_file(tenon_bindings *b, const tenon_yaml *at) {
  char error[TENON_OS_ERROR];
  tenon_os_map map;
  const tenon_yaml *root = NULL;
  const char *path = bind_read_beside(b, b->path, at->text.data, at->text.size);
  if (!path) return tenon_bindings_memory(b);
  if (!tenon_os_map_file(path, &map, error))
    return tenon_yaml_fail(at, "binding-file", "'%s' cannot be read: %s", path,
                           error);
  tenon_status status =
      tenon_yaml_read(b->arena, &b->cx->report, TENON_BAD_PLUGIN, path,
                      (tenon_text){map.data, map.size}, &root);
  tenon_os_unmap(&map);
  TENON_TRY(status);
  TENON_TRY(tenon_yaml_list(root));
  return bind_read_list(b, root, false);
}

static tenon_status bind_read_list(tenon_bindings *b, const tenon_yaml *list,
                                   bool takes_files) {
  tenon_status status = TENON_OK;
  for (const tenon_yaml *e = list->first; e; e = e->next) {
    bool is_file =
        takes_files && e->kind == TENON_YAML_SCALAR && !tenon_yaml_is_null(e);
    bind_read_keep(&status,
                   is_file ? bind_read_file(b, e) : bind_read_entry(b, e));
    if (status == TENON_NO_MEMORY) return status;
  }
  return status;
}

static void tell_left(const tenon_bindings *b, const tenon_yaml *root) {
  char where[TENON_YAML_WHERE];
  tenon_place place = tenon_yaml_place(root, where);
  tenon_warn(&b->cx->report, "binding-op", &place,
             "%zu operators have no 'kernels' here: they keep those that they "
             "have",
             b->n_left);
}

tenon_status tenon_bindings_read(tenon_bindings *b, tenon_context *cx,
                                 tenon_arena *arena, const char *path,
                                 const tenon_yaml *root) {
  bool is_map = root->kind == TENON_YAML_MAP;
  const tenon_yaml *list = root;
  memset(b, 0, sizeof *b);
  b->cx = cx;
  b->arena = arena;
  b->path = path;
  b->tail = &b->first;
  b->plugin = plugin_name(b);
  if (!b->plugin) return tenon_bindings_memory(b);
  if (is_map) TENON_TRY(tenon_yaml_need(root, "bindings", &list));
  tenon_status status =
      is_map ? bind_read_sizes(tenon_yaml_get(root, "sizes"), &b->has_dims)
             : TENON_OK;
  bind_read_keep(&status, read_files(b, root, "sources", &b->sources));
  bind_read_keep(&status, read_files(b, root, "headers", &b->headers));
  bind_read_keep(&status, read_files(b, root, "libraries", &b->libraries));
  if (!tenon_yaml_get(root, "sources") && !b->libraries)
    bind_read_keep(&status, default_source(b));
  if (is_map && list->kind == TENON_YAML_SCALAR && !tenon_yaml_is_null(list))
    bind_read_keep(&status, bind_read_file(b, list));
  else if (tenon_yaml_list(list) != TENON_OK)
    bind_read_keep(&status, list->doc->status);
  else
    bind_read_keep(&status, bind_read_list(b, list, is_map));
  if (status == TENON_OK && b->n_left > 0) tell_left(b, root);
  if (status == TENON_OK) status = tenon_bindings_settle(b);
  return status;
}
