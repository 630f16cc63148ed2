// How: a move makes a row smaller in one respect. From the row that fails, the
// first move whose row is accepted and still fails is made, over and over,
// until none is left; the moves that save most stand first. Every move takes
// something away, so this ends. Ways that cost a compiler's run try the rows of
// many moves at once.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

enum {
  MOST_MOVES = 400,
  MOST_TRIES = 600,
  MOST_CRASHES = 300,
  MOST_BATCHES = 10,
  IN_BATCH = 40
};

typedef struct moves {
  check_row *rows;
  size_t count;
} moves;

// A copy to be changed, the last of the list; null where no more are taken.
static check_row *shrink_add(moves *m, const check_row *row) {
  if (m->count == MOST_MOVES) return NULL;
  check_row *added = (check_row *)cli_add(&m->rows, &m->count);
  if (added) *added = *row;
  return added;
}

// --- sizes ------------------------------------------------------------------

static void set_sizes(check_row *row, int from, int to) {
  for (size_t i = 0; i < row->n_in; ++i)
    for (int d = 0; d < row->in[i].rank; ++d)
      if (row->in[i].dims[d] == from) row->in[i].dims[d] = to;
}

static bool has_size(const check_row *row, int size) {
  for (size_t i = 0; i < row->n_in; ++i)
    for (int d = 0; d < row->in[i].rank; ++d)
      if (row->in[i].dims[d] == size) return true;
  return false;
}

// A size wherever it occurs, from the smallest on.
static void shrink_add_sizes(moves *m, const check_row *row) {
  for (int from = 40; from > 1; --from) {
    if (!has_size(row, from)) continue;
    for (int to = 1; to < from; ++to) {
      check_row *r = shrink_add(m, row);
      if (r) set_sizes(r, from, to);
    }
  }
}

static void add_single_sizes(moves *m, const check_row *row) {
  for (size_t i = 0; i < row->n_in; ++i)
    for (int d = 0; d < row->in[i].rank; ++d)
      for (int to = 1; to < row->in[i].dims[d]; to = to < 4 ? to + 1 : to * 2) {
        check_row *r = shrink_add(m, row);
        if (r) r->in[i].dims[d] = to;
      }
}

static bool drop_axis(check_value *v, int axis) {
  if (axis >= v->rank) return false;
  memmove(v->dims + axis, v->dims + axis + 1,
          (size_t)(v->rank - axis - 1) * sizeof *v->dims);
  --v->rank;
  if (v->axis >= v->rank) v->axis = 0;
  return v->type.quant != 'c' || v->rank > 0;
}

static void add_ranks(moves *m, const check_row *row) {
  for (int axis = 0; axis < CHECK_RANK; ++axis) {
    check_row *all = shrink_add(m, row);
    bool any = false, ok = all != NULL;
    for (size_t i = 0; ok && i < row->n_in; ++i) {
      if (axis >= row->in[i].rank) continue;
      any = true;
      ok = drop_axis(&all->in[i], axis);
    }
    if (all && !(any && ok)) --m->count;
    for (size_t i = 0; i < row->n_in; ++i) {
      check_row *one = axis < row->in[i].rank ? shrink_add(m, row) : NULL;
      if (one && !drop_axis(&one->in[i], axis)) --m->count;
    }
  }
}

// --- the rest ---------------------------------------------------------------

// One tensor less in a list of them.
static void add_lists(moves *m, const check_row *row) {
  size_t at = 0;
  for (size_t g = 0; g < row->n_groups; ++g) {
    size_t last = at + (size_t)row->in_group[g] - 1;
    check_row *r = row->in_group[g] > 1 ? shrink_add(m, row) : NULL;
    if (r) {
      --r->in_group[g];
      --r->n_in;
      memmove(&r->in[last], &r->in[last + 1],
              (r->n_in - last) * sizeof r->in[0]);
    }
    at = last + 1;
  }
}

static void shrink_add_attrs(moves *m, const check_row *row) {
  for (size_t i = 0; i < row->n_attrs; ++i) {
    static const char *const plain[] = {"1", "1.0", "0", "0.0", "false"};
    const char *equals = strchr(row->attrs[i], '=');
    if (!equals) continue;
    bool is_plain = false;
    check_row *r = shrink_add(m, row);
    if (r) r->attrs[i][0] = 0;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; ++k)
      is_plain = is_plain || strcmp(equals + 1, plain[k]) == 0;
    for (size_t k = 0; !is_plain && k < sizeof plain / sizeof *plain; ++k) {
      r = shrink_add(m, row);
      if (r)
        snprintf(r->attrs[i], sizeof r->attrs[i], "%.*s%s",
                 (int)(equals + 1 - row->attrs[i]), row->attrs[i], plain[k]);
    }
  }
}

static void add_values(moves *m, const check_row *row) {
  for (size_t i = 0; i < row->n_in; ++i) {
    const check_value *v = &row->in[i];
    check_row *r = v->is_constant ? shrink_add(m, row) : NULL;
    if (r) r->in[i].is_constant = false;
    r = v->type.quant && (v->scale < 1 || v->zero) ? shrink_add(m, row) : NULL;
    if (r) r->in[i].scale = 1;
    if (r) r->in[i].zero = 0;
    r = v->fill != CHECK_COUNTING ? shrink_add(m, row) : NULL;
    if (r) r->in[i].fill = CHECK_COUNTING;
  }
}

static void list_moves(moves *m, const check_row *row) {
  m->count = 0;
  add_ranks(m, row);
  shrink_add_sizes(m, row);
  add_lists(m, row);
  shrink_add_attrs(m, row);
  add_values(m, row);
  add_single_sizes(m, row);
}

// --- trying -----------------------------------------------------------------

static bool step_alone(checker *k, const check_subject *s, moves *m,
                       check_row *row, check_way way, int *tries, char *detail,
                       size_t size) {
  for (size_t i = 0; i < m->count && *tries < MOST_TRIES; ++i) {
    char found[CHECK_DETAIL];
    ++*tries;
    if (!check_row_accept(k, s, &m->rows[i], way)) continue;
    if (check_way_run(k, s, &m->rows[i], way, found, sizeof found) !=
        CHECK_FAIL)
      continue;
    *row = m->rows[i];
    snprintf(detail, size, "%s", found);
    return true;
  }
  return false;
}

static bool step_batch(checker *k, const check_subject *s, moves *m,
                       check_row *row, check_way way, int *tries, char *detail,
                       size_t size) {
  check_found *found = (check_found *)calloc(IN_BATCH, sizeof *found);
  char reason[512];
  bool is_smaller = false;
  for (size_t i = 0; found && !is_smaller && i < m->count;) {
    size_t n = 0, first = i;
    for (; i < m->count && n < IN_BATCH; ++i)
      if (check_row_accept(k, s, &m->rows[i], way))
        m->rows[first + n++] = m->rows[i];
    if (n == 0 || (*tries)++ == MOST_BATCHES) break;
    memset(found, 0, IN_BATCH * sizeof *found);
    check_part part = {s, m->rows + first, n, found};
    if (!check_batch_run(k, way, &part, 1, reason, sizeof reason)) break;
    for (size_t j = 0; j < n && !is_smaller; ++j) {
      if (found[j].outcome != CHECK_FAIL) continue;
      *row = m->rows[first + j];
      snprintf(detail, size, "%s", found[j].detail);
      is_smaller = true;
    }
  }
  free(found);
  return is_smaller;
}

static bool step_crash(checker *k, const check_subject *s, moves *m,
                       check_row *row, check_way way, int *tries, char *detail,
                       size_t size) {
  for (size_t i = 0; i < m->count && *tries < MOST_CRASHES; ++i) {
    ++*tries;
    if (!check_row_is_read(k, &m->rows[i]) ||
        check_survives(k, s, &m->rows[i], way, detail, size))
      continue;
    *row = m->rows[i];
    return true;
  }
  return false;
}

void check_shrink(checker *k, const check_subject *s, check_row *row,
                  check_way way, char *detail, size_t size) {
  moves m = {0};
  int tries = 0;
  bool is_smaller = !row->given;
  while (is_smaller) {
    list_moves(&m, row);
    is_smaller = (way == CHECK_WAYS ? step_crash
                  : way < CHECK_EMITTED
                      ? step_alone
                      : step_batch)(k, s, &m, row, way, &tries, detail, size);
  }
  free(m.rows);
}
