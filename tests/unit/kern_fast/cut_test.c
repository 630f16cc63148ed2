// How kernels cut their work into items: every line of every group of channels
// is in one of them, whatever ranges threads take, and threads have as much.
#include "kern/opt/conv/winograd_blocks.h"
#include "op_check.h"

// Of 3 by 3 taps, with padding.
static tenon_window same_size(int n, int c) {
  return (tenon_window){n, n, c, n, n, c, 3, 3, 1, 1, 1, 1, 1, 1};
}

// Takes random ranges; how often each line of each group was done must be 1.
static void check_ranges(const tenon_blocks *b, const char *what) {
  enum { MOST = 128 };
  const int64_t items = tenon_blocks_items(b);
  unsigned char done[MOST][8] = {{0}};
  assert_true(b->lines <= MOST && b->groups <= 8 && b->images == 1);
  for (int64_t begin = 0, end; begin < items; begin = end) {
    end =
        case_random() & 1 ? items : begin + 1 + case_random() % (uint32_t)items;
    if (end > items) end = items;
    for (int64_t i = begin; i < end;) {
      tenon_work w;
      const int64_t next = tenon_blocks_work(b, i, end, &w);
      CHECK(next > i && next <= end, "%s: item %d", what, (int)i);
      CHECK(w.begin < w.end && w.end <= b->lines && w.end - w.begin <= b->most,
            "%s: lines %d to %d", what, (int)w.begin, (int)w.end);
      for (ptrdiff_t y = w.begin; y < w.end; ++y)
        for (ptrdiff_t k = w.group; k < w.group_end; ++k)
          ++done[y][k];
      i = next;
    }
  }
  for (ptrdiff_t y = 0; y < b->lines; ++y)
    for (ptrdiff_t k = 0; k < b->groups; ++k)
      CHECK(done[y][k] == 1, "%s: line %d of group %d", what, (int)y, (int)k);
}

static void ranges_cover_all_lines(void **state) {
  (void)state;
  case_random_state = 1;
  for (int size = 1; size <= 64; ++size)
    for (int groups = 1; groups <= 5; ++groups) {
      char what[64];
      const int c = groups * TENON_GROUP;
      const tenon_window g = same_size(size, c);
      snprintf(what, sizeof what, "%d x %d x %d", size, size, c);
      tenon_blocks b = tenon_blocks_of_conv(&g, 1, sizeof(float));
      check_ranges(&b, what);
      b = tenon_blocks_of_conv(&g, 1, 1);
      check_ranges(&b, what);
      for (int tile = 2; tile <= 4; tile += 2) {
        const int tiles = (size + tile - 1) / tile;
        const tenon_winograd winograd = {size, size,  c,    size, size,
                                         c,    1,     1,    tile, tile + 2,
                                         0,    tiles, tiles};
        b = tenon_winograd_blocks(&winograd, 1);
        check_ranges(&b, what);
      }
    }
}

// The layers of small networks: blocks of one height, for two threads or four.
static void small_images_are_shared(void **state) {
  (void)state;
  static const struct {
    int size, c, height, most;
  } rows[] = {{32, 16, 4, 8},   {16, 32, 4, 8},  {8, 64, 4, 8},
              {7, 64, 4, 7},    {14, 64, 7, 14}, {8, 256, 8, 8},
              {12, 128, 6, 12}, {5, 64, 5, 5},   {28, 64, 7, 7}};
  // Bytes have rows in scratch: a range takes no more lines than a block had.
  static const struct {
    int size, c, height, most;
  } bytes[] = {{32, 16, 2, 6}, {16, 32, 4, 8}, {8, 64, 4, 8}, {28, 64, 7, 7}};
  EACH_ROW(i, rows) {
    const int n = rows[i].size, c = rows[i].c;
    const tenon_window g = same_size(n, c);
    const tenon_blocks b = tenon_blocks_of_conv(&g, 1, sizeof(float));
    CHECK(b.height == rows[i].height && b.most == rows[i].most,
          "%d x %d x %d: %d of %d lines", n, n, c, (int)b.height, (int)b.most);
  }
  EACH_ROW(i, bytes) {
    const int n = bytes[i].size, c = bytes[i].c;
    const tenon_window g = same_size(n, c);
    const tenon_blocks b = tenon_blocks_of_conv(&g, 1, 1);
    CHECK(b.height == bytes[i].height && b.most == bytes[i].most,
          "bytes, %d x %d x %d: %d of %d lines", n, n, c, (int)b.height,
          (int)b.most);
  }
}

TEST_GROUP(cut, cmocka_unit_test(ranges_cover_all_lines),
           cmocka_unit_test(small_images_are_shared))
