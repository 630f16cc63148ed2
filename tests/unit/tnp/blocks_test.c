// What kernels have packed, in a program file: used where it lies by a kernel
// that packs in this form, else packed again; refused where it is not what was
// written, and never read where it could do harm.
#include "harness/model.h"
#include "tenon/ext/plugin.h"
#include "tnp/coder.h"

// --- an operator whose kernel packs ------------------------------------------

// As many as make a source that is not read by the way.
enum { COUNT = TENON_TNP_SMALL / 4 + 512, BEGIN = 16 };

// The factors twice as large, behind a head whose first word says where.
typedef struct block_head {
  int32_t begin, unused[BEGIN - 1];
} block_head;

TENON_KERNEL(test_scale_ref) {
  for (int i = 0; i < COUNT; ++i)
    ((float *)c->out[0].data)[i] =
        ((const float *)c->in[0].data)[i] * ((const float *)c->in[1].data)[i];
  return TENON_OK;
}
TENON_KERNEL(test_scale_packed) {
  const float *from =
      (const float *)c->packed + ((const block_head *)c->packed)->begin;
  for (int i = 0; i < COUNT; ++i)
    ((float *)c->out[0].data)[i] =
        ((const float *)c->in[0].data)[i] * (from[i] * 0.5f);
  return TENON_OK;
}

static size_t scale_size(const tenon_call *c) {
  (void)c;
  return sizeof(block_head) + COUNT * sizeof(float);
}
static tenon_status scale_pack(const tenon_call *c, void *packed) {
  float *to = (float *)packed + BEGIN;
  memset(packed, 0, sizeof(block_head));
  ((block_head *)packed)->begin = BEGIN;
  for (int i = 0; i < COUNT; ++i)
    to[i] = 2 * ((const float *)c->in[1].data)[i];
  return TENON_OK;
}
// Another form: upside down, and what the first reads as its begin is far away.
static tenon_status scale_pack_else(const tenon_call *c, void *packed) {
  float *to = (float *)packed + BEGIN;
  memset(packed, 0x7f, sizeof(block_head));
  for (int i = 0; i < COUNT; ++i)
    to[i] = ((const float *)c->in[1].data)[COUNT - 1 - i];
  return TENON_OK;
}
TENON_KERNEL(test_scale_else) {
  const float *from = (const float *)c->packed + BEGIN;
  for (int i = 0; i < COUNT; ++i)
    ((float *)c->out[0].data)[i] =
        ((const float *)c->in[0].data)[i] * from[COUNT - 1 - i];
  return TENON_OK;
}
static bool scale_check(const tenon_call *c, const void *packed) {
  (void)c;
  return ((const block_head *)packed)->begin == BEGIN;
}
static bool scale_any(const tenon_call *c, const void *packed) {
  (void)c;
  (void)packed;
  return true;
}

#define PACKED                                                               \
  .struct_size = sizeof(tenon_kernel_desc), .op = "test::scale",             \
  .symbol = "test_scale_packed", .types = "f32, f32 -> f32", .priority = 10, \
  .packs = 1u << 1, .pack_size = scale_size
static const tenon_kernel_desc plain_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "test_scale_ref",
    .types = "f32, f32 -> f32",
    .run = test_scale_ref};
static const tenon_kernel_desc first_kernel = {
    PACKED, .run = test_scale_packed, .pack = scale_pack, .pack_version = 1,
    .pack_check = scale_check};
static const tenon_kernel_desc later_kernel = {
    PACKED, .run = test_scale_else, .pack = scale_pack_else, .pack_version = 2,
    .pack_check = scale_any};
static const tenon_kernel_desc unsaid_kernel = {
    PACKED, .run = test_scale_packed, .pack = scale_pack, .pack_version = 1};

static tenon_status scale_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_op_desc scale_op = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Multiplies by factors.",
    .schema = "test::scale(Tensor x, Tensor w) -> Tensor",
    .infer = scale_infer,
    .kernels = (const tenon_kernel_desc *const[]){&plain_kernel, NULL}};

// Which kernel a machine has beside the reference.
#define PLUGIN(which)                                          \
  static const tenon_plugin which = {                          \
      TENON_PLUGIN_HEADER, .name = "test", .version = "1.0.0", \
      .ops = (const tenon_op_desc *const[]){&scale_op, NULL},  \
      .kernels = (const tenon_kernel_desc *const[]){&which##_kernel, NULL}}
PLUGIN(first);
PLUGIN(later);
PLUGIN(unsaid);

// --- files -------------------------------------------------------------------

static void add_numbers(tenon_buf *b) {
  for (int i = 0; i < COUNT; ++i)
    tenon_buf_format(b, "%s%d", i ? "," : "", i * 37 % 101 - 50);
}

// A program of two steps with the same factors, at a multiple of 64 with
// nothing behind.
static void make_file(const tenon_plugin *plugin, uint32_t flags,
                      tenon_bytes *out) {
  const tenon_compile_options o = {.struct_size = sizeof o,
                                   .flags = TENON_COMPILE_SAVABLE};
  test_model t;
  tenon_buf text, file;
  model_open(&t, plugin);
  tenon_buf_init(&text, tenon_heap());
  tenon_buf_init(&file, tenon_heap());
  tenon_buf_format(&text, "module {\n%%w = const f32[%d] {", COUNT);
  add_numbers(&text);
  tenon_buf_format(&text,
                   "}\n%%x = input f32[%d]\n%%y = test::scale(%%x, %%w)\n"
                   "%%z = test::scale(%%y, %%w)\nreturn %%z\n}\n",
                   COUNT);
  tenon_program *p = model_compile(&t, text.data, &o);
  CHECK(tenon_program_save(p, flags, model_take, &file) == TENON_OK, "%s",
        t.log.text);
  uint8_t *copy = (uint8_t *)tenon_heap_take(file.size, 64);
  memcpy(copy, file.data, file.size);
  *out = (tenon_bytes){copy, file.size};
  tenon_program_destroy(p);
  tenon_buf_deinit(&text);
  tenon_buf_deinit(&file);
  model_close(&t);
}

static bool is_within(tenon_bytes file, const void *data) {
  return (uintptr_t)data - (uintptr_t)file.data < file.size;
}

// The one block of a program; null: there is none.
static const tenon_program_constant *block_of(const struct tenon_program *p) {
  const tenon_program_constant *found = NULL;
  for (uint32_t i = 0; i < p->n_constants; ++i)
    if (p->constants[i].is_packed) {
      CHECK(!found, "two blocks");
      found = &p->constants[i];
    }
  return found;
}

// What a load gives: the status, whether the block lies in the file, and the
// bytes of outputs.
typedef struct loaded {
  tenon_status status;
  bool is_in_place;
  size_t at;  // of the block in the file
  tenon_buf bits;
  test_log log;
} loaded;

static void load(const tenon_plugin *plugin, tenon_bytes file, uint32_t flags,
                 loaded *out) {
  test_model t;
  struct tenon_program *p = NULL;
  test_run r;
  memset(out, 0, sizeof *out);
  tenon_buf_init(&out->bits, tenon_heap());
  model_open(&t, plugin);
  out->status = tenon_tnp_load(t.cx, file, "t.tnp", flags, &p);
  out->log = t.log;
  if (out->status == TENON_OK) {
    const tenon_program_constant *block = block_of(p);
    out->is_in_place = block && is_within(file, block->data);
    if (out->is_in_place)
      out->at = (size_t)((uintptr_t)block->data - (uintptr_t)file.data);
    run_open(&r, p, 0, NULL);
    run_append(&r, 2, &out->bits);
    run_close(&r);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

static void check_same(const loaded *a, const loaded *b, const char *what) {
  CHECK(a->status == TENON_OK && b->status == TENON_OK &&
            a->bits.size == b->bits.size && a->bits.size > 0 &&
            memcmp(a->bits.data, b->bits.data, a->bits.size) == 0,
        "%s: %s%s", what, a->log.text, b->log.text);
}

static void a_block_is_used_where_it_lies(void **state) {
  tenon_bytes file, bare;
  loaded in_place, copied, again;
  (void)state;
  make_file(&first, 0, &file);
  make_file(&first, TENON_SAVE_UNPACKED, &bare);
  assert_true(bare.size + COUNT * sizeof(float) < file.size);
  load(&first, file, TENON_LOAD_BORROW, &in_place);
  load(&first, file, 0, &copied);
  load(&first, bare, TENON_LOAD_BORROW, &again);
  check_same(&in_place, &copied, "copied");
  check_same(&in_place, &again, "packed again");
  assert_true(in_place.is_in_place && in_place.at % 64 == 0);
  assert_false(copied.is_in_place || again.is_in_place);
  tenon_buf_deinit(&in_place.bits);
  tenon_buf_deinit(&copied.bits);
  tenon_buf_deinit(&again.bits);
  tenon_heap_give((void *)(uintptr_t)file.data);
  tenon_heap_give((void *)(uintptr_t)bare.data);
}

// Another version of the kernel, and one that does not say what may be in a
// file; what they write holds for the first as little.
static void another_form_is_packed_again(void **state) {
  static const struct {
    const tenon_plugin *writes, *reads;
  } rows[] = {
      {&first, &later}, {&later, &first}, {&first, &unsaid}, {&unsaid, &first}};
  (void)state;
  EACH_ROW(i, rows) {
    tenon_bytes file;
    loaded own, found;
    make_file(rows[i].writes, 0, &file);
    load(rows[i].writes, file, TENON_LOAD_BORROW, &own);
    load(rows[i].reads, file, TENON_LOAD_BORROW, &found);
    check_same(&own, &found, "another version");
    CHECK(!found.is_in_place, "row %zu: used in a form that it has not", i);
    tenon_buf_deinit(&own.bits);
    tenon_buf_deinit(&found.bits);
    tenon_heap_give((void *)(uintptr_t)file.data);
  }
}

static void other_contents_are_refused(void **state) {
  tenon_bytes file;
  loaded good, found;
  (void)state;
  make_file(&first, 0, &file);
  load(&first, file, TENON_LOAD_BORROW, &good);
  uint8_t *bytes = (uint8_t *)(uintptr_t)file.data;
  // Each byte of a block, as far as there is time; and cut off.
  for (size_t i = 0; i < sizeof(block_head) + COUNT * 4; i += 997) {
    bytes[good.at + i] ^= 4;
    load(&first, file, i % 2 ? TENON_LOAD_BORROW : 0, &found);
    CHECK(found.status == TENON_BAD_MODEL &&
              strstr(found.log.text, "is not what was written (hash)"),
          "byte %zu: %s", i, found.log.text);
    bytes[good.at + i] ^= 4;
    tenon_buf_deinit(&found.bits);
  }
  for (size_t size = 0; size < file.size; size += 1009) {
    load(&first, (tenon_bytes){bytes, size}, TENON_LOAD_BORROW, &found);
    CHECK(found.status == TENON_BAD_MODEL, "%zu bytes", size);
    tenon_buf_deinit(&found.bits);
  }
  tenon_buf_deinit(&good.bits);
  tenon_heap_give(bytes);
}

// A file that somebody has made, its hashes right: what would lead the kernel
// elsewhere is packed again.
static void a_harmful_block_is_packed_again(void **state) {
  tenon_bytes file;
  loaded good, found;
  (void)state;
  make_file(&first, 0, &file);
  load(&first, file, TENON_LOAD_BORROW, &good);
  block_head *head = (block_head *)(uintptr_t)(file.data + good.at);
  head->begin = 1 << 30;
  load(&first, file, TENON_LOAD_BORROW | TENON_TNP_ANY_CONTENT, &found);
  check_same(&good, &found, "harmful");
  assert_false(found.is_in_place);
  tenon_buf_deinit(&good.bits);
  tenon_buf_deinit(&found.bits);
  tenon_heap_give((void *)(uintptr_t)file.data);
}

// A source that no step reads is looked at when it is packed, and when it would
// be written again.
static void sources_are_looked_at_when_read(void **state) {
  tenon_bytes file;
  loaded found;
  test_model t;
  struct tenon_program *p = NULL;
  tenon_buf again;
  (void)state;
  make_file(&first, 0, &file);
  // The factors lie at the end, with 64 bytes behind.
  uint8_t *bytes = (uint8_t *)(uintptr_t)file.data;
  bytes[file.size - 64 - 5] ^= 1;
  load(&first, file, TENON_LOAD_BORROW, &found);
  assert_int_equal(found.status, TENON_OK);
  tenon_buf_deinit(&found.bits);
  load(&later, file, TENON_LOAD_BORROW, &found);
  CHECK(found.status == TENON_BAD_MODEL &&
            strstr(found.log.text, "what it packs is not what was written"),
        "%s", found.log.text);
  tenon_buf_deinit(&found.bits);
  model_open(&t, &first);
  tenon_buf_init(&again, tenon_heap());
  assert_int_equal(tenon_tnp_load(t.cx, file, "t.tnp", TENON_LOAD_BORROW, &p),
                   TENON_OK);
  CHECK(tenon_program_save(p, 0, model_take, &again) == TENON_BAD_MODEL &&
            again.size == 0,
        "%s", t.log.text);
  tenon_program_destroy(p);
  tenon_buf_deinit(&again);
  model_close(&t);
  tenon_heap_give(bytes);
}

TEST_GROUP(blocks, cmocka_unit_test(a_block_is_used_where_it_lies),
           cmocka_unit_test(another_form_is_packed_again),
           cmocka_unit_test(other_contents_are_refused),
           cmocka_unit_test(a_harmful_block_is_packed_again),
           cmocka_unit_test(sources_are_looked_at_when_read))
