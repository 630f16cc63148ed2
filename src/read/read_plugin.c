// How: a reader of a plugin gets a function to fill through the builders of
// ir/build.c. A failure is kept, so that a reader that goes on after one does
// no harm, and one that ends without an entry point is told of.
#include "core/dtype.h"
#include "ir/build.h"
#include "read/read.h"
#include "tenon/ext/reader.h"

typedef struct output {
  const char *name;
  tenon_value *value;
} output;

typedef struct reading {
  tenon_reading base;  // first: what the plugin holds
  tenon_module *m;
  tenon_graph *graph;  // null: none is begun
  const tenon_extension *reader;
  tenon_status status;  // of the first failure
  TENON_VEC(output) outputs;
  TENON_VEC(const char *) inputs;
  tenon_value failed;  // stands for what could not be made
} reading;

static reading *of(tenon_reading *base) {
  return (reading *)base;
}

static tenon_status format_stop(reading *r, tenon_status status) {
  if (r->status == TENON_OK) r->status = status;
  return status;
}

static tenon_value *failed(reading *r, tenon_status status) {
  (void)format_stop(r, status);
  return &r->failed;
}

static tenon_status format_no_memory(reading *r) {
  return format_stop(r, tenon_fail_memory(&r->m->report, "reading a model"));
}

static tenon_status misuse(reading *r, const char *what) {
  tenon_place place = {r->m->name, NULL, NULL, 0, 0};
  return format_stop(
      r, tenon_fail(&r->m->report, TENON_BAD_PLUGIN, "read-plugin", &place,
                    "reader '%s' of plugin '%s' %s", r->reader->name,
                    r->reader->owner->name, what));
}

static bool format_begin(reading *r) {
  if (r->status != TENON_OK) return false;
  if (!r->graph) r->graph = tenon_build_function(r->m, "", 0);
  if (!r->graph) (void)format_stop(r, TENON_NO_MEMORY);
  return r->graph != NULL;
}

// Sizes of a type that a file states; data behind it has so many bytes.
static bool format_check_type(reading *r, const tenon_type *t) {
  bool good = t && tenon_dtype_look(t->dtype) && t->dtype != TENON_STR &&
              t->rank <= TENON_MAX_RANK && (t->rank == 0 || t->dims);
  for (int i = 0; good && i < t->rank; ++i)
    good = t->dims[i].symbol != 0 ? t->dims[i].symbol < r->m->symbols.count
                                  : t->dims[i].value >= 0;
  if (!good) (void)misuse(r, "gives a type that is none");
  return good;
}

static const char *format_keep(reading *r, const char *text) {
  const char *copy = tenon_arena_string(&r->m->arena, text ? text : "");
  if (!copy) (void)format_no_memory(r);
  return copy;
}

static tenon_value *input(tenon_reading *base, const char *name,
                          const tenon_type *type) {
  reading *r = of(base);
  if (!format_begin(r) || !format_check_type(r, type)) return &r->failed;
  const char *kept = format_keep(r, name);
  if (!kept || !tenon_vec_push(&r->inputs, kept))
    return failed(r, TENON_NO_MEMORY);
  tenon_value *v = tenon_build_param(r->graph, kept, type, 0);
  return v ? v : failed(r, TENON_BAD_MODEL);
}

static bool is_in_file(const reading *r, const void *data, uint64_t size) {
  const uint8_t *at = (const uint8_t *)data;
  const uint8_t *file = r->base.data;
  return at >= file && at <= file + r->base.size &&
         size <= (uint64_t)(file + r->base.size - at);
}

static tenon_value *format_constant(tenon_reading *base, const char *name,
                                    const tenon_type *type, const void *data,
                                    bool is_borrowed) {
  reading *r = of(base);
  size_t bytes = 0;
  if (r->status != TENON_OK || !format_check_type(r, type)) return &r->failed;
  if (!tenon_type_is_static(type) || !tenon_type_size(type, &bytes))
    return failed(r, misuse(r, "gives a constant without a size"));
  if (is_borrowed && !is_in_file(r, data, bytes))
    return failed(r, misuse(r, "lends data that are not in the file"));
  const char *kept = format_keep(r, name);
  size_t align = 64;
  bool is_aligned = (uintptr_t)data % align == 0;
  tenon_value *v = kept ? tenon_build_constant(r->m, kept, type, data,
                                               is_borrowed && is_aligned, 0)
                        : NULL;
  return v ? v : failed(r, TENON_BAD_MODEL);
}

static bool has_failed_operand(const tenon_build *b) {
  for (uint32_t i = 0; i < b->n_in; ++i)
    if (b->in[i] && b->in[i]->has_failed) return true;
  return false;
}

static tenon_value *node(tenon_reading *base, const tenon_build *b,
                         const char *const *names, const char *where) {
  reading *r = of(base);
  for (uint32_t i = 0; b->out && i < b->n_out; ++i)
    b->out[i] = &r->failed;
  if (!format_begin(r) || has_failed_operand(b)) return &r->failed;
  if (!b->op || !strstr(b->op, "::") || b->n_regions > 0)
    return failed(r, misuse(r, b->n_regions ? "makes a node with regions"
                                            : "makes a node without a name"));
  for (uint32_t i = 0; b->types && i < b->n_out; ++i)
    if (b->types[i] && !format_check_type(r, b->types[i])) return &r->failed;
  tenon_place place = {r->m->name, where, NULL, 0, 0};
  tenon_node_spec spec = {.op = tenon_module_op(r->m, b->op),
                          .args = b->args,
                          .in = b->in,
                          .n_in = b->n_in,
                          .in_group = b->in_group,
                          .n_out = b->n_out,
                          .out_group = b->out_group,
                          .types = b->types,
                          .names = names,
                          .loc = tenon_locs_add(&r->m->locs, &place)};
  tenon_node *n = spec.op ? tenon_build_node(r->graph, NULL, &spec) : NULL;
  if (!n) return failed(r, TENON_BAD_MODEL);
  for (uint32_t i = 0; b->out && i < b->n_out; ++i)
    b->out[i] = n->out[i];
  return n->n_out > 0 ? n->out[0] : NULL;
}

static tenon_status format_add_output(tenon_reading *base, const char *name,
                                      tenon_value *v) {
  reading *r = of(base);
  if (r->status != TENON_OK) return r->status;
  if (!v) return misuse(r, "gives nothing for an output");
  output o = {format_keep(r, name), v};
  return o.name && tenon_vec_push(&r->outputs, o) ? TENON_OK
                                                  : format_no_memory(r);
}

static tenon_status format_entry(tenon_reading *base, const char *name) {
  reading *r = of(base);
  size_t n = r->outputs.count;
  if (!format_begin(r)) return r->status;
  const char *kept = format_keep(r, name);
  tenon_value **values = tenon_arena_array(&r->m->arena, tenon_value *, n);
  const char **names = tenon_arena_array(&r->m->arena, const char *, n);
  if (!kept || !values || !names) return format_no_memory(r);
  for (size_t i = 0; i < n; ++i) {
    values[i] = r->outputs.data[i].value;
    names[i] = r->outputs.data[i].name;
  }
  bool done = tenon_build_results(r->graph, values, (uint32_t)n, 0) &&
              tenon_build_entry(r->m, kept, r->graph, r->inputs.data, names);
  r->graph = NULL;
  r->outputs.count = r->inputs.count = 0;
  return done ? TENON_OK : format_stop(r, TENON_BAD_MODEL);
}

static tenon_dim format_open_size(tenon_reading *base, const char *name,
                                  int64_t min, int64_t max) {
  reading *r = of(base);
  tenon_dim none = tenon_dim_fixed(0);
  if (r->status != TENON_OK) return none;
  tenon_dim made = tenon_symbols_leaf(&r->m->symbols, format_keep(r, name), min,
                                      max == TENON_UNKNOWN ? INT64_MAX : max);
  if (min < 0 || made.value == TENON_UNKNOWN)
    (void)misuse(r, "leaves a size open that no number fits");
  return made;
}

static tenon_status format_fail(tenon_reading *base, size_t offset,
                                const char *fmt, ...) {
  reading *r = of(base);
  va_list args;
  tenon_place place = {r->m->name, NULL, NULL, offset,
                       offset < r->base.size ? 1 : 0};
  va_start(args, fmt);
  tenon_status status = tenon_vfail(&r->m->report, TENON_BAD_MODEL,
                                    "read-plugin", &place, NULL, fmt, args);
  va_end(args);
  return format_stop(r, status);
}

static const tenon_reading_api api = {sizeof api,   0,
                                      input,        format_constant,
                                      node,         format_add_output,
                                      format_entry, format_open_size,
                                      format_fail};

static tenon_status format_run(reading *r) {
  const tenon_reader_desc *d = (const tenon_reader_desc *)r->reader->desc;
  tenon_status status = d->read(&r->base);
  if (r->m->arena.failed) return format_no_memory(r);
  if (r->status != TENON_OK) return r->status;
  if (status != TENON_OK) return misuse(r, "fails without saying why");
  if (r->m->entries.count == 0 || r->graph)
    return misuse(r, "ends without an entry point");
  return TENON_OK;
}

tenon_status tenon_plugin_read(tenon_context *cx, const tenon_extension *reader,
                               const void *data, size_t size,
                               const tenon_read_options *options,
                               tenon_module **out) {
  const tenon_reader_desc *d = (const tenon_reader_desc *)reader->desc;
  reading r = {
      .base = {&api, (const uint8_t *)data, size, options->name, d->user},
      .reader = reader,
      .failed = {.has_failed = true}};
  TENON_TRY(tenon_module_create(cx, options->name, &r.m));
  r.m->format = tenon_arena_string(&r.m->arena, d->name);
  tenon_vec_init(&r.outputs, cx->allocator);
  tenon_vec_init(&r.inputs, cx->allocator);
  tenon_status status = format_run(&r);
  tenon_vec_deinit(&r.inputs);
  tenon_vec_deinit(&r.outputs);
  if (status == TENON_OK)
    *out = r.m;
  else
    tenon_module_release(r.m);
  return status;
}

tenon_status tenon_plugin_recognise(const tenon_context *cx, const void *data,
                                    size_t size, const char *name,
                                    const tenon_extension **out) {
  *out = NULL;
  for (size_t i = 0; i < tenon_registry_count(cx, TENON_REGISTRY_READERS);
       ++i) {
    const tenon_extension *e = tenon_registry_at(cx, TENON_REGISTRY_READERS, i);
    const tenon_reader_desc *d = e->desc;
    if (!d->recognise || !d->recognise(data, size)) continue;  // read.c has it
    tenon_place place = {name, NULL, NULL, 0, 0};
    if (*out)
      return tenon_fail(&cx->report, TENON_CONFLICT, "read-format", &place,
                        "reader '%s' of plugin '%s' and reader '%s' of plugin "
                        "'%s' both take it for theirs",
                        (*out)->name, (*out)->owner->name, e->name,
                        e->owner->name);
    *out = e;
  }
  return TENON_OK;
}
