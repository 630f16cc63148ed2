// How: steps that are computed piece by piece (program/joined.h) take a range
// of elements of their result, and a function goes through the pieces, which
// are rows of all results. Where somebody is told
// of each step, or an application's threads share one, and where all of a group
// is one piece, steps are done one after the other, each on all of its
// elements.

#include "emit/emission.h"

static bool piecewise_can_join(const tenon_emission *e, const tenon_step *s) {
  if (s->kind != TENON_STEP_KERNEL || tenon_program_cold(e->p, s) ||
      s->extent <= 0 || s->is_open || s->n_decided || s->is_measured)
    return false;
  const uint8_t way = e->ways[s->kernel];
  return way == TENON_WAY_SOURCE || way == TENON_WAY_EXTERN ||
         tenon_emit_takes_parts(e, s);
}

// Of the steps that a plan joins, those that are emitted so; what lies between
// two that are not may still be a group.
static bool piecewise_mark(tenon_emission *e, const uint32_t *order,
                           uint32_t n) {
  const tenon_step *first = &e->p->steps[order[0]];
  if (first->rows <= first->tile) return true;
  for (uint32_t at = 0, k = 0; at < n; at += k ? k : 1) {
    for (k = 0;
         at + k < n && piecewise_can_join(e, &e->p->steps[order[at + k]]);)
      ++k;
    if (k < 2) continue;
    tenon_emit_group *g = tenon_arena_new(&e->arena, tenon_emit_group);
    if (!g) return false;
    *g = (tenon_emit_group){order + at, k, first->rows, first->tile};
    e->has_groups = true;
    for (uint32_t i = 0; i < k; ++i)
      e->groups[order[at + i]] = g;
  }
  return true;
}

tenon_status tenon_emit_find_groups(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  e->groups = tenon_arena_array(&e->arena, const tenon_emit_group *,
                                (size_t)p->n_steps + 1);
  if (!e->groups) return tenon_emission_memory(e);
  for (uint32_t i = 0; i < p->n_blocks; ++i) {
    const tenon_block *b = &p->blocks[i];
    for (uint32_t k = 0; k < b->count; ++k) {
      const uint32_t *order = p->order + b->first + k;
      const uint32_t n = p->steps[*order].joined;
      if (n > 1 && k + n <= b->count && !piecewise_mark(e, order, n))
        return tenon_emission_memory(e);
    }
  }
  return TENON_OK;
}

// --- what is printed
// ----------------------------------------------------------

static const char macro_text[] =
    "// Steps that follow one another are computed piece by piece, unless "
    "somebody is\n"
    "// told of each.\n"
    "#ifndef ^_GROUPS\n"
    "#if ^_THREADS > 1 || defined(^_ON_STEP) || defined(^_HOOKS)\n"
    "#define ^_GROUPS 0\n"
    "#else\n"
    "#define ^_GROUPS 1\n"
    "#endif\n"
    "#endif\n";

void tenon_emit_group_macro(const tenon_emission *e, tenon_buf *out) {
  if (e->has_groups) tenon_emit_text(e, out, macro_text);
}

static bool can_fail(const tenon_emission *e, const tenon_emit_group *g) {
  for (uint32_t i = 0; i < g->n; ++i)
    if (tenon_emit_step_fails(e, &e->p->steps[g->order[i]])) return true;
  return false;
}

// A row may be one element.
static void piecewise_put_elements(tenon_buf *out, int64_t width) {
  if (width == 1)
    tenon_buf_text(out, "begin, end);\n");
  else
    tenon_put(out, "begin * $, end * $);\n", width, width);
}

void tenon_emit_group_function(const tenon_emission *e, tenon_buf *out,
                               const tenon_emit_group *g) {
  const bool fails = can_fail(e, g);
  tenon_emit_text(e, out, "#if ^_GROUPS\n// Steps");
  for (uint32_t i = 0; i < g->n; ++i)
    tenon_buf_format(out, " %u", (unsigned)g->order[i]);
  tenon_emit_put(
      e, out,
      "$@_group$(@ *m$) {\n  int64_t begin, end;\n$  for (begin = 0; begin < "
      "$; begin = end) {\n    end = $ - begin < $ ? $ : begin + $;\n",
      fails ? ", a piece of each in turn.\nTENON_STEP "
              "tenon_status "
            : ", a piece of each in turn.\nTENON_STEP void ",
      g->order[0], fails ? ", tenon_fault *fault" : "",
      fails ? "  tenon_status status;\n" : "", g->rows, g->rows, g->tile,
      g->rows, g->tile);
  for (uint32_t i = 0; i < g->n; ++i) {
    const uint32_t index = g->order[i];
    const bool step_fails = tenon_emit_step_fails(e, &e->p->steps[index]);
    tenon_emit_put(e, out, "$@_step$$", step_fails ? "    status = " : "    ",
                   index, step_fails ? "(m, fault, " : "(m, ");
    piecewise_put_elements(out,
                           tenon_emit_count(e, &e->p->steps[index]) / g->rows);
    if (!step_fails) continue;
    tenon_emit_text(e, out, "    if (status != TENON_OK) return @_stop(m, ");
    tenon_buf_format(out, "%u, status);\n", (unsigned)index);
  }
  tenon_buf_text(out, fails ? "  }\n  return TENON_OK;\n}\n#endif\n\n"
                            : "  }\n}\n#endif\n\n");
}

void tenon_emit_group_call(const tenon_emission *e, tenon_buf *out,
                           const tenon_emit_group *g) {
  const bool fails = can_fail(e, g);
  tenon_emit_put(e, out, "#if ^_GROUPS\n$@_group$$",
                 fails ? "  status = " : "  ", g->order[0],
                 fails ? "(m, fault);\n  if (status != TENON_OK) return "
                         "status;\n#else\n"
                       : "(m);\n#else\n");
}
