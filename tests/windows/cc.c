// cc.c - a compiler for programs of Windows that run under Wine: it calls the
// cross compiler of the system below, with the same words.
//
//   cc.exe WORD...
//
// Wine starts programs of that system, but says neither when they end nor how,
// and they do not write to pipes of ours. So a shell is given a script, and its
// outputs and its exit code are files. Paths among the words are those of that
// system, then.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// It goes first.
#include <windows.h>

// Its functions of vectors have a stack of 16 bytes' alignment
// (cmake/mingw.cmake).
// CC_COMPILER is its name.
#define COMPILER                         \
  CC_COMPILER                            \
  " -static -D__USE_MINGW_ANSI_STDIO=1 " \
  "-Wa,-muse-unaligned-vector-move"

enum { WAIT_MOST = 600000 };  // milliseconds

typedef char *(CDECL *to_unix_fn)(const WCHAR *path);
static to_unix_fn to_unix;

static void put_quoted(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; ++text)
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fputc(*text, out);
  fputc('\'', out);
}

// "-IC:/x": where the path begins; null: there is none.
static const char *find_path(const char *word) {
  for (const char *p = word; *p; ++p) {
    const bool is_letter = (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z');
    const bool is_first = p == word || p[-1] == '=' || p[-1] == ',' ||
                          (p == word + 2 && *word == '-');
    if (is_letter && is_first && p[1] == ':' && (p[2] == '/' || p[2] == '\\'))
      return p;
  }
  return NULL;
}

// Paths as they were given, and as the compiler has them.
enum { PATHS_MOST = 256 };
static const char *given[PATHS_MOST];
static char *passed[PATHS_MOST];
static int n_paths;

static void put_word(FILE *out, const char *word) {
  WCHAR wide[4096];
  const char *path = find_path(word);
  char *found = NULL;
  fputc(' ', out);
  if (path && MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 4096) > 0)
    found = to_unix(wide);
  if (!found) {
    put_quoted(out, word);
    return;
  }
  for (; word < path; ++word)
    fputc(*word, out);
  put_quoted(out, found);
  if (n_paths == PATHS_MOST) return;
  given[n_paths] = path;
  passed[n_paths++] = found;
}

// The longest path that the text begins with; -1: none.
static int path_of(const char *text) {
  int best = -1;
  for (int i = 0; i < n_paths; ++i) {
    const size_t size = strlen(passed[i]);
    if (strncmp(text, passed[i], size) == 0 &&
        (best < 0 || size > strlen(passed[best])))
      best = i;
  }
  return best;
}

// Copies a file to a stream, with paths as they were given, and deletes it.
static void give(const char *path, FILE *to) {
  char line[8192];
  FILE *file = fopen(path, "rb");
  if (!file) return;
  while (fgets(line, sizeof line, file))
    for (const char *p = line; *p;) {
      const int i = path_of(p);
      if (i >= 0) fputs(given[i], to);
      if (i < 0) fputc(*p, to);
      p += i < 0 ? 1 : strlen(passed[i]);
    }
  fclose(file);
  (void)remove(path);
}

static int fail(const char *what) {
  fprintf(stderr, "cc.exe: %s\n", what);
  return 125;
}

static const char *name_of(const char *base, const char *suffix) {
  static char names[4][300];
  static int turn;
  char *name = names[turn = (turn + 1) % 4];
  snprintf(name, sizeof names[0], "%s%s", base, suffix);
  return name;
}

static bool write_script(const char *base, int argc, char **argv) {
  FILE *script = fopen(name_of(base, ".sh"), "wb");
  if (!script) return false;
  const char *below = base + 2;  // without "Z:"
  fputs(COMPILER, script);
  for (int i = 1; i < argc; ++i)
    put_word(script, argv[i]);
  // Behind them the library of fmaf (CC_LIBRARY), in front of the system's.
  fprintf(script,
          " " CC_LIBRARY
          " </dev/null >%s.out 2>%s.err\necho $? >%s.tmp\n"
          "mv %s.tmp %s.end\n",
          below, below, below, below, below);
  return fclose(script) == 0;
}

static int wait_for_end(const char *base) {
  int code = 0;
  for (int waited = 0; waited < WAIT_MOST; waited += 10) {
    FILE *end = fopen(name_of(base, ".end"), "rb");
    if (!end) {
      Sleep(10);
      continue;
    }
    const bool ok = fscanf(end, "%d", &code) == 1;
    fclose(end);
    (void)remove(name_of(base, ".end"));
    return ok ? code : fail("no exit code");
  }
  return fail("the compiler does not end");
}

int main(int argc, char **argv) {
  char base[256], line[600];
  STARTUPINFOA start = {.cb = sizeof start};
  PROCESS_INFORMATION child;
  HMODULE kernel = GetModuleHandleA("kernel32");
  void *symbol =
      (void *)(uintptr_t)GetProcAddress(kernel, "wine_get_unix_file_name");
  memcpy(&to_unix, &symbol, sizeof to_unix);
  if (!to_unix) return fail("this is not Wine: name a compiler in CC");
  snprintf(base, sizeof base, "Z:/tmp/tenon-cc-%lu-%lu", GetCurrentProcessId(),
           GetTickCount());
  if (!write_script(base, argc, argv)) return fail("no script is written");
  snprintf(line, sizeof line, "\"Z:\\bin\\sh\" %s", name_of(base + 2, ".sh"));
  if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &start,
                      &child))
    return fail("/bin/sh is not started");
  const int code = wait_for_end(base);
  give(name_of(base, ".out"), stdout);
  give(name_of(base, ".err"), stderr);
  (void)remove(name_of(base, ".sh"));
  return code;
}
