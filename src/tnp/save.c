// How: the body is coded into memory, so that its size is known in front; the
// constants follow as they are, each written once.
#include "tnp/coder.h"

#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/size.h"

// Operands that were consumed when they were packed.
static bool lacks_constants(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (p->tensors[i].slot.place == TENON_IN_NOTHING && p->tensors[i].size > 0)
      return true;
  return false;
}

static tenon_status tnp_save_check(const struct tenon_program *p) {
  // Elements of strings are addresses: a file that had some could name any.
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (p->tensors[i].dtype == TENON_STR)
      return tenon_fail(&p->report, TENON_UNSUPPORTED, "tnp-strings", NULL,
                        "'%s' holds strings, and a program file cannot",
                        p->tensors[i].name ? p->tensors[i].name : "");
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

static void tnp_save_put_number(tenon_buf *out, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i)
    tenon_buf_char(out, (char)(v >> 8 * i));
}

static void pad(tenon_buf *out, size_t align) {
  while (!out->failed && out->size % align)
    tenon_buf_char(out, 0);
}

static void put_constants(const struct tenon_program *p, tenon_buf *out) {
  static const char tail[TENON_ARENA_TAIL] = {0};
  for (uint32_t i = 0; i < p->n_constants; ++i) {
    if (p->constants[i].is_packed) continue;  // made again
    pad(out, TENON_ARENA_ALIGN);
    tenon_buf_add(out, p->constants[i].data, (size_t)p->constants[i].size);
    tenon_buf_add(out, tail, sizeof tail);
  }
  pad(out, TENON_ARENA_ALIGN);
}

static void set_number(tenon_buf *out, size_t at, uint64_t v) {
  for (size_t i = 0; i < 8; ++i)
    out->data[at + i] = (char)(v >> 8 * i);
}

static tenon_status write_file(const struct tenon_program *p, bool strips,
                               tenon_arena *arena, tenon_buf *out) {
  struct tenon_program copy = *p;
  tenon_tnp_rows rows = {list_kernels(p, arena), list_patches(p, arena)};
  tenon_coder c = {.is_writing = true,
                   .strips = strips,
                   .version = TENON_TNP_VERSION,
                   .out = out,
                   .arena = arena,
                   .cx = (const tenon_context *)p->keep};
  if (!rows.kernels || !rows.patches)
    return tenon_fail_memory(&p->report, "writing a program");
  tenon_buf_add(out, "TNP1", 4);
  tnp_save_put_number(out, TENON_TNP_VERSION, 4);
  for (int i = 0; i < 3; ++i)
    tnp_save_put_number(out, 0, 8);
  tenon_tnp_code(&c, &copy, &rows);
  size_t body = out->size - TENON_TNP_HEAD;
  put_constants(p, out);
  if (out->failed) return tenon_fail_memory(&p->report, "writing a program");
  if (c.error)
    return tenon_fail_bug(&p->report, "a program that cannot be coded: %s",
                          c.error);
  set_number(out, 8, out->size);
  set_number(out, 16, body);
  set_number(out, 24,
             tenon_hash(out->data + TENON_TNP_HEAD, out->size - TENON_TNP_HEAD,
                        TENON_HASH_SEED));
  return TENON_OK;
}

// A loader believes less of open sizes than the planner, which saw the model:
// what it would refuse is not written.
static tenon_status read_back(const struct tenon_program *p,
                              const tenon_buf *out) {
  struct tenon_program *again = NULL;
  tenon_bytes file = {(const uint8_t *)out->data, out->size};
  TENON_TRY(
      tenon_tnp_load((tenon_context *)p->keep, file, p->name, false, &again));
  tenon_program_free(again);
  return TENON_OK;
}

tenon_status tenon_tnp_save(const struct tenon_program *p, bool strips,
                            tenon_write_fn *write, void *self) {
  tenon_arena arena;
  tenon_buf out;
  const tenon_context *cx = (const tenon_context *)p->keep;
  TENON_TRY(tnp_save_check(p));
  tenon_arena_init(&arena, cx->allocator);
  tenon_buf_init(&out, cx->allocator);
  tenon_status status = write_file(p, strips, &arena, &out);
  if (status == TENON_OK && p->n_numbers > 0) status = read_back(p, &out);
  if (status == TENON_OK) status = write(self, "", out.data, out.size);
  tenon_buf_deinit(&out);
  tenon_arena_deinit(&arena);
  return status;
}
