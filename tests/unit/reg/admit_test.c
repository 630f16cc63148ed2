// Each row spoils one member of a plugin that holds together.
#include "reg/admit/admit.h"

#include <stdlib.h>

#include "reg_fixture.h"

static const tenon_kernel_desc *const no_kernels[] = {NULL};
static const tenon_field one_field[] = {TENON_FIELD(fixture_attrs, gain),
                                        TENON_END_FIELDS};
static const tenon_field wrong_kind[] = {
    {"gain", "gain", offsetof(fixture_attrs, gain), TENON_KIND_INT},
    TENON_FIELD(fixture_attrs, relu),
    TENON_END_FIELDS};
static const tenon_source nameless = {sizeof nameless, 0, "", "int x;", NULL};
static const tenon_source flagged = {sizeof flagged, 1, "a.c", "int x;", NULL};
static const tenon_source circle;
static const tenon_source *const circle_uses[] = {&circle, NULL};
static const tenon_source circle = {sizeof circle, 0, "circle.c", "int x;",
                                    circle_uses};
static const tenon_source short_source = {2, 0, "a.c", "int x;", NULL};

// clang-format off
#define SPOIL(name, statement) \
  static void name(fixture *f) { statement; }
SPOIL(nothing, f->plugin.ops = f->ops)
SPOIL(magic, f->plugin.magic = 1)
SPOIL(abi, f->plugin.abi_major = 7)
SPOIL(pointers, f->plugin.pointer_size = 2)
SPOIL(calls, f->plugin.call_size += 8)
SPOIL(no_name, f->plugin.name = NULL)
SPOIL(blank_name, f->plugin.name = "a b")
SPOIL(no_version, f->plugin.version = NULL)
SPOIL(tiny_manifest, f->plugin.struct_size = 3)
SPOIL(huge_manifest, f->plugin.struct_size = 5000)
static const tenon_reader_desc no_reader = {
    .struct_size = sizeof(tenon_reader_desc), .name = "r", .doc = "None."};
static const tenon_reader_desc *const no_readers[] = {&no_reader, NULL};
SPOIL(readers, f->plugin.readers = no_readers)
SPOIL(op_size, f->op.struct_size = 0)
SPOIL(op_flags, f->op.flags = 1u << 20)
SPOIL(elementwise, f->op.flags = TENON_OP_PURE | TENON_OP_ELEMENTWISE)
SPOIL(impure_each, f->op.flags = TENON_OP_ELEMENTWISE)
SPOIL(costly, f->op.flags = TENON_OP_PURE | TENON_OP_ELEMENTWISE | TENON_OP_COSTLY)
SPOIL(costly_whole, f->op.flags = TENON_OP_PURE | TENON_OP_COSTLY)
SPOIL(no_schema, f->op.schema = NULL)
SPOIL(bad_schema, f->op.schema = "acme::gain(Tensor x -> Tensor")
SPOIL(unknown_type, f->op.schema = "acme::gain(Tensr x) -> Tensor")
SPOIL(no_doc, f->op.doc = NULL)
SPOIL(no_way, f->op.kernels = no_kernels)
SPOIL(no_way_null, f->op.kernels = NULL)
SPOIL(declared, f->op.kernels = NULL; f->op.doc = NULL; f->op.flags = TENON_OP_DECLARED)
SPOIL(size_only, f->op.fields = NULL)
SPOIL(missing_field, f->op.fields = one_field)
SPOIL(field_kind, f->op.fields = wrong_kind)
SPOIL(attrs_size, f->op.attrs_size = 64)
SPOIL(versions, f->op.version_min = 2)
SPOIL(kernel_size, f->kernel.struct_size = 1)
SPOIL(kernel_flags, f->kernel.flags = 1u << 9)
SPOIL(no_symbol, f->kernel.symbol = NULL)
SPOIL(bad_symbol, f->kernel.symbol = "acme gain")
SPOIL(digit_symbol, f->kernel.symbol = "1gain")
SPOIL(other_op, f->kernel.op = "acme::other")
SPOIL(same_op, f->kernel.op = "acme::gain.default")
SPOIL(no_op, f->plugin.ops = NULL; f->plugin.kernels = f->kernels)
SPOIL(bad_op, f->kernel.op = "gain"; f->plugin.ops = NULL; f->plugin.kernels = f->kernels)
SPOIL(no_types, f->kernel.types = NULL)
SPOIL(bad_types, f->kernel.types = "f33 -> f32")
SPOIL(more_types, f->kernel.types = "f32, f32 -> f32")
SPOIL(other_order, f->kernel.order = "0123 -> 0231")
SPOIL(measured_order, f->kernel.order = "0123 -> 0231"; f->kernel.measure = f->kernel.run)
SPOIL(second_order, f->kernel.order = "0123|0312 -> *")
SPOIL(dense_order, f->kernel.order = "01 -> *")
SPOIL(both_runs, f->kernel.run_range = fixture_range)
SPOIL(no_run, f->kernel.run = NULL)
SPOIL(emit_only, f->kernel.run = NULL; f->kernel.emit_template = "$out0[0] = 0;")
SPOIL(no_items, f->kernel.run = NULL; f->kernel.run_range = fixture_range)
SPOIL(ranged, f->kernel.run = NULL; f->kernel.run_range = fixture_range; f->kernel.items = fixture_items; f->kernel.grain = 4)
SPOIL(grain, f->kernel.grain = 4)
SPOIL(turns, f->kernel.turns = fixture_items)
SPOIL(emit_range, f->kernel.run = NULL; f->kernel.emit_template = "$out0[0] = 0;"; f->kernel.items = fixture_items; f->kernel.grain = 4)
SPOIL(emit_grain, f->kernel.run = NULL; f->kernel.emit_template = "$out0[0] = 0;"; f->kernel.grain = 4)
SPOIL(half_pack, f->kernel.pack = fixture_pack)
SPOIL(packs, f->kernel.packs = 1)
SPOIL(packs_past, f->kernel.packs = 2; f->kernel.pack = fixture_pack; f->kernel.pack_size = fixture_size)
SPOIL(packs_well, f->kernel.packs = 1; f->kernel.pack = fixture_pack; f->kernel.pack_size = fixture_size)
SPOIL(head_alone, f->kernel.pack_head = 8)
SPOIL(head_odd, f->kernel.pack_head = 6; f->kernel.pack = fixture_pack; f->kernel.pack_size = fixture_size)
SPOIL(head_long, f->kernel.pack_head = TENON_PACK_HEAD + 4; f->kernel.pack = fixture_pack; f->kernel.pack_size = fixture_size)
SPOIL(head_well, f->kernel.pack_head = TENON_PACK_HEAD; f->kernel.pack = fixture_pack; f->kernel.pack_size = fixture_size)
SPOIL(measures_none, f->kernel.flags = TENON_KERNEL_MEASURES_ALL)
SPOIL(align, f->kernel.align = 24)
SPOIL(in_place, f->kernel.in_place = TENON_IN_PLACE(0, 1))
SPOIL(out_place, f->kernel.in_place = TENON_IN_PLACE(1, 0))
SPOIL(well_placed, f->kernel.in_place = TENON_IN_PLACE(0, 0))
SPOIL(priority, f->kernel.priority = 3)
SPOIL(needs, f->kernel.needs = "avx2 fma")
SPOIL(template_name, f->kernel.emit_template = "a;\nb = $f32(gian);\n")
SPOIL(template_word, f->kernel.emit_template = "$cuont(in0)")
SPOIL(template_in, f->kernel.emit_template = "$in1[0]")
SPOIL(template_scratch, f->kernel.emit_template = "\n\n$scratch")
SPOIL(template_packed, f->kernel.emit_template = "$packed")
SPOIL(template_has_scratch, f->kernel.emit_template = "$scratch"; f->kernel.scratch = fixture_scratch)
SPOIL(source_name, f->kernel.source = &nameless)
SPOIL(source_flags, f->kernel.source = &flagged)
SPOIL(source_circle, f->kernel.source = &circle)
SPOIL(source_size, f->kernel.source = &short_source)
SPOIL(lowering_size, f->lowering.struct_size = 9000; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_flags, f->lowering.flags = 8; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_name, f->lowering.name = NULL; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_function, f->lowering.lower = NULL; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_reserved, f->lowering.reserved = 1; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_op, f->lowering.op = "acme.gain"; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_any, f->lowering.op = "*"; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_each, f->lowering.op = "*"; f->lowering.flags = TENON_LOWERING_ELEMENTWISE; f->plugin.lowerings = f->lowerings)
SPOIL(lowering_well, f->plugin.lowerings = f->lowerings)
// clang-format on

static const struct {
  void (*spoil)(fixture *f);
  const char *id, *message;  // null: it still holds together
} rows[] = {
    {nothing, NULL, NULL},
    {magic, "plugin-magic", "magic 0x00000001, expected 0x314e5450"},
    {abi, "plugin-abi", "plugin has ABI 7, this library has 0"},
    {pointers, "plugin-layout", "pointers of 2"},
    {calls, "plugin-layout", "calls of"},
    {no_name, "plugin-manifest", "no name"},
    {blank_name, "plugin-manifest", "with blanks"},
    {no_version, "plugin-manifest", "no version"},
    {tiny_manifest, "plugin-size", "says it has 3 bytes"},
    {huge_manifest, "plugin-size", "says it has 5000 bytes"},
    {readers, "plugin-incomplete", "a reader has .recognise and .read"},
    {op_size, "plugin-size", "operator: a descriptor says it has 0 bytes"},
    {op_flags, "plugin-flags", "flags 0x100000, of which"},
    {elementwise, NULL, NULL},
    {impure_each, "plugin-elementwise", "1 results, not pure"},
    {costly, NULL, NULL},
    {costly_whole, "plugin-elementwise", "is not element-wise"},
    {no_schema, "plugin-schema", "no schema"},
    {bad_schema, "plugin-schema", "schema 'acme::gain(Tensor x -> Tensor'"},
    {unknown_type, "plugin-schema",
     "at byte 11: 'Tensr' is no type of a schema; did you mean 'Tensor'?"},
    {no_doc, "plugin-doc", "operator 'acme::gain': the operator has no doc"},
    {no_way, "plugin-incomplete", "neither kernels nor a lowering"},
    {no_way_null, "plugin-incomplete", "TENON_OP_DECLARED"},
    {declared, NULL, NULL},
    {size_only, "plugin-fields", "16 bytes without fields"},
    {missing_field, "plugin-fields", "relu"},
    {field_kind, "plugin-fields", "gain"},
    {attrs_size, "plugin-fields", "64"},
    {versions, "plugin-versions", "versions 2 to 0"},
    {kernel_size, "plugin-size", "kernel: a descriptor says it has 1 bytes"},
    {kernel_flags, "plugin-flags", "0x200"},
    {no_symbol, "plugin-incomplete", "no identifier"},
    {bad_symbol, "plugin-incomplete", "kernel 'acme gain'"},
    {digit_symbol, "plugin-incomplete", "no identifier"},
    {other_op, "plugin-op-name", "for 'acme::other' in the descriptor of"},
    {same_op, NULL, NULL},
    {no_op, "plugin-op-name", "'(null)' is no name"},
    {bad_op, "plugin-op-name", "'gain' is no name"},
    {no_types, "plugin-incomplete", "no types"},
    {bad_types, "plugin-types", "'f33' is no element type"},
    {more_types, "plugin-kernel", "have 2 operands, the schema 1"},
    {other_order, NULL, NULL},
    {measured_order, "plugin-order",
     "the order '0123 -> 0231' with results whose"},
    {second_order, "plugin-order", "outermost dimension first"},
    {dense_order, NULL, NULL},
    {both_runs, "plugin-incomplete", "both run and run_range"},
    {no_run, "plugin-incomplete", "neither run nor be emitted"},
    {emit_only, NULL, NULL},
    {no_items, "plugin-incomplete", "run_range without items"},
    {ranged, NULL, NULL},
    {grain, "plugin-incomplete", "without run_range"},
    {emit_range, NULL, NULL},
    {turns, "plugin-incomplete", "turns without items"},
    {emit_grain, "plugin-incomplete", "grain without items"},
    {half_pack, "plugin-incomplete", "one of pack and pack_size"},
    {packs, "plugin-incomplete", "without a pack function"},
    {packs_past, "plugin-types", "packs 0x2 names operands past the 1"},
    {packs_well, NULL, NULL},
    {head_alone, "plugin-incomplete", "without a pack function"},
    {head_odd, "plugin-incomplete", "a head of no whole words"},
    {head_long, "plugin-incomplete", "or too long"},
    {head_well, NULL, NULL},
    {measures_none, "plugin-incomplete", "all sizes without measure"},
    {align, "plugin-incomplete", "power of two"},
    {in_place, "plugin-types", "result 0 and operand 1"},
    {out_place, "plugin-types", "result 1 and operand 0"},
    {well_placed, NULL, NULL},
    {priority, "plugin-reference", "priority 3"},
    {needs, "plugin-reference", "needs 'avx2 fma'"},
    {template_name, "plugin-kernel",
     "line 2 of the template: '$f32(gian)' names no attribute; did you mean "
     "'gain'?"},
    {template_word, "plugin-kernel", "did you mean '$count'?"},
    {template_in, "plugin-kernel", "'$in1' of an operator with 1 operands"},
    {template_scratch, "plugin-kernel",
     "line 3 of the template: '$scratch' of a kernel without scratch"},
    {template_packed, "plugin-kernel", "without pack"},
    {template_has_scratch, NULL, NULL},
    {source_name, "plugin-source", "a text without name"},
    {source_flags, "plugin-flags", "0x1"},
    {source_circle, "plugin-source", "'circle.c' uses itself"},
    {source_size, "plugin-size", "2 bytes"},
    {lowering_size, "plugin-size", "9000"},
    {lowering_flags, "plugin-flags", "0x8"},
    {lowering_name, "plugin-incomplete", "no name"},
    {lowering_function, "plugin-incomplete", "no function"},
    {lowering_reserved, "plugin-incomplete", "reserved"},
    {lowering_op, "plugin-op-name", "'acme.gain' is no name"},
    {lowering_any, "plugin-op-name", "'*' is no name"},
    {lowering_each, "plugin-override", "reserved"},
    {lowering_well, NULL, NULL},
};

static void refuses_what_does_not_hold_together(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    test_log log;
    fixture f;
    tenon_context *cx = fixture_context(&log, NULL);
    fixture_make(&f, "acme");
    f.plugin.ops = f.ops;
    rows[i].spoil(&f);
    tenon_status status = tenon_context_add(cx, &f.plugin);
    if (rows[i].id) {
      CHECK(status != TENON_OK, "row %zu", i);
      CHECK(log.errors == 1, "row %zu: %s", i, log.text);
      CHECK_LOG(&log, rows[i].id, rows[i].message, i);
      CHECK(tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0) == 0 &&
                tenon_context_list(cx, TENON_REGISTRY_KERNELS, NULL, 0) == 0,
            "row %zu: something of it is left", i);
    } else {
      CHECK(status == TENON_OK && log.size == 0, "row %zu: %s", i, log.text);
    }
    tenon_context_destroy(cx);
  }
}

// As a plugin built with older headers has it: nothing is read behind its end.
static void fills_up_what_is_shorter(void **state) {
  (void)state;
  test_log log;
  fixture f;
  const size_t size = sizeof(tenon_op_desc) - 24;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_make(&f, "old");
  f.plugin.ops = f.ops;
  // Of exactly its size, so that a sanitizer sees a read behind it.
  tenon_op_desc *old = malloc(size);
  f.op.struct_size = (uint32_t)size;
  memcpy(old, &f.op, size);
  f.ops[0] = old;
  assert_int_equal(tenon_context_add(cx, &f.plugin), TENON_OK);
  const tenon_op *op = tenon_registry_find_op(cx, "acme::gain");
  assert_non_null(op);
  assert_int_equal(op->desc->struct_size, sizeof(tenon_op_desc));
  assert_null(op->desc->tflite_name);
  assert_null(op->desc->user);
  assert_int_equal(log.size, 0);
  tenon_context_destroy(cx);
  free(old);
}

typedef struct newer_op {
  tenon_op_desc base;
  const void *member;
} newer_op;

static void takes_newer_unless_it_is_used(void **state) {
  (void)state;
  for (int used = 0; used < 2; ++used) {
    test_log log;
    fixture f;
    newer_op newer;
    char want[96];
    tenon_context *cx = fixture_context(&log, NULL);
    fixture_make(&f, "new");
    f.plugin.ops = f.ops;
    newer.base = f.op;
    newer.base.struct_size = sizeof newer;
    newer.member = used ? &f : NULL;
    f.ops[0] = &newer.base;
    tenon_status status = tenon_context_add(cx, &f.plugin);
    assert_int_equal(status, used ? TENON_BAD_PLUGIN : TENON_OK);
    snprintf(want, sizeof want,
             "descriptor of %zu bytes uses members past our %zu", sizeof newer,
             sizeof newer.base);
    if (used) CHECK_LOG(&log, "plugin-size", want, 0);
    tenon_context_destroy(cx);
  }
}

static void reports_every_fault_of_a_plugin(void **state) {
  (void)state;
  test_log log;
  fixture a, b;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&a, "acme", "acme::a(Tensor x) -> Tensor", "one");
  fixture_op(&b, "acme", "acme::b(Tensor x) -> Tensor", "two");
  a.op.doc = NULL;
  b.kernel.types = "f33 -> f32";
  const tenon_op_desc *ops[] = {&a.op, &b.op, NULL};
  a.plugin.ops = ops;
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_BAD_PLUGIN);
  assert_int_equal(log.errors, 2);
  CHECK_LOG(&log, "plugin-doc", "operator 'acme::a'", 0);
  CHECK_LOG(&log, "plugin-types", "kernel 'two'", 0);
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0), 0);
  tenon_context_destroy(cx);
}

static void warns_of_an_empty_plugin(void **state) {
  (void)state;
  test_log log;
  fixture f;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_make(&f, "hollow");
  assert_int_equal(tenon_context_add(cx, &f.plugin), TENON_OK);
  assert_int_equal(log.warnings, 1);
  CHECK_LOG(&log, "plugin-empty", "'hollow' describes nothing", 0);
  tenon_context_destroy(cx);
}

static void shares_texts_of_one_name(void **state) {
  (void)state;
  test_log log;
  fixture a, b, c;
  tenon_context *cx = fixture_context(&log, NULL);
  const tenon_source base = {sizeof base, 0, "acme/base.h", "int b;", NULL};
  const tenon_source *uses[] = {&base, NULL};
  const tenon_source x = {sizeof x, 0, "acme/x.c", "int x;", uses};
  char again[] = "int x;";
  const tenon_source same = {sizeof same, 0, "acme/x.c", again, uses};
  const tenon_source other = {sizeof other, 0, "acme/x.c", "int y;", NULL};
  fixture_op(&a, "one", "acme::a(Tensor x) -> Tensor", "ka");
  fixture_op(&b, "two", "acme::b(Tensor x) -> Tensor", "kb");
  fixture_op(&c, "three", "acme::c(Tensor x) -> Tensor", "kc");
  a.kernel.source = &x;
  b.kernel.source = &same;
  c.kernel.source = &other;
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
  assert_int_equal(tenon_context_add(cx, &b.plugin), TENON_OK);
  const tenon_kernel *ka = tenon_registry_find_kernel(cx, "ka");
  const tenon_kernel *kb = tenon_registry_find_kernel(cx, "kb");
  assert_ptr_equal(ka->source, kb->source);
  assert_string_equal(ka->source->uses[0]->name, "acme/base.h");
  assert_int_equal(tenon_context_add(cx, &c.plugin), TENON_CONFLICT);
  CHECK_LOG(&log, "plugin-source",
            "'acme/x.c' differs from that of plugin 'one'", 0);
  tenon_context_destroy(cx);
}

// The texts of a plugin that was refused are not remembered.
static void forgets_texts_of_what_was_refused(void **state) {
  (void)state;
  test_log log;
  fixture a, b;
  tenon_context *cx = fixture_context(&log, NULL);
  const tenon_source x = {sizeof x, 0, "x.c", "int x;", NULL};
  const tenon_source y = {sizeof y, 0, "x.c", "int y;", NULL};
  fixture_op(&a, "one", "acme::a(Tensor x) -> Tensor", "ka");
  fixture_op(&b, "two", "acme::b(Tensor x) -> Tensor", "kb");
  a.kernel.source = &x;
  a.plugin.lowerings = a.lowerings;
  a.lowering.lower = NULL;
  b.kernel.source = &y;
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_BAD_PLUGIN);
  assert_int_equal(tenon_context_add(cx, &b.plugin), TENON_OK);
  tenon_context_destroy(cx);
}

static void takes_passes_and_targets(void **state) {
  (void)state;
  static const struct {
    const char *name, *doc;
    uint32_t flags;
    bool has_run;
    const char *id;
  } pass_rows[] = {{"shrink", "Shrinks.", 0, true, NULL},
                   {"shrink", "Shrinks.", TENON_PASS_OPTIONAL, true, NULL},
                   {"shrink", NULL, 0, true, "plugin-incomplete"},
                   {NULL, "Shrinks.", 0, true, "plugin-incomplete"},
                   {"a,b", "Shrinks.", 0, true, "plugin-incomplete"},
                   {"shrink", "Shrinks.", TENON_PASS_OVERRIDES, true, NULL},
                   {"shrink", "Shrinks.", TENON_PASS_ASKED, true, NULL},
                   {"shrink", "Shrinks.", 8, true, "plugin-flags"},
                   {"shrink", "Shrinks.", 0, false, NULL}};
  static const struct {
    const char *name;
    uint32_t flags;
    const char *id;
  } target_rows[] = {{"cortex-m55", 0, NULL},
                     {"host", 0, "plugin-name-taken"},
                     {"host", TENON_TARGET_OVERRIDES, "plugin-name-taken"},
                     {"cortex-m55", TENON_TARGET_OVERRIDES, NULL},
                     {"cortex-m55", 2, "plugin-flags"}};
  test_log log;
  fixture f;
  EACH_ROW(i, pass_rows) {
    tenon_context *cx = fixture_context(&log, NULL);
    tenon_pass_desc p = {.struct_size = sizeof p,
                         .flags = pass_rows[i].flags,
                         .name = pass_rows[i].name,
                         .doc = pass_rows[i].doc,
                         .run = pass_rows[i].has_run ? fixture_pass : NULL};
    const tenon_pass_desc *list[] = {&p, NULL};
    fixture_make(&f, "acme");
    f.plugin.passes = list;
    (void)!tenon_context_add(cx, &f.plugin);
    if (pass_rows[i].id) CHECK_LOG(&log, pass_rows[i].id, "pass", i);
    if (!pass_rows[i].id) CHECK(log.size == 0, "row %zu: %s", i, log.text);
    size_t n = tenon_registry_count(cx, TENON_REGISTRY_PASSES);
    CHECK(n == (pass_rows[i].id ? 0 : 1), "row %zu", i);
    tenon_context_destroy(cx);
  }
  EACH_ROW(i, target_rows) {
    tenon_context *cx = fixture_context(&log, NULL);
    tenon_target_desc t = {.struct_size = sizeof t,
                           .flags = target_rows[i].flags,
                           .name = target_rows[i].name,
                           .doc = "A target."};
    const tenon_target_desc *list[] = {&t, NULL};
    fixture_make(&f, "acme");
    f.plugin.targets = list;
    (void)!tenon_context_add(cx, &f.plugin);
    if (target_rows[i].id) CHECK_LOG(&log, target_rows[i].id, "target", i);
    const tenon_extension *found =
        tenon_registry_find(cx, TENON_REGISTRY_TARGETS, "cortex-m55");
    CHECK((found != NULL) == !target_rows[i].id, "row %zu", i);
    tenon_context_destroy(cx);
  }
}

TEST_GROUP(admit, cmocka_unit_test(refuses_what_does_not_hold_together),
           cmocka_unit_test(fills_up_what_is_shorter),
           cmocka_unit_test(takes_newer_unless_it_is_used),
           cmocka_unit_test(reports_every_fault_of_a_plugin),
           cmocka_unit_test(warns_of_an_empty_plugin),
           cmocka_unit_test(shares_texts_of_one_name),
           cmocka_unit_test(forgets_texts_of_what_was_refused),
           cmocka_unit_test(takes_passes_and_targets))
