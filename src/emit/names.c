// How: every name at file level is taken from one map, the fixed ones first, so
// that two tensors, an entry point and a tensor, or an entry point and a step
// never get the same. Parameters have a scope of their own.
#include <string.h>

#include "emit/emission.h"
#include "emit/idents.h"
#include "emit/step/open.h"

// Behind the prefix and an underscore; numbered ones are in has_number.
static const char *const fixed[] = {
    "init",     "reset",    "fault",  "fault_value", "fault_step",
    "steps",    "step",     "begin",  "finish",      "stop",
    "split",    "piece",    "range",  "work",        "packed",
    "instance", "take",     "give",   "report",      "check",
    "element",  "put",      "number", "unfit",       "div",
    "mod",      "real",     "memory", "owner",       "fit",
    "blocks",   "hydrate",  "port",   "ports",       "apart",
    "load",     "prefetch", "hook",   "set_hooks",   "count",
    "cycles",   "before",   "behind", "put_cycles",  NULL};
static const char *const numbered[] = {
    "step", "block", "loop", "drive", "vector", "sizes", "a", "c",
    "d",    "f",     "g",    "l",     "q",      "ahead", NULL};

static bool has_number(const char *name) {
  size_t size = strcspn(name, "0123456789");
  if (!name[size] || name[size + strspn(name + size, "0123456789")])
    return false;
  for (size_t i = 0; numbered[i]; ++i)
    if (strlen(numbered[i]) == size && memcmp(name, numbered[i], size) == 0)
      return true;
  return false;
}

static const char *join2(tenon_emission *e, const char *a, const char *b) {
  const char *const parts[] = {a, b, NULL};
  return a && b ? tenon_ident_join(&e->arena, parts) : NULL;
}

// The prefix, an underscore and a name that is nobody else's.
static const char *emitted_name_take(tenon_emission *e, const char *name) {
  const char *const parts[] = {e->prefix, "_", name, NULL};
  if (!name) return NULL;
  return tenon_ident_take(&e->symbols, &e->arena,
                          tenon_ident_join(&e->arena, parts));
}

// --- the prefix -------------------------------------------------------------

static tenon_status check_prefix(const tenon_emission *e, const char *prefix) {
  const char *reason = NULL;
  if (!tenon_ident_is_valid(prefix))
    reason =
        "is not a C identifier of at most 48 characters, without leading or "
        "double underscores";
  else if (tenon_ident_is_reserved(prefix))
    reason = "is a name of C or of its library";
  else if (strncmp(prefix, "tenon", 5) == 0 || strncmp(prefix, "TENON", 5) == 0)
    reason = "begins with 'tenon', as the names of kernels do";
  if (!reason) return TENON_OK;
  return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-prefix", NULL,
                    "prefix '%s' %s", prefix, reason);
}

// "dir/kws.v2.tflite" to "kws_v2".
static const char *derive_prefix(tenon_emission *e) {
  const char *name = e->p->name ? e->p->name : "";
  for (const char *p = name; *p; ++p)
    if (*p == '/' || *p == '\\') name = p + 1;
  const char *dot = strrchr(name, '.');
  const char *stem = tenon_arena_text(
      &e->arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
  const char *prefix =
      stem ? tenon_ident_clean(&e->arena, stem, "model") : NULL;
  if (!prefix) return NULL;
  if (strncmp(prefix, "tenon", 5) == 0) prefix = join2(e, "model_", prefix);
  if (prefix && tenon_ident_is_reserved(prefix))
    prefix = join2(e, prefix, "_model");
  return prefix;
}

static tenon_status name_prefix(tenon_emission *e) {
  if (e->options.prefix) {
    TENON_TRY(check_prefix(e, e->options.prefix));
    e->prefix = tenon_arena_string(&e->arena, e->options.prefix);
  } else {
    e->prefix = derive_prefix(e);
  }
  e->macro = tenon_ident_upper(&e->arena, e->prefix);
  if (!e->prefix || !e->macro) return tenon_emission_memory(e);
  // A prefix in upper case has macros that might be its functions.
  if (strcmp(e->prefix, e->macro) == 0) e->macro = join2(e, e->macro, "_M");
  (void)tenon_ident_take(&e->symbols, &e->arena, e->prefix);
  for (size_t i = 0; fixed[i]; ++i)
    (void)emitted_name_take(e, fixed[i]);
  return tenon_emission_failed(e) ? tenon_emission_memory(e) : TENON_OK;
}

// --- inputs, outputs, states ------------------------------------------------

bool tenon_emit_owns(tenon_emission *e, tenon_text name) {
  const size_t size = strlen(e->prefix);
  const char *text = tenon_arena_text(&e->arena, name.data, name.size);
  if (!text) return false;
  if (tenon_map_find_text(&e->symbols, text)) return true;
  return strncmp(text, e->prefix, size) == 0 && text[size] == '_' &&
         has_number(text + size + 1);
}

const char *tenon_emit_parameter(tenon_emission *e, tenon_map *scope,
                                 const char *name, const char *suffix) {
  size_t size = strlen(e->prefix);
  bool is_ours = strncmp(name, "tenon", 5) == 0 ||
                 (strncmp(name, e->prefix, size) == 0 &&
                  (name[size] == 0 || name[size] == '_'));
  if (is_ours || tenon_ident_is_reserved(name)) name = join2(e, "x_", name);
  if (name && tenon_map_find_text(scope, name)) name = join2(e, name, suffix);
  return tenon_ident_take(scope, &e->arena, name);
}

// `stem` is "in_", "decode_out_".
static bool name_io(tenon_emission *e, tenon_map *scope, const char *stem,
                    const char *suffix, const char *name, size_t index,
                    tenon_io_names *out) {
  char fallback[24] = "x";
  size_t at = 1;
  at += tenon_c_put_uint(fallback + at, index);
  fallback[at] = 0;
  const char *clean = tenon_ident_clean(&e->arena, name, fallback);
  if (!clean) return false;
  out->parameter = tenon_emit_parameter(e, scope, clean, suffix);
  out->accessor = emitted_name_take(e, join2(e, stem, clean));
  if (!out->accessor) return false;
  // Behind the prefix, which may not be the macros' own.
  const char *const parts[] = {
      e->macro, tenon_ident_upper(&e->arena, out->accessor + strlen(e->prefix)),
      NULL};
  out->macro = parts[1] ? tenon_ident_join(&e->arena, parts) : NULL;
  return out->parameter && out->macro;
}

static bool name_list(tenon_emission *e, tenon_map *scope, const char *stem,
                      const char *suffix, const tenon_io *io, size_t n,
                      tenon_io_names **out) {
  *out = tenon_arena_array(&e->arena, tenon_io_names, n);
  if (!*out || !stem) return false;
  for (size_t i = 0; i < n; ++i)
    if (!name_io(e, scope, stem, suffix, io[i].name ? io[i].name : "", i,
                 &(*out)[i]))
      return false;
  return true;
}

// The parameter is the input's; what shows the value afterwards is another
// function.
static bool name_writes(tenon_emission *e, const char *stem,
                        const tenon_program_entry *entry,
                        tenon_entry_names *out) {
  out->after = tenon_arena_array(&e->arena, tenon_io_names, entry->n_writes);
  if (!out->after) return false;
  for (uint32_t i = 0; i < entry->n_writes; ++i) {
    uint32_t input = entry->writes[i].input;
    tenon_map scope;
    tenon_map_init(&scope, e->allocator);
    const char *name = entry->inputs[input].name;
    bool ok = name_io(e, &scope, join2(e, stem, "after_"), "_after",
                      name ? name : "", input, &out->after[i]);
    tenon_map_deinit(&scope);
    if (!ok) return false;
    out->after[i].parameter = out->in[input].parameter;
  }
  return true;
}

// Functions that say the sizes of outputs where these are open.
static bool name_dims(tenon_emission *e, const tenon_program_entry *entry,
                      tenon_entry_names *out) {
  for (uint32_t i = 0; i < entry->n_out; ++i) {
    if (entry->out[i] == TENON_NO_INDEX || !e->p->tensors[entry->out[i]].sizes)
      continue;
    const char *stem = out->out[i].accessor + strlen(e->prefix) + 1;
    out->out[i].dim = emitted_name_take(e, join2(e, stem, "_dim"));
    if (!out->out[i].dim) return false;
  }
  return true;
}

static bool name_entry(tenon_emission *e, const tenon_program_entry *entry,
                       tenon_entry_names *out) {
  const char *stem = "";
  const char *run = "run";
  if (e->p->n_entries > 1) {
    run = tenon_ident_clean(&e->arena, entry->name ? entry->name : "", "entry");
    if (run && has_number(run)) run = join2(e, run, "_entry");
    stem = NULL;
  }
  out->run = emitted_name_take(e, run);
  if (!out->run) return false;
  // Of several entries each has inputs of its own, named as it was.
  if (!stem) stem = join2(e, out->run + strlen(e->prefix) + 1, "_");
  tenon_map scope;
  tenon_map_init(&scope, e->allocator);
  // What the function's body has of its own.
  bool ok = tenon_map_put_text(&scope, "m", 0, NULL) &&
            tenon_map_put_text(&scope, "fault", 0, NULL) &&
            tenon_map_put_text(&scope, "status", 0, NULL) && stem &&
            name_list(e, &scope, join2(e, stem, "in_"), "_in", entry->inputs,
                      entry->n_in, &out->in) &&
            name_list(e, &scope, join2(e, stem, "out_"), "_out", entry->outputs,
                      entry->n_out, &out->out) &&
            tenon_emit_name_sizes(e, &scope, (uint32_t)(out - e->entries), out);
  tenon_map_deinit(&scope);
  return ok && name_dims(e, entry, out) && name_writes(e, stem, entry, out);
}

static bool name_states(tenon_emission *e) {
  tenon_map scope;
  tenon_map_init(&scope, e->allocator);
  e->states = tenon_arena_array(&e->arena, tenon_io_names, e->p->n_states);
  bool ok = e->states != NULL;
  for (uint32_t i = 0; ok && i < e->p->n_states; ++i)
    ok = name_io(e, &scope, "state_", "_state", e->p->states[i].name, i,
                 &e->states[i]);
  tenon_map_deinit(&scope);
  return ok;
}

tenon_status tenon_emit_names(tenon_emission *e) {
  TENON_TRY(name_prefix(e));
  e->entries = tenon_arena_array(&e->arena, tenon_entry_names, e->p->n_entries);
  if (!e->entries) return tenon_emission_memory(e);
  for (uint32_t i = 0; i < e->p->n_entries; ++i)
    if (!name_entry(e, &e->p->entries[i], &e->entries[i]))
      return tenon_emission_memory(e);
  if (!name_states(e)) return tenon_emission_memory(e);
  return tenon_emit_name_apart(e);
}

// --- sizes
// --------------------------------------------------------------------

// Marks what marked numbers are made of: parts stand before the whole.
void tenon_numbers_spread(const struct tenon_program *p, bool *marks) {
  for (uint32_t i = p->n_numbers; i-- > 1;) {
    if (!marks[i] || p->numbers[i].op == 0) continue;
    marks[p->numbers[i].a.symbol] = marks[p->numbers[i].b.symbol] = true;
  }
}

// Leaves of an input's size, in the order in which they are met.
static void add_leaves(const tenon_emission *e, tenon_dim d, bool *marks,
                       tenon_size_argument *list, uint32_t *n) {
  memset(marks, 0, e->p->n_numbers * sizeof *marks);
  marks[d.symbol] = true;
  tenon_numbers_spread(e->p, marks);
  for (uint32_t i = 0; i < *n; ++i)
    marks[list[i].number] = false;
  for (uint32_t i = 1; i < e->p->n_numbers; ++i) {
    if (!marks[i] || e->p->numbers[i].op != 0) continue;
    list[*n].number = i;
    list[(*n)++].parameter = NULL;
  }
}

bool tenon_emit_name_sizes(tenon_emission *e, tenon_map *scope, uint32_t entry,
                           tenon_entry_names *out) {
  const struct tenon_program *p = e->p;
  out->n_sizes = 0;
  if (p->n_numbers == 0) return true;
  out->sizes = tenon_arena_array(&e->arena, tenon_size_argument, p->n_numbers);
  bool *marks = tenon_arena_array(&e->arena, bool, p->n_numbers);
  if (!out->sizes || !marks) return false;
  for (uint32_t i = 0; i < p->n_bindings; ++i)
    if (p->bindings[i].entry == entry)
      add_leaves(e, p->bindings[i].size, marks, out->sizes, &out->n_sizes);
  for (uint32_t i = 0; i < out->n_sizes; ++i) {
    const char *name = p->numbers[out->sizes[i].number].name;
    const char *clean = tenon_ident_clean(&e->arena, name, "size");
    if (!clean) return false;
    out->sizes[i].parameter = tenon_emit_parameter(e, scope, clean, "_size");
    if (!out->sizes[i].parameter) return false;
  }
  return true;
}
