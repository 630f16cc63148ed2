// How: the built-in passes stand in their order; behind each come the passes of
// plugins that ask for it, in order of name, and behind these in turn those
// that ask for them. A pass that asks for one which nobody has would never run,
// so it is refused. Rules are looked at from the last to the first.
#include <string.h>

#include "base/text.h"
#include "core/report.h"
#include "pass/pass.h"

typedef struct ordering {
  const tenon_context *cx;
  const tenon_pipeline_options *o;
  tenon_buf *out;
  bool *is_placed;  // of the passes of plugins
  bool *is_used;    // of the rules
  size_t n;
} ordering;

static const tenon_pass_desc *pass_at(const ordering *w, size_t i) {
  return tenon_registry_at(w->cx, TENON_REGISTRY_PASSES, i)->desc;
}

tenon_status tenon_pass_unknown(const tenon_context *cx, const char *name) {
  tenon_nearest near;
  tenon_nearest_init(&near, name);
  for (size_t i = 0; tenon_pass_at(i); ++i)
    if (tenon_pass_is_native(cx, tenon_pass_at(i)->name))
      tenon_nearest_feed(&near, tenon_pass_at(i)->name);
  size_t n = tenon_registry_count(cx, TENON_REGISTRY_PASSES);
  for (size_t i = 0; i < n; ++i)
    tenon_nearest_feed(&near,
                       tenon_registry_at(cx, TENON_REGISTRY_PASSES, i)->name);
  return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "pass-unknown", NULL,
                    "no pass '%s'%s%s%s", name, TENON_DID_YOU_MEAN(near.best));
}

// ---------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------

#define KEY_SIZE 64
#define MAX_KEYS 32

static void pass_order_key_of(tenon_text piece, char key[KEY_SIZE]) {
  const char *equals = memchr(piece.data, '=', piece.size);
  size_t size = equals ? (size_t)(equals - piece.data) : piece.size;
  if (size >= KEY_SIZE) size = KEY_SIZE - 1;
  memcpy(key, piece.data, size);
  key[size] = 0;
}

// The keys of "key=default key2=default".
static size_t pass_order_keys_of(const char *known,
                                 char keys[MAX_KEYS][KEY_SIZE]) {
  tenon_text rest = tenon_text_of(known), piece;
  size_t n = 0;
  while (known && n < MAX_KEYS && tenon_text_next(&rest, ' ', &piece))
    if (piece.size > 0) pass_order_key_of(piece, keys[n++]);
  return n;
}

tenon_status tenon_pass_check_options(const tenon_context *cx, const char *pass,
                                      const char *given, const char *known) {
  char keys[MAX_KEYS][KEY_SIZE], key[KEY_SIZE];
  tenon_text rest = tenon_text_of(given), piece;
  size_t n = pass_order_keys_of(known, keys);
  while (given && tenon_text_next(&rest, ' ', &piece)) {
    tenon_nearest near;
    bool found = piece.size == 0;
    pass_order_key_of(piece, key);
    tenon_nearest_init(&near, key);
    for (size_t i = 0; i < n; ++i) {
      tenon_nearest_feed(&near, keys[i]);
      found |= strcmp(keys[i], key) == 0 && key[0] && strlen(key) < piece.size;
    }
    if (found) continue;
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "pass-option", NULL,
                      "pass '%s' has no option '%s'%s%s%s; it has %s", pass,
                      key, TENON_DID_YOU_MEAN(near.best),
                      known && *known ? known : "none");
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Placing
// ---------------------------------------------------------------------------

// Whether the pass is on, and the options of all rules for it, last first.
static bool pass_order_settle(ordering *w, tenon_text name, bool is_optional,
                              tenon_buf *options) {
  char text[256];
  bool is_on = true, is_decided = false;
  size_t size = name.size < sizeof text ? name.size : sizeof text - 1;
  memcpy(text, name.data, size);
  text[size] = 0;
  for (uint32_t i = w->o->n_rules; i-- > 0;) {
    const tenon_pass_rule *r = &w->o->rules[i];
    if (!tenon_text_glob(r->name, text)) continue;
    w->is_used[i] = true;
    bool is_named = strcmp(r->name, text) == 0;
    if (!is_decided && r->enabled >= 0) {
      is_decided = true;
      is_on = r->enabled != 0 || (!is_named && !is_optional);
    }
    if (!r->options) continue;
    if (options->size) tenon_buf_char(options, ' ');
    tenon_buf_text(options, r->options);
  }
  return is_on;
}

static bool is_optional(const ordering *w, tenon_text name) {
  for (size_t i = 0; tenon_pass_at(i); ++i)
    if (tenon_text_is(name, tenon_pass_at(i)->name))
      return tenon_pass_at(i)->is_optional;
  for (size_t i = 0; i < w->n; ++i)
    if (tenon_text_is(name, pass_at(w, i)->name))
      return (pass_at(w, i)->flags & TENON_PASS_OPTIONAL) != 0;
  return false;
}

// `own` are options that the pipeline gives.
static void pass_order_put(ordering *w, tenon_text name, tenon_text own) {
  tenon_buf options;
  tenon_buf_init(&options, w->cx->allocator);
  if (pass_order_settle(w, name, is_optional(w, name), &options)) {
    if (own.size && options.size) tenon_buf_char(&options, ' ');
    tenon_buf_add(&options, own.data, own.size);
    if (w->out->size) tenon_buf_char(w->out, ',');
    tenon_buf_add(w->out, name.data, name.size);
    if (options.size) tenon_buf_format(w->out, "[%s]", options.data);
  }
  if (options.failed) w->out->failed = true;
  tenon_buf_deinit(&options);
}

// Whether a rule names the pass and does not only switch it off.
static bool is_asked_for(const ordering *w, const char *name) {
  for (uint32_t i = 0; i < w->o->n_rules; ++i) {
    const tenon_pass_rule *r = &w->o->rules[i];
    if (strcmp(r->name, name) == 0 && (r->options || r->enabled > 0))
      return true;
  }
  return false;
}

// Those that ask for `name`; a circle of them is never entered.
static void put_behind(ordering *w, const char *name) {
  for (size_t i = 0; i < w->n; ++i) {
    const tenon_pass_desc *d = pass_at(w, i);
    if (!d->after || strcmp(d->after, name) != 0 || w->is_placed[i]) continue;
    w->is_placed[i] = true;
    if (tenon_pass_find(d->name)) continue;  // stands where that one stands
    if (!(d->flags & TENON_PASS_ASKED) || is_asked_for(w, d->name))
      pass_order_put(w, tenon_text_of(d->name), tenon_text_of(""));
    put_behind(w, d->name);
  }
}

static bool pass_order_is_known(const ordering *w, const char *name) {
  return tenon_pass_is_native(w->cx, name) ||
         tenon_registry_find(w->cx, TENON_REGISTRY_PASSES, name);
}

static void put_default(ordering *w) {
  put_behind(w, "read");
  for (size_t i = 0; tenon_pass_at(i); ++i) {
    const char *name = tenon_pass_at(i)->name;
    if (!tenon_pass_at(i)->is_default || !pass_order_is_known(w, name))
      continue;
    pass_order_put(w, tenon_text_of(name), tenon_text_of(""));
    put_behind(w, name);
  }
}

// A pipeline that is given: names with commas, options in brackets.
static void put_given(ordering *w, const char *p) {
  while (*p) {
    size_t size = strcspn(p, ",[");
    tenon_text name = tenon_text_trim((tenon_text){p, size}), own = {p, 0};
    p += size;
    if (*p == '[') {
      own.data = p + 1;
      own.size = strcspn(own.data, "]");
      p = own.data + own.size;
      p += strcspn(p, ",");
    }
    p += *p == ',';
    if (name.size) pass_order_put(w, name, own);
  }
}

// ---------------------------------------------------------------------------
// The whole
// ---------------------------------------------------------------------------

static tenon_status pass_order_check_placed(const ordering *w) {
  for (size_t i = 0; i < w->n; ++i) {
    const tenon_pass_desc *d = pass_at(w, i);
    const tenon_extension *e =
        tenon_registry_at(w->cx, TENON_REGISTRY_PASSES, i);
    tenon_place place = {
        .file = e->owner->origin ? e->owner->origin : e->owner->name,
        .where = d->name};
    if (!d->after || w->is_placed[i]) continue;
    return tenon_fail(&w->cx->report, TENON_BAD_PLUGIN, "pass-after", &place,
                      "pass '%s' of plugin '%s' runs behind '%s', which is not "
                      "there or waits for it",
                      d->name, e->owner->name, d->after);
  }
  return TENON_OK;
}

// A rule for a name that nobody has is a mistake; a pattern that fits nothing,
// or a pass that does not run, is likely one.
static tenon_status check_rules(const ordering *w) {
  for (uint32_t i = 0; i < w->o->n_rules; ++i) {
    const char *name = w->o->rules[i].name;
    bool is_pattern = strpbrk(name, "*?") != NULL;
    if (!is_pattern && !pass_order_is_known(w, name))
      return tenon_pass_unknown(w->cx, name);
    if (!w->is_used[i] && !is_pattern && w->o->rules[i].options)
      return tenon_fail(&w->cx->report, TENON_BAD_ARGUMENT, "pass-option", NULL,
                        "options for pass '%s', which is not in the pipeline",
                        name);
    if (!w->is_used[i])
      tenon_warn(&w->cx->report, "pass-rule", NULL,
                 "the rule for pass '%s' fits none of the pipeline", name);
  }
  return TENON_OK;
}

tenon_status tenon_pass_order(const tenon_context *cx,
                              const tenon_pipeline_options *o, tenon_buf *out) {
  const tenon_pipeline_options none = {0};
  tenon_arena scratch;
  ordering w = {.cx = cx, .o = o ? o : &none, .out = out};
  tenon_status status = TENON_OK;
  tenon_arena_init(&scratch, cx->allocator);
  w.n = tenon_registry_count(cx, TENON_REGISTRY_PASSES);
  w.is_placed = tenon_arena_array(&scratch, bool, w.n);
  w.is_used = tenon_arena_array(&scratch, bool, w.o->n_rules);
  if (w.is_placed && w.is_used) {
    memset(w.is_placed, 0, w.n * sizeof *w.is_placed);
    memset(w.is_used, 0, w.o->n_rules * sizeof *w.is_used);
    if (w.o->pipeline)
      put_given(&w, w.o->pipeline);
    else
      put_default(&w);
    if (!w.o->pipeline) status = pass_order_check_placed(&w);
    if (status == TENON_OK) status = check_rules(&w);
  } else {
    out->failed = true;
  }
  tenon_arena_deinit(&scratch);
  tenon_buf_text(out, "");
  return status == TENON_OK && out->failed
             ? tenon_fail_memory(&cx->report, "ordering passes")
             : status;
}
