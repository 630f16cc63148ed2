// How: a value is looked at through its kind and an address, in a struct or in
// a tenon_arg alike. Lists need an array of their own before whatever points to
// it, so printing a value comes in two halves.
#include <string.h>

#include "core/attr_lists.h"
#include "emit/emission.h"

// Longest string literal that every C99 compiler takes.
#define LITERAL_MOST 4000

typedef struct list_view {
  const void *data;
  size_t count;
  const char *type;
} list_view;

static bool value_list_of(const tenon_attr_view *v, list_view *out) {
  switch (v->kind) {
#define VIEW(its_kind, list, T)                                   \
  case TENON_KIND_##its_kind:                                     \
    *out = (list_view){((const tenon_##list *)v->at)->data,       \
                       ((const tenon_##list *)v->at)->count, #T}; \
    break;
    TENON_ATTR_LISTS(VIEW)
#undef VIEW
    default:
      return false;
  }
  if (v->kind == TENON_KIND_STRS) out->type = "char *const";
  return true;
}

bool tenon_emit_is_list(const tenon_attr_view *v, size_t *count) {
  list_view list = {NULL, 0, NULL};
  bool is_list = value_list_of(v, &list);
  *count = list.count;
  return is_list;
}

tenon_attr_view tenon_emit_text_of(const tenon_attr_view *v, size_t i) {
  tenon_attr_view text = {TENON_KIND_STR, false,
                          &((const tenon_strs *)v->at)->data[i]};
  return text;
}

static const char *long_text(const tenon_attr_view *v) {
  if (v->kind != TENON_KIND_STR) return NULL;
  const char *text = *(const char *const *)v->at;
  return text && strlen(text) > LITERAL_MOST ? text : NULL;
}

static tenon_scalar of_int(int64_t i) {
  tenon_scalar s = {TENON_KIND_INT, {.i = i}};
  return s;
}
static tenon_scalar of_float(double f) {
  tenon_scalar s = {TENON_KIND_FLOAT, {.f = f}};
  return s;
}
static tenon_scalar of_bool(bool b) {
  tenon_scalar s = {TENON_KIND_BOOL, {.i = b}};
  return s;
}

tenon_scalar tenon_emit_element(const tenon_attr_view *v, size_t i) {
  const tenon_scalar none = {0, {.i = 0}};
  switch (v->kind) {
    case TENON_KIND_BOOL:
      return of_bool(v->is_arg ? *(const int64_t *)v->at != 0
                               : *(const bool *)v->at);
    case TENON_KIND_INT:
      return of_int(*(const int64_t *)v->at);
    case TENON_KIND_FLOAT:
      return of_float(*(const double *)v->at);
    case TENON_KIND_DTYPE:
      return of_int(v->is_arg ? *(const int64_t *)v->at
                              : *(const tenon_dtype *)v->at);
    case TENON_KIND_SCALAR:
      return *(const tenon_scalar *)v->at;
    case TENON_KIND_OPT_BOOL: {
      const tenon_opt_bool *o = (const tenon_opt_bool *)v->at;
      return o->has ? of_bool(o->value) : none;
    }
    case TENON_KIND_OPT_INT: {
      const tenon_opt_int *o = (const tenon_opt_int *)v->at;
      return o->has ? of_int(o->value) : none;
    }
    case TENON_KIND_OPT_FLOAT: {
      const tenon_opt_float *o = (const tenon_opt_float *)v->at;
      return o->has ? of_float(o->value) : none;
    }
    case TENON_KIND_INTS:
      return of_int(((const tenon_ints *)v->at)->data[i]);
    case TENON_KIND_FLOATS:
      return of_float(((const tenon_floats *)v->at)->data[i]);
    case TENON_KIND_BOOLS:
      return of_bool(((const tenon_bools *)v->at)->data[i]);
    case TENON_KIND_SCALARS:
      return ((const tenon_scalars *)v->at)->data[i];
    default:
      return none;
  }
}

static void value_put_plain(tenon_buf *out, tenon_scalar s) {
  if (s.kind == TENON_KIND_FLOAT)
    tenon_c_double(out, s.as.f);
  else if (s.kind == TENON_KIND_BOOL)
    tenon_buf_text(out, s.as.i ? "true" : "false");
  else
    tenon_c_int(out, s.as.i);
}

static void value_put_scalar(tenon_buf *out, tenon_scalar s) {
  const char *kind = s.kind == TENON_KIND_INT     ? "TENON_KIND_INT"
                     : s.kind == TENON_KIND_FLOAT ? "TENON_KIND_FLOAT"
                     : s.kind == TENON_KIND_BOOL  ? "TENON_KIND_BOOL"
                                                  : "0";
  tenon_put(out, "{$$", kind,
            s.kind == TENON_KIND_FLOAT ? ", {.f = " : ", {.i = ");
  if (s.kind == TENON_KIND_BOOL)
    tenon_buf_text(out, s.as.i ? "1" : "0");
  else
    value_put_plain(out, s);
  tenon_buf_text(out, "}}");
}

// As a literal, which is right whether `char` has a sign or not.
static void put_char(tenon_buf *out, char c) {
  unsigned char u = (unsigned char)c;
  char literal[] = {'\'',
                    '\\',
                    (char)('0' + (u >> 6)),
                    (char)('0' + (u >> 3 & 7)),
                    (char)('0' + (u & 7)),
                    '\''};
  tenon_buf_add(out, literal, sizeof literal);
}

static void put_text_of(tenon_emission *e, tenon_buf *out,
                        const tenon_attr_view *v, size_t i) {
  tenon_attr_view text = tenon_emit_text_of(v, i);
  tenon_emit_value(e, out, &text);
}

static void put_elements(tenon_emission *e, tenon_buf *out,
                         const tenon_attr_view *v, const list_view *list) {
  size_t line = 0;
  tenon_buf_char(out, '{');
  for (size_t i = 0; i < list->count; ++i) {
    bool is_long = out->size - line > 60;
    if (i) tenon_buf_text(out, is_long ? ",\n    " : ", ");
    if (i && is_long) line = out->size;
    if (v->kind == TENON_KIND_STR)
      put_char(out, ((const char *)list->data)[i]);
    else if (v->kind == TENON_KIND_STRS)
      put_text_of(e, out, v, i);
    else if (v->kind == TENON_KIND_SCALARS)
      value_put_scalar(out, tenon_emit_element(v, i));
    else
      value_put_plain(out, tenon_emit_element(v, i));
  }
  // An empty list has a pointer, and C no empty arrays.
  if (list->count == 0)
    tenon_buf_text(out, v->kind == TENON_KIND_SCALARS ? "{0, {.i = 0}}" : "0");
  tenon_buf_char(out, '}');
}

void tenon_emit_array(tenon_emission *e, tenon_buf *out,
                      const tenon_attr_view *v) {
  list_view list = {NULL, 0, NULL};
  const char *text = long_text(v);
  tenon_buf elements;
  if (text) list = (list_view){text, strlen(text) + 1, "char"};
  if (!text && (!value_list_of(v, &list) || !list.data)) {
    tenon_buf_text(out, "NULL");
    return;
  }
  tenon_buf_init(&elements, e->allocator);
  put_elements(e, &elements, v, &list);
  tenon_emit_table(e, &e->steps_text, out, list.type, 'l', &elements);
  tenon_buf_deinit(&elements);
}

static void put_optional(tenon_buf *out, const tenon_attr_view *v) {
  tenon_scalar s = tenon_emit_element(v, 0);
  tenon_buf_char(out, '{');
  if (s.kind)
    value_put_plain(out, s);
  else
    tenon_buf_text(out, v->kind == TENON_KIND_OPT_BOOL ? "false" : "0");
  tenon_buf_text(out, s.kind ? ", true}" : ", false}");
}

static void value_put_text(tenon_emission *e, tenon_buf *out,
                           const tenon_attr_view *v) {
  const char *text = *(const char *const *)v->at;
  if (!text || long_text(v))
    tenon_emit_array(e, out, v);
  else
    tenon_c_string(out, text);
}

void tenon_emit_value(tenon_emission *e, tenon_buf *out,
                      const tenon_attr_view *v) {
  list_view list = {NULL, 0, NULL};
  if (value_list_of(v, &list)) {
    tenon_buf_char(out, '{');
    tenon_emit_array(e, out, v);
    tenon_put(out, ", $}", list.count);
    return;
  }
  switch (v->kind) {
    case TENON_KIND_STR:
      value_put_text(e, out, v);
      break;
    case TENON_KIND_SCALAR:
      value_put_scalar(out, tenon_emit_element(v, 0));
      break;
    case TENON_KIND_DTYPE:
      tenon_buf_text(out,
                     tenon_c_dtype((tenon_dtype)tenon_emit_element(v, 0).as.i));
      break;
    case TENON_KIND_OPT_BOOL:
    case TENON_KIND_OPT_INT:
    case TENON_KIND_OPT_FLOAT:
      put_optional(out, v);
      break;
    default:
      value_put_plain(out, tenon_emit_element(v, 0));
  }
}
