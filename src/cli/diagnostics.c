// How: without --json diagnostics go to standard error as they come; with it
// they are collected, and one document is printed at the end.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

tenon_status cli_collect(void *self, const char *file, const char *text,
                         size_t size) {
  tenon_buf *b = (tenon_buf *)self;
  (void)file;
  tenon_buf_add(b, text, size);
  return b->failed ? TENON_NO_MEMORY : TENON_OK;
}

static const char *const severities[] = {"note", "warning", "error"};

static void add_shown(tenon_buf *b, const char *text, const char *after) {
  tenon_put(b, "$$", tenon_as_shown(text), after);
}

static void diagnostic_add_place(tenon_buf *b, const tenon_place *p) {
  if (p->origin) tenon_put(b, "    from $\n", tenon_as_shown(p->origin));
  if (p->size)
    tenon_buf_format(b, "    at bytes 0x%llx..0x%llx of the file\n",
                     (unsigned long long)p->offset,
                     (unsigned long long)(p->offset + p->size - 1));
}

static void diagnostic_add_head(tenon_buf *b, const tenon_place *p) {
  if (!p || (!p->file && !p->where)) {
    tenon_buf_text(b, "tenon: ");
    return;
  }
  if (p->file && p->file[0]) add_shown(b, p->file, ": ");
  if (p->where && p->where[0]) add_shown(b, p->where, ": ");
}

// Memory may be what is missing: the bare sentence needs none.
static void diagnostic_print_text(const cli_sink *s, const tenon_diag *d) {
  tenon_buf b = {0};
  if (s->is_quiet && d->severity != TENON_ERROR) return;
  if (d->severity == TENON_NOTE && !s->is_verbose) {
    // Notes on their own are told when asked for; those of an error always.
    return;
  }
  diagnostic_add_head(&b, d->place);
  tenon_put(&b, "$: $ [$]\n", severities[d->severity % 3],
            tenon_as_shown(d->message), d->id);
  const bool ok = !b.failed;  // notes may be lost
  if (d->place) diagnostic_add_place(&b, d->place);
  for (const tenon_diag *n = d->next_note; n; n = n->next_note) {
    tenon_buf_text(&b, "    note: ");
    if (n->place && n->place->where) add_shown(&b, n->place->where, ": ");
    add_shown(&b, n->message, "\n");
  }
  if (ok) {
    (void)s->err(s->err_self, NULL, b.data, b.size);
  } else {
    const char *const words[] = {"tenon: error: ", d->message, "\n"};
    for (int i = 0; i < 3; ++i)
      (void)s->err(s->err_self, NULL, words[i], strlen(words[i]));
  }
  tenon_buf_deinit(&b);
}

static tenon_put_value as_text_or_none(const char *text) {
  return tenon_as_json(text ? text : "");
}

static void add_json(tenon_buf *b, const tenon_diag *d) {
  tenon_put_json(b, "{'severity': $, 'id': $, 'message': $",
                 severities[d->severity % 3], as_text_or_none(d->id),
                 as_text_or_none(d->message));
  if (d->place) {
    uint64_t size = d->place->size;  // 0: the offset says nothing
    tenon_put_json(
        b, ", 'file': $, 'where': $, 'origin': $, 'offset': $, 'size': $",
        as_text_or_none(d->place->file), as_text_or_none(d->place->where),
        as_text_or_none(d->place->origin), size ? d->place->offset : 0, size);
  }
  if (d->next_note && d->severity != TENON_NOTE) {
    const char *before = ", \"notes\": [";
    for (const tenon_diag *n = d->next_note; n; n = n->next_note) {
      tenon_buf_text(b, before);
      add_json(b, n);
      before = ", ";
    }
    tenon_buf_char(b, ']');
  }
  tenon_buf_char(b, '}');
}

// --- what a project file has said -------------------------------------------

static bool is_quoted(const char *message, const char *text, size_t size) {
  for (const char *p = strchr(message, '\''); p && size;
       p = strchr(p + 1, '\''))
    if (strncmp(p + 1, text, size) == 0 && p[size + 1] == '\'') return true;
  return false;
}

// The text, one of several with commas between, or the pass of "on NAME" and
// "NAME.KEY=VALUE".
static bool diagnostic_is_meant(const tenon_project_setting *s,
                                const char *message) {
  const char *p = s->text;
  if (strcmp(s->key, "passes") == 0 || strcmp(s->key, "pass_option") == 0) {
    if (strncmp(p, "on ", 3) == 0) p += 3;
    if (strncmp(p, "off ", 4) == 0) p += 4;
    return is_quoted(message, p, strcspn(p, ".="));
  }
  if (is_quoted(message, p, strlen(p))) return true;
  for (; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] != 0))
    if (is_quoted(message, p, strcspn(p, ","))) return true;
  return false;
}

// "'--plan-effort'", with _ for - in the key.
static bool is_flag_of(const char *message, const char *key) {
  const char *p = strstr(message, "'--");
  if (!p) return false;
  for (p += 3; *key && (*p == *key || (*p == '-' && *key == '_')); ++p)
    ++key;
  return !*key && (*p == '\'' || *p == ' ');
}

// What a message has no quotes for, or says in other words: the flag, a pass of
// its name, the value behind `=`, a file in the folder, how many names.
static bool may_be_meant(const tenon_project_setting *s, const char *message) {
  static const char *const names[][2] = {{"input_names", " of inputs, "},
                                         {"output_names", " of outputs, "},
                                         {"state_names", " of states, "}};
  const char *equals = strchr(s->text, '=');
  size_t size = strlen(s->text);
  if (is_flag_of(message, s->key)) return true;
  if (is_quoted(message, s->key, strlen(s->key))) return true;
  if (equals && is_quoted(message, equals + 1, strcspn(equals + 1, "(")))
    return true;
  for (const char *p = strchr(message, '\''); p && size;
       p = strchr(p + 1, '\''))
    if (strncmp(p + 1, s->text, size) == 0 && p[size + 1] == '/') return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(s->key, names[i][0]) == 0 && strstr(message, names[i][1]))
      return true;
  return false;
}

// An error has its own place, unless it begins with what was said.
static bool diagnostic_is_placed(const tenon_diag *d,
                                 const tenon_project_setting *s) {
  size_t size = strlen(s->text);
  if (!d->place || (!d->place->file && !d->place->where)) return false;
  return d->message[0] != '\'' || size == 0 ||
         strncmp(d->message + 1, s->text, size) != 0 ||
         d->message[size + 1] != '\'';
}

// Where the project file says what an error without a place is about.
static bool find_setting(const cli_sink *s, const tenon_diag *d, char *where,
                         size_t size) {
  bool found = false;
  if (!s->project || d->severity == TENON_NOTE) return false;
  size_t n = tenon_project_settings(s->project, NULL, 0);
  tenon_project_setting *list =
      (tenon_project_setting *)calloc(n + 1, sizeof *list);
  if (list) (void)tenon_project_settings(s->project, list, n);
  for (size_t i = 0; list && i < 2 * n && !found; ++i) {
    const tenon_project_setting *one = &list[i % n];
    found = !diagnostic_is_placed(d, one) &&
            (i < n ? diagnostic_is_meant(one, d->message)
                   : may_be_meant(one, d->message));
    if (found)
      snprintf(where, size, "line %u, column %u", (unsigned)one->line,
               (unsigned)one->column);
  }
  free(list);
  return found;
}

static void diagnostic_report(void *self, const tenon_diag *given) {
  cli_sink *s = (cli_sink *)self;
  char where[64];
  tenon_diag placed = *given;
  tenon_place place = {.file = s->project_file, .where = where};
  const tenon_diag *d = given;
  if (find_setting(s, given, where, sizeof where)) {
    placed.place = &place;
    d = &placed;
  }
  if (s->is_muted) {
    if (d->severity == TENON_ERROR)
      snprintf(s->muted, sizeof s->muted, "%s", d->message);
    return;
  }
  if (d->severity == TENON_WARNING) s->had_warning = true;
  if (d->severity == TENON_ERROR) s->had_error = true;
  if (!s->is_json) {
    diagnostic_print_text(s, d);
    return;
  }
  if (s->json.size) tenon_buf_text(&s->json, ",\n    ");
  add_json(&s->json, d);
}

tenon_diag_sink cli_sink_of(cli_sink *sink) {
  tenon_diag_sink s = {sink, diagnostic_report};
  return s;
}

static void diagnostic_say(cli *c, uint32_t severity, const char *id,
                           const char *fmt, va_list args) {
  char text[1024];
  vsnprintf(text, sizeof text, fmt, args);
  tenon_diag d = {0};
  d.struct_size = sizeof d;
  d.severity = severity;
  d.id = id;
  d.message = text;
  diagnostic_report(c->sink, &d);
}

int cli_fail(cli *c, int status, const char *id, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diagnostic_say(c, TENON_ERROR, id, fmt, args);
  va_end(args);
  return status;
}

void cli_warn(cli *c, const char *id, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diagnostic_say(c, TENON_WARNING, id, fmt, args);
  va_end(args);
}

tenon_status cli_stream_write(void *self, const char *file, const char *text,
                              size_t size) {
  (void)file;
  return fwrite(text, 1, size, (FILE *)self) == size ? TENON_OK : TENON_IO;
}

tenon_status cli_write(void *self, const char *file, const char *text,
                       size_t size) {
  cli *c = (cli *)self;
  (void)file;
  if (!c->sink->is_json) {
    tenon_status status = c->sink->out(c->sink->out_self, NULL, text, size);
    if (status == TENON_OK) return TENON_OK;
    return cli_fail(c, (int)status, "cli-output", "standard output is closed");
  }
  return cli_collect(&c->sink->report, NULL, text, size);
}

// What most lines take needs no memory, so that little is lost where there is
// none.
void cli_printf(cli *c, const char *fmt, ...) {
  va_list args;
  char line[512];
  tenon_buf b = {0};
  va_start(args, fmt);
  const int size = vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  const bool is_short = size >= 0 && (size_t)size < sizeof line;
  va_start(args, fmt);
  if (!is_short) tenon_buf_vformat(&b, fmt, args);
  va_end(args);
  if (b.failed ||
      cli_write(c, NULL, is_short ? line : b.data,
                is_short ? (size_t)size : b.size) == TENON_NO_MEMORY)
    c->sink->lacks_memory = true;
  tenon_buf_deinit(&b);
}

void cli_print(cli *c, tenon_buf *text) {
  if (text->failed ||
      cli_write(c, NULL, text->data, text->size) == TENON_NO_MEMORY)
    c->sink->lacks_memory = true;
  tenon_buf_deinit(text);
}

void cli_put_values(cli *c, const char *fmt, const tenon_put_value *values) {
  tenon_buf text = {0};
  tenon_put_values(&text, fmt, values);
  cli_print(c, &text);
}

void cli_put_json_values(cli *c, const char *fmt,
                         const tenon_put_value *values) {
  tenon_buf text = {0};
  tenon_put_json_values(&text, fmt, values);
  cli_print(c, &text);
}

void cli_put_us(tenon_buf *out, const tenon_put_value *v) {
  tenon_buf_format(out, "%.3f", (double)v->as.u / 1e3);
}

void cli_put_share(tenon_buf *out, const tenon_put_value *v) {
  tenon_buf_format(out, "%.4f", v->as.f);
}

const char *cli_shown(cli *c, const char *name) {
  if (tenon_text_show(NULL, 0, name) == strlen(name)) return name;
  tenon_buf text = {0};
  tenon_buf_shown(&text, name);
  if (!text.failed && cli_list_push(&c->shown, text.data)) return text.data;
  tenon_buf_deinit(&text);
  return "(no memory to show its name)";
}

int cli_exit(tenon_status status) {
  return status == TENON_NO_MEMORY ? CLI_NO_MEMORY : (int)status;
}

static bool diagnostic_put(cli_sink *s, const char *text, size_t size) {
  return s->out(s->out_self, NULL, text, size) == TENON_OK;
}

// The document: verb (null where there is none), exit code, diagnostics, and
// the verb's own report. In parts, so that it needs no memory when there is
// none.
static bool put_report(cli_sink *s) {
  tenon_buf text = {0};
  if (!s->report.size) return diagnostic_put(s, "null", 4);
  if (!s->is_text) return diagnostic_put(s, s->report.data, s->report.size);
  tenon_buf_json(&text, s->report.data);
  bool ok = !text.failed && diagnostic_put(s, text.data, text.size);
  tenon_buf_deinit(&text);
  return ok;
}

static int print_document(cli *c, int code) {
  static const char between[] = "],\n  \"report\": ";
  cli_sink *s = c->sink;
  const char *quote = c->verb ? "\"" : "";
  char head[128];
  int size = snprintf(head, sizeof head,
                      "{\"version\": 1,\n  \"verb\": %s%s%s,\n  \"exit\": "
                      "%d,\n  \"diagnostics\": [",
                      quote, c->verb ? c->verb->name : "null", quote, code);
  bool ok = diagnostic_put(s, head, (size_t)size) &&
            diagnostic_put(s, s->json.data ? s->json.data : "", s->json.size) &&
            diagnostic_put(s, between, sizeof between - 1) && put_report(s) &&
            diagnostic_put(s, "}\n", 2);
  return ok || code != 0 ? code : TENON_IO;
}

int cli_finish(cli *c, int code) {
  if (c->sink->lacks_memory && code == 0)
    code = cli_fail(c, CLI_NO_MEMORY, "memory",
                    "out of memory: what is printed is not all of it");
  if (c->sink->is_json) code = print_document(c, code);
  if (c->sink->out == cli_stream_write &&
      fflush((FILE *)c->sink->out_self) != 0 && code == 0)
    return TENON_IO;
  return code;
}
