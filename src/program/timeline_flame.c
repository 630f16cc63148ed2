// How: a tree of frames, from the model over the modules of the source and the
// operator to the node; a step adds what it took to the frames on its way. A
// frame's children keep the order in which they first ran, so the picture reads
// from left to right as the model does. What a run takes beside its steps is
// the part of the root that nothing lies under.
#include <stdio.h>
#include <string.h>

#include "base/label.h"
#include "core/loc.h"
#include "program/timeline.h"

typedef struct frame frame;
struct frame {
  const char *name;
  uint64_t time;  // of all runs
  uint64_t macs;
  frame *first, *last, *next;
};

typedef struct flame {
  const struct tenon_program *p;
  tenon_arena arena;
  frame *root;
  uint64_t runs;  // that the times are of; at least 1
  uint32_t depth;
  bool failed;
} flame;

static frame *child(flame *f, frame *parent, const char *text, size_t size) {
  tenon_buf name;
  frame *found = NULL;
  if (!parent) return NULL;
  tenon_buf_init(&name, f->arena.allocator);
  tenon_buf_text(&name, "");
  tenon_timeline_name(&name, text, size);
  if (!name.failed)
    for (found = parent->first; found; found = found->next)
      if (strcmp(found->name, name.data) == 0) break;
  if (!name.failed && !found) {
    found = tenon_arena_new(&f->arena, frame);
    char *copy = tenon_arena_text(&f->arena, name.data, name.size);
    if (found && copy) {
      found->name = copy;
      if (parent->last)
        parent->last->next = found;
      else
        parent->first = found;
      parent->last = found;
    }
  }
  f->failed |= name.failed || f->arena.failed;
  tenon_buf_deinit(&name);
  return f->failed ? NULL : found;
}

static frame *child_of(flame *f, frame *parent, const char *text) {
  return child(f, parent, text, strlen(text));
}

static void add_step(flame *f, const tenon_timeline_event *e) {
  const tenon_step *step = &f->p->steps[e->step];
  frame *way[TENON_MAX_RANK + 56] = {f->root};
  size_t n = 1, most = sizeof way / sizeof *way - 2;
  tenon_text path = tenon_place_module(step->place, NULL), part;
  while (n < most && tenon_text_next(&path, '.', &part)) {
    way[n] = child(f, way[n - 1], part.data, part.size);
    ++n;
  }
  way[n] = child_of(f, way[n - 1], step->op);
  ++n;
  way[n] = child_of(f, way[n - 1], tenon_timeline_node(f->p, e->step));
  ++n;
  if (f->failed) return;
  for (size_t i = 0; i < n; ++i) {
    way[i]->time += e->end - e->begin;
    way[i]->macs += e->macs;
  }
  if (n > f->depth) f->depth = (uint32_t)n;
}

static void flame_make(flame *f, const struct tenon_program *p,
                       const tenon_timeline *t) {
  uint64_t runs = 0, whole = 0;
  memset(f, 0, sizeof *f);
  f->p = p;
  f->depth = 1;
  tenon_arena_init(&f->arena, p->arena.allocator);
  frame *above = tenon_arena_new(&f->arena, frame);
  f->root = child_of(f, above, p->name && p->name[0] ? p->name : "model");
  f->failed |= !f->root;
  for (size_t i = 0; i < t->count && !f->failed; ++i) {
    const tenon_timeline_event *e = &t->events[i];
    if (e->kind == TENON_EVENT_RUN) {
      ++runs;
      whole += e->end - e->begin;
    } else if (e->kind == TENON_EVENT_STEP &&
               p->steps[e->step].kind == TENON_STEP_KERNEL) {
      add_step(f, e);
    }
  }
  f->runs = runs ? runs : 1;
  if (!f->failed && whole > f->root->time) f->root->time = whole;
}

static uint64_t below(const frame *f) {
  uint64_t sum = 0;
  for (const frame *c = f->first; c; c = c->next)
    sum += c->time;
  return sum;
}

// --- text -------------------------------------------------------------------

static void put_stacks(const flame *f, const frame *at, tenon_buf *way,
                       tenon_buf *out) {
  size_t size = way->size;
  uint64_t own = at->time - below(at);
  tenon_buf_format(way, "%s%s", size ? ";" : "", at->name);
  if (way->failed) {
    out->failed = true;
    return;
  }
  if (own / f->runs)
    tenon_buf_format(out, "%s %llu\n", way->data,
                     (unsigned long long)(own / f->runs));
  for (const frame *c = at->first; c && !out->failed; c = c->next)
    put_stacks(f, c, way, out);
  if (way->failed) return;
  way->size = size;
  way->data[size] = 0;
}

void tenon_timeline_stacks(const struct tenon_program *p,
                           const tenon_timeline *t, tenon_buf *out) {
  flame f;
  tenon_buf way;
  flame_make(&f, p, t);
  tenon_buf_init(&way, p->arena.allocator);
  tenon_buf_text(&way, "");
  if (f.failed)
    out->failed = true;
  else
    put_stacks(&f, f.root, &way, out);
  tenon_buf_deinit(&way);
  tenon_arena_deinit(&f.arena);
}

// --- a picture --------------------------------------------------------------

#define WIDTH 1200.0
#define LEFT 10.0
#define TOP 44.0
#define ROW 19.0
#define LEAST 0.3  // units: what is narrower is not drawn

static void put_duration(tenon_buf *out, double ns) {
  if (ns >= 1e6)
    tenon_buf_format(out, "%.2f ms", ns / 1e6);
  else
    tenon_buf_format(out, "%.2f us", ns / 1e3);
}

// Frames of one operator have one colour, wherever they are.
static const char *colour_of(const char *name, bool is_operator) {
  static const char *const warm[] = {"#e8a15b", "#e9b872", "#dd8c5a",
                                     "#e5c07b", "#d99a6c", "#f0b27a",
                                     "#e0a458", "#cf9257"};
  uint32_t hash = 2166136261u;
  if (!is_operator) return "#b9c7dc";
  for (const char *c = name; *c; ++c)
    hash = (hash ^ (unsigned char)*c) * 16777619u;
  return warm[hash % (sizeof warm / sizeof *warm)];
}

static void put_frame(const flame *f, const frame *at, double x, uint32_t row,
                      const char *op, tenon_buf *out) {
  double unit = WIDTH / (double)(f->root->time ? f->root->time : 1);
  double w = (double)at->time * unit, y = TOP + row * ROW;
  double took = (double)at->time / (double)f->runs;
  const char *is_of = op ? op : strstr(at->name, "::") ? at->name : NULL;
  if (w < LEAST) return;
  tenon_buf_format(out,
                   "<g><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                   "height=\"%.2f\" rx=\"2\" fill=\"%s\" "
                   "stroke=\"#fff\"/><title>",
                   x, y, w, ROW - 1, colour_of(is_of ? is_of : "", is_of));
  tenon_buf_shown_markup(out, at->name);
  tenon_buf_text(out, "\n");
  put_duration(out, took);
  tenon_buf_format(
      out, ", %.1f %%",
      100.0 * (double)at->time / (double)(f->root->time ? f->root->time : 1));
  if (at->macs && took > 0)
    tenon_buf_format(out, "\n%llu MACs, %.2f GMAC/s",
                     (unsigned long long)(at->macs / f->runs),
                     (double)at->macs / (double)at->time);
  tenon_buf_text(out, "</title>");
  int room = (int)((w - 6) / 6.6);
  if (room >= 3) {
    char cut[TENON_LABEL];
    bool fits = strlen(at->name) <= (size_t)room;
    size_t n = fits ? (size_t)room : (size_t)room - 2;
    if (n > sizeof cut - 3) n = sizeof cut - 3;
    // No half of a character.
    while (!fits && n && ((unsigned char)at->name[n] & 0xc0) == 0x80)
      --n;
    (void)snprintf(cut, sizeof cut, "%.*s%s", (int)n, at->name,
                   fits ? "" : "..");
    tenon_buf_format(out, "<text x=\"%.2f\" y=\"%.2f\">", x + 4, y + 13);
    tenon_buf_shown_markup(out, cut);
    tenon_buf_text(out, "</text>");
  }
  tenon_buf_text(out, "</g>\n");
  for (const frame *c = at->first; c; c = c->next) {
    put_frame(f, c, x, row + 1, is_of, out);
    x += (double)c->time * unit;
  }
}

void tenon_timeline_flame(const struct tenon_program *p,
                          const tenon_timeline *t, tenon_buf *out) {
  flame f;
  flame_make(&f, p, t);
  if (f.failed) {
    out->failed = true;
  } else {
    double height = TOP + f.depth * ROW + 10;
    tenon_buf_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
        "width=\"%.0f\" height=\"%.0f\" font-family=\"system-ui, sans-serif\" "
        "font-size=\"11\" fill=\"#21201c\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"%.0f\" y=\"28\" font-size=\"15\">",
        WIDTH + 2 * LEFT, height, WIDTH + 2 * LEFT, height, LEFT);
    tenon_buf_shown_markup(out, f.root->name);
    tenon_buf_text(out, ": ");
    put_duration(out, (double)f.root->time / (double)f.runs);
    tenon_buf_format(out,
                     " per run, %llu run%s; width is time, from the left "
                     "in the order of the first run</text>\n",
                     (unsigned long long)f.runs, f.runs == 1 ? "" : "s");
    put_frame(&f, f.root, LEFT, 0, NULL, out);
    tenon_buf_text(out, "</svg>\n");
  }
  tenon_arena_deinit(&f.arena);
}
