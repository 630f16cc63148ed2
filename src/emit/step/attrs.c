// How: the struct as this machine lays it out is read member by member, by
// offset and kind, and printed as an initialiser with the members' names; so
// what emitted C holds is what the kernel was given here. A struct that the
// kernels' texts declare is used; else one is declared from the fields.
#include <string.h>

#include "core/attr.h"
#include "emit/emission.h"
#include "emit/idents.h"
#include "emit/step/open.h"

static const tenon_program_attrs *attr_text_attrs_of(const tenon_emission *e,
                                                     const tenon_step *step) {
  return step->attrs == TENON_NO_INDEX ? NULL : &e->p->attrs[step->attrs];
}

static tenon_attr_view view_field(const tenon_program_attrs *a,
                                  const tenon_field *f) {
  tenon_attr_view v = {f->kind, false, (const char *)a->bound + f->offset};
  return v;
}

static tenon_attr_view view_arg(const tenon_arg *arg) {
  tenon_attr_view v = {arg->kind, true, &arg->as};
  return v;
}

bool tenon_emit_find_attr(const tenon_emission *e, const tenon_step *step,
                          tenon_text name, tenon_attr_view *out) {
  const tenon_program_attrs *a = attr_text_attrs_of(e, step);
  if (!a) return false;
  for (const tenon_field *f = a->fields; f && f->name; ++f)
    if (tenon_text_is(name, f->name)) {
      *out = view_field(a, f);
      return true;
    }
  const tenon_arg *args = a->fields ? NULL : (const tenon_arg *)a->bound;
  for (; args && args->name; ++args)
    if (tenon_text_is(name, args->name)) {
      *out = view_arg(args);
      return true;
    }
  return false;
}

// --- structs ----------------------------------------------------------------

// The field behind `last` in the order of offsets, which is that of the struct;
// null at the end.
static const tenon_field *attr_text_next_field(const tenon_field *fields,
                                               const tenon_field *last) {
  const tenon_field *best = NULL;
  for (const tenon_field *f = fields; f->name; ++f)
    if ((!last || f->offset > last->offset) &&
        (!best || f->offset < best->offset))
      best = f;
  return best;
}

// Declares a struct with these members, unless an equal one is there, and
// prints its name: "kws_acme_gain".
static void attr_text_declare(tenon_emission *e, tenon_buf *out,
                              const tenon_program_attrs *a, const char *op) {
  tenon_buf text;
  bool added = false;
  tenon_buf_init(&text, e->allocator);
  for (const tenon_field *f = attr_text_next_field(a->fields, NULL); f;
       f = attr_text_next_field(a->fields, f)) {
    tenon_buf_text(&text, "  ");
    tenon_kind_declare(f->kind, f->member, &text);
    tenon_buf_text(&text, ";\n");
  }
  const char *const key[] = {op, "\n", text.failed ? NULL : text.data, NULL};
  const char *members = tenon_ident_join(&e->arena, key);
  tenon_buf_deinit(&text);
  uint64_t *slot = members && key[2]
                       ? tenon_map_put_text(&e->types, members, 0, &added)
                       : NULL;
  if (!slot) {
    e->types.failed = true;
    return;
  }
  if (added) {
    const char *clean = tenon_ident_clean(&e->arena, op, "attrs");
    const char *const parts[] = {e->prefix, "_", clean, NULL};
    const char *name =
        tenon_ident_take(&e->symbols, &e->arena,
                         clean ? tenon_ident_join(&e->arena, parts) : NULL);
    if (!name) return;
    *slot = (uint64_t)(uintptr_t)name;
    tenon_put(&e->types_text,
              "typedef struct $ {\n"
              "$} $;\n"
              "\n",
              name, members + strlen(op) + 1, name);
  }
  if (*slot) tenon_buf_text(out, (const char *)(uintptr_t)*slot);
}

// What a run fills in. A kernel that declares the struct itself reads it under
// another name, which a compiler may take for another place than what was
// written as this one: copied bytes it may not.
static void put_filled(tenon_buf *out, const char *type, bool is_declared,
                       const tenon_buf *text) {
  if (is_declared) tenon_buf_format(out, "memcpy(&(%s){0}, ", type);
  tenon_buf_format(out, "&(const %s)", type);
  if (text->data) tenon_buf_add(out, text->data, text->size);
  if (is_declared) tenon_buf_format(out, ", sizeof(%s))", type);
}

static void put_struct(tenon_emission *e, tenon_buf *out,
                       const tenon_program_attrs *a, const char *op) {
  tenon_buf type, text;
  bool is_declared = !a->type || !tenon_emit_has_word(e, a->type);
  bool is_first = true;
  tenon_buf_init(&type, e->allocator);
  tenon_buf_init(&text, e->allocator);
  if (is_declared)
    attr_text_declare(e, &type, a, op);
  else
    tenon_buf_text(&type, a->type);
  for (const tenon_field *f = a->fields; f->name; ++f) {
    tenon_attr_view v = view_field(a, f);
    tenon_put(&text, "$$ = ", is_first ? "{\n    ." : ",\n    .", f->member);
    if (tenon_emit_is_patched(e, a, v.at))
      tenon_emit_open_value(e, &text, a, &v);
    else
      tenon_emit_value(e, &text, &v);
    is_first = false;
  }
  tenon_buf_char(&text, '}');
  if (type.failed || !type.data) {
    e->types.failed = true;
  } else if (a->n_patches) {
    put_filled(out, type.data, is_declared, &text);
  } else {
    tenon_emit_table(e, &e->steps_text, out, type.data, 'a', &text);
  }
  tenon_buf_deinit(&type);
  tenon_buf_deinit(&text);
}

// --- generic attributes -----------------------------------------------------

static const struct {
  const char *kind, *member;
} arg_kinds[] = {
    [0] = {"0", "i"},
    [TENON_KIND_BOOL] = {"TENON_KIND_BOOL", "i"},
    [TENON_KIND_INT] = {"TENON_KIND_INT", "i"},
    [TENON_KIND_FLOAT] = {"TENON_KIND_FLOAT", "f"},
    [TENON_KIND_STR] = {"TENON_KIND_STR", "s"},
    [TENON_KIND_INTS] = {"TENON_KIND_INTS", "ints"},
    [TENON_KIND_FLOATS] = {"TENON_KIND_FLOATS", "floats"},
    [TENON_KIND_DTYPE] = {"TENON_KIND_DTYPE", "i"},
    [TENON_KIND_SCALAR] = {"TENON_KIND_SCALAR", "scalar"},
    [TENON_KIND_BOOLS] = {"TENON_KIND_BOOLS", "bools"},
    [TENON_KIND_SCALARS] = {"TENON_KIND_SCALARS", "scalars"},
    [TENON_KIND_STRS] = {"TENON_KIND_STRS", "strs"},
};
enum { ARG_KINDS = sizeof arg_kinds / sizeof *arg_kinds };

static void put_args(tenon_emission *e, tenon_buf *out,
                     const tenon_program_attrs *a) {
  const tenon_arg *args = (const tenon_arg *)a->bound;
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_buf_text(&text, "{\n");
  for (; args->name; ++args) {
    tenon_attr_view v = view_arg(args);
    uint32_t kind = v.kind < ARG_KINDS && arg_kinds[v.kind].kind ? v.kind : 0;
    tenon_put(&text, "    {$, $, {.$ = ", tenon_as_c_string(args->name),
              arg_kinds[kind].kind, arg_kinds[kind].member);
    if (kind == 0)
      tenon_buf_char(&text, '0');
    else if (tenon_emit_is_patched(e, a, v.at))
      tenon_emit_open_value(e, &text, a, &v);
    else if (kind == TENON_KIND_BOOL)
      tenon_c_int(&text, args->as.i != 0);
    else
      tenon_emit_value(e, &text, &v);
    tenon_buf_text(&text, "}},\n");
  }
  tenon_buf_text(&text, "    {NULL, 0, {.i = 0}}}");
  if (a->n_patches) {
    tenon_buf_text(out, "(const tenon_arg[])");
    if (text.data) tenon_buf_add(out, text.data, text.size);
  } else {
    tenon_emit_table(e, &e->steps_text, out, "tenon_arg", 'g', &text);
  }
  tenon_buf_deinit(&text);
}

bool tenon_emit_has_attrs(const tenon_emission *e, const tenon_step *step) {
  const tenon_program_attrs *a = attr_text_attrs_of(e, step);
  return a && a->bound;
}

bool tenon_emit_attrs(tenon_emission *e, tenon_buf *out,
                      const tenon_step *step) {
  const tenon_program_attrs *a = attr_text_attrs_of(e, step);
  if (!a || !a->bound) return false;
  if (a->fields)
    put_struct(e, out, a, step->op);
  else
    put_args(e, out, a);
  return true;
}
