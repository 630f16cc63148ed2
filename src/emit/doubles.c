// How: a target may have doubles that are floats. What computes with doubles
// would give other numbers there, in silence, so it is refused by the step: one
// that has a tensor or an attribute of them, or whose kernel's text, or any
// that this uses, has the word. The words are looked for outside of comments.
#include <string.h>

#include "base/chars.h"
#include "emit/emission.h"

static const char *skip_comment(const char *p) {
  const char *end = p[1] == '*' ? strstr(p + 2, "*/") : strchr(p, '\n');
  return end ? end + 1 : p + strlen(p);
}

static bool has_double(const char *text) {
  static const char word[] = "double";
  const size_t size = sizeof word - 1;
  const char *p = text;
  while (p && *p) {
    if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
      p = skip_comment(p);
    } else if (!tenon_char_is_in_name(*p)) {
      ++p;
    } else {
      size_t n = 0;
      while (tenon_char_is_in_name(p[n]))
        ++n;
      if (n == size && memcmp(p, word, size) == 0) return true;
      p += n;
    }
  }
  return false;
}

// Texts use texts; registration has refused circles.
static bool uses_double(const tenon_source *s) {
  if (!s) return false;
  for (size_t i = 0; s->uses && s->uses[i]; ++i)
    if (uses_double(s->uses[i])) return true;
  return has_double(s->text);
}

static bool twin_is_double(const tenon_program_tensor *t) {
  return t->dtype == TENON_F64 || t->dtype == TENON_C128;
}

static bool is_float_arg(const tenon_arg *a) {
  return a->kind == TENON_KIND_FLOAT || a->kind == TENON_KIND_FLOATS ||
         a->kind == TENON_KIND_SCALAR || a->kind == TENON_KIND_SCALARS;
}

// Why a step needs doubles; null: it does not.
static const char *reason_of(const tenon_emission *e, const tenon_step *step) {
  const struct tenon_program *p = e->p;
  const tenon_kernel_desc *desc = p->kernels[step->kernel].desc;
  for (uint32_t i = 0; i < (uint32_t)step->n_in + step->n_out; ++i) {
    uint32_t t = p->operands[i < step->n_in ? step->in + i
                                            : step->out + (i - step->n_in)];
    if (t != TENON_NO_INDEX && twin_is_double(&p->tensors[t]))
      return "a tensor of doubles";
  }
  const tenon_arg *a =
      step->attrs == TENON_NO_INDEX ? NULL : p->attrs[step->attrs].args;
  for (; a && a->name; ++a)
    if (is_float_arg(a)) return "an attribute that is a double";
  switch (e->ways[step->kernel]) {
    case TENON_WAY_TEMPLATE:
      return has_double(desc->emit_template) ? "a kernel that uses doubles"
                                             : NULL;
    case TENON_WAY_SOURCE:
      return uses_double(p->kernels[step->kernel].source)
                 ? "a kernel that uses doubles"
                 : NULL;
    default:
      return "a kernel that may use doubles";
  }
}

tenon_status tenon_emit_check_doubles(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  uint32_t bits = p->emission.double_bits;
  tenon_status status = TENON_OK;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *step = &p->steps[i];
    if (step->kind != TENON_STEP_KERNEL || tenon_program_cold(p, step))
      continue;
    const char *reason = reason_of(e, step);
    if (!reason) continue;
    e->has_doubles = true;
    if (bits != 0 && bits < 64)
      status =
          tenon_fail(e->report, TENON_UNSUPPORTED, "emit-target", step->place,
                     "'%s' has %s, and a double of target '%s' has %u "
                     "bits: its numbers would be others",
                     step->op, reason, p->target, (unsigned)bits);
  }
  for (uint32_t i = 0; i < p->n_tensors && status == TENON_OK; ++i) {
    if (!twin_is_double(&p->tensors[i])) continue;
    e->has_doubles = true;
    if (bits != 0 && bits < 64)
      return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-target", NULL,
                        "'%s' has elements of 64 bits, and a double of target "
                        "'%s' has %u",
                        p->tensors[i].name, p->target, (unsigned)bits);
  }
  return status;
}
