// Kernels against results of LiteRT's reference kernels: integers to the bit,
// floats within 1e-6.
//
// A tensor is a line: "s8 2,5 0.5,0.25 3 0 00ff": type, dimensions, scales (or
// "-"), zero point, their axis, bytes.
#include "kern/loop/element.h"
#include "kern_fixture.h"

typedef struct litert_row {
  const char *symbol, *attrs;
  int n_in;
  const char *tensors[4];  // operands, then the result
} litert_row;

#include "litert_rows.h"

typedef struct parsed {
  tenon_tensor tensor;
  tenon_quant quant;
  int32_t dims[8], zeros[64];
  float scales[64];
  union {
    unsigned char bytes[4096];
    double align;
  } data;
} parsed;

static const char *word(const char *s, char *out) {
  size_t n = strcspn(s, " ");
  memcpy(out, s, n);
  out[n] = 0;
  return s + n + (s[n] == ' ');
}

static tenon_dtype dtype_of(const char *name) {
  static const struct {
    const char *name;
    tenon_dtype dtype;
  } names[] = {{"f32", TENON_F32},
               {"s8", TENON_S8},
               {"s32", TENON_S32},
               {"u8", TENON_U8},
               {"s16", TENON_S16}};
  EACH_ROW(i, names)
  if (strcmp(names[i].name, name) == 0) return names[i].dtype;
  fail_msg("no type %s", name);
  return 0;
}

static void parse(const char *s, parsed *p) {
  char text[4096];
  memset(p, 0, sizeof *p);
  s = word(s, text);
  p->tensor.dtype = dtype_of(text);
  s = word(s, text);
  for (char *at = text, *end; *at; at = *end ? end + 1 : end)
    p->dims[p->tensor.rank++] = (int32_t)strtol(at, &end, 10);
  s = word(s, text);
  for (char *at = text, *end; *at && *at != '-'; at = *end ? end + 1 : end)
    p->scales[p->quant.channels++] = strtof(at, &end);
  s = word(s, text);
  for (int i = 0; i < p->quant.channels; ++i)
    p->zeros[i] = atoi(text);
  s = word(s, text);
  p->quant.axis = p->quant.channels > 1 ? atoi(text) : 0;
  p->quant.scale = p->scales;
  p->quant.zero = p->zeros;
  p->tensor.dims = p->dims;
  p->tensor.quant = p->quant.channels ? &p->quant : NULL;
  p->tensor.data = p->data.bytes;
  size_t size = tenon_tensor_size(&p->tensor);
  CHECK(strlen(s) == 2 * size && size <= sizeof p->data, "%zu bytes", size);
  for (size_t i = 0; i < size; ++i) {
    char digits[3] = {s[2 * i], s[2 * i + 1], 0};
    p->data.bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
}

static void check_row(size_t i, const litert_row *row) {
  static parsed operands[3], want, got;
  tenon_tensor in[3];
  memset(in, 0, sizeof in);
  for (int k = 0; k < row->n_in; ++k) {
    parse(row->tensors[k], &operands[k]);
    in[k] = operands[k].tensor;
  }
  parse(row->tensors[row->n_in], &want);
  got = want;
  got.tensor.data = got.data.bytes;
  memset(got.data.bytes, 0x5a, sizeof got.data.bytes);
  int status = run_kernel(row->symbol, row->attrs, in, row->n_in, &got.tensor);
  CHECK(status == TENON_OK, "row %zu, %s: status %d", i, row->symbol, status);
  size_t size = tenon_tensor_size(&want.tensor);
  if (want.tensor.dtype != TENON_F32) {
    for (size_t b = 0; b < size; ++b)
      CHECK(got.data.bytes[b] == want.data.bytes[b], "row %zu, %s, byte %zu", i,
            row->symbol, b);
    return;
  }
  for (size_t k = 0; k < size / sizeof(float); ++k) {
    float g = ((float *)got.tensor.data)[k], w = ((float *)want.data.bytes)[k];
    CHECK(near(g, w, 1e-6), "row %zu, %s, element %zu: %g, expected %g", i,
          row->symbol, k, g, w);
  }
}

static void kernels_agree(void **state) {
  (void)state;
  EACH_ROW(i, rows) check_row(i, &rows[i]);
}

TEST_GROUP(litert, cmocka_unit_test(kernels_agree))
