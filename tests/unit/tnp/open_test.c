// Files of programs with open sizes that do not hold together, each by one
// member; and that loading the right ones needs no more memory than there is.
#include "harness/model.h"
#include "tnp/coder.h"

// Sizes of inputs and a condition; one that data decide; one that is measured.
static const char solved[] =
    "module {\n%x = input f32[?n,4]\n%y = input f32[?n*2,4]\n"
    "guard eq(?n%2, 0)\n"
    "%a = core::concat(%x, %y) [axis=0] : f32[?n*3,4]\n"
    "%b = core::relu(%a)\nreturn %a, %b\n}\n";
static const char found[] =
    "module {\n%x = input f32[?n]\n"
    "%k = core::nonzero(%x) decides ?u : s64[?u,1]\n"
    "%f = core::cast(%k) [dtype=f32] : f32[?u,1]\nreturn %f\n}\n";
static const char measured[] =
    "module {\n%x = input s64[3]\n"
    "%k = core::repeat_interleave(%x) decides ?u : s64[?u]\n"
    "%f = core::add(%k, %k) : s64[?u]\nreturn %f\n}\n";
static const char bounded[] =
    "module {\ndim n = 1..8\n%x = input f32[?n,4]\n"
    "%y = core::softmax(%x) [axis=1] : f32[?n,4]\nreturn %y\n}\n";

#define OF(T, list, i) (&((T *)(uintptr_t)(list))[i])

static tenon_program_number *leaf(struct tenon_program *p, const char *name) {
  for (uint32_t i = 1; i < p->n_numbers; ++i)
    if (p->numbers[i].op == 0 && strcmp(p->numbers[i].name, name) == 0)
      return OF(tenon_program_number, p->numbers, i);
  return NULL;
}

// Of a step, which has one result.
static tenon_program_tensor *result(struct tenon_program *p, uint32_t step) {
  return OF(tenon_program_tensor, p->tensors, p->operands[p->steps[step].out]);
}
static tenon_dim *size_of(struct tenon_program *p, uint32_t step) {
  return OF(tenon_dim, result(p, step)->sizes, 0);
}

static void forget_guard(struct tenon_program *p) {
  p->guards = NULL;
  p->n_guards = 0;
}
static void lose_leaf(struct tenon_program *p) {
  // Nothing but inputs' sizes gives it a value.
  const tenon_program_entry *e = &p->entries[0];
  OF(tenon_program_tensor, p->tensors, e->in[0])->sizes = NULL;
  OF(tenon_program_tensor, p->tensors, e->in[1])->sizes = NULL;
}
static void name_no_number(struct tenon_program *p) {
  size_of(p, 0)->symbol = p->n_numbers;
}
static void take_other_size(struct tenon_program *p) {
  *size_of(p, 0) = p->tensors[p->entries[0].in[0]].sizes[0];
}
static void shrink_buffer(struct tenon_program *p) {
  OF(tenon_span_record, p->spans, result(p, 0)->span - 1)->bytes =
      (tenon_dim){0, 1};
}
static void fix_buffer(struct tenon_program *p) {
  OF(tenon_span_record, p->spans, result(p, 0)->span - 1)->bytes =
      tenon_dim_fixed(64);
}
static void end_buffer(struct tenon_program *p) {
  tenon_span_record *r =
      OF(tenon_span_record, p->spans, result(p, 0)->span - 1);
  r->first = r->last = 1;
}
static void turn_time(struct tenon_program *p) {
  OF(tenon_step, p->steps, p->order[1])->time = 1;
}
static void decide_nothing(struct tenon_program *p) {
  OF(tenon_step, p->steps, 0)->n_decided = 0;
}
static void decide_twice(struct tenon_program *p) {
  OF(tenon_step, p->steps, 1)->n_decided = 1;
  OF(tenon_step, p->steps, 1)->decided = p->steps[0].decided;
}
static void bound_found(struct tenon_program *p) {
  leaf(p, "u")->max = 4;
}
static void bound_found_by_another(struct tenon_program *p) {
  leaf(p, "u")->most = tenon_dim_fixed(1);
}
static void begin_early(struct tenon_program *p) {
  OF(tenon_span_record, p->spans, result(p, 1)->span - 1)->first = 0;
  OF(tenon_span_record, p->spans, result(p, 0)->span - 1)->first = 0;
}
static void widen(struct tenon_program *p) {
  leaf(p, "n")->max = 9;
}
static void have_no_value(struct tenon_program *p) {
  leaf(p, "n")->min = 10;
}

static const struct {
  const char *text;
  void (*change)(struct tenon_program *p);
  const char *error;  // null: it is loaded
} rows[] = {
    {solved, NULL, NULL},
    {found, NULL, NULL},
    {measured, NULL, NULL},
    {bounded, NULL, NULL},
    {solved, forget_guard, NULL},  // the file's, and no rule's
    {solved, lose_leaf, "a tensor outside of its buffer"},
    {solved, name_no_number, "a tensor of no possible size"},
    {solved, take_other_size, "results of other types"},
    {solved, shrink_buffer, "a buffer of another size"},
    {solved, fix_buffer, "a tensor outside of its buffer"},
    {solved, end_buffer, "a buffer that is not there at the time"},
    {solved, turn_time, "steps that are not in the order of time"},
    {found, decide_nothing, "a size that nothing has decided yet"},
    {found, decide_twice, "a size that two steps decide"},
    {found, bound_found, "its results may become larger than their places"},
    {found, bound_found_by_another, "larger than their places"},
    {measured, begin_early, "a buffer in front of the step that decides"},
    {bounded, widen, "a tensor larger than its place"},
    {bounded, have_no_value, "a size without a value"},
};

static void what_a_file_says_of_sizes_is_checked(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    const tenon_compile_options o = {.struct_size = sizeof o,
                                     .flags = TENON_COMPILE_SAVABLE};
    test_model t;
    tenon_buf file;
    tenon_program *again = NULL;
    model_open(&t, NULL);
    tenon_buf_init(&file, tenon_heap());
    tenon_program *p = model_compile(&t, rows[i].text, &o);
    if (rows[i].change) rows[i].change(p);
    // What would not be loaded is not written.
    tenon_status status = tenon_program_save(p, 0, model_take, &file);
    CHECK(status == TENON_OK || file.size == 0, "row %zu: written", i);
    if (status == TENON_OK)
      status =
          tenon_program_load(t.cx, file.data, file.size, "t.tnp", 0, &again);
    if (!rows[i].error)
      CHECK(status == TENON_OK, "row %zu: %s", i, t.log.text);
    else
      CHECK(status == TENON_BAD_MODEL && strstr(t.log.text, rows[i].error),
            "row %zu, not '%s': %s", i, rows[i].error, t.log.text);
    tenon_program_destroy(again);
    tenon_program_destroy(p);
    tenon_buf_deinit(&file);
    model_close(&t);
  }
}

// A test_sweep_fn: loads what is at `self`.
static bool loads(const tenon_allocator *allocator, void *self) {
  const tenon_buf *file = (const tenon_buf *)self;
  test_model t;
  tenon_program *p = NULL;
  bool ok = model_try(&t, NULL, allocator) &&
            tenon_program_load(t.cx, file->data, file->size, "t.tnp", 0, &p) ==
                TENON_OK;
  CHECK(ok == (p != NULL), "%s", t.log.text);
  tenon_program_destroy(p);
  model_close(&t);
  return ok;
}

static void loading_survives_no_memory(void **state) {
  static const char *const texts[] = {solved, found};
  (void)state;
  EACH_ROW(i, texts) {
    const tenon_compile_options o = {.struct_size = sizeof o,
                                     .flags = TENON_COMPILE_SAVABLE};
    test_model t;
    tenon_buf file;
    model_open(&t, NULL);
    tenon_buf_init(&file, tenon_heap());
    tenon_program *p = model_compile(&t, texts[i], &o);
    assert_int_equal(tenon_program_save(p, 0, model_take, &file), TENON_OK);
    tenon_program_destroy(p);
    model_close(&t);
    test_sweep(loads, &file);
    tenon_buf_deinit(&file);
  }
}

TEST_GROUP(open, cmocka_unit_test(what_a_file_says_of_sizes_is_checked),
           cmocka_unit_test(loading_survives_no_memory))
