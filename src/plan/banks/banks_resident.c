// How: what lies in a memory that is written for as long as the program does is
// there before any buffer, so its bytes are counted before these are packed:
// each constant that a rule names and a step reads as it is, equal ones once.
// What a kernel packs is not among them; it stays with all else that is packed.
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "ir/turned.h"
#include "plan/banks/banks.h"

uint32_t tenon_banks_rule_of(const tenon_banks *b, const char *name) {
  for (uint32_t i = 0; i < b->n_rules; ++i)
    if (b->rules[i].kinds == TENON_PLACE_CONSTANT &&
        tenon_text_glob(b->rules[i].pattern, name))
      return i + 1;
  return 0;
}

typedef struct resident {
  const void *data;
  size_t size;
  uint64_t hash;
  uint32_t bank;
  tenon_dtype dtype;
} resident;

typedef struct counting {
  tenon_planner *w;
  tenon_banks *b;
  tenon_planned *e;
  TENON_VEC(resident) list;
} counting;

uint64_t tenon_bank_resident_room(const tenon_program_bank *m, uint64_t size) {
  uint64_t align =
      m->align > TENON_RESIDENT_ALIGN ? m->align : TENON_RESIDENT_ALIGN;
  return (size + align - 1) / align * align;
}

static tenon_status resident_add(counting *c, const tenon_value *v) {
  size_t size = 0;
  uint32_t rule = tenon_banks_rule_of(c->b, v->name ? v->name : "");
  if (!rule || c->b->list[c->b->rules[rule - 1].bank].is_rom ||
      !tenon_type_size(&v->type, &size) || size == 0)
    return TENON_OK;
  resident r = {.data = tenon_value_constant(v)->data,
                .size = size,
                .hash = TENON_HASH_SEED,
                .bank = c->b->rules[rule - 1].bank,
                .dtype = v->type.dtype};
  // One that is not given is another than all; that is refused later.
  bool is_given = !tenon_tensor_is_apart(v->constant);
  if (is_given) r.hash = tenon_hash_bulk(r.data, size, TENON_HASH_SEED);
  for (size_t i = 0; is_given && i < c->list.count; ++i) {
    const resident *s = &c->list.data[i];
    if (s->data && s->hash == r.hash && s->size == size && s->bank == r.bank &&
        s->dtype == r.dtype && memcmp(s->data, r.data, size) == 0)
      return TENON_OK;
  }
  tenon_program_bank *m = &c->b->list[r.bank];
  m->constants += tenon_bank_resident_room(m, size);
  return tenon_vec_push(&c->list, r) ? TENON_OK
                                     : tenon_plan_no_memory(c->w->report);
}

static tenon_status resident_visit(void *self, tenon_node *n) {
  counting *c = (counting *)self;
  const tenon_kernel *k = c->e->kernels[n->id];
  uint32_t packs = 0;
  if (k && k->desc->pack_size) {
    tenon_call *call =
        tenon_node_is_open(n)
            ? tenon_bind_call_at(c->w->arena, n, tenon_plan_values(c->w, c->e))
            : tenon_bind_call_packed(c->w->arena, n, k);
    if (call) call->user = k->desc->user;
    if (call && tenon_plan_pack_size(k, n, call)) packs = k->desc->packs;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    bool is_packed = i < 32 && (packs >> i & 1);
    if (v && v->kind == TENON_VALUE_CONSTANT && !is_packed)
      TENON_TRY(resident_add(c, v));
  }
  return TENON_OK;
}

tenon_status tenon_banks_resident(tenon_planner *w, tenon_banks *b) {
  counting c = {.w = w, .b = b};
  tenon_status status = TENON_OK;
  bool any = false;
  for (uint32_t i = 0; i < b->n_rules; ++i)
    any |= b->rules[i].kinds == TENON_PLACE_CONSTANT &&
           !b->list[b->rules[i].bank].is_rom;
  if (!any) return TENON_OK;
  tenon_vec_init(&c.list, w->report_allocator);
  for (size_t i = 0; status == TENON_OK && i < w->n_entries; ++i) {
    tenon_graph *g = w->entries[i].entry->point->graph;
    c.e = &w->entries[i];
    status = tenon_graph_visit(g, resident_visit, &c);
    for (uint32_t k = 0; status == TENON_OK && k < g->end->n_in; ++k) {
      const tenon_value *v = g->end->in[k].value;
      if (v && v->kind == TENON_VALUE_CONSTANT) status = resident_add(&c, v);
    }
  }
  tenon_vec_deinit(&c.list);
  return status;
}
