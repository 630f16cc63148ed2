// kernels.c - makes reference kernels for many element types out of rows.
//
//   kernels LISTS.h ROOT FAMILY.def=OUT.c=TEXTS.c ...
//
// src/kern/README.md says what a row is and which names stand for what. Every
// row and type is one text: it is compiled as part of OUT.c, and stands in
// TEXTS.c as a tenon_source, so that emission copies only those a program
// calls, and who only runs kernels need not link their texts.
// LISTS.h has, for each operator, TENON_KERNELS_<op>(ROW): its kernels as
// ROW(name, types, in_place). The output depends on arguments and files alone.
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1 << 16, MAX_ARGS = 12, MAX_USES = 16, MAX_KERNELS = 4096 };

static void fail(const char *what, const char *name) {
  fprintf(stderr, "kernels: %s: %s\n", what, name);
  exit(1);
}

// ---------------------------------------------------------------------------
// Element types
// ---------------------------------------------------------------------------

// `name` is that of the type in the types of a kernel, `tag` that in the name
// of a kernel: s8 there means quantised. `number` is what is computed in.
typedef struct element {
  const char *name, *tag, *dtype, *element, *number, *load, *store, *wrap,
      *least, *most, *wide, *suffix;
} element;

static const element elements[] = {
    {"f32", "f32", "TENON_F32", "float", "float", "", "", "float", "", "",
     "f32", "f"},
    {"f64", "f64", "TENON_F64", "double", "double", "", "", "double", "", "",
     "f64", ""},
    {"f16", "f16", "TENON_F16", "uint16_t", "float", "tenon_f32_of_f16",
     "tenon_f16_of_f32", "float", "", "", "f32", "f"},
    {"bf16", "bf16", "TENON_BF16", "uint16_t", "float", "tenon_f32_of_bf16",
     "tenon_bf16_of_f32", "float", "", "", "f32", "f"},
    {"s8", "i8", "TENON_S8", "int8_t", "int32_t", "", "(int8_t)", "uint32_t",
     "INT8_MIN", "INT8_MAX", "s64", ""},
    {"s16", "s16", "TENON_S16", "int16_t", "int32_t", "", "(int16_t)",
     "uint32_t", "INT16_MIN", "INT16_MAX", "s64", ""},
    {"s32", "s32", "TENON_S32", "int32_t", "int32_t", "", "(int32_t)",
     "uint32_t", "INT32_MIN", "INT32_MAX", "s64", ""},
    {"s64", "s64", "TENON_S64", "int64_t", "int64_t", "", "(int64_t)",
     "uint64_t", "INT64_MIN", "INT64_MAX", "s64", ""},
    {"u8", "u8", "TENON_U8", "uint8_t", "uint32_t", "", "(uint8_t)", "uint32_t",
     "0", "UINT8_MAX", "u64", ""},
    {"u16", "u16", "TENON_U16", "uint16_t", "uint32_t", "", "(uint16_t)",
     "uint32_t", "0", "UINT16_MAX", "u64", ""},
    {"u32", "u32", "TENON_U32", "uint32_t", "uint32_t", "", "(uint32_t)",
     "uint32_t", "0", "UINT32_MAX", "u64", ""},
    {"u64", "u64", "TENON_U64", "uint64_t", "uint64_t", "", "(uint64_t)",
     "uint64_t", "0", "UINT64_MAX", "u64", ""},
    {"bool", "bool", "TENON_BOOL", "uint8_t", "uint32_t", "", "(uint8_t)!!",
     "uint32_t", "0", "1", "u64", ""},
    // In no group: quantised elements, whose meaning a scale gives.
    {"q8", "s8", "TENON_S8", "int8_t", "int32_t", "", "(int8_t)", "uint32_t",
     "INT8_MIN", "INT8_MAX", "s64", ""},
    {"q16", "s16q", "TENON_S16", "int16_t", "int32_t", "", "(int16_t)",
     "uint32_t", "INT16_MIN", "INT16_MAX", "s64", ""},
    {"qu8", "u8q", "TENON_U8", "uint8_t", "uint32_t", "", "(uint8_t)",
     "uint32_t", "0", "UINT8_MAX", "u64", ""},
    // In no group: strings are the same or not, and nothing is computed of
    // them.
    {"str", "str", "TENON_STR", "tenon_string", "tenon_string", "", "", "", "",
     "", "", ""},
};
enum { N_ELEMENTS = sizeof elements / sizeof *elements };

// Of an instance that has no element type.
static const element no_element = {"", "", "", "", "", "",
                                   "", "", "", "", "", ""};

// Words that stand for several types.
static const struct {
  const char *name, *types;
} groups[] = {
    {"floats", "f32 f64 f16 bf16"},
    {"signed", "s8 s16 s32 s64"},
    {"unsigned", "u8 u16 u32 u64"},
    {"ints", "s8 s16 s32 s64 u8 u16 u32 u64"},
    {"numbers", "f32 f64 f16 bf16 s8 s16 s32 s64 u8 u16 u32 u64"},
    {"all", "f32 f64 f16 bf16 s8 s16 s32 s64 u8 u16 u32 u64 bool"},
};

// ---------------------------------------------------------------------------
// Forms of rows
// ---------------------------------------------------------------------------

typedef struct form {
  const char *name, *types, *in_place, *header, *text;
} form;

// $1 is what is declared before the loop, $2 the expression.
static const form forms[] = {
    {"EACH", "T -> T", "TENON_IN_PLACE(0, 0)", "kern/loop/each.h",
     "TENON_EACH_AS(KERNEL, ELEMENT, LOAD, NUMBER, ELEMENT, STORE, $1, $2)\n"},
    {"EACH_BOOL", "T -> bool", "TENON_IN_PLACE(0, 0)", "kern/loop/each.h",
     "TENON_EACH_AS(KERNEL, ELEMENT, LOAD, NUMBER, uint8_t, (uint8_t), $1, "
     "$2)\n"},
    {"PAIR", "T, T -> T", "TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1)",
     "kern/loop/broadcast.h",
     "TENON_BROADCAST_AS(KERNEL, ELEMENT, LOAD, NUMBER, ELEMENT, STORE, $1, "
     "$2)\n"},
    // Not in place: an operand of as many bytes may have other elements.
    {"PAIR_BOOL", "T, T -> bool", "0", "kern/loop/broadcast.h",
     "TENON_BROADCAST_AS(KERNEL, ELEMENT, LOAD, NUMBER, uint8_t, (uint8_t), "
     "$1, $2)\n"},
    {"PAIR_DIVIDE", "T, T -> T", "TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1)",
     "kern/loop/divide.h",
     "TENON_DIVIDE_AS(KERNEL, ELEMENT, NUMBER, STORE, $1, $2)\n"},
};

typedef struct kernel {
  char op[48], name[64], types[128], in_place[96];
} kernel;
static kernel kernels[MAX_KERNELS];
static int n_kernels;

// One text and what it includes.
typedef struct text {
  char data[MAX_TEXT];
  size_t size;
  char uses[MAX_USES][64];
  int n_uses;
} text;

static void put(text *t, const char *data, size_t size) {
  if (t->size + size >= MAX_TEXT) fail("a text is too long", data);
  memcpy(t->data + t->size, data, size);
  t->size += size;
  t->data[t->size] = 0;
}

static void put_string(text *t, const char *s) {
  put(t, s, strlen(s));
}

static void use(text *t, const char *header) {
  for (int i = 0; i < t->n_uses; ++i)
    if (strcmp(t->uses[i], header) == 0) return;
  if (t->n_uses == MAX_USES || strlen(header) >= sizeof t->uses[0])
    fail("too many includes", header);
  strcpy(t->uses[t->n_uses++], header);
}

// ---------------------------------------------------------------------------
// Substitution
// ---------------------------------------------------------------------------

static bool ends_in(const char *word, size_t n, const char *end) {
  size_t m = strlen(end);
  return n > m && memcmp(word + n - m, end, m) == 0;
}

static bool is_word(const char *word, size_t n, const char *name) {
  return strlen(name) == n && memcmp(word, name, n) == 0;
}

static void put_word(text *t, const char *word, size_t n, const element *e,
                     const char *name) {
  const struct {
    const char *word, *with;
  } table[] = {
      {"ELEMENT", e->element}, {"NUMBER", e->number}, {"LOAD", e->load},
      {"STORE", e->store},     {"WRAP", e->wrap},     {"LEAST", e->least},
      {"MOST", e->most},       {"DTYPE", e->dtype},   {"NAME", name}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    if (is_word(word, n, table[i].word)) {
      put_string(t, table[i].with);
      return;
    }
  }
  bool is_number = isdigit((unsigned char)word[0]) != 0;
  if (is_word(word, n, "KERNEL")) {
    put_string(t, "tenon_k_");
    put_string(t, name);
  } else if (n > 5 && memcmp(word, "NAME_", 5) == 0) {
    put_string(t, name);
    put(t, word + 4, n - 4);
  } else if (ends_in(word, n, "_WIDE")) {
    put(t, word, n - 4);
    put_string(t, e->wide);
  } else if (ends_in(word, n, "_WIDE_of")) {
    put(t, word, n - 7);
    put_string(t, e->wide);
    put_string(t, "_of");
  } else if (n > 1 && word[n - 1] == 'F' && word[1] != 'x' &&
             (is_number || islower((unsigned char)word[n - 2]) ||
              isdigit((unsigned char)word[n - 2]))) {
    put(t, word, n - 1);
    put_string(t, e->suffix);
  } else {
    put(t, word, n);
  }
}

// Copies `from` with words replaced; comments are kept as they are.
static void put_for(text *t, const char *from, const element *e,
                    const char *name) {
  while (*from) {
    size_t n = 0;
    if (from[0] == '/' && from[1] == '/') {
      n = strcspn(from, "\n");
      put(t, from, n);
    } else if (isalnum((unsigned char)*from) || *from == '_') {
      bool is_number = isdigit((unsigned char)*from) != 0;
      while (isalnum((unsigned char)from[n]) || from[n] == '_' ||
             (is_number &&
              (from[n] == '.' || ((from[n] == '-' || from[n] == '+') &&
                                  (from[n - 1] == 'e' || from[n - 1] == 'E')))))
        ++n;
      put_word(t, from, n, e, name);
    } else {
      put(t, from, n = 1);
    }
    from += n;
  }
}

// The types of a kernel: T is the element's.
static void put_types(char *out, const char *types, const char *name) {
  for (; *types; ++types) {
    if (*types == 'T')
      out += strlen(strcpy(out, name));
    else
      *out++ = *types;
  }
  *out = 0;
}

// ---------------------------------------------------------------------------
// Output
// ---------------------------------------------------------------------------

static void put_ident(FILE *out, const char *file) {
  const char *slash = strrchr(file, '/');
  fputs("tenon_source_", out);
  for (const char *p = slash ? slash + 1 : file; *p; ++p)
    fputc(isalnum((unsigned char)*p) ? *p : '_', out);
}

static void put_literal(FILE *out, const char *data) {
  fputs("    \"", out);
  for (const char *p = data; *p; ++p) {
    if (*p == '\n')
      fputs(p[1] ? "\\n\"\n    \"" : "\\n", out);
    else if (*p == '"' || *p == '\\')
      fprintf(out, "\\%c", *p);
    else
      fputc(*p, out);
  }
  fputs("\"", out);
}

// Where a family goes.
typedef struct family {
  FILE *code, *texts;
} family;

static void put_kernel(const family *f, const kernel *k, const text *t) {
  FILE *out = f->texts;
  for (int i = 0; i < t->n_uses; ++i)
    fprintf(f->code, "#include \"%s\"\n", t->uses[i]);
  fprintf(f->code, "%s\n", t->data);
  for (int i = 0; i < t->n_uses; ++i) {
    fputs("extern const tenon_source ", out);
    put_ident(out, t->uses[i]);
    fputs(";\n", out);
  }
  fprintf(out, "static const tenon_source *const %s_uses[] = {", k->name);
  for (int i = 0; i < t->n_uses; ++i) {
    fputs("&", out);
    put_ident(out, t->uses[i]);
    fputs(", ", out);
  }
  fprintf(out, "NULL};\nconst tenon_source tenon_source_%s_c = {\n", k->name);
  fprintf(out, "    .struct_size = sizeof(tenon_source),\n");
  fprintf(out, "    .name = \"kern/ref/%s.c\",\n    .text =\n", k->name);
  put_literal(out, t->data);
  fprintf(out, ",\n    .uses = %s_uses,\n};\n\n", k->name);
}

static kernel *add_kernel(const char *op, const element *e, const char *types,
                          const char *in_place) {
  if (n_kernels == MAX_KERNELS) fail("too many kernels", op);
  kernel *k = &kernels[n_kernels++];
  if (strlen(op) >= sizeof k->op || strlen(in_place) >= sizeof k->in_place ||
      strlen(types) > 40)
    fail("too long", op);
  strcpy(k->op, op);
  strcpy(k->in_place, in_place);
  put_types(k->types, types, e->name);
  snprintf(k->name, sizeof k->name, "%s%s%s_ref", op, *e->tag ? "_" : "",
           e->tag);
  for (int i = 0; i + 1 < n_kernels; ++i)
    if (strcmp(kernels[i].name, k->name) == 0) fail("stands twice", k->name);
  return k;
}

// ---------------------------------------------------------------------------
// Rows
// ---------------------------------------------------------------------------

typedef struct row {
  char word[16], arg[MAX_ARGS][2048];
  int n;
} row;

static char *read_all(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) fail("cannot read", path);
  char *data = malloc(MAX_TEXT + 1);
  if (!data) fail("no memory", path);
  size_t size = fread(data, 1, MAX_TEXT, in);
  if (size == MAX_TEXT) fail("too long", path);
  data[size] = 0;
  fclose(in);
  return data;
}

static const char *skip(const char *p) {
  for (;;) {
    p += strspn(p, " \t\r\n");
    if (p[0] != '/' || p[1] != '/') return p;
    p += strcspn(p, "\n");
  }
}

// One argument: a bare word, or strings one after the other.
static const char *read_arg(const char *p, char out[2048]) {
  size_t n = 0;
  if (*p != '"') {
    n = strcspn(p, ",) \t\n");
    if (n >= 2048) fail("strange argument", p);
    memcpy(out, p, n);
    out[n] = 0;
    return skip(p + n);
  }
  while (*p == '"') {
    for (++p; *p && *p != '"'; ++p) {
      if (*p == '\\') ++p;
      if (!*p || n >= 2000) fail("strange string", out);
      out[n++] = p[-1] == '\\' && *p == 'n' ? '\n' : *p;
    }
    p = skip(*p ? p + 1 : p);
  }
  out[n] = 0;
  return p;
}

// The row at p; null at the end of the file.
static const char *read_row(const char *p, row *r) {
  p = skip(p);
  if (!*p) return NULL;
  size_t n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  if (n == 0 || n >= sizeof r->word || p[n] != '(') fail("no row", p);
  memcpy(r->word, p, n);
  r->word[n] = 0;
  r->n = 0;
  for (p += n; *p == ',' || *p == '(';) {
    if (r->n == MAX_ARGS) fail("too many arguments", r->arg[0]);
    p = read_arg(skip(p + 1), r->arg[r->n++]);
  }
  if (*p != ')') fail("a row does not end", r->arg[0]);
  return p + 1;
}

static const element *find_element(const char *name, size_t n) {
  for (int i = 0; i < N_ELEMENTS; ++i)
    if (is_word(name, n, elements[i].name)) return &elements[i];
  return NULL;
}

typedef void type_fn(const family *out, const char *root, const row *r,
                     const element *e);

static void for_types(const family *out, const char *root, const row *r,
                      const char *types, type_fn *f) {
  for (size_t n; *types; types += n) {
    types += strspn(types, " ");
    n = strcspn(types, " ");
    if (n == 0) break;
    const element *e = find_element(types, n);
    if (e) {
      f(out, root, r, e);
      continue;
    }
    size_t g = 0;
    while (g < sizeof groups / sizeof *groups &&
           !is_word(types, n, groups[g].name))
      ++g;
    if (g == sizeof groups / sizeof *groups) fail("no such type", types);
    for_types(out, root, r, groups[g].types, f);
  }
}

// What loads and stores need.
static void use_half(text *t, const element *e) {
  if (*e->load) use(t, "kern/num/half.h");
}

// FORM(op, types, before, expression, headers...)
static void make_form(const family *out, const char *root, const row *r,
                      const element *e) {
  static text t;
  const form *f = forms;
  (void)root;
  while (strcmp(f->name, r->word) != 0)
    ++f;
  const kernel *k = add_kernel(r->arg[0], e, f->types, f->in_place);
  memset(&t, 0, sizeof t);
  use_half(&t, e);
  use(&t, f->header);
  for (int i = 4; i < r->n; ++i)
    use(&t, r->arg[i]);
  put_string(&t, "// ");
  put_string(&t, k->name);
  put_string(&t, ".c - ");
  put_for(&t, r->arg[3], e, k->name);
  put_string(&t, "\n");
  for (const char *p = f->text; *p; ++p) {
    if (*p == '$')
      put_for(&t, r->arg[*++p == '1' ? 2 : 3], e, k->name);
    else
      put(&t, p, 1);
  }
  static text whole;
  whole = t;
  whole.size = 0;
  put_for(&whole, t.data, e, k->name);
  put_kernel(out, k, &whole);
}

// BODY(op, types, "T -> T", in place, file): a file with words in place of
// types; its include lines are what it uses.
static void make_body(const family *out, const char *root, const row *r,
                      const element *e) {
  static text t;
  char path[4096], header[64];
  const kernel *k = add_kernel(r->arg[0], e, r->arg[2], r->arg[3]);
  snprintf(path, sizeof path, "%s/%s", root, r->arg[4]);
  char *body = read_all(path);
  memset(&t, 0, sizeof t);
  use_half(&t, e);
  bool after_blank = true;
  for (char *line = body, *end; *line; line = end) {
    end = line + strcspn(line, "\n") + 1;
    char last = *end;
    *end = 0;
    if (sscanf(line, "#include \"%63[^\"]\"", header) == 1)
      use(&t, header);
    else if (line[0] != '#' && (line[0] != '\n' || !after_blank))
      put_for(&t, line, e, k->name);
    if (line[0] != '#') after_blank = line[0] == '\n';
    *end = last;
  }
  free(body);
  put_kernel(out, k, &t);
}

// INSTANCE(op, types, what it is, text, headers...): a macro's kernel, which no
// list has: its descriptor is written by hand.
static void make_instance(const family *out, const char *root, const row *r,
                          const element *e) {
  static text t;
  (void)root;
  kernel *k = add_kernel(r->arg[0], e, "", "0");
  k->op[0] = 0;
  memset(&t, 0, sizeof t);
  for (int i = 4; i < r->n; ++i)
    use(&t, r->arg[i]);
  put_string(&t, "// ");
  put_string(&t, k->name);
  put_string(&t, ".c - ");
  put_string(&t, r->arg[2]);
  put_string(&t, "\n");
  put_for(&t, r->arg[3], e, k->name);
  put_string(&t, "\n");
  put_kernel(out, k, &t);
}

// CALL(op, what it is, call, headers...): a kernel that calls a function of a
// header with `c`, `begin` and `end`. CALL_ITEMS has in front of the call what
// counts items, where they are no product of dimensions.
static void make_call(const family *out, const char *root, const row *r,
                      const element *e) {
  static row instance;
  const bool has_items = strcmp(r->word, "CALL_ITEMS") == 0;
  const int call = has_items ? 3 : 2;
  char items[512] = "";
  if (has_items)
    snprintf(
        items, sizeof items,
        "// Emitted C asks where sizes are open.\n"
        "TENON_INLINE int64_t tenon_k_%.47s_ref_items(const tenon_call *c) {\n"
        "  return %.128s;\n}\n\n",
        r->arg[0], r->arg[2]);
  memset(&instance, 0, sizeof instance);
  strcpy(instance.arg[0], r->arg[0]);
  strcpy(instance.arg[2], r->arg[1]);
  snprintf(instance.arg[3], sizeof instance.arg[3],
           "%sTENON_KERNEL_RANGE(KERNEL) {\n  return %.1024s;\n}", items,
           r->arg[call]);
  instance.n = 4;
  for (int i = call + 1; i < r->n; ++i)
    strcpy(instance.arg[instance.n++], r->arg[i]);
  make_instance(out, root, &instance, e);
}

static FILE *begin(const char *path) {
  FILE *out = fopen(path, "w");
  if (!out) fail("cannot write", path);
  fputs("// Made by tools/kernels.c from rows of src/kern/rows/.\n", out);
  return out;
}

static void make_family(const char *root, const char *def, const char *code,
                        const char *texts) {
  static row r;
  char *data = read_all(def);
  const family f = {begin(code), begin(texts)}, *out = &f;
  fputs("#include <math.h>\n#include <string.h>\n\n", f.code);
  fputs("#include \"kern/sources.h\"\n\n", f.code);
  fputs("#include \"kern/sources.h\"\n\n", f.texts);
  for (const char *p = data; (p = read_row(p, &r)) != NULL;) {
    bool is_form = false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
      is_form = is_form || strcmp(r.word, forms[i].name) == 0;
    if (is_form && r.n >= 4)
      for_types(out, root, &r, r.arg[1], make_form);
    else if (strcmp(r.word, "INSTANCE") == 0 && r.n >= 5 && !*r.arg[1])
      make_instance(out, root, &r, &no_element);
    else if (strcmp(r.word, "INSTANCE") == 0 && r.n >= 5)
      for_types(out, root, &r, r.arg[1], make_instance);
    else if ((strcmp(r.word, "CALL") == 0 && r.n >= 4) ||
             (strcmp(r.word, "CALL_ITEMS") == 0 && r.n >= 5))
      make_call(out, root, &r, &no_element);
    else if (strcmp(r.word, "BODY") == 0 && r.n == 5)
      for_types(out, root, &r, r.arg[1], make_body);
    else
      fail("strange row", r.arg[0]);
  }
  if (fclose(f.code) != 0) fail("cannot write", code);
  if (fclose(f.texts) != 0) fail("cannot write", texts);
  free(data);
}

// Kernels of one operator in the order of their rows, whatever their family.
static void put_lists(const char *path) {
  FILE *out = fopen(path, "w");
  if (!out) fail("cannot write", path);
  fputs(
      "// Made by tools/kernels.c: kernels by operator, as ROW(name, types,\n"
      "// in_place).\n#ifndef TENON_KERN_EACH_LISTS_H\n"
      "#define TENON_KERN_EACH_LISTS_H\n\n",
      out);
  for (int i = 0; i < n_kernels; ++i) {
    bool is_first = *kernels[i].op != 0;
    for (int k = 0; k < i; ++k)
      is_first = is_first && strcmp(kernels[k].op, kernels[i].op) != 0;
    if (!is_first) continue;
    fprintf(out, "#define TENON_KERNELS_%s(ROW)", kernels[i].op);
    for (int k = i; k < n_kernels; ++k)
      if (strcmp(kernels[k].op, kernels[i].op) == 0)
        fprintf(out, " \\\n  ROW(%s, \"%s\", %s)", kernels[k].name,
                kernels[k].types, kernels[k].in_place);
    fputs("\n\n", out);
  }
  fputs("#define TENON_KERNELS_ALL(ROW)", out);
  for (int i = 0; i < n_kernels; ++i)
    fprintf(out, " \\\n  ROW(%s, \"%s\", %s)", kernels[i].name,
            kernels[i].types, kernels[i].in_place);
  fputs("\n\n#endif  // TENON_KERN_EACH_LISTS_H\n", out);
  if (fclose(out) != 0) fail("cannot write", path);
}

int main(int argc, char **argv) {
  if (argc < 3)
    fail("usage", "kernels LISTS.h ROOT FAMILY.def=OUT.c=TEXTS.c ...");
  for (int i = 3; i < argc; ++i) {
    char *code = strchr(argv[i], '='), *texts = code;
    if (code) texts = strchr(code + 1, '=');
    if (!texts) fail("no outputs", argv[i]);
    *code++ = 0;
    *texts++ = 0;
    make_family(argv[2], argv[i], code, texts);
  }
  put_lists(argv[1]);
  return 0;
}
