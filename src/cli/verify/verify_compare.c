// How: element by element in double; 64-bit integers are compared as integers
// first, so that none of their bits is lost.
#include <math.h>
#include <string.h>

#include "cli/verify/verifying.h"

typedef struct sums {
  double ab, aa, bb;
} sums;

static void compare_one(const tenon_tensor *want, const tenon_tensor *got,
                        size_t i, const verify_tolerance *t, sums *s,
                        verify_difference *d) {
  size_t size = tenon_element_bytes(want->dtype);
  const bool are_strings = want->dtype == TENON_STR;
  double a = are_strings ? 0 : cli_element(want, i);
  double b = are_strings ? !cli_string_same(want, got, i) : cli_element(got, i);
  bool same = are_strings
                  ? b == 0
                  : memcmp((const char *)want->data + i * size,
                           (const char *)got->data + i * size, size) == 0;
  bool floats = cli_is_real(want->dtype);
  double off = same || (isnan(a) && isnan(b)) || a == b ? 0 : fabs(a - b);
  if (isnan(off)) off = (double)INFINITY;
  if (!floats && !same && off == 0) off = 1;  // beyond double's 53 bits
  if (!same) ++d->differing;
  double limit = floats ? t->abs + t->rel * fabs(a) : t->lsb;
  bool are_nan = floats && isnan(a) && isnan(b);
  const bool is_off = t->is_exact ? !same && !are_nan : off > limit && off != 0;
  if (is_off && !t->is_exact && off <= limit + t->step)
    ++d->stepped;
  else if (is_off)
    ++d->outside;
  double rel = off > 0 && fabs(a) > 0 ? off / fabs(a) : 0;
  if (rel > d->rel) d->rel = rel;
  if (off > d->abs || (i == 0 && d->abs == 0)) {
    d->abs = off;
    d->worst = i;
    d->want = a;
    d->got = b;
  }
  if (isfinite(a) && isfinite(b)) {
    s->ab += a * b;
    s->aa += a * a;
    s->bb += b * b;
  }
}

// Complex numbers as twice as many real ones.
static tenon_tensor diff_parts_of(const tenon_tensor *t, int32_t *count) {
  tenon_tensor parts = *t;
  if (t->dtype != TENON_C64 && t->dtype != TENON_C128) return parts;
  *count = (int32_t)(tenon_count(t) * 2);
  parts.dtype = t->dtype == TENON_C64 ? TENON_F32 : TENON_F64;
  parts.rank = 1;
  parts.dims = count;
  return parts;
}

void verify_compare(const tenon_tensor *want, const tenon_tensor *got,
                    const verify_tolerance *tolerance, verify_difference *out) {
  sums s = {0, 0, 0};
  int32_t counts[2];
  memset(out, 0, sizeof *out);
  if (!cli_same_shape(want, got)) {
    out->differs_in_shape = true;
    return;
  }
  out->cosine = 1;
  out->agrees = true;
  if (want->dtype == 0) return;  // None
  tenon_tensor parts[2] = {diff_parts_of(want, &counts[0]),
                           diff_parts_of(got, &counts[1])};
  want = &parts[0];
  got = &parts[1];
  out->count = tenon_count(want);
  out->step = tolerance->step;
  for (size_t i = 0; i < out->count; ++i)
    compare_one(want, got, i, tolerance, &s, out);
  out->lsb = cli_is_real(want->dtype) ? 0 : out->abs;
  out->cosine = s.aa > 0 && s.bb > 0 ? s.ab / sqrt(s.aa * s.bb)
                                     : (s.aa > 0 || s.bb > 0 ? 0 : 1);
  out->agrees =
      (double)out->outside <= tolerance->outliers * (double)out->count;
}

bool verify_ways_are_exact(const char *a, const char *b) {
  // The reference has other kernels than the rest, which has the same bits;
  // without what changes numbers, numbers are others.
  static const char *const others[] = {"reference", "exact"};
  for (int i = 0; i < 2; ++i)
    if (verify_way_is(a, others[i]) || verify_way_is(b, others[i]))
      return false;
  return true;
}

verify_tolerance verify_tolerance_of(tenon_dtype dtype) {
  verify_tolerance t = {0, 0, 0, 0, 0, false};
  t.abs = dtype == TENON_F64 || dtype == TENON_C128 ? 1e-10
          : dtype == TENON_F16                      ? 2e-3
          : dtype == TENON_BF16                     ? 2e-2
                                                    : 1e-5;
  t.rel = t.abs;
  return t;
}

void verify_tolerance_flags(const cli *c, verify_tolerance *t) {
  if (c->has_tolerance_abs) t->abs = c->tolerance_abs;
  if (c->has_tolerance_rel) t->rel = c->tolerance_rel;
  if (c->has_tolerance_lsb) t->lsb = (double)c->tolerance_lsb;
  if (c->has_outliers) t->outliers = c->outliers;
}

verify_tolerance verify_tolerance_for(const verify_suite *s, size_t output,
                                      tenon_dtype dtype) {
  verify_tolerance t = verify_tolerance_of(dtype);
  double abs = 0, rel = 0;
  if (verify_meta_tolerance(s->meta, output, &abs, &rel)) {
    t.abs = abs;
    t.rel = rel;
  }
  verify_tolerance_flags(s->c, &t);
  return t;
}

void verify_tolerance_step(const verify_suite *s, const verify_case *v,
                           const verify_check *check, const char *a,
                           const char *b, verify_tolerance *t) {
  const bool is_exact = verify_way_is(a, "exact");
  const bool is_folded = b ? is_exact != verify_way_is(b, "exact") : !is_exact;
  const bool is_said = s->c->has_tolerance_abs || s->c->has_tolerance_rel ||
                       s->c->has_tolerance_lsb;
  t->step = 0;
  if (check->kind == VERIFY_OUTPUT && is_folded && !is_said)
    t->step = tenon_program_step(s->groups[v->group].program, v->entry,
                                 (uint32_t)check->index);
}
