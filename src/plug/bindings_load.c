// How: what can be said before compiling is said first. Of what the compiler
// refuses, the marks of the glue tell which functions do not fit, and the
// linker names those that are nowhere; whatever else it says is told as it is.
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "plug/bindings.h"
#include "plug/compile.h"
#include "plug/load.h"

// ---------------------------------------------------------------------------
// Missing functions
// ---------------------------------------------------------------------------

static void bind_load_list_files(tenon_buf *out, const tenon_bind_file *f) {
  for (; f; f = f->next)
    tenon_buf_format(out, "%s'%s'", out->data[out->size - 1] == ' ' ? "" : ", ",
                     f->path);
}

static void bind_load_say_where(const tenon_bindings *b,
                                const tenon_bind_op *op,
                                const tenon_bind_kernel *k, tenon_buf *out) {
  tenon_buf_text(out, "looked for ");
  tenon_glue_prototype(op, k, k->function, out);
  tenon_buf_text(out, " in ");
  if (out->failed) return;
  bind_load_list_files(out, b->sources);
  bind_load_list_files(out, b->libraries);
  if (!b->sources && !b->libraries)
    tenon_buf_format(out,
                     "no file: there is none of the name of '%s' with .c, and "
                     "neither 'sources' nor 'libraries'",
                     b->path);
}

static tenon_status fail_missing(const tenon_bindings *b,
                                 const tenon_bind_op *op,
                                 const tenon_bind_kernel *k) {
  tenon_nearest near;
  tenon_buf note;
  tenon_nearest_init(&near, k->function);
  for (const tenon_bind_file *f = b->sources; f; f = f->next) {
    tenon_text name;
    for (size_t at = 0; tenon_glue_function(f->text, &at, &name);) {
      char *copy = tenon_arena_text(b->arena, name.data, name.size);
      if (copy) tenon_nearest_feed(&near, copy);
    }
  }
  tenon_buf_init(&note, b->cx->allocator);
  bind_load_say_where(b, op, k, &note);
  tenon_status status = tenon_yaml_fail_note(
      k->at, "binding-function", note.failed ? "" : note.data,
      "'%s' means the C function '%s', which is nowhere%s%s%s", k->name,
      k->function, TENON_DID_YOU_MEAN(near.best));
  tenon_buf_deinit(&note);
  return status;
}

static tenon_status fail_undeclared(const tenon_bindings *b,
                                    const tenon_bind_op *op,
                                    const tenon_bind_kernel *k) {
  tenon_buf note;
  tenon_buf_init(&note, b->cx->allocator);
  tenon_buf_text(&note,
                 "a symbol of a library has no type: name the header "
                 "that declares it under 'headers'; expected ");
  tenon_glue_prototype(op, k, k->function, &note);
  tenon_status status = tenon_yaml_fail_note(
      k->at, "binding-function", note.failed ? "" : note.data,
      b->headers ? "'%s' is declared in none of the headers"
                 : "'%s' cannot be compared with '%s': nothing declares it",
      k->function, op->given->name);
  tenon_buf_deinit(&note);
  return status;
}

tenon_status tenon_bindings_check_functions(const tenon_bindings *b,
                                            bool may_be_elsewhere) {
  tenon_status status = TENON_OK;
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next) {
      tenon_status one = TENON_OK;
      bool is_elsewhere = b->headers || (may_be_elsewhere && !b->sources);
      if (!tenon_glue_defines(b, k->function) && !is_elsewhere)
        one = b->libraries ? fail_undeclared(b, op, k) : fail_missing(b, op, k);
      if (status == TENON_OK) status = one;
    }
  return status;
}

// ---------------------------------------------------------------------------
// What the compiler says
// ---------------------------------------------------------------------------

// Whether it says that this function does not fit; the mark is followed by its
// number.
static bool is_marked(const char *errors, unsigned number) {
  char mark[48];
  snprintf(mark, sizeof mark, "[" TENON_GLUE_MARK " %u]", number);
  return strstr(errors, mark) != NULL;
}

// Whether a line has all of these, the name as a whole word.
static bool has_line(const char *errors, const char *what, const char *name) {
  tenon_text rest = tenon_text_of(errors), line;
  size_t size = strlen(name);
  while (tenon_text_next(&rest, '\n', &line)) {
    char copy[1024];
    snprintf(copy, sizeof copy, "%.*s", (int)line.size, line.data);
    if (!strstr(copy, what)) continue;
    for (const char *p = copy; (p = strstr(p, name)) != NULL; ++p) {
      char end = p[size], begin = p == copy ? ' ' : p[-1];
      if (!strchr("_0123456789", end) && !strchr("_", begin) &&
          !(end >= 'a' && end <= 'z') && !(end >= 'A' && end <= 'Z'))
        return true;
      if (!end) return true;
    }
  }
  return false;
}

// What stands between the brackets of a function's definition, in one line.
static void put_found(const tenon_bindings *b, const char *function,
                      tenon_buf *out) {
  tenon_text name, rest;
  for (const tenon_bind_file *f = b->sources; f; f = f->next) {
    for (size_t at = 0; tenon_glue_function(f->text, &at, &name);) {
      if (!tenon_text_is(name, function)) continue;
      const char *p = name.data + name.size;
      rest = (tenon_text){p, (size_t)(f->text.data + at - p)};
      tenon_buf_format(out, ": found %s", function);
      for (size_t i = 0; i < rest.size && rest.data[i] != '{'; ++i) {
        bool is_blank = strchr(" \t\r\n", rest.data[i]) != NULL;
        if (!is_blank) tenon_buf_char(out, rest.data[i]);
        if (is_blank && !out->failed && out->data[out->size - 1] != ' ')
          tenon_buf_char(out, ' ');
      }
      while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->data[--out->size] = 0;
      return;
    }
  }
}

static tenon_status fail_misfit(const tenon_bindings *b,
                                const tenon_bind_op *op,
                                const tenon_bind_kernel *k) {
  tenon_buf note, found;
  tenon_buf_init(&note, b->cx->allocator);
  tenon_buf_init(&found, b->cx->allocator);
  tenon_buf_text(&note, "expected ");
  tenon_glue_prototype(op, k, k->function, &note);
  put_found(b, k->function, &found);
  tenon_status status = tenon_yaml_fail_note(
      k->at, "binding-function", note.failed ? "" : note.data,
      "the C function '%s' does not fit '%s'%s", k->function, op->given->name,
      found.data && !found.failed ? found.data : "");
  tenon_buf_deinit(&found);
  tenon_buf_deinit(&note);
  return status;
}

static tenon_status bind_load_blame(const tenon_bindings *b,
                                    const char *errors) {
  tenon_status status = TENON_OK;
  unsigned number = 0;
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next, ++number) {
      tenon_status one = TENON_OK;
      if (is_marked(errors, number))
        one = fail_misfit(b, op, k);
      else if (has_line(errors, "undefined reference", k->function) ||
               has_line(errors, "undefined symbol", k->function))
        one = fail_missing(b, op, k);
      else if (has_line(errors, "undeclared", k->function))
        one = fail_undeclared(b, op, k);
      if (status == TENON_OK) status = one;
    }
  if (status != TENON_OK) return status;
  tenon_place place = {.file = b->path, .where = "plugin"};
  tenon_text line = tenon_plug_first_error(errors);
  return tenon_fail(&b->cx->report, TENON_BAD_PLUGIN, "plugin-compile", &place,
                    "'%s' does not compile its sources: %.*s", b->cx->compiler,
                    (int)line.size, line.data);
}

// ---------------------------------------------------------------------------
// Compiling
// ---------------------------------------------------------------------------

static size_t count_files(const tenon_bind_file *f) {
  size_t n = 0;
  for (; f; f = f->next)
    ++n;
  return n;
}

static const char *absolute(const tenon_bindings *b, const char *path) {
  char full[4096];
  return tenon_os_full_path(path, full, sizeof full)
             ? tenon_arena_string(b->arena, full)
             : path;
}

static const char **list_paths(const tenon_bindings *b,
                               const tenon_bind_file *f, bool is_absolute) {
  const char **list =
      tenon_arena_array(b->arena, const char *, count_files(f) + 1);
  for (size_t i = 0; list && f; f = f->next, ++i) {
    list[i] = is_absolute ? absolute(b, f->path) : f->path;
    if (!list[i]) return NULL;
  }
  return list;
}

// Of sources and headers, what they may include lies beside.
static const char **list_folders(const tenon_bindings *b) {
  const tenon_bind_file *lists[] = {b->sources, b->headers};
  size_t n = count_files(b->sources) + count_files(b->headers), at = 0;
  const char **list = tenon_arena_array(b->arena, const char *, n + 1);
  for (size_t l = 0; list && l < 2; ++l)
    for (const tenon_bind_file *f = lists[l]; f; f = f->next) {
      const char *slash = strrchr(f->path, '/');
      list[at] =
          slash ? tenon_arena_text(b->arena, f->path, (size_t)(slash - f->path))
                : ".";
      if (!list[at++]) return NULL;
    }
  return list;
}

static tenon_status bind_load_compile(const tenon_bindings *b, const char *text,
                                      tenon_buf *image) {
  tenon_buf errors;
  tenon_plug_unit unit = {.path = b->path, .text = text, .is_made = true};
  unit.folders = list_folders(b);
  unit.headers = list_paths(b, b->headers, false);
  unit.libraries = list_paths(b, b->libraries, true);
  unit.errors = &errors;
  if (!unit.folders || !unit.headers || !unit.libraries)
    return tenon_fail_memory(&b->cx->report, "loading bindings");
  tenon_buf_init(&errors, b->cx->allocator);
  tenon_status status = tenon_plug_compile(b->cx, &unit, image);
  if (status == TENON_OK && errors.size > 0)
    status = bind_load_blame(b, errors.data);
  tenon_buf_deinit(&errors);
  return status;
}

tenon_status tenon_bindings_load(tenon_bindings *b, const uint64_t id[2]) {
  tenon_buf text, compiled, image;
  TENON_TRY(tenon_bindings_check_seen(b));
  TENON_TRY(tenon_bindings_check_functions(b, false));
  tenon_buf_init(&text, b->cx->allocator);
  tenon_buf_init(&compiled, b->cx->allocator);
  tenon_buf_init(&image, b->cx->allocator);
  tenon_status status = tenon_glue_write(b, TENON_GLUE_COMPILED, &compiled);
  if (status == TENON_OK) status = tenon_glue_write(b, TENON_GLUE_KEPT, &text);
  if (status == TENON_OK) status = bind_load_compile(b, compiled.data, &image);
  // What comes from a library is not there to be emitted.
  if (status == TENON_OK)
    status = tenon_plug_open(b->cx, b->path, image.data, id,
                             b->libraries ? NULL : text.data);
  if (status == TENON_OK) status = tenon_bindings_remember(b);
  tenon_buf_deinit(&text);
  tenon_buf_deinit(&compiled);
  tenon_buf_deinit(&image);
  return status;
}
