// How: head, hash, body, constants; then kernels by name, the whole list of
// what is missing at once; then bounds, attributes, and each step as if it were
// being compiled.
#include <string.h>

#include "base/hash.h"
#include "base/put.h"
#include "core/attr.h"
#include "core/dtype.h"
#include "program/joined.h"
#include "tnp/coder.h"

bool tenon_tnp_is(tenon_bytes file) {
  return file.size >= 4 && memcmp(file.data, "TNP1", 4) == 0;
}

typedef struct loading {
  tenon_context *cx;
  const char *name;
  struct tenon_program *p;
  tenon_tnp_rows rows;
  uint32_t version;  // of the file
} loading;

#define tnp_load_bad(cx, its_name, ...)                  \
  tenon_fail(&(cx)->report, TENON_BAD_MODEL, "tnp-file", \
             &(const tenon_place){.file = (its_name)}, __VA_ARGS__)

static tenon_status tnp_load_no_memory(const tenon_context *cx) {
  return tenon_fail_memory(&cx->report, "loading a program");
}

// ---------------------------------------------------------------------------
// Bytes
// ---------------------------------------------------------------------------

static tenon_status tnp_load_check_head(const tenon_context *cx,
                                        tenon_bytes file, const char *name,
                                        tenon_bytes *body, uint32_t *version) {
  uint64_t size = 0, body_size = 0, hash = 0;
  if (!tenon_tnp_is(file) || !tenon_bytes_u32(file, 4, version) ||
      !tenon_bytes_u64(file, 8, &size) ||
      !tenon_bytes_u64(file, 16, &body_size) ||
      !tenon_bytes_u64(file, 24, &hash))
    return tnp_load_bad(cx, name, "no program file, or one that is cut off");
  if (*version == 0 || *version > TENON_TNP_VERSION)
    return tnp_load_bad(
        cx, name, "version %u of a program file; this library reads 1 to %u",
        (unsigned)*version, TENON_TNP_VERSION);
  if (size != file.size)
    return tnp_load_bad(cx, name, "%llu bytes were written, there are %zu",
                        (unsigned long long)size, file.size);
  if (!tenon_bytes_slice(file, TENON_TNP_HEAD, body_size, body))
    return tnp_load_bad(cx, name, "the tables end outside of the file");
  // Contents have hashes of their own since version 7.
  const size_t hashed = *version < 7 ? file.size - TENON_TNP_HEAD : body->size;
  if (tenon_hash(file.data + TENON_TNP_HEAD, hashed, TENON_HASH_SEED) != hash)
    return tnp_load_bad(cx, name, "the content is not what was written (hash)");
  return TENON_OK;
}

static void tnp_load_release_context(void *keep) {
  tenon_context_release((tenon_context *)keep);
}

static tenon_status tnp_load_start(tenon_context *cx,
                                   struct tenon_program **out) {
  tenon_arena arena;
  tenon_arena_init(&arena, cx->allocator);
  struct tenon_program *p = tenon_arena_new(&arena, struct tenon_program);
  *out = p;
  if (!p) {
    tenon_arena_deinit(&arena);
    return tnp_load_no_memory(cx);
  }
  p->arena = arena;
  p->report = cx->report;
  tenon_context_retain(cx);
  p->keep = cx;
  p->release = tnp_load_release_context;
  p->arena_align = TENON_ARENA_ALIGN;
  return TENON_OK;
}

static tenon_status read_tables(loading *l, tenon_bytes body) {
  tenon_coder c = {
      .file = body, .version = l->version, .arena = &l->p->arena, .cx = l->cx};
  tenon_tnp_code(&c, l->p, &l->rows);
  if (c.no_memory) return tnp_load_no_memory(l->cx);
  if (c.error) return tnp_load_bad(l->cx, l->name, "tables: %s", c.error);
  return TENON_OK;
}

static tenon_status bad_constant(const loading *l, uint32_t i,
                                 const char *error) {
  return tnp_load_bad(l->cx, l->name, "constant %u, '%s', %s", (unsigned)i,
                      l->p->constants[i].name, error);
}

static tenon_status place_constants(loading *l, tenon_bytes file, size_t body,
                                    uint32_t flags) {
  bool stays = flags & TENON_LOAD_BORROW && (uintptr_t)file.data % 64 == 0;
  tenon_bytes constants = {file.data, 0};
  uint32_t at = 0;
  const size_t base = tenon_tnp_base(body);
  for (size_t i = TENON_TNP_HEAD + body; i < base && i < file.size; ++i)
    if (l->version >= 7 && file.data[i])
      return tnp_load_bad(l->cx, l->name, "something behind the tables");
  if (base <= file.size)
    constants = (tenon_bytes){file.data + base, file.size - base};
  const char *error =
      tenon_tnp_place(l->p, &l->rows, constants, l->version < 7, stays, &at);
  if (error) return bad_constant(l, at, error);
  for (uint32_t i = 0; flags & TENON_TNP_ANY_CONTENT && i < l->p->n_constants;
       ++i)
    ((tenon_program_constant *)(uintptr_t)&l->p->constants[i])->is_unread =
        false;
  return l->p->arena.failed ? tnp_load_no_memory(l->cx) : TENON_OK;
}

// ---------------------------------------------------------------------------
// What it refers to
// ---------------------------------------------------------------------------

// `n_foreign` of them can be emitted here and not run.
static tenon_status fail_kernels(const loading *l, tenon_diag *notes, size_t n,
                                 size_t n_foreign) {
  tenon_place place = {.file = l->name};
  const char *features = l->p->target_features;
  if (n == n_foreign)
    return tenon_fail_notes(
        &l->cx->report, TENON_UNSUPPORTED, "tnp-kernels", &place, notes,
        "the program was compiled for '%s'%s%s%s, and %zu of the %u kernels "
        "that it calls cannot run on this machine; compile the model for "
        "'host', or load it where they run",
        l->p->target, *features ? " (" : "", features, *features ? ")" : "", n,
        (unsigned)l->p->n_kernels);
  return tenon_fail_notes(&l->cx->report, TENON_UNSUPPORTED, "tnp-kernels",
                          &place, notes,
                          "%zu of the %u kernels that the program calls are "
                          "not in this runtime",
                          n, (unsigned)l->p->n_kernels);
}

static const char *describe_missing(const loading *l, const tenon_tnp_kernel *k,
                                    const tenon_kernel *found) {
  tenon_buf b;
  tenon_buf_init(&b, l->cx->allocator);
  bool is_others = found && strcmp(found->owner->name, k->owner) != 0;
  tenon_buf_format(&b, "'%s' of plugin '%s'%s%s%s", k->symbol, k->owner,
                   is_others ? ": here it is of plugin '"
                   : found   ? " can only be emitted"
                             : "",
                   is_others ? found->owner->name : "", is_others ? "'" : "");
  const char *text =
      b.failed ? NULL : tenon_arena_text(&l->p->arena, b.data, b.size);
  tenon_buf_deinit(&b);
  return text ? text : k->symbol;
}

// All that are missing, at once.
static tenon_status find_kernels(loading *l) {
  struct tenon_program *p = l->p;
  tenon_program_kernel *rows =
      tenon_arena_array(&p->arena, tenon_program_kernel, p->n_kernels);
  tenon_diag *notes = tenon_arena_array(&p->arena, tenon_diag, p->n_kernels);
  size_t n = 0, n_foreign = 0;
  if (!rows || !notes) return tnp_load_no_memory(l->cx);
  for (uint32_t i = 0; i < p->n_kernels; ++i) {
    const tenon_tnp_kernel *k = &l->rows.kernels[i];
    const tenon_kernel *found = tenon_registry_find_kernel(l->cx, k->symbol);
    // Another plugin's kernel of that symbol may compute something else.
    bool is_same = found && strcmp(found->owner->name, k->owner) == 0;
    bool fits = is_same && (found->desc->run || found->desc->run_range);
    if (!fits) {
      if (is_same) ++n_foreign;
      notes[n] = (tenon_diag){.struct_size = sizeof *notes,
                              .severity = TENON_NOTE,
                              .id = "tnp-kernels",
                              .message = describe_missing(l, k, found)};
      if (n > 0) notes[n - 1].next_note = &notes[n];
      ++n;
      continue;
    }
    rows[i] =
        (tenon_program_kernel){found->desc, found->source, found->desc->symbol,
                               found->owner->name, found->owner->origin};
  }
  p->kernels = rows;
  return n ? fail_kernels(l, notes, n, n_foreign) : TENON_OK;
}

static tenon_status bind_attrs(loading *l, const tenon_step *s) {
  char error[TENON_MESSAGE_SIZE];
  if (s->attrs == TENON_NO_INDEX) return TENON_OK;
  tenon_program_attrs *a =
      (tenon_program_attrs *)(uintptr_t)&l->p->attrs[s->attrs];
  const tenon_op *op = tenon_registry_find_op(l->cx, s->op);
  if (!op || !op->desc)
    return tnp_load_bad(l->cx, l->name, "unknown operator '%s'", s->op);
  const tenon_arg *args = NULL;
  if (!tenon_attr_complete(&l->p->arena, op->schema, a->args, &args, error,
                           sizeof error))
    return l->p->arena.failed
               ? tnp_load_no_memory(l->cx)
               : tnp_load_bad(l->cx, l->name, "'%s': %s", s->op, error);
  if (a->bound)
    return tnp_load_bad(l->cx, l->name, "'%s': attributes of two steps", s->op);
  a->args = args;
  a->fields = op->desc->fields;
  a->size = op->desc->attrs_size;
  a->type = op->desc->attrs_type;
  a->bound = tenon_attr_bind(&l->p->arena, a->fields, a->size, a->args);
  return a->bound ? TENON_OK : tnp_load_no_memory(l->cx);
}

static tenon_status fill_io(loading *l, const tenon_io *list,
                            const uint32_t *of, size_t n) {
  tenon_io *io = (tenon_io *)(uintptr_t)list;
  for (size_t i = 0; i < n; ++i) {
    const tenon_program_tensor *t = &l->p->tensors[of[i]];
    int64_t *dims =
        tenon_arena_array(&l->p->arena, int64_t, (size_t)t->rank + 1);
    if (!dims) return tnp_load_no_memory(l->cx);
    for (int d = 0; d < t->rank; ++d)
      dims[d] = t->sizes && t->sizes[d].symbol ? -1 : t->dims[d];
    io[i].dims = dims;
    io[i].quant = t->quant;
    io[i].dtype = t->dtype;
    io[i].rank = t->rank;
    io[i].flags &= TENON_IO_WRITTEN;
  }
  return TENON_OK;
}

static tenon_status fill_types(loading *l) {
  const struct tenon_program *p = l->p;
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_entry *e = &p->entries[i];
    TENON_TRY(fill_io(l, e->inputs, e->in, e->n_in));
    TENON_TRY(fill_io(l, e->outputs, e->out, e->n_out));
  }
  for (uint32_t i = 0; i < p->n_states; ++i) {
    tenon_program_state *s = (tenon_program_state *)(uintptr_t)&p->states[i];
    s->io.name = s->name;
    TENON_TRY(fill_io(l, &s->io, &s->tensor, 1));
  }
  return TENON_OK;
}

static void tnp_load_flag_ports(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_ports; ++i)
    ((tenon_io *)(uintptr_t)tenon_program_port_io(p, &p->ports[i]))->flags |=
        TENON_IO_CALLER;
}

static tenon_status bad_step(const loading *l, uint32_t step,
                             const char *error) {
  if (step >= l->p->n_steps) return tnp_load_bad(l->cx, l->name, "%s", error);
  return tnp_load_bad(l->cx, l->name, "step %u, '%s': %s", (unsigned)step,
                      l->p->steps[step].op, error);
}

static tenon_status check_open(loading *l) {
  uint32_t step = TENON_NO_INDEX;
  const char *error = tenon_tnp_patches(l->p, l->rows.patches);
  if (!error && !l->p->arena.failed) error = tenon_tnp_open(l->p, &step);
  if (l->p->arena.failed) return tnp_load_no_memory(l->cx);
  return error ? bad_step(l, step, error) : TENON_OK;
}

// That what steps read is what was written. Large sources are looked at when
// kernels pack them; on a machine that the file was made for nobody reads them.
static tenon_status check_contents(loading *l) {
  struct tenon_program *p = l->p;
  uint32_t *which = tenon_arena_array(&p->arena, uint32_t, p->n_constants + 1u);
  uint32_t n = 0, at = 0;
  if (!which) return tnp_load_no_memory(l->cx);
  tenon_program_mark_sources(p);
  for (uint32_t i = 0; i < p->n_constants; ++i)
    if (!p->constants[i].is_source || p->constants[i].size < TENON_TNP_SMALL)
      which[n++] = i;
  const char *error = tenon_tnp_check_contents(p, which, n, &at);
  if (error) return bad_constant(l, at, error);
  return p->arena.failed ? tnp_load_no_memory(l->cx) : TENON_OK;
}

// Blocks of kernels that other ones have replaced.
static bool forget_unused(struct tenon_program *p) {
  bool *is_used = tenon_arena_array(&p->arena, bool, p->n_constants + 1u);
  for (uint32_t i = 0; is_used && i < p->n_steps; ++i)
    if (p->steps[i].packed != TENON_NO_INDEX)
      is_used[p->steps[i].packed] = true;
  for (uint32_t i = 0; is_used && i < p->n_constants; ++i)
    if (p->constants[i].is_packed && !is_used[i])
      ((tenon_program_constant *)(uintptr_t)&p->constants[i])->size = 0;
  return is_used != NULL;
}

static tenon_status tnp_load_check_all(loading *l) {
  struct tenon_program *p = l->p;
  uint32_t step = TENON_NO_INDEX;
  const char *error = tenon_tnp_bounds(p, &step);
  if (error) return bad_step(l, step, error);
  TENON_TRY(check_contents(l));
  for (uint32_t i = 0; i < p->n_steps; ++i)
    TENON_TRY(bind_attrs(l, &p->steps[i]));
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_op *op = tenon_registry_find_op(l->cx, p->steps[i].op);
    if (op && op->desc)
      ((tenon_step *)(uintptr_t)&p->steps[i])->count_macs = op->desc->macs;
  }
  for (uint32_t i = 0; i < p->n_attrs; ++i)
    if (!p->attrs[i].bound)
      return tnp_load_bad(l->cx, l->name, "attributes of no step");
  TENON_TRY(check_open(l));
  error = tenon_tnp_strings(p, &p->arena);
  if (p->arena.failed) return tnp_load_no_memory(l->cx);
  if (error) return tnp_load_bad(l->cx, l->name, "%s", error);
  p->empties_strings = tenon_tnp_has_strings(p);
  TENON_TRY(fill_types(l));
  if (!tenon_program_name_shapes(p)) return tnp_load_no_memory(l->cx);
  error = tenon_tnp_ports(p);
  if (p->arena.failed) return tnp_load_no_memory(l->cx);
  if (error) return tnp_load_bad(l->cx, l->name, "%s", error);
  tnp_load_flag_ports(p);
  TENON_TRY(tenon_tnp_check_steps(l->cx, p, &l->rows));
  // Another kernel may read what the file's had packed.
  if (!forget_unused(p)) return tnp_load_no_memory(l->cx);
  TENON_TRY(check_contents(l));
  tenon_program_join(p);
  return TENON_OK;
}

tenon_status tenon_tnp_load(tenon_context *cx, tenon_bytes file,
                            const char *name, uint32_t flags,
                            struct tenon_program **out) {
  tenon_bytes body;
  loading l = {.cx = cx, .name = name};
  *out = NULL;
  TENON_TRY(tenon_context_freeze(cx));
  TENON_TRY(tnp_load_check_head(cx, file, name, &body, &l.version));
  TENON_TRY(tnp_load_start(cx, &l.p));
  tenon_status status = read_tables(&l, body);
  if (status == TENON_OK) status = place_constants(&l, file, body.size, flags);
  if (status == TENON_OK) status = find_kernels(&l);
  if (status == TENON_OK) status = tnp_load_check_all(&l);
  if (status == TENON_OK)
    *out = l.p;
  else
    tenon_program_free(l.p);
  return status;
}

// ---------------------------------------------------------------------------
// Looking only
// ---------------------------------------------------------------------------

// Names come from the file.
static void tnp_put_name(tenon_buf *out, const char *before, const char *name) {
  tenon_put(out, "$$", before, tenon_as_shown(name));
}

static void print_io(const struct tenon_program *p, const char *what,
                     const char *name, uint32_t tensor, tenon_buf *out) {
  if (tensor >= p->n_tensors) return;
  const tenon_program_tensor *t = &p->tensors[tensor];
  tenon_buf_format(out, "  %-10s", what);
  tenon_put(out, " $: $[", tenon_as_shown(name), tenon_dtype_name(t->dtype));
  for (int i = 0; i < t->rank; ++i) {
    uint32_t number = t->sizes ? t->sizes[i].symbol : 0;
    bool is_open = number > 0 && number < p->n_numbers;
    if (i) tenon_buf_char(out, ',');
    if (!is_open)
      tenon_buf_format(out, "%d", (int)t->dims[i]);
    else
      tnp_put_name(out, p->numbers[number].op ? "" : "?",
                   p->numbers[number].name);
  }
  tenon_buf_text(out, "]\n");
}

// Of the leaves, what a run may find.
static void print_ranges(const struct tenon_program *p, tenon_buf *out) {
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    const tenon_program_number *n = &p->numbers[i];
    if (n->op != 0 || n->kind != 0) continue;
    tenon_put(out, "size       $, $", tenon_as_shown(n->name), n->min);
    if (n->max == INT64_MAX)
      tenon_buf_text(out, " and more\n");
    else
      tenon_buf_format(out, " to %lld\n", (long long)n->max);
  }
}

// Plain ones, blocks that kernels make when this is loaded, and those that are
// in the file.
enum { PLAIN, MADE, STORED };

static uint64_t constant_bytes(const loading *l, int which) {
  const struct tenon_program *p = l->p;
  uint64_t size = 0;
  for (uint32_t i = 0; i < p->n_constants; ++i) {
    const bool is_there = l->rows.contents && l->rows.contents[i].is_there;
    const int kind = !p->constants[i].is_packed ? PLAIN
                     : is_there                 ? STORED
                                                : MADE;
    if (kind == which) size += p->constants[i].size;
  }
  return size;
}

// Each form once, in the order of the blocks.
static void print_layouts(const loading *l, tenon_buf *out) {
  const tenon_tnp_content *list = l->rows.contents;
  for (uint32_t i = 0; list && i < l->p->n_constants; ++i) {
    uint32_t k = 0;
    if (!list[i].layout) continue;
    while (!list[k].layout || strcmp(list[k].layout, list[i].layout) != 0 ||
           list[k].layout_version != list[i].layout_version)
      ++k;
    if (k != i) continue;
    tenon_put(out, "  $, version $\n", tenon_as_shown(list[i].layout),
              list[i].layout_version);
  }
}

static void tnp_load_print_info(const loading *l, tenon_buf *out) {
  const struct tenon_program *p = l->p;
  tenon_put(out, "program    $ for $, version $\n", tenon_as_shown(p->name),
            tenon_as_shown(p->target), l->version);
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_entry *e = &p->entries[i];
    tenon_put(out, "entry      $\n", tenon_as_shown(e->name));
    for (uint32_t k = 0; k < e->n_in; ++k)
      print_io(p, "input", e->inputs[k].name, e->in[k], out);
    for (uint32_t k = 0; k < e->n_out; ++k)
      print_io(p, "output", e->outputs[k].name, e->out[k], out);
  }
  for (uint32_t i = 0; i < p->n_states; ++i)
    print_io(p, "state", p->states[i].name, p->states[i].tensor, out);
  print_ranges(p, out);
  tenon_put(out,
            "steps      $\n"
            "arena      $ bytes\n"
            "state      $ bytes\n"
            "constants  $ bytes\n",
            p->n_steps, p->arena_size, p->state_size, constant_bytes(l, PLAIN));
  if (constant_bytes(l, STORED)) {
    tenon_put(out, "blocks     $ bytes, packed for$$\n",
              constant_bytes(l, STORED), *p->target_features ? " " : " plain C",
              tenon_as_shown(p->target_features));
  }
  print_layouts(l, out);
  if (constant_bytes(l, MADE))
    tenon_buf_format(out,
                     "packed     %llu bytes, which kernels make of them when "
                     "this is loaded\n",
                     (unsigned long long)constant_bytes(l, MADE));
  tenon_buf_format(out, "kernels    %u\n", (unsigned)p->n_kernels);
  for (uint32_t i = 0; i < p->n_kernels; ++i) {
    tenon_put(out, "  $ of $$", tenon_as_shown(l->rows.kernels[i].symbol),
              tenon_as_shown(l->rows.kernels[i].owner),
              tenon_registry_find_kernel(l->cx, l->rows.kernels[i].symbol)
                  ? "\n"
                  : ", not in this runtime\n");
  }
}

static void tnp_load_print_json(const loading *l, tenon_buf *out) {
  const struct tenon_program *p = l->p;
  tenon_put_json(out,
                 "{'program': $, 'target': $, 'steps': $, 'arena': $, 'state': "
                 "$, 'constants': $, 'packed': $, 'blocks': $, 'kernels': [",
                 p->name, p->target, p->n_steps, p->arena_size, p->state_size,
                 constant_bytes(l, PLAIN), constant_bytes(l, MADE),
                 constant_bytes(l, STORED));
  for (uint32_t i = 0; i < p->n_kernels; ++i) {
    tenon_put_json(
        out, "$$, 'owner': $, 'is_here': $}",
        tenon_as_plain(i ? ", {\"symbol\": " : "{\"symbol\": "),
        l->rows.kernels[i].symbol, l->rows.kernels[i].owner,
        (bool)(tenon_registry_find_kernel(l->cx, l->rows.kernels[i].symbol)));
  }
  tenon_buf_text(out, "]}\n");
}

tenon_status tenon_tnp_info(tenon_context *cx, tenon_bytes file,
                            const char *name, uint32_t format,
                            tenon_write_fn *write, void *self) {
  tenon_bytes body;
  tenon_buf out;
  loading l = {.cx = cx, .name = name};
  TENON_TRY(tenon_context_freeze(cx));
  TENON_TRY(tnp_load_check_head(cx, file, name, &body, &l.version));
  TENON_TRY(tnp_load_start(cx, &l.p));
  tenon_buf_init(&out, cx->allocator);
  tenon_status status = read_tables(&l, body);
  if (status == TENON_OK && format == TENON_FORMAT_JSON)
    tnp_load_print_json(&l, &out);
  if (status == TENON_OK && format != TENON_FORMAT_JSON)
    tnp_load_print_info(&l, &out);
  if (status == TENON_OK && out.failed) status = tnp_load_no_memory(cx);
  if (status == TENON_OK) status = write(self, "", out.data, out.size);
  tenon_buf_deinit(&out);
  tenon_program_free(l.p);
  return status;
}
