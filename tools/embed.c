// embed.c - turns the texts of kernels and headers into one C file, so that the
// library can emit them and compile plugins without files of its own at hand.
//
//   embed OUT --kern DIR FILE... --public DIR FILE...
//
// A FILE is named as it is included ("kern/num/fixed.h", "tenon/base.h") and
// read from DIR. A kernel text becomes `tenon_source tenon_source_<basename>`:
// its #include lines are dropped, since emission prints the public headers
// first, and the ones of "kern/..." become `uses`. A public header is kept as
// it is and goes into the list tenon_public_header_sources. The output depends
// on the arguments and the files alone.
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 1024, MAX_USES = 32, MAX_NAME = 128 };

static void fail(const char *what, const char *name) {
  fprintf(stderr, "embed: %s: %s\n", what, name);
  exit(1);
}

// "kern/ref/products/conv_s8_ref.c" to "conv_s8_ref_c".
static void put_ident(FILE *out, const char *file) {
  const char *slash = strrchr(file, '/');
  fputs("tenon_source_", out);
  for (const char *p = slash ? slash + 1 : file; *p; ++p)
    fputc(isalnum((unsigned char)*p) ? *p : '_', out);
}

static void put_literal(FILE *out, const char *line) {
  fputs("    \"", out);
  for (const char *p = line; *p; ++p) {
    unsigned char ch = (unsigned char)*p;
    if (ch == '\n')
      fputs("\\n", out);
    else if (ch == '"' || ch == '\\')
      fprintf(out, "\\%c", ch);
    else if (ch < ' ' || ch > '~')
      fprintf(out, "\\%03o", ch);
    else
      fputc(ch, out);
  }
  fputs("\"\n", out);
}

// True for an #include line; `name` is what stands in quotes, or empty.
static bool parse_include(const char *line, char name[MAX_NAME]) {
  const char *p = line + strspn(line, " \t");
  name[0] = 0;
  if (*p != '#') return false;
  ++p;
  p += strspn(p, " \t");
  if (strncmp(p, "include", 7) != 0) return false;
  p += 7;
  p += strspn(p, " \t");
  if (*p != '"') return *p == '<';
  const char *end = strchr(p + 1, '"');
  if (!end || end - p - 1 >= MAX_NAME) fail("strange #include", line);
  memcpy(name, p + 1, (size_t)(end - p - 1));
  name[end - p - 1] = 0;
  return true;
}

typedef struct names {
  char name[MAX_USES][MAX_NAME];
  int count;
} names;

// The text as a string; what a kernel text includes of kern/ goes to `uses`.
static void put_text(FILE *out, const char *path, const char *file,
                     bool is_kern, names *uses) {
  char line[MAX_LINE], name[MAX_NAME];
  bool after_blank = true;  // dropped lines leave no gaps behind
  FILE *in = fopen(path, "r");
  if (!in) fail("cannot read", path);
  fputs("static const char ", out);
  put_ident(out, file);
  fputs("_text[] =\n", out);
  while (fgets(line, sizeof line, in)) {
    if (!strchr(line, '\n')) fail("long or unfinished line in", path);
    // Intrinsics are of no header that emission prints first.
    bool is_intrinsics = strstr(line, "<arm_") != NULL;
    if (is_kern && !is_intrinsics && parse_include(line, name)) {
      if (strncmp(name, "kern/", 5) == 0) {
        if (uses->count == MAX_USES) fail("too many includes in", path);
        strcpy(uses->name[uses->count++], name);
      }
      continue;
    }
    bool is_blank = line[0] == '\n';
    if (!is_kern || !is_blank || !after_blank) put_literal(out, line);
    after_blank = is_blank;
  }
  fputs("    \"\";\n", out);
  fclose(in);
}

static void put_uses(FILE *out, const char *file, const names *uses) {
  for (int i = 0; i < uses->count; ++i) {
    fputs("extern const tenon_source ", out);
    put_ident(out, uses->name[i]);
    fputs(";\n", out);
  }
  fputs("static const tenon_source *const ", out);
  put_ident(out, file);
  fputs("_uses[] = {\n", out);
  for (int i = 0; i < uses->count; ++i) {
    fputs("    &", out);
    put_ident(out, uses->name[i]);
    fputs(",\n", out);
  }
  fputs("    NULL};\n", out);
}

static void put_source(FILE *out, const char *dir, const char *file,
                       bool is_kern) {
  char path[4096];
  names uses = {.count = 0};
  snprintf(path, sizeof path, "%s/%s", dir, file);
  put_text(out, path, file, is_kern, &uses);
  if (uses.count) put_uses(out, file, &uses);
  const char *linkage = is_kern ? "" : "static ";
  fprintf(out, "%sconst tenon_source ", is_kern ? "extern " : linkage);
  put_ident(out, file);
  fprintf(out, ";\n%sconst tenon_source ", linkage);
  put_ident(out, file);
  fprintf(out, " = {\n    .struct_size = sizeof(tenon_source),\n");
  fprintf(out, "    .name = \"%s\",\n    .text = ", file);
  put_ident(out, file);
  fputs("_text,\n", out);
  if (uses.count) {
    fputs("    .uses = ", out);
    put_ident(out, file);
    fputs("_uses,\n", out);
  }
  fputs("};\n\n", out);
}

static void put_list(FILE *out, const char *name, int argc, char **argv,
                     const char *mode) {
  bool is_on = false;
  fprintf(out, "const tenon_source *const %s[] = {\n", name);
  for (int i = 2; i < argc; ++i) {
    if (strncmp(argv[i], "--", 2) == 0) {
      is_on = strcmp(argv[i++], mode) == 0;
    } else if (is_on) {
      fputs("    &", out);
      put_ident(out, argv[i]);
      fputs(",\n", out);
    }
  }
  if (strcmp(mode, "--kern") == 0)
    fputs(
        "#define ROW(name, types, in_place) &tenon_source_##name##_c,\n"
        "    TENON_KERNELS_ALL(ROW)\n#undef ROW\n",
        out);
  fputs("    NULL};\n\n", out);
}

int main(int argc, char **argv) {
  if (argc < 3) fail("usage", "embed OUT --kern DIR FILE... --public DIR ...");
  FILE *out = fopen(argv[1], "w");
  if (!out) fail("cannot write", argv[1]);
  fputs("// Made by tools/embed.c from the files named below.\n", out);
  fputs("#include \"kern/sources.h\"\n\n", out);
  bool is_kern = true;
  const char *dir = ".";
  for (int i = 2; i < argc; ++i) {
    if (strncmp(argv[i], "--", 2) == 0) {
      is_kern = strcmp(argv[i], "--kern") == 0;
      if (!is_kern && strcmp(argv[i], "--public") != 0)
        fail("unknown option", argv[i]);
      if (++i == argc) fail("missing folder after", argv[i - 1]);
      dir = argv[i];
    } else {
      put_source(out, dir, argv[i], is_kern);
    }
  }
  put_list(out, "tenon_kernel_sources", argc, argv, "--kern");
  put_list(out, "tenon_public_header_sources", argc, argv, "--public");
  if (fclose(out) != 0) fail("cannot write", argv[1]);
  return 0;
}
