// How: the copy of a struct lies in front of the copies of its lists, each at
// 16 bytes; a patch writes one number over the one that stands in its place.
#include <string.h>

#include "base/size.h"
#include "program/program.h"

// Bytes of an element of the list that patch `i` is in; 0: it is in none, or
// not the first there.
static size_t list_unit(const tenon_program *p, const tenon_program_attrs *a,
                        uint32_t i) {
  const tenon_program_patch *patches = &p->patches[a->patch];
  if (!patches[i].is_list) return 0;
  for (uint32_t k = 0; k < i; ++k)
    if (patches[k].offset == patches[i].offset) return 0;
  return patches[i].kind == TENON_KIND_INTS ? sizeof(int64_t)
                                            : sizeof(tenon_scalar);
}

static size_t lists_size(const tenon_program *p, const tenon_program_attrs *a) {
  size_t size = 0;
  for (uint32_t i = 0; i < a->n_patches; ++i) {
    const size_t unit = list_unit(p, a, i);
    if (unit == 0) continue;
    const tenon_ints *list =
        (const tenon_ints *)(const void *)((const char *)a->bound +
                                           p->patches[a->patch + i].offset);
    size += tenon_size_up(list->count * unit, 16);
  }
  return size;
}

static size_t attrs_size(const tenon_program_attrs *a) {
  size_t n = 0;
  if (a->fields) return a->size;
  for (const tenon_arg *arg = (const tenon_arg *)a->bound; arg[n].name;)
    ++n;
  return (n + 1) * sizeof(tenon_arg);
}

size_t tenon_attrs_room(const tenon_program *p, const tenon_program_attrs *a) {
  return tenon_size_up(attrs_size(a), 16) + lists_size(p, a);
}

static void copy_lists(const tenon_program *p, const tenon_program_attrs *a,
                       char *copy) {
  char *room = copy + tenon_size_up(attrs_size(a), 16);
  for (uint32_t i = 0; i < a->n_patches; ++i) {
    const tenon_program_patch *patch = &p->patches[a->patch + i];
    const size_t unit = list_unit(p, a, i);
    if (unit == 0) continue;
    // Lists of all kinds are a pointer and a count.
    tenon_ints list;
    memcpy(&list, copy + patch->offset, sizeof list);
    if (list.count) memcpy(room, list.data, list.count * unit);
    list.data = (const int64_t *)(const void *)room;
    memcpy(copy + patch->offset, &list, sizeof list);
    room += tenon_size_up(list.count * unit, 16);
  }
}

void tenon_attrs_copy(const tenon_program *p, const tenon_program_attrs *a,
                      void *room) {
  memcpy(room, a->bound, attrs_size(a));
  copy_lists(p, a, (char *)room);
}

static tenon_scalar patch_scalar_of(const tenon_program *p, tenon_dim d,
                                    int64_t value) {
  uint32_t kind = d.symbol ? p->numbers[d.symbol].kind : 0;
  tenon_scalar out = {kind ? kind : (uint32_t)TENON_KIND_INT, {value}};
  if (kind == TENON_KIND_FLOAT) memcpy(&out.as.f, &value, sizeof value);
  return out;
}

// Writes a number over the one that stands in its place.
static void put_patch(const tenon_program *p, const tenon_program_patch *patch,
                      int64_t value, char *attrs) {
  tenon_scalar v = patch_scalar_of(p, patch->value, value);
  double f = v.kind == TENON_KIND_FLOAT ? v.as.f : (double)v.as.i;
  bool b = v.as.i != 0;
  char *at = attrs + patch->offset;
  tenon_ints list;
  switch (patch->kind) {
    case TENON_KIND_INTS:
      memcpy(&list, at, sizeof list);
      ((int64_t *)(uintptr_t)list.data)[patch->element] = value;
      break;
    case TENON_KIND_SCALARS:
      memcpy(&list, at, sizeof list);
      memcpy((char *)(uintptr_t)list.data + patch->element * sizeof v, &v,
             sizeof v);
      break;
    case TENON_KIND_FLOAT:
    case TENON_KIND_OPT_FLOAT:
      memcpy(at, &f, sizeof f);
      break;
    case TENON_KIND_SCALAR:
      memcpy(at, &v, sizeof v);
      break;
    case TENON_KIND_BOOL:
    case TENON_KIND_OPT_BOOL:
      memcpy(at, &b, sizeof b);
      break;
    default:
      memcpy(at, &value, sizeof value);
  }
}

void tenon_attrs_patch(const tenon_program *p, const tenon_program_attrs *a,
                       const tenon_known *known, void *copy) {
  for (uint32_t i = 0; i < a->n_patches; ++i) {
    const tenon_program_patch *patch = &p->patches[a->patch + i];
    tenon_known k = tenon_known_of(known, patch->value);
    put_patch(p, patch, k.max == INT64_MAX ? 0 : k.max, (char *)copy);
  }
}
