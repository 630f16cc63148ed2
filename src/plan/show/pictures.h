// plan/show/pictures.h - what memory a program takes: in words, and as pictures
// of offset against time.
#ifndef TENON_PLAN_PICTURES_H
#define TENON_PLAN_PICTURES_H

#include <string.h>

#include "base/buf.h"
#include "program/program.h"

// In text, at most 24 rows and as many columns as there are steps, up to 96.
void tenon_plan_picture(const struct tenon_program *p, tenon_buf *out);
// As one self-contained SVG: a box per buffer with its name, and its size and
// times on hover; what is alive at the peak is darker, scratch of another
// colour. Steps that a session computes together have a bar below. Units: of
// all, to the left of the first step, of all steps.
#define TENON_SVG_WIDTH 1310u
#define TENON_SVG_LEFT 90u
#define TENON_SVG_DRAWN 1200u
void tenon_plan_svg(const struct tenon_program *p, tenon_buf *out);

// Whether steps that are computed together are told of: of a plan for another
// machine, which is for emission, they say nothing.
TENON_INLINE bool tenon_plan_shows_groups(const struct tenon_program *p) {
  return strcmp(p->target, "host") == 0;
}
// "core::conv, core::relu", as a group's steps follow one another from place
// `at` of `order` on; so many operators at most, and " and 3 more" behind.
void tenon_plan_put_group(const struct tenon_program *p, uint32_t at,
                          tenon_buf *out);

// As a page that needs nothing else: names on hover, what is alive on a click.
void tenon_plan_html(const struct tenon_program *p, tenon_buf *out);
// Lifetimes and sizes as MiniMalloc and `tenon pack` read them.
void tenon_plan_csv(const struct tenon_program *p, tenon_buf *out);

#define TENON_ALL_BANKS UINT32_MAX

// What an application needs in all, in bytes; code is an estimate.
typedef struct tenon_plan_total {
  uint64_t arena, state, instance, constants, code;
  uint64_t resident;  // constants in memories that are written
} tenon_plan_total;
tenon_plan_total tenon_plan_totals(const struct tenon_program *p);
// The first time with the most bytes live in a memory, or in all.
uint32_t tenon_plan_peak_time(const struct tenon_program *p, uint32_t bank);
// Per memory: capacity, use, what lives at its peak, what rules put there. Then
// RAM and flash in all.
void tenon_plan_memories(const struct tenon_program *p, tenon_buf *out);
void tenon_plan_memories_json(const struct tenon_program *p, tenon_buf *out);

#endif  // TENON_PLAN_PICTURES_H
