// Fast layers over time against the reference, bit for bit: any number of units
// and rows, both directions, with and without a bias, a projection and a limit.
#include "kern/product/recurrent.h"

#include "op_check.h"

static void add_bias(op_case *c, bool has, int kind, int gates) {
  if (has)
    op_case_in(c, TENON_F32, kind, 1, gates);
  else
    op_case_none(c);
}

static int check_lstm(int kind, int time, int batch, int n, uint32_t options) {
  const tenon_lstm_attrs attrs = {options & 1, {0.75, (options & 2) != 0}};
  const bool is_projected = options & 4;
  const int p = is_projected ? case_between(1, 40) : n;
  char name[99];
  op_case c;
  op_case_begin(&c, tenon_op_core_lstm.kernels[0], &attrs);
  op_case_in(&c, TENON_F32, kind, 3, time, batch, 4 * n);
  op_case_in(&c, TENON_F32, kind, 2, 4 * n, p);
  add_bias(&c, options & 8, kind, 4 * n);
  op_case_in(&c, TENON_F32, kind, 2, batch, p);
  op_case_in(&c, TENON_F32, kind, 2, batch, n);
  if (is_projected)
    op_case_in(&c, TENON_F32, kind, 2, p, n);
  else
    op_case_none(&c);
  op_case_out(&c, TENON_F32, 3, time, batch, p);
  op_case_out(&c, TENON_F32, 2, batch, p);
  op_case_out(&c, TENON_F32, 2, batch, n);
  snprintf(name, sizeof name, "kind %d: %d %d %d, options %u", kind, time,
           batch, n, (unsigned)options);
  const int checked = test_op_check(&c, "core::lstm", "f32", name);
  op_case_end(&c);
  return checked;
}

static int check_plain(const tenon_op_desc *op, const char *op_name, int gates,
                       const void *attrs, bool has_bias, int kind, int time,
                       int batch, int n) {
  char name[99];
  op_case c;
  op_case_begin(&c, op->kernels[0], attrs);
  op_case_in(&c, TENON_F32, kind, 3, time, batch, gates * n);
  op_case_in(&c, TENON_F32, kind, 2, gates * n, n);
  add_bias(&c, has_bias, kind, gates * n);
  op_case_in(&c, TENON_F32, kind, 2, batch, n);
  op_case_out(&c, TENON_F32, 3, time, batch, n);
  op_case_out(&c, TENON_F32, 2, batch, n);
  snprintf(name, sizeof name, "kind %d: %d %d %d", kind, time, batch, n);
  const int checked = test_op_check(&c, op_name, "f32", name);
  op_case_end(&c);
  return checked;
}

static void layers_equal_the_reference(void **state) {
  static const int sizes[][3] = {
      {1, 1, 1},  {3, 1, 16}, {2, 13, 15}, {4, 2, 17},  {2, 30, 33},
      {5, 1, 64}, {0, 2, 5},  {3, 0, 8},   {4, 1, 160}, {3, 1, 72},
      {2, 3, 96}, {0, 1, 64}, {5, 4, 64},  {4, 2, 48},  {3, 5, 32}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    const int time = sizes[i][0], batch = sizes[i][1], n = sizes[i][2];
    for (uint32_t options = 0; options < 16; ++options) {
      const int kind = (int)(i + options) % CASE_DATA_KINDS;
      const tenon_recurrent_attrs gru = {options & 1};
      const tenon_rnn_attrs rnn = {options & 1, (options & 2) != 0};
      checked += check_lstm(kind, time, batch, n, options);
      checked += check_plain(&tenon_op_core_gru, "core::gru", 3, &gru,
                             options & 8, kind, time, batch, n);
      checked += check_plain(&tenon_op_core_rnn, "core::rnn", 1, &rnn,
                             options & 8, kind, time, batch, n);
    }
  }
  if (!checked) skip();
}

TEST_GROUP(recurrent, cmocka_unit_test(layers_equal_the_reference))
