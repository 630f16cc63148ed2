// generate.c - continues a text, one character at a time, with two programs
// that share their states: one reads the prompt, the other a character.
//
//   generate FOLDER [--prompt TEXT] [--count N] [--temperature T] [--top K]
//            [--seed S] [--threads N]
//
// The folder has prefill.pt2 and decode.pt2 of make_model.py. The text goes to
// standard output, times to standard error. Temperature 0 takes the likeliest
// character; else one of the K likeliest is drawn (0: of all).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>
#include <time.h>

enum { CHARACTERS = 96, BLOCKS = 8 };  // blank to '~', and the end of a line

typedef struct options {
  const char *folder, *prompt;
  long count, top, threads;
  double temperature;
  uint64_t seed;
} options;

typedef struct model {
  void *files[2];
  tenon_context *cx;
  tenon_module *modules[2];
  tenon_program *program;
  tenon_pool *pool;
  void *memory[BLOCKS];
  tenon_session *session;
  int prefill, decode;  // entry points
  int64_t longest;      // characters that the cache holds
} model;

static void print_diag(void *self, const tenon_diag *d) {
  char text[512];
  (void)self;
  tenon_text_show(text, sizeof text, d->message);
  fprintf(stderr, "generate: %s\n", text);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- The model ---------------------------------------------------------------

static void *load(const char *folder, const char *name, size_t *size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "rb");
  long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  void *data = n >= 0 ? aligned_alloc(64, ((size_t)n / 64 + 2) * 64)
                      : NULL;  // 64 behind
  if (!data || fseek(f, 0, SEEK_SET) != 0 ||
      fread(data, 1, (size_t)n, f) != (size_t)n) {
    fprintf(stderr, "generate: cannot read '%s'\n", path);
    free(data);
    data = NULL;
  }
  if (f) fclose(f);
  *size = n >= 0 ? (size_t)n : 0;
  return data;
}

static tenon_status compile(model *m, const char *folder) {
  static const char *const names[] = {"prefill", "decode"};
  static const char *const shared[] = {"*", NULL};
  tenon_entry entries[2];
  for (int i = 0; i < 2; ++i) {
    char file[32];
    size_t size;
    snprintf(file, sizeof file, "%s.pt2", names[i]);
    m->files[i] = load(folder, file, &size);
    if (!m->files[i]) return TENON_BAD_ARGUMENT;
    const tenon_read_options o = {.struct_size = sizeof o, .name = file};
    tenon_status status =
        tenon_module_read(m->cx, m->files[i], size, &o, &m->modules[i]);
    if (status != TENON_OK) return status;
    entries[i] = (tenon_entry){.name = names[i], .module = m->modules[i]};
  }
  // Keys and values that the one has written, the other reads.
  const tenon_compile_options o = {.struct_size = sizeof o,
                                   .shared_states = shared};
  return tenon_program_compile(entries, 2, &o, &m->program);
}

static tenon_status open_session(model *m, int threads) {
  tenon_memory need[BLOCKS];
  const size_t n = tenon_program_memory(m->program, threads, need, BLOCKS);
  tenon_session_options o = {.struct_size = sizeof o, .memory = m->memory};
  for (size_t i = 0; i < n && i < BLOCKS; ++i) {
    m->memory[i] = aligned_alloc(need[i].align, need[i].size);
    if (!m->memory[i]) return TENON_NO_MEMORY;
  }
  if (threads > 1) {
    tenon_status status = tenon_pool_create(NULL, threads, &m->pool);
    if (status != TENON_OK) return status;
    o.parallel = tenon_pool_parallel(m->pool);
  }
  return tenon_session_init(m->program, &o, &m->session);
}

static tenon_status open_model(model *m, const options *o) {
  const tenon_context_options c = {.struct_size = sizeof c,
                                   .diag = {NULL, print_diag}};
  tenon_tensor keys;
  tenon_status status = tenon_context_create(&c, &m->cx);
  if (status == TENON_OK) status = compile(m, o->folder);
  if (status == TENON_OK) status = open_session(m, (int)o->threads);
  if (status == TENON_OK)
    status = tenon_session_state(m->session, "blocks.0.keys", &keys);
  if (status != TENON_OK) return status;
  m->prefill = tenon_program_find(m->program, "prefill");
  m->decode = tenon_program_find(m->program, "decode");
  m->longest = keys.dims[2];
  return TENON_OK;
}

static void close_model(model *m) {
  if (m->session) tenon_session_deinit(m->session);
  tenon_pool_destroy(m->pool);
  tenon_program_destroy(m->program);
  for (int i = 0; i < BLOCKS; ++i)
    free(m->memory[i]);
  for (int i = 0; i < 2; ++i) {
    tenon_module_destroy(m->modules[i]);
    free(m->files[i]);
  }
  tenon_context_destroy(m->cx);
}

// Reads n characters, whose places are `at` and on; the scores of what comes
// next. They stay in the session's memory until the next run.
static const float *run(model *m, const int64_t *ids, int32_t n, int64_t at) {
  const int32_t ids_dims[] = {1, n}, at_dims[] = {n};
  int64_t *places = malloc((size_t)n * sizeof *places);
  if (!places) return NULL;
  for (int32_t i = 0; i < n; ++i)
    places[i] = at + i;
  const tenon_tensor in[] = {
      {.data = (void *)(uintptr_t)ids,
       .dims = ids_dims,
       .dtype = TENON_S64,
       .rank = 2},
      {.data = places, .dims = at_dims, .dtype = TENON_S64, .rank = 1}};
  tenon_tensor out = {0};
  const tenon_status status = tenon_session_run(
      m->session, n == 1 ? m->decode : m->prefill, in, 2, &out, 1);
  free(places);
  return status == TENON_OK ? out.data : NULL;
}

// --- The choice --------------------------------------------------------------

// From 0 to below 1, by a generator of Marsaglia's.
static double draw(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static int likeliest(const float *scores) {
  int best = 0;
  for (int i = 1; i < CHARACTERS; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

// How many scores are larger, or equal and before.
static long place_of(const float *scores, int c) {
  long place = 0;
  for (int i = 0; i < CHARACTERS; ++i)
    place += scores[i] > scores[c] || (scores[i] == scores[c] && i < c);
  return place;
}

static int choose(const float *scores, options *o) {
  const int best = likeliest(scores);
  double weights[CHARACTERS], sum = 0;
  if (o->temperature <= 0) return best;
  for (int i = 0; i < CHARACTERS; ++i) {
    weights[i] = exp((double)(scores[i] - scores[best]) / o->temperature);
    if (o->top > 0 && place_of(scores, i) >= o->top) weights[i] = 0;
    sum += weights[i];
  }
  double left = draw(&o->seed) * sum;
  for (int i = 0; i < CHARACTERS; ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return best;
}

// --- The text ----------------------------------------------------------------

static int64_t number_of(char c) {
  return c == '\n' ? 95 : c >= ' ' && c <= '~' ? c - ' ' : 0;
}

static void put(int64_t id) {
  putchar(id == 95 ? '\n' : (int)(' ' + id));
  fflush(stdout);
}

static int generate(model *m, options *o) {
  const size_t length = strlen(o->prompt);
  if (length < 1 || (int64_t)length >= m->longest) {
    fprintf(stderr,
            "generate: a prompt has 1 to %lld characters, this one %zu\n",
            (long long)m->longest - 1, length);
    return 1;
  }
  int64_t *ids = malloc(length * sizeof *ids), at = (int64_t)length;
  if (!ids) return 1;
  for (size_t i = 0; i < length; ++i)
    put(ids[i] = number_of(o->prompt[i]));
  double begun = now();
  const float *scores = run(m, ids, (int32_t)length, 0);
  free(ids);
  fprintf(stderr, "prompt: %zu characters, %.0f a second\n", length,
          (double)length / (now() - begun));
  long i = 0;
  for (begun = now(); scores && i < o->count && at < m->longest; ++i, ++at) {
    const int64_t id = choose(scores, o);
    put(id);
    scores = run(m, &id, 1, at);
  }
  putchar('\n');
  if (!scores) return 1;
  fprintf(stderr, "answer: %ld characters, %.0f a second\n", i,
          (double)i / (now() - begun));
  if (i < o->count) fprintf(stderr, "the cache is full\n");
  return 0;
}

static bool read_options(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strncmp(argv[i], "--", 2) != 0) {
      if (o->folder) return false;
      o->folder = argv[i];
      continue;
    }
    if (!value) return false;
    if (strcmp(argv[i], "--prompt") == 0)
      o->prompt = value;
    else if (strcmp(argv[i], "--count") == 0)
      o->count = atol(value);
    else if (strcmp(argv[i], "--temperature") == 0)
      o->temperature = atof(value);
    else if (strcmp(argv[i], "--top") == 0)
      o->top = atol(value);
    else if (strcmp(argv[i], "--seed") == 0)
      o->seed = strtoull(value, NULL, 10);
    else if (strcmp(argv[i], "--threads") == 0)
      o->threads = atol(value);
    else
      return false;
    ++i;
  }
  if (o->seed == 0) o->seed = 1;  // the generator stands still at 0
  return o->folder && o->threads >= 1 && o->threads <= 64;
}

int main(int argc, char **argv) {
  options o = {.prompt = "A model is ", .count = 120, .threads = 1, .seed = 1};
  model m = {0};
  if (!read_options(argc, argv, &o)) {
    fprintf(stderr,
            "usage: generate FOLDER [--prompt TEXT] [--count N] "
            "[--temperature T] [--top K] [--seed S] [--threads N]\n");
    return 2;
  }
  const int result = open_model(&m, &o) == TENON_OK ? generate(&m, &o) : 1;
  close_model(&m);
  return result;
}
