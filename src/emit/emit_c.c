// How: options are completed, all text that may fail is collected, then the
// files are written one after the other. The .c is a short head, the model's
// functions where they need nothing of the rest, the constants, the texts of
// the kernels, and the steps; what a file holds is listed in one function each.
#include "emit/emit_c.h"

#include <string.h>

#include "emit/beside/layout.h"
#include "emit/idents.h"
#include "emit/step/open.h"

#ifndef TENON_VERSION
#define TENON_VERSION "0"
#endif

// --- the module -------------------------------------------------------------

static void put_command(const tenon_emission *e, tenon_buf *out) {
  tenon_buf_text(out, "//\n//   cc ");
  tenon_emit_flags(e, out);
  tenon_emit_text(e, out, " -c @.c\n");
}

static void emitter_put_head(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, "// @.c - ");
  tenon_c_comment(out, e->p->name && !e->is_stripped ? e->p->name : e->prefix);
  tenon_buf_text(out, " as standalone C for target '");
  tenon_c_comment(out, e->p->target ? e->p->target : "c");
  tenon_buf_text(out, "', by Tenon " TENON_VERSION ".\n");
  put_command(e, out);
  if (tenon_emit_has(e, TENON_WORD_FUNCTION))
    tenon_buf_text(out, "//\n// and -lm for whatever links it.\n");
  if (tenon_emit_has(e, TENON_WORD_REAL))
    tenon_buf_text(out,
                   "//\n"
                   "// With contraction off (as gcc has it where -std=c99 is "
                   "given) results are\n"
                   "// the same bits on every machine.\n");
}

// What is printed decides: integers need no header of floats.
static void put_includes(const tenon_emission *e, tenon_buf *out) {
  tenon_put(out,
            "$$#include <stdbool.h>\n"
            "#include <stddef.h>\n"
            "#include <stdint.h>\n"
            "#include <string.h>\n"
            "\n",
            tenon_emit_has(e, TENON_WORD_REAL | TENON_WORD_LIMITS)
                ? "#include <float.h>\n"
                : "",
            tenon_emit_has(e, TENON_WORD_MATH) ? "#include <math.h>\n" : "");
  if (!e->is_single) tenon_emit_text(e, out, "#include \"@.h\"\n\n");
}

// A step is a black box to its callers (noipa). gcc 12.2 and some before and
// after take a store that it addresses without a pointer, as loops of Arm do
// from one place of an instance to another, for none at all; it then finds
// that a step does nothing and drops the calls of it.
static const char macro_text[] =
    "#ifndef ^_ON_STEP\n"
    "#define ^_ON_STEP(m, step, name) ((void)0)\n"
    "#endif\n"
    "#ifndef __GNUC__\n"
    "#define TENON_STEP static\n"
    "#elif defined(__clang__) || __GNUC__ < 8\n"
    "#define TENON_STEP static __attribute__((noinline))\n"
    "#else  // noipa: else gcc 12 may drop calls of a step as of no effect\n"
    "#define TENON_STEP static __attribute__((noinline, noipa))\n"
    "#endif\n";

static const char data_text[] =
    "// Tensors have one type for what is read and what is written; no kernel "
    "writes\n"
    "// to an operand.\n"
    "#define TENON_DATA(p) ((void *)(uintptr_t)(const void *)(p))\n";

static void put_scratch(const tenon_emission *e, tenon_buf *out) {
  if (!e->has_ranges) return;
  if (e->members & TENON_WORD_scratch)
    tenon_emit_text(e, out,
                    e->p->scratch_most ? "#define ^_SCRATCH(m, thread) "
                                         "((m)->scratch[(thread)-1])\n"
                                       : "#define ^_SCRATCH(m, thread) NULL\n");
  tenon_emit_split(e, out);
}

static void emitter_put_title(tenon_sink *s, const char *text) {
  tenon_sink_text(s, "// ---- ");
  tenon_sink_text(s, text);
  tenon_sink_text(s, "\n\n");
}

static void put_model(const tenon_emission *e, tenon_sink *s) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  emitter_put_title(s, "the model");
  if (e->is_first) tenon_emit_step_prototypes(e, &text);
  tenon_sink_buf(s, &text);
  tenon_sink_buf(s, &e->calls_text);
  tenon_buf_deinit(&text);
}

// In pieces, so that constants need not be held as text.
static void emitter_put_module(const tenon_emission *e, tenon_sink *s) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  emitter_put_head(e, &text);
  tenon_buf_char(&text, '\n');
  if (e->is_single) {
    tenon_emit_header(e, &text);
    tenon_emit_text(e, &text, "\n#ifndef ^_HEADER_ONLY\n\n");
  }
  put_includes(e, &text);
  tenon_emit_checks(e, &text);
  tenon_emit_constant_default(e, &text);
  tenon_emit_group_macro(e, &text);
  tenon_emit_text(e, &text, macro_text);
  tenon_emit_hook_macros(e, &text);
  if ((e->steps_text.data && strstr(e->steps_text.data, "TENON_DATA")) ||
      (e->calls_text.data && strstr(e->calls_text.data, "TENON_DATA")))
    tenon_emit_text(e, &text, data_text);
  tenon_buf_char(&text, '\n');
  tenon_emit_memories(e, &text);
  tenon_emit_parts(e, &text, true);
  tenon_buf_char(&text, '\n');
  tenon_sink_buf(s, &text);
  if (e->is_first) put_model(e, s);
  emitter_put_title(s, "constants");
  tenon_buf_clear(&text);
  tenon_emit_filed_text(e, &text);
  tenon_sink_buf(s, &text);
  tenon_emit_constants(e, s);
  tenon_emit_images(e, s);
  tenon_buf_clear(&text);
  tenon_emit_parts(e, &text, false);
  if (text.size) tenon_buf_char(&text, '\n');
  tenon_sink_buf(s, &text);
  if (e->tables_text.size) {
    emitter_put_title(s, "tables of steps");
    tenon_sink_buf(s, &e->tables_text);
    tenon_sink_text(s, "\n");
  }
  emitter_put_title(s, "steps");
  tenon_sink_buf(s, &e->types_text);
  tenon_buf_clear(&text);
  put_scratch(e, &text);
  tenon_sink_buf(s, &text);
  tenon_sink_buf(s, &e->sizes_text);
  tenon_sink_buf(s, &e->steps_text);
  if (!e->is_first) put_model(e, s);
  tenon_sink_buf(s, &e->origins_text);
  tenon_buf_clear(&text);
  tenon_emit_close_checks(e, &text);
  if (e->is_single) tenon_emit_text(e, &text, "#endif  // ^_HEADER_ONLY\n");
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}

static void emitter_put_header(const tenon_emission *e, tenon_sink *s) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_emit_put(e, &text, "// @.h - $ as standalone C. See README.md.\n",
                 tenon_as_c_comment(e->p->name && !e->is_stripped ? e->p->name
                                                                  : e->prefix));
  if (e->p->target_cflags && *e->p->target_cflags) put_command(e, &text);
  tenon_emit_header(e, &text);
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}

// --- files ------------------------------------------------------------------

typedef struct target_file {
  const char *suffix;  // behind the prefix; null: README.md
  uint32_t role;       // TENON_PACKAGE_*
  void (*put)(const tenon_emission *e, tenon_sink *s);
} target_file;

static const target_file target_files[] = {
    {".h", TENON_PACKAGE_HEADER, emitter_put_header},
    {".c", TENON_PACKAGE_SOURCE, emitter_put_module},
    {"_test.c", TENON_PACKAGE_TEST, tenon_emit_selftest},
    {"_driver.c", TENON_PACKAGE_DRIVER, tenon_emit_driver},
    {"_driver.flags", TENON_PACKAGE_FLAGS, tenon_emit_driver_flags},
    {"_constants.bin", TENON_PACKAGE_CONSTANTS, tenon_emit_filed},
    {NULL, TENON_PACKAGE_MANUAL, tenon_emit_manual},
};
enum { TARGET_FILES = sizeof target_files / sizeof *target_files };

TENON_STATIC_ASSERT(TARGET_FILES <= TENON_LAYOUT_FILES, "a layout holds all");

static bool emitter_is_wanted(const tenon_emission *e, uint32_t role) {
  switch (role) {
    case TENON_PACKAGE_HEADER:
    case TENON_PACKAGE_MANUAL:
      return !e->is_single;
    case TENON_PACKAGE_CONSTANTS:
      return e->n_filed > 0;
    case TENON_PACKAGE_TEST:
      return e->options.n_vectors > 0;
    case TENON_PACKAGE_DRIVER:
    case TENON_PACKAGE_FLAGS:
      return (e->options.flags & TENON_EMIT_DRIVER) != 0;
    default:
      return true;
  }
}

static tenon_status list_files(tenon_emission *e, tenon_layout *layout) {
  for (size_t i = 0; i < TARGET_FILES; ++i) {
    const target_file *f = &target_files[i];
    const char *const parts[] = {e->prefix, f->suffix, NULL};
    if (!emitter_is_wanted(e, f->role)) continue;
    const char *name =
        f->suffix ? tenon_ident_join(&e->arena, parts) : "README.md";
    if (!name) return tenon_emission_memory(e);
    tenon_layout_list(layout, name, f->role);
  }
  return TENON_OK;
}

static tenon_status put_file(const tenon_emission *e, const char *path,
                             uint32_t role, tenon_write_fn *write, void *self) {
  tenon_sink sink;
  size_t i = 0;
  while (target_files[i].role != role)
    ++i;
  tenon_sink_open(&sink, write, self, path);
  target_files[i].put(e, &sink);
  tenon_status status = tenon_sink_close(&sink);
  return status == TENON_OK && sink.is_short ? tenon_emission_memory(e)
                                             : status;
}

static tenon_status put_files(const tenon_emission *e,
                              const tenon_layout *layout, tenon_write_fn *write,
                              void *self) {
  for (size_t i = 0; i < layout->n_files; ++i)
    if (layout->places[i])
      TENON_TRY(
          put_file(e, layout->places[i], layout->files[i].role, write, self));
  return tenon_layout_write(layout, write, self);
}

// --- one emission -----------------------------------------------------------

static tenon_status emitter_collect(tenon_emission *e) {
  TENON_TRY(tenon_layout_choose(e));
  TENON_TRY(tenon_emit_names(e));
  TENON_TRY(tenon_emit_check_filed(e));
  TENON_TRY(tenon_emit_list_memories(e));
  TENON_TRY(tenon_emit_name_cold(e));
  TENON_TRY(tenon_emit_name_resident(e));
  TENON_TRY(tenon_emit_check_target(e));
  TENON_TRY(tenon_emit_check_apart(e));
  TENON_TRY(tenon_emit_check_vectors(e));
  TENON_TRY(tenon_emit_choose_ways(e));
  TENON_TRY(tenon_emit_check_doubles(e));
  TENON_TRY(tenon_emit_bundle(e));
  tenon_emit_sizes(e, &e->sizes_text);
  TENON_TRY(tenon_emit_steps(e));
  // Functions of the model stand first where they need nothing of the rest.
  e->n_references = 0;
  tenon_emit_blocks(e);
  tenon_emit_calls(e);
  e->is_first = e->n_references == 0 && e->p->n_numbers == 0;
  tenon_emit_origins(e, &e->origins_text);
  TENON_TRY(tenon_emit_check_blob_used(e));
  const tenon_buf *const texts[] = {&e->tables_text, &e->types_text,
                                    &e->sizes_text,  &e->steps_text,
                                    &e->calls_text,  &e->origins_text};
  if (!tenon_emit_mark(e, texts, sizeof texts / sizeof *texts))
    return tenon_emission_memory(e);
  return tenon_emission_failed(e) ? tenon_emission_memory(e) : TENON_OK;
}

tenon_status tenon_emit_program(const struct tenon_program *p,
                                const tenon_emit_options *options,
                                tenon_write_fn *write, void *self) {
  tenon_emission e;
  memset(&e, 0, sizeof e);
  e.p = p;
  e.report = &p->report;
  e.options = *options;
  e.is_stripped = (options->flags & TENON_EMIT_STRIP) != 0;
  e.allocator = p->arena.allocator;
  tenon_arena_init(&e.arena, e.allocator);
  tenon_map *maps[] = {&e.symbols, &e.tables, &e.types};
  tenon_buf *bufs[] = {&e.texts,       &e.types_text, &e.tables_text,
                       &e.sizes_text,  &e.steps_text, &e.calls_text,
                       &e.origins_text};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i)
    tenon_map_init(maps[i], e.allocator);
  for (size_t i = 0; i < sizeof bufs / sizeof *bufs; ++i)
    tenon_buf_init(bufs[i], e.allocator);
  tenon_status status = tenon_emit_check_open(&e);
  if (status == TENON_OK) status = emitter_collect(&e);
  tenon_layout layout;
  tenon_layout_open(&layout, &e);
  if (status == TENON_OK) status = list_files(&e, &layout);
  if (status == TENON_OK) status = tenon_layout_ask(&layout);
  if (status == TENON_OK) status = put_files(&e, &layout, write, self);
  tenon_emit_close_parts(&e);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i)
    tenon_map_deinit(maps[i]);
  for (size_t i = 0; i < sizeof bufs / sizeof *bufs; ++i)
    tenon_buf_deinit(bufs[i]);
  tenon_arena_deinit(&e.arena);
  return status;
}

tenon_status tenon_program_emit(const tenon_program *p,
                                const tenon_emit_options *options,
                                tenon_write_fn *write, void *self) {
  const uint32_t known = TENON_EMIT_STRIP | TENON_EMIT_EXTERN |
                         TENON_EMIT_DRIVER | TENON_EMIT_BLOB;
  tenon_emit_options all = {0};
  if (options &&
      (!tenon_admit(&all, sizeof all, options) || (all.flags & ~known) != 0))
    return tenon_fail(&p->report, TENON_BAD_ARGUMENT, "emit-options", NULL,
                      "options of %u bytes with flags 0x%x use what this "
                      "library does not know",
                      (unsigned)options->struct_size, (unsigned)options->flags);
  return tenon_emit_program(p, &all, write, self);
}
