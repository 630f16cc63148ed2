// How: shapes draw their sizes from a pool of three numbers, so that sizes
// which must agree do so often; what does not fit is refused by the shape rule
// and another row is drawn. Attributes are defaults or small values of their
// kind; texts are words that the documentation or a refusal has in quotes, and
// so are now and then whole types: 'u32[628]'.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

size_t check_value_count(const check_value *v) {
  size_t n = 1;
  for (int i = 0; i < v->rank; ++i)
    n *= (size_t)v->dims[i];
  return n;
}

// --- shapes -----------------------------------------------------------------

static int draw_size(check_random *r) {
  static const int large[] = {7, 8, 9, 16, 17, 33};
  return check_below(r, 12) ? 1 + check_below(r, 5) : large[check_below(r, 6)];
}

static void draw_shape(check_random *r, const int pool[3], check_value *v) {
  static const int ranks[] = {1, 2, 2, 3, 4, 4, 4, 0, 1, 5};
  v->rank = ranks[check_below(r, 10)];
  for (int i = 0; i < v->rank; ++i)
    v->dims[i] = pool[check_below(r, 3)];
}

// What kernels get wrong that are right elsewhere: sizes of one at the front,
// behind it and at the end, no elements, no axes, more than a vector holds,
// none at all. They go round with the combinations of types.
typedef enum edge {
  EDGE_FIRST,
  EDGE_LAST,
  EDGE_LONG,
  EDGE_EMPTY,
  EDGE_SECOND,
  EDGE_POINT,
  EDGE_ONES,
  EDGE_WIDE,
  EDGE_NONE,
  EDGES
} edge;

static void draw_edge(check_random *r, edge e, check_value *v) {
  switch (e) {
    case EDGE_FIRST:
      if (v->rank) v->dims[0] = 1;
      break;
    case EDGE_LAST:
      if (v->rank) v->dims[v->rank - 1] = 1;
      break;
    case EDGE_SECOND:
      if (v->rank > 1) v->dims[1] = 1;
      break;
    case EDGE_LONG:
      if (v->rank) v->dims[v->rank - 1] = 31 + 2 * check_below(r, 3);
      break;
    case EDGE_WIDE:
      if (v->rank) v->dims[0] = 13 + check_below(r, 8);
      break;
    case EDGE_EMPTY:
      if (v->rank) v->dims[check_below(r, v->rank)] = 0;
      break;
    case EDGE_POINT:
      if (v->type.quant != 'c') v->rank = v->axis = 0;
      break;
    case EDGE_ONES:
      for (int i = 0; i < v->rank; ++i)
        v->dims[i] = 1;
      break;
    default:
      break;
  }
}

// A later operand resembles the first one more often than not.
static void draw_like(check_random *r, const int pool[3], const check_value *x,
                      check_value *v) {
  int way = check_below(r, 12);
  v->rank = x->rank;
  memcpy(v->dims, x->dims, sizeof v->dims);
  if (way < 4) return;
  if (way < 6) {
    draw_shape(r, pool, v);
  } else if (way == 6) {  // the last sizes
    int drop = x->rank ? check_below(r, x->rank + 1) : 0;
    v->rank = x->rank - drop;
    memmove(v->dims, x->dims + drop, (size_t)v->rank * sizeof *v->dims);
  } else if (way == 7) {  // some ones
    for (int i = 0; i < v->rank; ++i)
      if (check_below(r, 2)) v->dims[i] = 1;
  } else if (way == 8) {  // another size in one place
    if (v->rank) v->dims[check_below(r, v->rank)] = pool[check_below(r, 3)];
  } else {  // a vector: along an axis, of one element, of any size
    int axis = x->rank ? check_below(r, x->rank) : 0;
    v->dims[0] = way == 10             ? 1
                 : x->rank && way == 9 ? x->dims[axis]
                                       : pool[check_below(r, 3)];
    v->rank = 1;
  }
}

// A shape that the words have for the element type; else it stays.
static void draw_named_shape(const checker *k, check_random *r,
                             check_value *v) {
  const size_t n = strlen(v->type.name);
  const char *word = k->words[check_below(r, (int)k->n_words)];
  int dims[CHECK_RANK] = {0}, rank = 0;
  if (v->type.quant || strncmp(word, v->type.name, n) != 0 || word[n] != '[')
    return;
  for (word += n; *word == '[' || *word == ','; ++rank) {
    char *end = NULL;
    long size = strtol(word + 1, &end, 10);
    if (rank == CHECK_RANK || end == word + 1 || size < 0 || size > 4096)
      return;
    dims[rank] = (int)size;
    word = end;
  }
  if (strcmp(word, "]") != 0) return;
  memcpy(v->dims, dims, sizeof v->dims);
  v->rank = rank;
}

static void draw_value(const checker *k, check_random *r, const int pool[3],
                       check_row *row, size_t i, const check_operand_type *type,
                       bool same_scale) {
  static const double scales[] = {0.5, 0.25, 0.1, 0.05, 1.0};
  check_value *v = &row->in[i];
  bool is_s8 = strcmp(type->name, "s8") == 0;
  memset(v, 0, sizeof *v);
  v->type = *type;
  if (i == 0)
    draw_shape(r, pool, v);
  else
    draw_like(r, pool, &row->in[0], v);
  if (k->n_words && check_below(r, 2)) draw_named_shape(k, r, v);
  while (check_value_count(v) > 4096)
    v->dims[check_below(r, v->rank)] = 1;
  v->scale = scales[check_below(r, 5)];
  // What 16 bits hold between -1 and 1, or a few times that, at powers of two.
  if (strcmp(type->name, "s16") == 0 && check_below(r, 2))
    v->scale = 1.0 / (32768 >> check_below(r, 7));
  v->zero = is_s8 && type->quant == 'q' ? check_below(r, 21) - 10 : 0;
  if (same_scale && i > 0) {
    v->scale = row->in[0].scale;
    v->zero = is_s8 && type->quant == 'q' ? row->in[0].zero : 0;
  }
  v->axis = v->rank ? (check_below(r, 2) ? v->rank - 1 : 0) : 0;
  if (type->quant == 'c' && v->rank == 0) v->rank = v->dims[0] = 1;
  v->fill = check_below(r, CHECK_FILLS);
}

// --- attributes -------------------------------------------------------------

static void print_int(checker *k, const check_row *row, char *out,
                      size_t size) {
  static const int values[] = {0, 1, 1, 2, 2, 3, -1, -2, 4};
  const check_value *x = &row->in[0];
  int v = values[check_below(&k->random, 9)];
  if (row->n_in && x->rank && check_below(&k->random, 4) == 0)
    v = x->dims[check_below(&k->random, x->rank)];
  snprintf(out, size, "%d", v);
}

static void check_row_print_float(checker *k, char *out, size_t size) {
  static const char *const values[] = {"0.0", "1.0",   "0.5", "-1.0", "2.0",
                                       "6.0", "-0.75", "0.1", "1e-3"};
  snprintf(out, size, "%s", values[check_below(&k->random, 9)]);
}

static void check_row_print_scalar(checker *k, const check_row *row,
                                   uint32_t kind, char *out, size_t size) {
  static const char *const dtypes[] = {"f32", "s32", "s64", "bool", "s8"};
  bool is_real = check_below(&k->random, 2) != 0;
  switch (kind) {
    case TENON_KIND_BOOL:
    case TENON_KIND_BOOLS:
    case TENON_KIND_OPT_BOOL:
      snprintf(out, size, "%s", check_below(&k->random, 2) ? "true" : "false");
      return;
    case TENON_KIND_FLOAT:
    case TENON_KIND_FLOATS:
    case TENON_KIND_OPT_FLOAT:
      check_row_print_float(k, out, size);
      return;
    case TENON_KIND_SCALAR:
    case TENON_KIND_SCALARS:
      if (is_real)
        check_row_print_float(k, out, size);
      else
        print_int(k, row, out, size);
      return;
    case TENON_KIND_DTYPE:  // mostly that of the kernel's result
      snprintf(out, size, "%s",
               row->out_types[0].name[0] && check_below(&k->random, 4)
                   ? row->out_types[0].name
                   : dtypes[check_below(&k->random, 5)]);
      return;
    case TENON_KIND_STR:
    case TENON_KIND_STRS:
      snprintf(out, size, "\"%s\"",
               k->n_words && check_below(&k->random, 4)
                   ? k->words[check_below(&k->random, (int)k->n_words)]
                   : "text");
      return;
    default:
      print_int(k, row, out, size);
  }
}

// A permutation of the axes, or the shape itself: what lists of sizes often
// are.
static bool print_shape_like(checker *k, const check_row *row, char *out,
                             size_t size) {
  const check_value *x = &row->in[0];
  int order[CHECK_RANK], mode = check_below(&k->random, 6);
  if (row->n_in == 0 || mode > 1 || x->rank == 0) return false;
  for (int i = 0; i < x->rank; ++i)
    order[i] = i;
  for (int i = x->rank - 1; i > 0; --i) {
    int j = check_below(&k->random, i + 1), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  size_t at = (size_t)snprintf(out, size, "[");
  for (int i = 0; i < x->rank && at < size; ++i)
    at += (size_t)snprintf(out + at, size - at, "%s%d", i ? ", " : "",
                           mode ? x->dims[order[i]] : order[i]);
  if (at < size) snprintf(out + at, size - at, "]");
  return true;
}

static void check_row_print_list(checker *k, const check_row *row,
                                 const tenon_argument_info *a, char *out,
                                 size_t size) {
  int n = a->length;
  if (n == 0) {
    if (a->kind == TENON_KIND_INTS && print_shape_like(k, row, out, size))
      return;
    bool by_rank = row->n_in && check_below(&k->random, 2);
    n = by_rank ? row->in[0].rank : check_below(&k->random, 4);
  }
  size_t at = (size_t)snprintf(out, size, "[");
  for (int i = 0; i < n && at < size; ++i) {
    char one[40];
    check_row_print_scalar(k, row, a->kind, one, sizeof one);
    at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", one);
  }
  if (at < size) snprintf(out + at, size - at, "]");
}

static bool draw_attr(checker *k, check_row *row,
                      const tenon_argument_info *a) {
  char value[256], *out = row->attrs[row->n_attrs];
  bool is_optional = (a->flags & TENON_ARGUMENT_OPTIONAL) != 0;
  if (row->n_attrs == CHECK_ATTRS) return false;
  ++row->n_attrs;
  out[0] = 0;
  if (a->standard && check_below(&k->random, 2)) return true;
  if (is_optional && check_below(&k->random, 3) == 0)
    snprintf(value, sizeof value, "none");
  else if (a->kind == 0)
    snprintf(value, sizeof value, "[]");  // only lists of lists and the like
  else if (a->flags & TENON_ARGUMENT_LIST)
    check_row_print_list(k, row, a, value, sizeof value);
  else
    check_row_print_scalar(k, row, a->kind, value, sizeof value);
  size_t n = sizeof row->attrs[0];
  return (size_t)snprintf(out, n, "%s=%s", a->name, value) < n;
}

// --- the row ----------------------------------------------------------------

static bool draw_operands(checker *k, const check_row_types *types,
                          check_row *row) {
  check_random *r = &k->random;
  const tenon_signature *s = row->op->signature;
  int pool[3] = {draw_size(r), draw_size(r), 1 + check_below(r, 4)};
  for (int i = 0; k->n_sizes && i < 3; ++i)
    pool[i] = k->sizes[check_below(r, (int)k->n_sizes)];
  bool same_scale = check_below(r, 2), constants = check_below(r, 2);
  const bool all_constants = k->wants_constants && k->tries % 2;
  size_t g = 0;
  for (size_t i = 0; i < s->n_args; ++i) {
    const tenon_argument_info *a = &s->args[i];
    if (!(a->flags & TENON_ARGUMENT_TENSOR)) continue;
    if (g == types->n_in) return false;
    bool is_list = (a->flags & TENON_ARGUMENT_LIST) != 0;
    int count = is_list ? 1 + check_below(r, 3) : 1;
    row->in_group[g] = count;
    for (int j = 0; j < count; ++j) {
      if (row->n_in == CHECK_VALUES) return false;
      size_t at = row->n_in++;
      draw_value(k, r, pool, row, at, &types->in[g], same_scale);
      // The first tries of a turn leave less to chance.
      size_t nth = k->turn / types->combinations;
      if (at == 0 && k->tries > 0 && k->tries <= CHECK_EDGE_TRIES)
        draw_edge(r, (edge)((nth + k->turn % types->combinations) % EDGES),
                  &row->in[0]);
      if (k->tries == 1) row->in[at].fill = (int)((nth + at) % CHECK_FILLS);
      row->in[at].is_absent = !is_list &&
                              (a->flags & TENON_ARGUMENT_OPTIONAL) &&
                              check_below(r, 3) == 0;
      row->in[at].is_constant =
          at > 0 && a->written < 0 &&
          ((constants && check_below(r, 4)) || all_constants);
    }
    ++g;
  }
  row->n_groups = g;
  return g == types->n_in;
}

static bool draw_results(checker *k, const check_row_types *types,
                         check_row *row) {
  const tenon_signature *s = row->op->signature;
  size_t n = s->n_results;
  for (size_t i = 0; i < s->n_results; ++i) {
    bool is_list = (s->results[i].flags & TENON_ARGUMENT_LIST) != 0;
    row->out_group[i] = is_list ? 1 + check_below(&k->random, 3) : 1;
  }
  for (size_t i = 0; i < s->n_args; ++i)
    if (s->args[i].written >= (int32_t)s->n_results) row->out_group[n++] = 1;
  row->n_out_groups = n;
  memcpy(row->out_types, types->out, sizeof row->out_types);
  for (size_t i = 0; i < n; ++i)
    row->n_out += (size_t)row->out_group[i];
  return n <= types->n_out && row->n_out <= CHECK_VALUES;
}

bool check_row_draw(checker *k, const check_subject *s, check_row *out) {
  check_row_types types;
  const tenon_signature *sig = s->op->signature;
  memset(out, 0, sizeof *out);
  out->op = s->op;
  out->seed = check_next(&k->random);
  size_t n_in = 0;
  for (size_t i = 0; i < sig->n_args; ++i)
    n_in += (sig->args[i].flags & TENON_ARGUMENT_TENSOR) != 0;
  if (n_in > CHECK_VALUES || sig->n_results > 4) return false;
  if (s->kernel) {
    const tenon_kernel_desc *d = (const tenon_kernel_desc *)s->kernel->desc;
    if (!check_types_choose(&k->random, k->turn, d->types, &types))
      return false;
  } else {
    check_types_guess(&k->random, k->turn, n_in, CHECK_VALUES, &types);
  }
  if (!draw_operands(k, &types, out) || !draw_results(k, &types, out))
    return false;
  for (size_t i = 0; i < sig->n_args; ++i)
    if (!(sig->args[i].flags & TENON_ARGUMENT_TENSOR) &&
        !draw_attr(k, out, &sig->args[i]))
      return false;
  return true;
}

void check_row_free(check_row *row) {
  free(row->given);
  row->given = NULL;
}
