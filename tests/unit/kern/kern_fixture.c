#include "kern_fixture.h"

#include "base/heap.h"
#include "kern/loop/element.h"

tenon_fault last_fault;

static uint32_t seed = 12345;

uint32_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  seed ^= seed << 5;
  return seed;
}

int32_t random_between(int32_t lo, int32_t hi) {
  return lo + (int32_t)(next_random() % (uint32_t)(hi - lo + 1));
}

float random_float(void) {
  return (float)((double)next_random() / 1073741824.0 - 2.0);
}

const tenon_kernel_desc *find_kernel(const char *symbol,
                                     const tenon_op_desc **op) {
  for (const tenon_op_desc *const *o = tenon_core_plugin.ops; *o; ++o) {
    const tenon_kernel_desc *const *k = (*o)->kernels;
    for (; k && *k; ++k) {
      if (strcmp((*k)->symbol, symbol) != 0) continue;
      if (op) *op = *o;
      return *k;
    }
  }
  print_error("no kernel %s\n", symbol);
  fail();
  return NULL;
}

// "1,-2" into a list.
static void set_ints(tenon_ints *out, const char *s) {
  static int64_t room[8][8];
  static size_t next;
  int64_t *data = room[next++ % 8];
  out->data = data;
  out->count = 0;
  for (char *end; *s && *s != ' '; s = *end == ',' ? end + 1 : end)
    data[out->count++] = strtoll(s, &end, 10);
}

static void set_attr(void *member, uint32_t kind, const char *s) {
  switch (kind) {
    case TENON_KIND_INT:
      *(int64_t *)member = atoll(s);
      break;
    case TENON_KIND_BOOL:
      *(bool *)member = *s == '1';
      break;
    case TENON_KIND_FLOAT:
      *(double *)member = strtod(s, NULL);
      break;
    case TENON_KIND_OPT_FLOAT:
      *(tenon_opt_float *)member = (tenon_opt_float){strtod(s, NULL), true};
      break;
    case TENON_KIND_DTYPE:
      *(tenon_dtype *)member = (tenon_dtype)atoi(s);
      break;
    case TENON_KIND_INTS:
      set_ints((tenon_ints *)member, s);
      break;
    default:
      fail_msg("an attribute of kind %u", (unsigned)kind);
  }
}

const void *attrs_of(const tenon_op_desc *op, const char *text) {
  static union {
    char bytes[256];
    double align;
  } attrs;
  memset(&attrs, 0, sizeof attrs);
  assert_true(op->attrs_size <= sizeof attrs);
  while (*text) {
    const char *equals = strchr(text, '=');
    const tenon_field *f = op->fields;
    assert_non_null(equals);
    while (f->name && (strlen(f->name) != (size_t)(equals - text) ||
                       memcmp(f->name, text, (size_t)(equals - text)) != 0))
      ++f;
    CHECK(f->name, "'%s'", text);
    set_attr(attrs.bytes + f->offset, f->kind, equals + 1);
    text = equals + strcspn(equals, " ");
    text += strspn(text, " ");
  }
  return op->attrs_size ? &attrs : NULL;
}

static void *rubbish(size_t size, int byte) {
  size_t room = (size + 64) / 64 * 64;
  void *block = tenon_heap_take(room, 64);
  assert_non_null(block);
  memset(block, byte, room);
  return block;
}

static void *pack(const tenon_kernel_desc *k, const tenon_call *c) {
  size_t size = k->pack_size ? k->pack_size(c) : 0;
  if (size == 0) return NULL;
  void *packed = rubbish(size, 0x55), *again = rubbish(size, 0xAA);
  assert_int_equal(k->pack(c, packed), TENON_OK);
  assert_int_equal(k->pack(c, again), TENON_OK);
  assert_memory_equal(packed, again, size);
  tenon_heap_give(again);
  return packed;
}

static int run_range(const tenon_kernel_desc *k, tenon_call *c, int64_t begin,
                     int64_t end) {
  size_t size = k->scratch ? k->scratch(c, end - begin) : 0;
  c->scratch = rubbish(size, 0x77);
  int status = k->run ? k->run(c) : k->run_range(c, begin, end);
  // Nothing is written past the end.
  CHECK(((unsigned char *)c->scratch)[size] == 0x77, "%s", k->symbol);
  tenon_heap_give(c->scratch);
  return status;
}

static int run_pieces(const tenon_kernel_desc *k, tenon_call *c, int64_t most) {
  int status = TENON_OK;
  int64_t n = k->items ? k->items(c) : 1;
  for (int64_t i = 0; i < n && status == TENON_OK; i += most)
    status = run_range(k, c, i, i + most < n ? i + most : n);
  return status;
}

// The result over a copy of operand i.
static void check_in_place(const tenon_kernel_desc *k, const tenon_call *c,
                           int i, const tenon_tensor *want) {
  size_t size = tenon_tensor_size(want);
  if (!(k->in_place & TENON_IN_PLACE(0, i)) || !c->in[i].data ||
      tenon_tensor_size(&c->in[i]) != size)
    return;
  tenon_tensor in[8], out = *want;
  tenon_call call = *c;
  memcpy(in, c->in, c->n_in * sizeof *in);
  in[i].data = out.data = memcpy(rubbish(size, 0), c->in[i].data, size);
  call.in = in;
  call.out = &out;
  assert_int_equal(run_pieces(k, &call, 5), TENON_OK);
  assert_memory_equal(out.data, want->data, size);
  tenon_heap_give(out.data);
}

int run_kernel(const char *symbol, const char *attrs, const tenon_tensor *in,
               int n_in, tenon_tensor *out) {
  const tenon_op_desc *op = NULL;
  const tenon_kernel_desc *k = find_kernel(symbol, &op);
  tenon_call c = {.in = in,
                  .out = out,
                  .attrs = attrs_of(op, attrs),
                  .fault = &last_fault,
                  .n_in = (uint16_t)n_in,
                  .n_out = 1};
  if (k->match && !k->match(&c)) return -1;
  void *packed = pack(k, &c);
  c.packed = packed;
  int64_t n = k->items ? k->items(&c) : 1;
  int status = n > 0 ? run_range(k, &c, 0, n) : TENON_OK;
  if (status == TENON_OK && !out->strides) {
    size_t size = tenon_tensor_size(out);
    tenon_tensor pieces = *out;
    pieces.data = rubbish(size, 0x33);
    c.out = &pieces;
    assert_int_equal(run_pieces(k, &c, 3), TENON_OK);
    CHECK(memcmp(pieces.data, out->data, size) == 0, "%s in ranges", symbol);
    CHECK(((unsigned char *)pieces.data)[size] == 0x33, "%s past the end",
          symbol);
    tenon_heap_give(pieces.data);
    c.out = out;
    for (int i = 0; i < n_in; ++i)
      check_in_place(k, &c, i, out);
  }
  tenon_heap_give(packed);
  return status;
}
