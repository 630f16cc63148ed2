// schemas.c - makes the rows of a catalog of schemas from its list.
//
//   schemas SET LIST OUT
//
// A line of LIST is the schema of operators without their set, whose names
// stand in front of it, behind `?` if their result is another each time, and
// then, each behind " | ", the forms of them that follow from it:
//
//   abs ceil(Tensor self) -> Tensor | _ | out
//
// Operators that differ in a type are one line: `{` types `}` in the first name
// is each of them in turn, and so is `{}` behind it:
//
//   clear.{int,str}(Dict({}, t)(a!) self) -> ()
//
// `_` is the form in place: the name with `_`, which writes `self` and gives it
// back, a list of tensors nothing. Anything else is the overload of an out
// variant: by keyword alone it takes a tensor for each result and writes it.
// Such an argument has the name of its result, or `out`, or where there are
// several `out0`, `out1` and so on; names of another kind stand behind a colon.
// The four arguments that say where a new tensor lies it has not. OUT gets a
// row each, ascending by name: {name, schema, functional, is_random},
// where `functional` is the name that a form in place follows from, or NULL.
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 8192, MOST_LINE = 4096, MOST_RESULTS = 26 };

typedef struct row {
  char *name, *schema, *functional;  // null: not a form in place
  bool is_random;
} row;
static row rows[MOST_ROWS];
static size_t n_rows;

static void fail(const char *what, const char *where) {
  fprintf(stderr, "schemas: %s: %s\n", what, where);
  exit(1);
}

static char *copy(const char *text, size_t size) {
  char *out = malloc(size + 1);
  if (!out) fail("no memory", text);
  memcpy(out, text, size);
  out[size] = 0;
  return out;
}

// ---------------------------------------------------------------------------
// Schemas
// ---------------------------------------------------------------------------

// A schema in parts: base.overload(args) -> results
typedef struct parts {
  char base[256], overload[256], args[MOST_LINE], results[MOST_LINE];
} parts;

static void split(const char *schema, parts *p) {
  const char *open = strchr(schema, '('), *close = NULL;
  for (const char *at = schema; (at = strstr(at, ") -> ")) != NULL; ++at)
    close = at;
  if (!open || !close || strlen(schema) >= MOST_LINE) fail("no schema", schema);
  size_t base = strcspn(schema, ".(");
  size_t overload = schema[base] == '.' ? base + 1 : base;
  if ((size_t)(open - schema) >= sizeof p->base) fail("a long name", schema);
  snprintf(p->base, sizeof p->base, "%.*s", (int)base, schema);
  snprintf(p->overload, sizeof p->overload, "%.*s",
           (int)((size_t)(open - schema) - overload), schema + overload);
  snprintf(p->args, sizeof p->args, "%.*s", (int)(close - open - 1), open + 1);
  snprintf(p->results, sizeof p->results, "%s", close + 5);
}

static row *add(const char *set, const char *schema, bool is_random) {
  size_t size = strlen(set) + 2 + strlen(schema);
  row r = {.schema = malloc(size + 1), .is_random = is_random};
  if (!r.schema || n_rows == MOST_ROWS) fail("too many schemas", schema);
  snprintf(r.schema, size + 1, "%s::%s", set, schema);
  r.name = copy(r.schema, strcspn(r.schema, "("));
  rows[n_rows] = r;
  return &rows[n_rows++];
}

// Formats, and fails where it does not fit.
static void put(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(out, size, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= size) fail("too long", out);
}

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

// ---------------------------------------------------------------------------
// Forms
// ---------------------------------------------------------------------------

static void put_in_place(const parts *p, char *out) {
  const char *one = "Tensor self", *list = "Tensor[] self";
  bool is_list = begins(p->args, list);
  if (!is_list && !begins(p->args, one)) fail("no `self` to write", p->base);
  put(out, MOST_LINE, "%s_%s%s(Tensor(a!)%s self%s) -> %s", p->base,
      *p->overload ? "." : "", p->overload, is_list ? "[]" : "",
      p->args + strlen(is_list ? list : one), is_list ? "()" : "Tensor(a!)");
}

// The arguments of an out variant up to its outs.
static void put_inputs(const char *args, char *out) {
  static const char where[] =
      "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
      "bool? pin_memory=None";
  const char *at = strstr(args, where);
  size_t size = at ? (size_t)(at - args) : strlen(args);
  put(out, MOST_LINE, "%.*s", (int)size, args);
  if (at) {
    at += strlen(where);
    if (begins(at, ", ")) at += 2;
    put(out + size, MOST_LINE - size, "%s", at);
  }
  size = strlen(out);
  while (size > 0 && (out[size - 1] == ' ' || out[size - 1] == ','))
    out[--size] = 0;
  bool has_star = begins(out, "*") || strstr(out, ", *") != NULL;
  put(out + size, MOST_LINE - size, "%s%s", size > 0 ? ", " : "",
      has_star ? "" : "*, ");
}

// The next name of a list of them; empty at its end.
static void take_name(const char **list, char name[64]) {
  size_t n = strcspn(*list, ",");
  put(name, 64, "%.*s", (int)n, *list);
  *list += n + ((*list)[n] == ',');
}

// `form` is an overload, and perhaps names.
static void put_out(const parts *p, const char *form, char *out) {
  static char inputs[MOST_LINE], outs[MOST_LINE], back[MOST_LINE];
  size_t overload = strcspn(form, ":"), n_outs = 0, n_back = 0;
  const char *names = form + overload + (form[overload] == ':');
  const char *at = p->results;
  bool is_tuple = *at == '(', is_only = !strchr(at, ',');
  put_inputs(p->args, inputs);
  if (strcmp(at, "Tensor[]") == 0) {
    put(out, MOST_LINE, "%s.%.*s(%sTensor(a!)[] %s) -> ()", p->base,
        (int)overload, form, inputs, *names ? names : "out");
    return;
  }
  at += is_tuple;
  for (int i = 0; begins(at, "Tensor") && i < MOST_RESULTS; ++i) {
    char name[64], result[64];
    at += strlen("Tensor");
    at += *at == ' ';
    size_t n = strcspn(at, ",)");
    put(result, sizeof result, "%.*s", (int)n, at);
    take_name(&names, name);
    if (!*name && *result) put(name, sizeof name, "%s", result);
    if (!*name && is_only) put(name, sizeof name, "out");
    if (!*name) put(name, sizeof name, "out%d", i);
    const char *comma = i > 0 ? ", " : "";
    put(outs + n_outs, sizeof outs - n_outs, "%sTensor(%c!) %s", comma, 'a' + i,
        name);
    put(back + n_back, sizeof back - n_back, "%sTensor(%c!)%s%s", comma,
        'a' + i, *result ? " " : "", result);
    n_outs = strlen(outs);
    n_back = strlen(back);
    at += n;
    if (begins(at, ", ")) at += 2;
  }
  if (n_outs == 0 || strcmp(at, is_tuple ? ")" : "") != 0)
    fail("not all of its results are tensors", p->base);
  put(out, MOST_LINE, "%s.%.*s(%s%s) -> %s%s%s", p->base, (int)overload, form,
      inputs, outs, is_tuple ? "(" : "", back, is_tuple ? ")" : "");
}

// ---------------------------------------------------------------------------
// Files
// ---------------------------------------------------------------------------

// The operator `name` with the rest of its line, in which `forms` stand.
static void read_operator(const char *set, const char *name, const char *rest,
                          const char *forms, bool is_random) {
  static parts p;
  static char schema[MOST_LINE], form[MOST_LINE], made[MOST_LINE];
  put(schema, sizeof schema, "%s%s", name, rest);
  char *functional = add(set, schema, is_random)->name;
  split(schema, &p);
  while (forms) {
    forms += strlen(" | ");
    const char *next = strstr(forms, " | ");
    put(form, sizeof form, "%.*s",
        (int)(next ? (size_t)(next - forms) : strlen(forms)), forms);
    bool is_in_place = strcmp(form, "_") == 0;
    if (is_in_place)
      put_in_place(&p, made);
    else
      put_out(&p, form, made);
    row *r = add(set, made, is_random);
    if (is_in_place) r->functional = functional;
    forms = next;
  }
}

static void read_line(const char *set, char *line) {
  static char rest[MOST_LINE];
  bool is_random = *line == '?';
  char *names = line + is_random, *open = strchr(line, '(');
  const char *forms = strstr(line, " | ");
  if (!open) fail("no schema", line);
  put(rest, sizeof rest, "%.*s",
      (int)(forms ? (size_t)(forms - open) : strlen(open)), open);
  *open = 0;
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
    read_operator(set, name, rest, forms, is_random);
}

// The line with each of the types that stand in braces.
static void read_lines(const char *set, char *line) {
  static char types[256], one[MOST_LINE];
  char *open = strchr(line, '{'), *close = open ? strchr(open, '}') : NULL;
  if (!close) {
    read_line(set, line);
    return;
  }
  put(types, sizeof types, "%.*s", (int)(close - open - 1), open + 1);
  memmove(open + 1, close, strlen(close) + 1);
  for (const char *type = types; *type;) {
    const char *at = line, *next;
    size_t size = 0, n = strcspn(type, ",");
    for (; (next = strstr(at, "{}")) != NULL; at = next + 2) {
      put(one + size, sizeof one - size, "%.*s%.*s", (int)(next - at), at,
          (int)n, type);
      size = strlen(one);
    }
    put(one + size, sizeof one - size, "%s", at);
    read_line(set, one);
    type += n + (type[n] == ',');
  }
}

static void read_list(const char *set, const char *path) {
  static char line[MOST_LINE];
  FILE *in = fopen(path, "rb");
  if (!in) fail("cannot read", path);
  while (fgets(line, sizeof line, in)) {
    size_t size = strlen(line);
    if (size == 0 || line[size - 1] != '\n') fail("a long line", line);
    line[size - 1] = 0;
    if (!begins(line, "//")) read_lines(set, line);
  }
  if (ferror(in)) fail("cannot read", path);
  fclose(in);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const row *)a)->name, ((const row *)b)->name);
}

static void put_literal(FILE *out, const char *text) {
  if (!text) {
    fputs("NULL", out);
    return;
  }
  fputc('"', out);
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage", "schemas SET LIST OUT");
  read_list(argv[1], argv[2]);
  qsort(rows, n_rows, sizeof *rows, by_name);
  FILE *out = fopen(argv[3], "wb");
  if (!out) fail("cannot write", argv[3]);
  for (size_t i = 0; i < n_rows; ++i) {
    if (i > 0 && by_name(&rows[i - 1], &rows[i]) == 0)
      fail("stands twice", rows[i].name);
    fputs("{", out);
    put_literal(out, rows[i].name);
    fputs(",\n ", out);
    put_literal(out, rows[i].schema);
    fputs(",\n ", out);
    put_literal(out, rows[i].functional);
    fprintf(out, ", %s},\n", rows[i].is_random ? "true" : "false");
  }
  if (fclose(out) != 0) fail("cannot write", argv[3]);
  return 0;
}
