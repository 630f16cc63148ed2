// How: both pictures put time from left to right and addresses from bottom to
// top, scaled to a fixed size.
#include <stdio.h>
#include <string.h>

#include "base/label.h"
#include "base/put.h"
#include "plan/show/pictures.h"

#define ROWS 24u
#define COLUMNS 96u

static char letter(uint32_t i) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return letters[i % (sizeof letters - 1)];
}

// Few bytes make few rows: one is sixteen bytes, or a multiple.
#define ROW_BYTES UINT64_C(16)

static uint64_t row_bytes(uint64_t size) {
  uint64_t least = size / ROWS + (size % ROWS != 0);
  return (least + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
}

// What a buffer is called: its name, and of several that bear it, as slices of
// one result do, which; a value without a name by the step that makes it.
static void put_label(const struct tenon_program *p, uint32_t index,
                      char label[TENON_LABEL]) {
  const tenon_span_record *b = &p->spans[index];
  uint32_t same = 0, turn = 0;
  char name[TENON_LABEL];
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (p->spans[i].size && p->spans[i].is_scratch == b->is_scratch &&
        strcmp(p->spans[i].name, b->name) == 0) {
      ++same;
      turn += i <= index;
    }
  tenon_label_make(name, tenon_text_of(b->name));
  if (b->name[0] && same > 1)
    (void)snprintf(label, TENON_LABEL, "%.40s (%u of %u)", name, turn, same);
  else if (b->name[0])
    memcpy(label, name, TENON_LABEL);
  else
    label[0] = 0;
  for (uint32_t i = 0; !label[0] && i < p->n_steps; ++i) {
    const char *op = strstr(p->steps[i].op, "::");
    if (p->steps[i].time == b->first)
      (void)snprintf(label, TENON_LABEL, "%.40s, step %u",
                     op ? op + 2 : p->steps[i].op, i);
  }
  if (!label[0]) (void)snprintf(label, TENON_LABEL, "unnamed");
}

typedef struct picture {
  uint64_t unit;  // bytes of a row
  uint32_t rows, columns, times;
  char grid[ROWS][COLUMNS + 1];  // from the bottom
} picture;

static void svg_draw(picture *g, const tenon_span_record *b, char c) {
  uint32_t left = (uint32_t)((uint64_t)b->first * g->columns / g->times);
  uint32_t right = (uint32_t)((uint64_t)b->last * g->columns / g->times);
  uint64_t high = (b->offset + b->size - 1) / g->unit;
  for (uint64_t y = b->offset / g->unit; y <= high && y < g->rows; ++y)
    for (uint32_t x = left; x <= right && x < g->columns; ++x)
      g->grid[y][x] = c;
}

// The largest buffers, each with its letter.
static void put_legend(const struct tenon_program *p, tenon_buf *out) {
  enum { MOST = 12 };
  uint32_t list[MOST], n = 0, all = 0;
  bool has_scratch = false;
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *b = &p->spans[i];
    if (b->size == 0) continue;
    has_scratch |= b->is_scratch;
    if (b->is_scratch) continue;
    ++all;
    uint32_t at = n < MOST ? n++ : MOST;
    while (at > 0 && p->spans[list[at - 1]].size < b->size) {
      if (at < MOST) list[at] = list[at - 1];
      --at;
    }
    if (at < MOST) list[at] = i;
  }
  for (uint32_t k = 0; k < n; ++k) {
    const tenon_span_record *b = &p->spans[list[k]];
    char label[TENON_LABEL];
    put_label(p, list[k], label);
    tenon_buf_format(out, "  %c  %10llu bytes, times %u to %u  %s\n",
                     letter(list[k]), (unsigned long long)b->size, b->first,
                     b->last, label);
  }
  if (all > n)
    tenon_buf_format(out, "  and %u smaller ones; letters come again\n",
                     all - n);
  if (has_scratch) tenon_buf_text(out, "  #  scratch of kernels\n");
}

void tenon_plan_picture(const struct tenon_program *p, tenon_buf *out) {
  if (p->n_spans == 0 || p->arena_size == 0) return;
  picture g = {.unit = row_bytes(p->arena_size)};
  g.times = p->times ? p->times : 1;
  g.columns = g.times < COLUMNS ? g.times : COLUMNS;
  g.rows = (uint32_t)((p->arena_size + g.unit - 1) / g.unit);
  for (uint32_t y = 0; y < g.rows; ++y) {
    memset(g.grid[y], '.', g.columns);
    g.grid[y][g.columns] = 0;
  }
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (p->spans[i].size)
      svg_draw(&g, &p->spans[i], p->spans[i].is_scratch ? '#' : letter(i));
  tenon_put(out, "arena, $ bytes; a row is $, a column $\n", p->arena_size,
            g.unit, g.columns == g.times ? "a step" : "several steps");
  for (uint32_t y = g.rows; y-- > 0;)
    tenon_buf_format(out, "%10llu |%s|\n", (unsigned long long)(y * g.unit),
                     g.grid[y]);
  put_legend(p, out);
}

// --- SVG --------------------------------------------------------------------

#define WIDTH TENON_SVG_DRAWN
#define HEIGHT 560u
#define LEFT TENON_SVG_LEFT
#define TOP 56u

static double x_of(const struct tenon_program *p, double time) {
  return LEFT + time * WIDTH / (p->times ? p->times : 1);
}

static double y_of(const struct tenon_program *p, uint64_t offset) {
  return TOP + HEIGHT - (double)offset * HEIGHT / (double)p->arena_size;
}

static void put_bytes(tenon_buf *out, uint64_t n) {
  if (n >= 10 << 20)
    tenon_buf_format(out, "%.1f MiB", (double)n / (1 << 20));
  else if (n >= 10 << 10)
    tenon_buf_format(out, "%.1f KiB", (double)n / (1 << 10));
  else
    tenon_buf_format(out, "%llu B", (unsigned long long)n);
}

// Lines at round offsets, and numbers of steps below.
static void svg_axes(const struct tenon_program *p, tenon_buf *out) {
  uint64_t unit = 1;
  while (unit * 6 < p->arena_size)
    unit *= 2;
  for (uint64_t v = 0; v <= p->arena_size; v += unit) {
    double y = y_of(p, v);
    tenon_buf_format(out,
                     "<line x1=\"%u\" x2=\"%u\" y1=\"%.2f\" y2=\"%.2f\" "
                     "stroke=\"#e3e2de\"/>\n<text x=\"%u\" y=\"%.2f\" "
                     "text-anchor=\"end\" fill=\"#6f6d66\">",
                     LEFT, LEFT + WIDTH, y, y, LEFT - 8, y + 4);
    put_bytes(out, v);
    tenon_buf_text(out, "</text>\n");
  }
  uint32_t every = p->times / 14 + 1;
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].time % every == 0)
      tenon_buf_format(out,
                       "<text x=\"%.2f\" y=\"%u\" text-anchor=\"middle\" "
                       "fill=\"#6f6d66\">%u</text>\n",
                       x_of(p, p->steps[i].time + 0.5), TOP + HEIGHT + 18, i);
  tenon_put_json(
      out,
      "<text x='$' y='$' text-anchor='middle' fill='#6f6d66'>steps, in the "
      "order in which they run</text>\n<text transform='rotate(-90 16 $)' "
      "x='16' y='$' text-anchor='middle' fill='#6f6d66'>offset in the "
      "arena</text>\n",
      LEFT + WIDTH / 2, TOP + HEIGHT + 42, TOP + HEIGHT / 2, TOP + HEIGHT / 2);
}

// A box with its name where that has room.
static void svg_box(const struct tenon_program *p, uint32_t i, uint32_t peak,
                    tenon_buf *out) {
  const tenon_span_record *b = &p->spans[i];
  char label[TENON_LABEL];
  double x = x_of(p, b->first), w = x_of(p, b->last + 1.0) - x;
  double y = y_of(p, b->offset + b->size), h = y_of(p, b->offset) - y;
  bool is_peak = b->first <= peak && peak <= b->last;
  put_label(p, i, label);
  tenon_buf_format(out,
                   "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                   "rx=\"2\" fill=\"%s\" stroke=\"#fff\"><title>",
                   x, y, w, h,
                   b->is_scratch ? "#d9b877"
                   : is_peak     ? "#5f8ac7"
                                 : "#a9bfdf");
  tenon_buf_shown_markup(out, label);
  tenon_put(out,
            "$\n"
            "$ bytes at $\n"
            "times $ to $</title></rect>\n",
            b->is_scratch ? " (scratch)" : "", b->size, b->offset, b->first,
            b->last);
  int room = (int)((w - 8) / 6.4);
  const char *said = b->is_scratch ? "scratch" : label;
  if (h < 13 || room < 4) return;
  char cut[TENON_LABEL];
  bool fits = (int)strlen(said) <= room;
  (void)snprintf(cut, sizeof cut, "%.*s%s", fits ? room : room - 2, said,
                 fits ? "" : "..");
  tenon_buf_format(out,
                   "<text x=\"%.2f\" y=\"%.2f\" font-size=\"11\" "
                   "pointer-events=\"none\">",
                   x + 4, y + (h < 18 ? h / 2 + 4 : 14));
  // Half a character at the cut is shown as its bytes.
  tenon_buf_shown_markup(out, cut);
  tenon_buf_text(out, "</text>\n");
}

void tenon_plan_put_group(const struct tenon_program *p, uint32_t at,
                          tenon_buf *out) {
  enum { MOST = 8 };
  const uint32_t n = p->steps[p->order[at]].joined;
  for (uint32_t i = 0; i < n && i < MOST; ++i) {
    tenon_buf_text(out, i ? ", " : "");
    tenon_buf_shown(out, p->steps[p->order[at + i]].op);
  }
  if (n > MOST) tenon_buf_format(out, " and %u more", n - MOST);
}

// A bar below the steps of each group.
static void svg_groups(const struct tenon_program *p, tenon_buf *out) {
  tenon_buf text;
  tenon_buf_init(&text, out->allocator);
  for (uint32_t i = 0; i < p->n_order && tenon_plan_shows_groups(p); ++i) {
    const tenon_step *s = &p->steps[p->order[i]];
    if (s->joined < 2) continue;
    const double x = x_of(p, s->time);
    const double end =
        x_of(p, p->steps[p->order[i + s->joined - 1]].time + 1.0);
    tenon_buf_clear(&text);
    tenon_plan_put_group(p, i, &text);
    tenon_buf_format(
        out,
        "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"4\" "
        "fill=\"#6a9a5b\" stroke=\"#fff\"><title>%u steps piece by "
        "piece: ",
        x, TOP + HEIGHT + 2, end - x, s->joined);
    tenon_buf_shown_markup(out, text.data ? text.data : "");
    tenon_buf_text(out, "</title></rect>\n");
  }
  if (text.failed) out->failed = true;
  tenon_buf_deinit(&text);
}

// A line where a memory begins, and its name.
static void svg_bank(const struct tenon_program *p, uint32_t i,
                     tenon_buf *out) {
  double y = y_of(p, p->banks[i].base);
  tenon_buf_format(out,
                   "<line x1=\"%u\" x2=\"%u\" y1=\"%.2f\" y2=\"%.2f\" "
                   "stroke=\"#444\"/>\n<text x=\"%u\" y=\"%.2f\" "
                   "text-anchor=\"end\">",
                   LEFT, LEFT + WIDTH, y, y, LEFT + WIDTH - 4, y - 4);
  tenon_buf_shown_markup(out, p->banks[i].name);
  tenon_buf_text(out, "</text>\n");
}

static uint64_t svg_live_at(const struct tenon_program *p, uint32_t time) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (p->spans[i].first <= time && time <= p->spans[i].last)
      sum += p->spans[i].size;
  return sum;
}

static void svg_title(const struct tenon_program *p, uint32_t peak,
                      tenon_buf *out) {
  tenon_buf_format(out, "<text x=\"%u\" y=\"28\" font-size=\"15\">", LEFT);
  tenon_buf_shown_markup(out, p->name);
  tenon_put(out,
            ": arena of $ bytes, no packing needs less than $; at most $ are "
            "alive (dashed)</text>\n",
            p->arena_size, p->arena_bound, svg_live_at(p, peak));
}

void tenon_plan_svg(const struct tenon_program *p, tenon_buf *out) {
  uint32_t peak = tenon_plan_peak_time(p, TENON_ALL_BANKS);
  tenon_put_json(
      out,
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 $ $' width='$' "
      "height='$' font-family='system-ui, sans-serif' font-size='12' "
      "fill='#21201c'>\n<rect width='100%' height='100%' fill='#fff'/>\n",
      TENON_SVG_WIDTH, HEIGHT + TOP + 60, TENON_SVG_WIDTH, HEIGHT + TOP + 60);
  svg_title(p, peak, out);
  if (p->arena_size) {
    svg_axes(p, out);
    for (uint32_t i = 0; i < p->n_spans; ++i)
      if (p->spans[i].size) svg_box(p, i, peak, out);
    for (uint32_t i = 0; i < p->n_banks; ++i)
      if (p->banks[i].arena) svg_bank(p, i, out);
    svg_groups(p, out);
    tenon_buf_format(out,
                     "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%u\" y2=\"%u\" "
                     "stroke=\"#b3372d\" stroke-dasharray=\"4 3\"/>\n",
                     x_of(p, peak + 0.5), x_of(p, peak + 0.5), TOP,
                     TOP + HEIGHT);
  }
  tenon_buf_text(out, "</svg>\n");
}
