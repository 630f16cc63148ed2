// plan/pictures.h - the arena as a picture: offset against time.
#ifndef TENON_PLAN_PICTURES_H
#define TENON_PLAN_PICTURES_H

#include "base/buf.h"
#include "program/program.h"

// In text, at most 24 rows and as many columns as there are steps, up to 96.
void tenon_plan_picture(const struct tenon_program *p, tenon_buf *out);
// As one self-contained SVG: a box per buffer with its name, size and steps on
// hover, scratch hatched in another colour, the step of the peak marked.
void tenon_plan_svg(const struct tenon_program *p, tenon_buf *out);

#endif  // TENON_PLAN_PICTURES_H
