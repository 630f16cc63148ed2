// How: a target says how its compiler writes what C has no word for: a section,
// an alignment, what stands in front of a constant. These become the defaults
// of the macros that a user may define otherwise.
#include <string.h>

#include "base/text.h"
#include "emit/emission.h"

// A form with a text in the place of %.
static void put_form(tenon_buf *out, const char *form, const char *text,
                     size_t size) {
  const char *mark = strchr(form, '%');
  size_t n = mark ? (size_t)(mark - form) : strlen(form);
  tenon_buf_add(out, form, n);
  if (!mark) return;
  tenon_buf_add(out, text, size);
  tenon_buf_text(out, mark + 1);
}

bool tenon_emit_section(const tenon_emission *e, tenon_buf *out,
                        const char *memory) {
  const char *form = e->p->emission.section;
  tenon_text rest = tenon_text_of(e->p->emission.sections), word, name;
  while (tenon_text_next(&rest, ' ', &word)) {
    if (!tenon_text_next(&word, '=', &name) || !tenon_text_is(name, memory))
      continue;
    tenon_buf_char(out, ' ');
    put_form(out, form ? form : "__attribute__((section(\"%\")))", word.data,
             word.size);
    return true;
  }
  return false;
}

void tenon_emit_constant_default(const tenon_emission *e, tenon_buf *out) {
  const struct tenon_program *p = e->p;
  uint32_t i = 0;
  tenon_emit_text(e, out, "\n#ifndef ^_CONST\n#define ^_CONST");
  while (i < p->n_banks && (!p->banks[i].is_rom || p->banks[i].is_cold))
    ++i;
  if (i < p->n_banks) (void)tenon_emit_section(e, out, p->banks[i].name);
  if (p->emission.constant) tenon_buf_format(out, " %s", p->emission.constant);
  tenon_buf_text(out, "\n#endif\n");
}

void tenon_emit_aligned(const tenon_emission *e, tenon_buf *out) {
  if (!e->p->emission.align) return;
  tenon_emit_text(e, out, "#ifndef ^_ALIGNED\n#define ^_ALIGNED(n) ");
  put_form(out, e->p->emission.align, "n", 1);
  tenon_buf_text(out, "\n#endif\n");
}

void tenon_emit_widths(const tenon_emission *e, tenon_buf *out) {
  uint32_t bits = e->p->emission.pointer_bits;
  if (bits)
    tenon_buf_format(out,
                     "#if UINTPTR_MAX != UINT%u_MAX\n"
                     "#error \"this file is for pointers of %u bits\"\n"
                     "#endif\n",
                     (unsigned)bits, (unsigned)bits);
  if (e->has_doubles && tenon_emit_has(e, TENON_WORD_REAL))
    tenon_buf_text(out,
                   "#if DBL_MANT_DIG < 53\n"
                   "#error \"results would differ: this file needs a double "
                   "of 64 bits\"\n"
                   "#endif\n");
}

// --- what a target cannot have ----------------------------------------------

static tenon_status fail_size(const tenon_emission *e, const char *what,
                              uint64_t size) {
  return tenon_fail(e->report, TENON_NO_SPACE, "emit-target", NULL,
                    "%s has %llu bytes, more than the %u bits of an address of "
                    "target '%s' can count",
                    what, (unsigned long long)size,
                    (unsigned)e->p->emission.pointer_bits, e->p->target);
}

tenon_status tenon_emit_check_target(const tenon_emission *e) {
  uint32_t bits = e->p->emission.pointer_bits;
  if (e->p->emission.int_bits && e->p->emission.int_bits < 32)
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-target", NULL,
                      "target '%s' has an int of %u bits, and kernels compute "
                      "with one of 32",
                      e->p->target, (unsigned)e->p->emission.int_bits);
  if (e->p->emission.integer_bits && e->p->emission.integer_bits < 64)
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-target", NULL,
                      "the widest integer of target '%s' has %u bits, and "
                      "emitted C counts with 64",
                      e->p->target, (unsigned)e->p->emission.integer_bits);
  if (bits == 0 || bits >= 64) return TENON_OK;
  // Differences of addresses have a sign.
  uint64_t most = (UINT64_C(1) << (bits - 1)) - 1;
  for (uint32_t i = 0; i < e->n_memories; ++i)
    if (e->memories[i].size > most)
      return fail_size(e, e->memories[i].member, e->memories[i].size);
  for (uint32_t i = 0; i < e->p->n_constants; ++i)
    if (e->p->constants[i].size > most)
      return fail_size(e,
                       e->p->constants[i].name ? e->p->constants[i].name : "",
                       e->p->constants[i].size);
  return TENON_OK;
}
