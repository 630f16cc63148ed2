// ir/groups.c - dividing operands and results among the arguments of a schema.
//
// Operands are flat; an array of bounds says where each argument's begin. It is
// kept where the schema has a Tensor[] and left out where every argument is one
// tensor, so kernels and rules can rely on both. One walk over the arguments.
#include <string.h>

#include "ir/build.h"
#include "ir/graph_link.h"

uint32_t tenon_schema_declared(const tenon_schema *s) {
  uint32_t n = 0;
  for (uint16_t i = 0; i < s->n_returns; ++i)
    n += s->returns[i].base == TENON_BASE_TENSOR;
  return n;
}

const tenon_argument *tenon_schema_result(const tenon_schema *s, uint32_t i) {
  for (uint16_t k = 0; k < s->n_returns; ++k) {
    if (s->returns[k].base != TENON_BASE_TENSOR) continue;
    if (i-- == 0) return &s->returns[k];
  }
  return i < s->n_written ? tenon_schema_tensor(s, s->written[i]) : NULL;
}

// One side of a node while it is being divided.
typedef struct side {
  tenon_module *m;
  const tenon_node_spec *spec;
  const char *what;  // "operand" or "result"
  const tenon_argument *(*argument)(const tenon_schema *s, uint32_t i);
  uint32_t most;  // arguments
  const uint16_t *given;
  uint32_t n_given;  // entries of `given` less one
  uint32_t n_flat;
} side;

static const tenon_argument *operand_at(const tenon_schema *s, uint32_t i) {
  return tenon_schema_tensor(s, (int)i);
}

static const tenon_place *groups_place_of(const side *d) {
  return tenon_locs_place(&d->m->locs, d->spec->loc);
}

static tenon_status bad_bounds(const side *d) {
  return tenon_fail(
      &d->m->report, TENON_BAD_MODEL, "ir-operands", groups_place_of(d),
      "'%s': the groups of its %ss do not add up", d->spec->op->name, d->what);
}

// As many as the schema says there are, and as many as there are.
static tenon_status other_number(const side *d, uint32_t most, uint32_t found) {
  const tenon_op *op = d->spec->op;
  return tenon_fail(&d->m->report, TENON_BAD_MODEL, "ir-operands",
                    groups_place_of(d),
                    "'%s' has %u %s%s by the schema of '%s', found %u",
                    op->name, (unsigned)most, d->what, most == 1 ? "" : "s",
                    op->owner ? op->owner->name : "the model", (unsigned)found);
}

static tenon_status too_many(const side *d) {
  return other_number(d, d->most, d->given ? d->n_given : d->n_flat);
}

static tenon_status check_bounds(side *d) {
  const tenon_schema *s = d->spec->op->schema;
  if (!d->given) return TENON_OK;
  if (d->n_given == 0 && s) {
    d->n_given = d->most;
    if (d->argument != operand_at && d->given[d->most] < d->n_flat)
      d->n_given += s->n_written;
  } else if (d->n_given == 0) {  // up to the end of the list
    while (d->given[d->n_given] < d->n_flat && d->n_given < d->n_flat)
      ++d->n_given;
  }
  if (d->given[0] != 0 || d->given[d->n_given] != d->n_flat)
    return bad_bounds(d);
  for (uint32_t i = 0; i < d->n_given; ++i) {
    if (d->given[i] > d->given[i + 1]) return bad_bounds(d);
  }
  return TENON_OK;
}

// Tensors of argument i when nobody says: one each, and to the only list what
// the others leave.
static uint32_t share_of(const side *d, uint32_t i, uint32_t n_lists) {
  const tenon_argument *a = d->argument(d->spec->op->schema, i);
  if (a->is_list && n_lists == 1 && d->n_flat >= d->most)
    return d->n_flat - (d->most - 1);
  if (i < d->n_flat) return 1;
  return a->is_list ? 0 : 1;
}

static uint32_t count_lists(const side *d) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->most; ++i)
    n += d->argument(d->spec->op->schema, i)->is_list;
  return n;
}

// Fills bounds for all `most` arguments.
static tenon_status groups_divide(side *d, tenon_groups *out) {
  uint32_t n_lists = count_lists(d), at = 0;
  uint16_t *bounds = tenon_arena_array(&d->m->arena, uint16_t, d->most + 1);
  if (!bounds) return tenon_fail_memory(&d->m->report, "building a node");
  if (d->given && d->n_given > d->most) return too_many(d);
  if (!d->given && n_lists == 0 && d->n_flat > d->most) return too_many(d);
  for (uint32_t i = 0; i < d->most; ++i) {
    const tenon_argument *a = d->argument(d->spec->op->schema, i);
    uint32_t share = 0;
    if (!d->given) {
      share = share_of(d, i, n_lists);
    } else if (i < d->n_given) {
      share = (uint32_t)(d->given[i + 1] - d->given[i]);
    } else {
      share = a->is_list ? 0 : 1;
    }
    if (!a->is_list && share != 1)
      return tenon_fail(&d->m->report, TENON_BAD_MODEL, "ir-operands",
                        groups_place_of(d),
                        "'%s': %s '%s' is one tensor, found %u",
                        d->spec->op->name, d->what, a->name, (unsigned)share);
    if (at + share > UINT16_MAX) return too_many(d);
    bounds[i] = (uint16_t)at;
    at += share;
  }
  bounds[d->most] = (uint16_t)at;
  if (at < d->n_flat) return too_many(d);
  out->bounds = n_lists > 0 ? bounds : NULL;
  out->n_groups = d->most;
  out->count = at;
  return TENON_OK;
}

static tenon_status undivided(const side *d, tenon_groups *out) {
  out->bounds = NULL;
  out->n_groups = out->count = d->n_flat;
  if (!d->given) return TENON_OK;
  out->n_groups = d->n_given;
  out->bounds =
      tenon_arena_copy(&d->m->arena, d->given,
                       (d->n_given + 1) * sizeof *d->given, _Alignof(uint16_t));
  return out->bounds ? TENON_OK
                     : tenon_fail_memory(&d->m->report, "building a node");
}

// What stands in a group fits its argument: absent where that is allowed, as
// many as a list of fixed length has.
static tenon_status groups_check_operands(const side *d,
                                          const tenon_groups *groups) {
  for (uint32_t i = 0; i < groups->n_groups; ++i) {
    const tenon_argument *a = operand_at(d->spec->op->schema, i);
    uint32_t begin = groups->bounds ? groups->bounds[i] : i;
    uint32_t end = groups->bounds ? groups->bounds[i + 1] : i + 1;
    bool may_miss = a->is_list ? a->has_optional_elements : a->is_optional;
    if (a->is_list && a->length > 0 && end - begin != (uint32_t)a->length &&
        !(a->is_optional && end == begin))
      return tenon_fail(
          &d->m->report, TENON_BAD_MODEL, "ir-operands", groups_place_of(d),
          "'%s': '%s' takes %d tensors, found %u", d->spec->op->name, a->name,
          (int)a->length, (unsigned)(end - begin));
    for (uint32_t k = begin; k < end && !may_miss; ++k) {
      if (k >= d->n_flat || !d->spec->in[k])
        return tenon_fail(&d->m->report, TENON_BAD_MODEL, "ir-operands",
                          groups_place_of(d), "'%s': operand '%s' is missing",
                          d->spec->op->name, a->name);
    }
  }
  return TENON_OK;
}

tenon_status tenon_groups_in(tenon_module *m, const tenon_node_spec *spec,
                             tenon_groups *out) {
  side d = {m, spec,           "operand",         operand_at,
            0, spec->in_group, spec->n_in_groups, spec->n_in};
  memset(out, 0, sizeof *out);
  if (spec->op->schema) d.most = spec->op->schema->n_tensors;
  TENON_TRY(check_bounds(&d));
  if (!spec->op->schema) return undivided(&d, out);
  TENON_TRY(groups_divide(&d, out));
  return groups_check_operands(&d, out);
}

tenon_status tenon_groups_out(tenon_module *m, const tenon_node_spec *spec,
                              tenon_groups *out) {
  const tenon_schema *s = spec->op->schema;
  side d = {m,
            spec,
            "result",
            tenon_schema_result,
            0,
            spec->out_group,
            spec->n_out_groups,
            spec->n_out};
  memset(out, 0, sizeof *out);
  if (s) d.most = tenon_schema_declared(s);
  TENON_TRY(check_bounds(&d));
  if (!s) return undivided(&d, out);
  uint32_t found = d.given ? d.n_given : d.n_flat;
  bool has_list = count_lists(&d) > 0;
  bool is_said = spec->is_functional && !d.given;
  if (s->n_written > 0 &&
      (is_said || (found == d.most + s->n_written && (d.given || !has_list)))) {
    d.most += s->n_written;
    out->is_functional = true;
  }
  bool is_functional = out->is_functional;
  TENON_TRY(groups_divide(&d, out));
  out->is_functional = is_functional;
  if (out->count != spec->n_out)
    return other_number(&d, out->count, spec->n_out);
  return TENON_OK;
}
