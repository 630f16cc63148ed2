// How: README.md of the emitted folder, so that whoever finds it later can
// build and call it without this project at hand.

#include "emit/emission.h"

// Text from a model within a line of Markdown: as a comment, and without what
// would end a span of code.
static void put_code(tenon_buf *out, const char *text) {
  size_t start = out->size + 1;
  tenon_put(out, "`$", tenon_as_c_comment(text));
  for (size_t i = start; i < out->size && !out->failed; ++i)
    if (out->data[i] == '`' || out->data[i] == '|') out->data[i] = '\'';
  tenon_buf_char(out, '`');
}

static void manual_put_io(const tenon_emission *e, tenon_buf *out,
                          const tenon_io *io, const tenon_io_names *names,
                          const char *what) {
  tenon_buf_text(out, "| ");
  put_code(out, names->parameter);
  tenon_put(out, " | $ | ", what);
  put_code(out, io->name ? io->name : "");
  tenon_emit_put(e, out, " | `$` | ", tenon_emit_io_type(io->dtype));
  tenon_emit_io_text(out, io);
  tenon_buf_text(out, " |\n");
}

static void manual_put_entry(const tenon_emission *e, tenon_buf *out,
                             uint32_t index) {
  const tenon_program_entry *p = &e->p->entries[index];
  const tenon_entry_names *names = &e->entries[index];
  tenon_buf_text(out, "```c\n");
  tenon_emit_run_signature(e, out, index);
  tenon_buf_text(out,
                 ";\n```\n\n"
                 "| parameter | | in the model | elements | |\n"
                 "|---|---|---|---|---|\n");
  for (uint32_t i = 0; i < names->n_sizes; ++i) {
    const tenon_program_number *n = &e->p->numbers[names->sizes[i].number];
    tenon_buf_format(out, "| `%s` | size | ", names->sizes[i].parameter);
    put_code(out, n->name);
    tenon_put(out, " | $ to $ | |\n", n->min, n->max);
  }
  for (uint32_t i = 0; i < p->n_in; ++i)
    manual_put_io(e, out, &p->inputs[i], &names->in[i],
                  tenon_emit_io_kind(&p->inputs[i], false));
  for (uint32_t i = 0; i < p->n_out; ++i)
    manual_put_io(e, out, &p->outputs[i], &names->out[i],
                  tenon_emit_io_kind(&p->outputs[i], true));
  tenon_buf_char(out, '\n');
}

static void manual_put_states(const tenon_emission *e, tenon_buf *out) {
  if (e->p->n_states == 0) return;
  tenon_emit_text(e, out,
                  "States outlive a run; `@_reset` gives them their initial "
                  "values.\n\n"
                  "| function | | in the model | elements | |\n"
                  "|---|---|---|---|---|\n");
  for (uint32_t i = 0; i < e->p->n_states; ++i) {
    tenon_io_names names = e->states[i];
    names.parameter = names.accessor;
    manual_put_io(e, out, &e->p->states[i].io, &names, "state");
  }
  tenon_buf_char(out, '\n');
}

static void manual_put_row(tenon_buf *out, const char *what, uint64_t size,
                           const char *where) {
  tenon_put(out, "| $ | $ | $ |\n", what, size, where);
}

static void put_memory(const tenon_emission *e, tenon_buf *out) {
  tenon_buf_text(out,
                 "## Memory\n\n"
                 "| | bytes | |\n"
                 "|---|---|---|\n");
  tenon_emit_memory_rows(e, out);
  tenon_emit_cold_rows(e, out);
  tenon_emit_resident_rows(e, out);
  if (e->p->scratch_most)
    manual_put_row(out, "scratch", tenon_emit_scratch_size(e),
                   "in the instance, for each thread but the first");
  manual_put_row(out, "constants", tenon_emit_constant_bytes(e), "read-only");
  tenon_buf_char(out, '\n');
  if (tenon_emit_is_blob(e))
    tenon_emit_text(
        e, out,
        "Large constants are not in the program: `@_init` takes the bytes of "
        "`@_constants.bin`, `^_CONSTANTS_SIZE` of them or more at a\nmultiple "
        "of `^_ALIGN` bytes, out of a file, a partition of the flash or a "
        "download, and refuses those of another model by\ntheir hash "
        "(FNV-1a, `^_CONSTANTS_HASH`). They stay where they are, unchanged, "
        "as long as the instance is used; instances may\nshare them. With "
        "`-D^_CONSTANTS_TRUSTED` the hash is not computed.\n\n");
  else if (e->n_filed)
    tenon_emit_text(
        e, out,
        "Large constants are bytes of `@_constants.bin`, which the assembler "
        "includes, in section\n`.rodata.@_constants`: compile with `-I` and "
        "this folder, or say where the file "
        "is, as `-D^_CONSTANTS_FILE='\"dir/@_constants.bin\"'`.\n"
        "With `-D^_CONSTANTS_EXTERN` they come from elsewhere, an object that "
        "defines `@_constants` at a\nmultiple of `^_ALIGN` bytes, as `ld -r -b "
        "binary` or `objcopy` make one, or an address in the linker's\n"
        "script where a loader has put the file.\n\n");
}

static const char bound_text[] =
    "An instance is given its memory by `@_init`: of each member of `@_memory` "
    "so many\n"
    "bytes as its macro `^_..._SIZE` says, at a multiple of `^_ALIGN`. "
    "It returns 0, or refuses\n"
    "what does not fit, and `@_fault` says why. Instances with memory of their "
    "own "
    "may run at\n"
    "the same time; those that never do may share all but states.\n\n"
    "```c\n"
    "#include \"@.h\"\n"
    "static @ instance;\n"
    "...\n"
    "@_memory memory = {...};\n"
    "if (@_init(&instance, &memory";

static const char use_text[] =
    "An instance holds all memory that a run needs, at a multiple of "
    "`^_ALIGN` bytes,\n"
    "where you put it. Nothing else is ever written: several instances may run "
    "at the "
    "same time,\n"
    "and several models share a program.\n\n"
    "```c\n"
    "#include \"@.h\"\n"
    "static @ instance;\n"
    "...\n"
    "if (@_init(&instance";

static const char run_text[] =
    "A run returns 0, or the status of the step that failed, which `@_fault` "
    "explains. An\n"
    "input given as null is taken from where its function (`@_in_...`) points, "
    "if it was\n"
    "written there since the last run; an output given as null stays where "
    "its function\n"
    "points until the next run.\n\n";

static const char port_text[] =
    "What is said to be not copied is read, or written, where you have it: its "
    "address is at a\n"
    "multiple of `^_..._ALIGN`, `^_ALIGN` bytes behind it can be read, an "
    "output lies over\n"
    "nothing else of the call, and its bytes are any until a run has "
    "succeeded. It is "
    "never null.\n\n";

static const char settings_text[] =
    "## Settings\n\n"
    "Macros, given to the compiler or in the file that `^_CONFIG` names; the "
    "same in all\n"
    "files that include `@.h`.\n\n"
    "| macro | |\n"
    "|---|---|\n"
    "| `^_CONST` | where constants go: "
    "`__attribute__((section(\".weights\")))` |\n"
    "| `^_ON_STEP(m, step, name)` | done behind each step; nothing by default "
    "|\n"
    "| `^_STEP_TABLE` | adds `@_steps`: operator, kernel, origin and "
    "multiply-accumulates of each step; and `@_step_out`, which says where "
    "`^_ON_STEP` finds the results |\n"
    "| `^_HOOKS` | adds `@_set_hooks`: functions that are called before and "
    "behind each step, with its number and a pointer of yours; the self-test "
    "then says how many cycles each step took, where the core has a counter or "
    "`^_CYCLES()` reads one |\n"
    "| `^_THREADS`, `^_PARALLEL(count, task, arg)` | steps are divided among "
    "so many threads; results do not change |\n"
    "| `TENON_WIDE_LOOPS` | more and larger loops over elements, which "
    "compilers for hosts make vectors of; results do not change |\n"
    "| `^_SMALL` | leaves gcc's `-Os` as it is, under which the file has less "
    "code and slower loops; without it gcc compiles it as at `-O2` |\n"
    "| `^_ALIGNED(n)` | for compilers that are neither gcc, clang, MSVC nor "
    "C11 |\n";

// How a compiler is called, where no build system does it.
static void put_calls(const tenon_emission *e, tenon_buf *out) {
  tenon_buf_text(out, "```sh\ncc -O2 ");
  tenon_emit_flags(e, out);
  tenon_emit_text(e, out,
                  tenon_emit_has(e, TENON_WORD_FUNCTION)
                      ? " -c @.c  # and -lm when linking\n"
                      : " -c @.c\n");
  if (e->options.n_vectors)
    tenon_emit_text(e, out,
                    "cc -O2 -std=c99 -ffp-contract=off @_test.c @.o -lm -o "
                    "@_test && ./@_test\n");
  tenon_buf_text(out, "```\n\n");
}

void tenon_emit_manual(const tenon_emission *e, tenon_sink *s) {
  tenon_buf text;
  tenon_buf *out = &text;
  tenon_buf_init(out, e->allocator);
  tenon_emit_text(e, out, "# @\n\n");
  if (e->p->name && !e->is_stripped) {
    put_code(out, e->p->name);
    tenon_buf_text(out, " as standalone C for target ");
  } else {
    tenon_buf_text(out, "A model as standalone C for target ");
  }
  put_code(out, e->p->target ? e->p->target : "c");
  tenon_buf_text(out, ".\n\n");
  if (e->building) {
    tenon_put(out,
              "## Building it\n"
              "\n"
              "$",
              e->building);
  } else {
    put_calls(e, out);
  }
  tenon_buf_text(out, "## Calling it\n\n");
  tenon_emit_text(e, out, e->has_caller ? bound_text : use_text);
  tenon_put(out, "$$", tenon_emit_is_blob(e) ? ", constants, size" : "",
            e->has_caller ? ")) ...  // once\n```\n\n"
                          : ")) ...  // once; refuses what is not aligned\n"
                            "```\n\n");
  tenon_emit_text(e, out, run_text);
  if (e->p->n_ports) tenon_emit_text(e, out, port_text);
  for (uint32_t i = 0; i < e->p->n_entries; ++i)
    manual_put_entry(e, out, i);
  if (e->p->n_numbers)
    tenon_emit_text(e, out,
                    "Sizes that are open (`?`) are given to a run, which "
                    "refuses those out of range, with\nthe reason in "
                    "`@_fault`. Inputs and outputs lie densely by the sizes of "
                    "the run; memory is\nthat of the largest. A function that "
                    "ends in `_dim` says the sizes of an output.\n\n");
  manual_put_states(e, out);
  put_memory(e, out);
  tenon_emit_text(e, out, settings_text);
  tenon_sink_buf(s, out);
  tenon_buf_deinit(out);
}
