// How: what stands where is decided first, and the body coded into memory, so
// that its size is known in front; the constants follow, each written once from
// where it is.
#include "tnp/coder.h"

#include "base/hash.h"

// Operands that were consumed when they were packed.
static bool lacks_constants(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (p->tensors[i].slot.place == TENON_IN_NOTHING && p->tensors[i].size > 0)
      return true;
  return false;
}

// What a loader, which does not know who wrote the file, would not believe.
static tenon_status check_strings_of(const struct tenon_program *p,
                                     tenon_arena *arena) {
  const char *error = tenon_tnp_strings(p, arena);
  if (arena->failed) return tenon_fail_memory(&p->report, "writing a program");
  return error ? tenon_fail(&p->report, TENON_UNSUPPORTED, "tnp-strings", NULL,
                            "the program has %s, and a program file cannot",
                            error)
               : TENON_OK;
}

// A loader follows each value through its one place.
static tenon_status check_loops_of(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].kind == TENON_STEP_WHILE && p->steps[i].n_decided > 0)
      return tenon_fail(&p->report, TENON_UNSUPPORTED, "tnp-loops",
                        p->steps[i].place,
                        "the size '%s' changes from round to round of a loop, "
                        "and a program file cannot have that",
                        p->numbers[p->decided[p->steps[i].decided]].name);
  return TENON_OK;
}

static tenon_status tnp_save_check(const struct tenon_program *p) {
  TENON_TRY(check_loops_of(p));
  if (lacks_constants(p))
    return tenon_fail(&p->report, TENON_BAD_ARGUMENT, "tnp-savable", NULL,
                      "the program was compiled without "
                      "TENON_COMPILE_SAVABLE, and kernels have packed "
                      "constants that it does not have any more");
  return tenon_program_check_weights(p, &p->report);
}

static tenon_tnp_kernel *list_kernels(const struct tenon_program *p,
                                      tenon_arena *arena) {
  tenon_tnp_kernel *list =
      tenon_arena_array(arena, tenon_tnp_kernel, p->n_kernels);
  for (uint32_t i = 0; list && i < p->n_kernels; ++i)
    list[i] = (tenon_tnp_kernel){p->kernels[i].symbol, p->kernels[i].owner};
  return list;
}

// The attribute that a patch changes: a field of the struct, or an element of
// the array where there is none.
static const char *patched_name(const tenon_program_attrs *a,
                                const tenon_program_patch *patch) {
  const tenon_field *f = a->fields;
  for (; f && f->name; ++f)
    if (f->offset == patch->offset) return f->name;
  return a->fields ? "" : a->args[patch->offset / sizeof(tenon_arg)].name;
}

static tenon_tnp_patch *list_patches(const struct tenon_program *p,
                                     tenon_arena *arena) {
  tenon_tnp_patch *list =
      tenon_arena_array(arena, tenon_tnp_patch, (size_t)p->n_patches + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; list && i < p->n_attrs; ++i)
    for (uint32_t k = 0; k < p->attrs[i].n_patches; ++k) {
      const tenon_program_patch *from = &p->patches[p->attrs[i].patch + k];
      list[n++] = (tenon_tnp_patch){i, patched_name(&p->attrs[i], from),
                                    from->element, from->value};
    }
  return list;
}

// --- what stands where -------------------------------------------------------

// Blocks below this are packed sooner than a page is read.
#define LEAST_BLOCK 4096u

// Of each constant whether it is a block that can stand in a file.
static void mark_blocks(const struct tenon_program *p, bool *is_block) {
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *s = &p->steps[i];
    if (s->packed != TENON_NO_INDEX && p->kernels[s->kernel].desc->pack_check &&
        p->constants[s->packed].size >= LEAST_BLOCK)
      is_block[s->packed] = true;
  }
}

// Sources stand behind the others. *order: indices as they stand; the bytes of
// all.
static uint64_t lay_out(const struct tenon_program *p, const bool *is_block,
                        tenon_tnp_content *contents, uint32_t *order,
                        uint32_t *n) {
  uint64_t at = 0;
  *n = 0;
  for (int behind = 0; behind < 2; ++behind)
    for (uint32_t i = 0; i < p->n_constants; ++i) {
      const tenon_program_constant *c = &p->constants[i];
      if (c->is_source != (behind == 1) || (c->is_packed && !is_block[i]) ||
          c->dtype == TENON_STR)
        continue;
      contents[i] =
          (tenon_tnp_content){.is_there = true,
                              .at = at,
                              .layout = c->is_packed ? c->layout : NULL,
                              .layout_version = c->layout_version};
      order[(*n)++] = i;
      at += c->size + TENON_ARENA_TAIL + TENON_ARENA_ALIGN - 1;
      at -= at % TENON_ARENA_ALIGN;
    }
  return at;
}

// --- bytes -------------------------------------------------------------------

typedef struct saving {
  const struct tenon_program *p;
  uint32_t flags;
  tenon_arena arena;
  tenon_buf body;  // with the head
  tenon_tnp_rows rows;
  uint32_t *order, n_order;  // of constants
  uint64_t constants;        // bytes
} saving;

static void tnp_save_put_number(tenon_buf *out, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i)
    tenon_buf_char(out, (char)(v >> 8 * i));
}

static void set_number(tenon_buf *out, size_t at, uint64_t v) {
  for (size_t i = 0; i < 8; ++i)
    out->data[at + i] = (char)(v >> 8 * i);
}

// What was loaded and nobody has read may not be what was written.
static tenon_status hash_contents(saving *s) {
  const struct tenon_program *p = s->p;
  uint64_t *hashes = tenon_arena_array(&s->arena, uint64_t, s->n_order + 1u);
  if (!hashes || !tenon_tnp_hash(p, s->order, s->n_order, hashes))
    return tenon_fail_memory(&p->report, "writing a program");
  for (uint32_t i = 0; i < s->n_order; ++i) {
    const tenon_program_constant *c = &p->constants[s->order[i]];
    if (c->is_unread && c->hash != hashes[i])
      return tenon_fail(&p->report, TENON_BAD_MODEL, "tnp-file", NULL,
                        "constant %u, '%s', is not what was written (hash)",
                        (unsigned)s->order[i], c->name);
    s->rows.contents[s->order[i]].hash = hashes[i];
  }
  return TENON_OK;
}

static bool make_rows(saving *s) {
  const struct tenon_program *p = s->p;
  const size_t n = (size_t)p->n_constants + 1;
  bool *is_block = tenon_arena_array(&s->arena, bool, n);
  s->rows.kernels = list_kernels(p, &s->arena);
  s->rows.patches = list_patches(p, &s->arena);
  s->rows.contents = tenon_arena_array(&s->arena, tenon_tnp_content, n);
  s->order = tenon_arena_array(&s->arena, uint32_t, n);
  if (!is_block || !s->rows.kernels || !s->rows.patches || !s->rows.contents ||
      !s->order)
    return false;
  if (!(s->flags & TENON_SAVE_UNPACKED)) mark_blocks(p, is_block);
  s->constants = lay_out(p, is_block, s->rows.contents, s->order, &s->n_order);
  return true;
}

static tenon_status make_body(saving *s) {
  struct tenon_program copy = *s->p;
  tenon_buf *out = &s->body;
  tenon_coder c = {.is_writing = true,
                   .strips = s->flags & TENON_SAVE_STRIP,
                   .version = TENON_TNP_VERSION,
                   .out = out,
                   .arena = &s->arena,
                   .cx = (const tenon_context *)s->p->keep};
  if (!make_rows(s))
    return tenon_fail_memory(&s->p->report, "writing a program");
  TENON_TRY(hash_contents(s));
  tenon_buf_add(out, "TNP1", 4);
  tnp_save_put_number(out, TENON_TNP_VERSION, 4);
  for (int i = 0; i < 3; ++i)
    tnp_save_put_number(out, 0, 8);
  tenon_tnp_code(&c, &copy, &s->rows);
  if (c.error)
    return tenon_fail_bug(&s->p->report, "a program that cannot be coded: %s",
                          c.error);
  const size_t body = out->size - TENON_TNP_HEAD, base = tenon_tnp_base(body);
  while (!out->failed && out->size < base)
    tenon_buf_char(out, 0);
  if (out->failed) return tenon_fail_memory(&s->p->report, "writing a program");
  set_number(out, 8, base + s->constants);
  set_number(out, 16, body);
  set_number(out, 24,
             tenon_hash(out->data + TENON_TNP_HEAD, body, TENON_HASH_SEED));
  return TENON_OK;
}

static tenon_status write_pieces(const saving *s, tenon_write_fn *write,
                                 void *self) {
  static const char zeros[TENON_ARENA_TAIL + TENON_ARENA_ALIGN] = {0};
  TENON_TRY(write(self, "", s->body.data, s->body.size));
  for (uint32_t i = 0; i < s->n_order; ++i) {
    const tenon_program_constant *c = &s->p->constants[s->order[i]];
    const size_t behind = (size_t)(-c->size % TENON_ARENA_ALIGN);
    if (c->size) TENON_TRY(write(self, "", c->data, (size_t)c->size));
    TENON_TRY(write(self, "", zeros, TENON_ARENA_TAIL + behind));
  }
  return TENON_OK;
}

static tenon_status tnp_save_collect(void *self, const char *file,
                                     const char *text, size_t size) {
  tenon_buf *out = self;
  (void)file;
  tenon_buf_add(out, text, size);
  return out->failed ? TENON_NO_MEMORY : TENON_OK;
}

// A loader believes less of open sizes than the planner, which saw the model:
// what it would refuse is not written.
static tenon_status read_back(const saving *s) {
  const struct tenon_program *p = s->p;
  struct tenon_program *again = NULL;
  tenon_buf whole;
  tenon_context *cx = (tenon_context *)p->keep;
  tenon_buf_init(&whole, cx->allocator);
  tenon_status status = write_pieces(s, tnp_save_collect, &whole);
  tenon_bytes file = {(const uint8_t *)whole.data, whole.size};
  if (status == TENON_OK) status = tenon_tnp_load(cx, file, p->name, 0, &again);
  tenon_program_free(again);
  tenon_buf_deinit(&whole);
  return status;
}

tenon_status tenon_tnp_save(const struct tenon_program *p, uint32_t flags,
                            tenon_write_fn *write, void *self) {
  const tenon_context *cx = (const tenon_context *)p->keep;
  saving s = {.p = p, .flags = flags};
  TENON_TRY(tnp_save_check(p));
  tenon_arena_init(&s.arena, cx->allocator);
  tenon_buf_init(&s.body, cx->allocator);
  tenon_status status = check_strings_of(p, &s.arena);
  if (status == TENON_OK) status = make_body(&s);
  if (status == TENON_OK && p->n_numbers > 0) status = read_back(&s);
  if (status == TENON_OK) status = write_pieces(&s, write, self);
  tenon_buf_deinit(&s.body);
  tenon_arena_deinit(&s.arena);
  return status;
}
