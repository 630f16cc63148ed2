// How: counts are taken in one walk over all functions, regions included; text
// and JSON are two printings of the same rows.

#include "base/map.h"
#include "base/put.h"
#include "core/type.h"
#include "ir/graph.h"
#include "read/about.h"
#include "tenon/tenon.h"

typedef struct counts {
  const tenon_module *m;
  tenon_map ops;  // name to count, in order of appearance
} counts;

static tenon_status count_node(void *self, tenon_node *n) {
  counts *c = (counts *)self;
  uint64_t *slot = tenon_map_put_text(&c->ops, n->op->name, 0, NULL);
  if (!slot) return tenon_fail_memory(&c->m->report, "counting operators");
  ++*slot;
  return TENON_OK;
}

static uint64_t weight_bytes(const tenon_module *m) {
  uint64_t sum = 0;
  for (size_t i = 0; i < m->constants.count; ++i) {
    size_t size = 0;
    if (tenon_type_size(&m->constants.data[i]->type, &size)) sum += size;
  }
  return sum;
}

// Constants and states whose data have not been given.
static size_t count_apart(const tenon_module *m) {
  size_t n = 0;
  for (size_t i = 0; i < m->constants.count; ++i)
    n += tenon_tensor_is_apart(m->constants.data[i]->constant);
  for (size_t i = 0; i < m->states.count; ++i)
    n += tenon_tensor_is_apart(m->states.data[i].initial);
  return n;
}

static void print_values(const tenon_module *m, const tenon_entry_point *e,
                         bool is_input, tenon_buf *out) {
  uint32_t n = is_input ? e->graph->n_params : tenon_entry_outputs(e);
  for (uint32_t i = 0; i < n; ++i) {
    const tenon_value *v =
        is_input ? e->graph->params[i] : e->graph->end->in[i].value;
    tenon_put(out, "$$: ", i ? ", " : "",
              tenon_as_shown(is_input ? e->inputs[i] : e->outputs[i]));
    tenon_type_print(&v->type, &m->symbols, out);
  }
}

// An operator of the module may be one that another serves (ir/out_variant.h).
static bool is_unknown(const tenon_module *m, const char *op) {
  const uint64_t *own = tenon_map_find_text(&m->unknown, op);
  const tenon_op *known = own ? (const tenon_op *)(uintptr_t)*own
                              : tenon_registry_find_op(m->cx, op);
  return !known || !known->desc;
}

// `fmt` with a text that has no zero of its own, as JSON or to be shown.
static void info_put_text(const tenon_metadata *text, const char *fmt,
                          bool is_json, tenon_buf *out) {
  tenon_buf copy;
  tenon_buf_init(&copy, out->allocator);
  tenon_buf_add(&copy, text->data, text->size);
  const char *all = copy.data ? copy.data : "";
  const tenon_put_value v = is_json ? tenon_as_json(all) : tenon_as_shown(all);
  tenon_put_values(out, fmt, &v);
  if (copy.failed) out->failed = true;
  tenon_buf_deinit(&copy);
}

// What the file says of the model, and what it carries.
typedef struct telling {
  tenon_buf *out;
  size_t n_texts, n_files;
} telling;

static void text_text(void *self, const char *what, const char *name,
                      const char *text) {
  telling *t = (telling *)self;
  tenon_put(t->out, "$  $$$$: $\n", t->n_texts++ ? "" : "\nthe file says\n",
            what, name ? " '" : "", tenon_as_shown(name), name ? "'" : "",
            tenon_as_shown(text));
}

static void text_file(void *self, const char *name, uint64_t size) {
  telling *t = (telling *)self;
  tenon_put(t->out, "$  $: $ bytes\n",
            t->n_files++ == 0 ? "\nthe file carries\n" : "",
            tenon_as_shown(name), size);
}

static void info_print_text(const tenon_module *m, const counts *c,
                            tenon_buf *out) {
  tenon_buf_shown(out, m->name);
  tenon_buf_format(out, " (%s)\n", m->format ? m->format : "");
  if (m->description && m->description[0]) {
    tenon_put(out, "  $\n", tenon_as_shown(m->description));
  }
  for (size_t i = 0; i < m->entries.count; ++i) {
    const tenon_entry_point *e = &m->entries.data[i];
    tenon_put(out, "\n$(", tenon_as_shown(e->name));
    print_values(m, e, true, out);
    tenon_buf_text(out, ")\n  -> ");
    print_values(m, e, false, out);
    for (uint32_t k = 0; k < e->n_writes; ++k) {
      tenon_buf_text(out, k ? ", " : "\n  writes ");
      tenon_buf_shown(out, e->inputs[e->writes[k]]);
    }
    const tenon_metadata *call =
        tenon_module_find_metadata(m, TENON_CALL_KEY, e->name);
    if (call) info_put_text(call, "\n  called as $", false, out);
    tenon_buf_char(out, '\n');
  }
  for (size_t i = 0; i < m->states.count; ++i) {
    tenon_put(out, "$$: ", i ? "state " : "\nstate ",
              tenon_as_shown(m->states.data[i].name));
    tenon_type_print(&m->states.data[i].type, &m->symbols, out);
    tenon_buf_char(out, '\n');
  }
  tenon_buf_text(out, "\noperators\n");
  for (size_t i = 0; i < c->ops.count; ++i) {
    const char *op = c->ops.entries[i].text;
    const tenon_metadata *schema =
        tenon_module_find_metadata(m, TENON_SCHEMA_KEY, op);
    tenon_buf_format(out, "  %4llu  ",
                     (unsigned long long)c->ops.entries[i].value);
    tenon_put(out, "$$\n", tenon_as_shown(op),
              is_unknown(m, op) ? "  (unknown)" : "");
    if (schema)
      info_put_text(schema, "        as it is called: $\n", false, out);
  }
  tenon_put(out, "\n$ function$, $ constant$ of $ bytes\n", m->functions.count,
            m->functions.count == 1 ? "" : "s", m->constants.count,
            m->constants.count == 1 ? "" : "s", weight_bytes(m));
  size_t apart = count_apart(m);
  if (apart)
    tenon_buf_format(out, "%zu weights apart: a run needs --weights\n", apart);
  for (size_t i = 0; i < m->metadata.count; ++i) {
    const char *key = m->metadata.data[i].key;
    if (tenon_text_starts(key, TENON_CALL_KEY) ||
        tenon_text_starts(key, TENON_SCHEMA_KEY))
      continue;  // said above
    tenon_put(out, "metadata $: $ bytes\n", tenon_as_shown(key),
              m->metadata.data[i].size);
  }
  telling t = {.out = out};
  const tenon_about_api about = {&t, text_text, text_file};
  tenon_tflite_about(m, &about);
}

static void json_value(const tenon_module *m, const char *name,
                       const tenon_type *t, tenon_buf *out) {
  tenon_put_json(out, "{'name': $, 'dtype': $, 'shape': [", name,
                 tenon_dtype_name(t->dtype));
  for (int i = 0; i < t->rank; ++i) {
    tenon_buf s;
    tenon_buf_init(&s, m->cx->allocator);
    tenon_symbols_print(&m->symbols, t->dims[i], &s);
    tenon_put(out, "$$", i ? ", " : "",
              t->dims[i].symbol ? tenon_as_json(s.data ? s.data : "")
                                : tenon_as_plain(s.data ? s.data : ""));
    if (s.failed) out->failed = true;
    tenon_buf_deinit(&s);
  }
  tenon_buf_char(out, ']');
  if (t->quant && t->quant->channels == 1) {
    tenon_buf_text(out, ", \"scale\": ");
    tenon_buf_float(out, t->quant->scale[0]);
    tenon_put_json(out, ", 'zero_point': $",
                   t->quant->zero ? t->quant->zero[0] : 0);
  }
  tenon_buf_char(out, '}');
}

static void json_values(const tenon_module *m, const tenon_entry_point *e,
                        bool is_input, tenon_buf *out) {
  uint32_t n = is_input ? e->graph->n_params : tenon_entry_outputs(e);
  tenon_buf_format(out, "\"%s\": [", is_input ? "inputs" : "outputs");
  for (uint32_t i = 0; i < n; ++i) {
    const tenon_value *v =
        is_input ? e->graph->params[i] : e->graph->end->in[i].value;
    if (i) tenon_buf_text(out, ", ");
    json_value(m, is_input ? e->inputs[i] : e->outputs[i], &v->type, out);
  }
  tenon_buf_char(out, ']');
}

static void json_text(void *self, const char *what, const char *name,
                      const char *text) {
  telling *t = (telling *)self;
  tenon_put_json(t->out, "${'what': $, 'name': $, 'text': $}",
                 tenon_as_plain(t->n_texts++ ? ", " : ""), what,
                 name ? tenon_as_json(name) : tenon_as_plain("null"), text);
}

static void json_file(void *self, const char *name, uint64_t size) {
  telling *t = (telling *)self;
  tenon_put_json(t->out, "${'name': $, 'bytes': $}",
                 tenon_as_plain(t->n_files++ ? ", " : ""), name, size);
}

// One list at a time.
static void no_text(void *self, const char *what, const char *name,
                    const char *text) {
  (void)self, (void)what, (void)name, (void)text;
}
static void no_file(void *self, const char *name, uint64_t size) {
  (void)self, (void)name, (void)size;
}

static void json_about(const tenon_module *m, tenon_buf *out) {
  telling t = {.out = out};
  const tenon_about_api texts = {&t, json_text, no_file};
  const tenon_about_api files = {&t, no_text, json_file};
  tenon_buf_text(out, "],\n  \"about\": [");
  tenon_tflite_about(m, &texts);
  tenon_buf_text(out, "],\n  \"files\": [");
  tenon_tflite_about(m, &files);
}

static void info_print_json(const tenon_module *m, const counts *c,
                            tenon_buf *out) {
  tenon_put_json(out,
                 "{\n"
                 "  'version': 1,\n"
                 "  'name': $,\n"
                 "  'format': $,\n"
                 "  'description': $,\n"
                 "  'entries': [",
                 m->name, m->format ? m->format : "",
                 m->description ? m->description : "");
  for (size_t i = 0; i < m->entries.count; ++i) {
    const tenon_entry_point *e = &m->entries.data[i];
    tenon_put_json(out, "$\n    {'name': $, ", tenon_as_plain(i ? "," : ""),
                   e->name);
    json_values(m, e, true, out);
    tenon_buf_text(out, ", ");
    json_values(m, e, false, out);
    tenon_buf_text(out, ", \"writes\": [");
    for (uint32_t k = 0; k < e->n_writes; ++k)
      tenon_buf_format(out, "%s%u", k ? ", " : "", (unsigned)e->writes[k]);
    tenon_buf_char(out, ']');
    const tenon_metadata *call =
        tenon_module_find_metadata(m, TENON_CALL_KEY, e->name);
    if (call) info_put_text(call, ", \"call\": $", true, out);
    tenon_buf_char(out, '}');
  }
  tenon_buf_text(out, "\n  ],\n  \"states\": [");
  for (size_t i = 0; i < m->states.count; ++i) {
    if (i) tenon_buf_text(out, ", ");
    json_value(m, m->states.data[i].name, &m->states.data[i].type, out);
  }
  tenon_buf_text(out, "],\n  \"operators\": [");
  for (size_t i = 0; i < c->ops.count; ++i) {
    const char *name = c->ops.entries[i].text;
    tenon_put_json(out, "$\n    {'name': $, 'count': $, 'known': $}",
                   tenon_as_plain(i ? "," : ""), name, c->ops.entries[i].value,
                   (bool)!(is_unknown(m, name)));
  }
  tenon_put_json(out,
                 "\n"
                 "  ],\n"
                 "  'functions': $,\n"
                 "  'constants': $,\n"
                 "  'constant_bytes': $,\n"
                 "  'apart': $,\n"
                 "  'metadata': [",
                 m->functions.count, m->constants.count, weight_bytes(m),
                 count_apart(m));
  for (size_t i = 0; i < m->metadata.count; ++i) {
    tenon_put_json(out, "${'key': $, 'bytes': $}",
                   tenon_as_plain(i ? ", " : ""), m->metadata.data[i].key,
                   m->metadata.data[i].size);
  }
  json_about(m, out);
  tenon_buf_text(out, "]\n}\n");
}

tenon_status tenon_module_info(const tenon_module *m, uint32_t format,
                               tenon_write_fn *write, void *self) {
  counts c = {.m = m};
  tenon_buf out;
  if (format != TENON_FORMAT_TEXT && format != TENON_FORMAT_JSON)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "info-format", NULL,
                      "what a module holds is printed as text or JSON");
  tenon_map_init(&c.ops, m->cx->allocator);
  tenon_buf_init(&out, m->cx->allocator);
  // The walk hands out nodes for changing; this visitor changes nothing.
  tenon_status status =
      tenon_module_visit((tenon_module *)(uintptr_t)m, count_node, &c);
  if (status == TENON_OK) {
    if (format == TENON_FORMAT_TEXT)
      info_print_text(m, &c, &out);
    else
      info_print_json(m, &c, &out);
    status = out.failed ? tenon_fail_memory(&m->report, "describing a module")
                        : write(self, NULL, out.data, out.size);
  }
  tenon_map_deinit(&c.ops);
  tenon_buf_deinit(&out);
  return status;
}
