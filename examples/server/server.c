// server.c - a model behind HTTP: POST /run takes the raw bytes of all inputs
// and answers those of all outputs.
//
//   server MODEL [--port N] [--workers N] [--queue N] [--plugin P]...
//
// One thread of libmicrohttpd reads and writes all connections. A request whose
// body is whole waits in a bounded queue, its connection suspended, until a
// worker has computed it; when the queue is full it is answered with 503 at
// once. SIGTERM and SIGINT end it: no new connections, every request that has
// been taken is answered, then the threads end.
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

typedef struct server {
  jobs *jobs;
  metrics metrics;
  const tenon_program *program;
  size_t most_body;
} server;

// A request while it comes in: a job, or what is wrong with it.
typedef struct request {
  job job;  // first: a job is its request
  server *of;
  bool is_run;       // POST /run
  bool is_answered;  // a response was queued
  bool is_too_long;
} request;

static const char *name_of(tenon_dtype t) {
  static const struct {
    tenon_dtype type;
    const char *name;
  } names[] = {{TENON_BOOL, "bool"}, {TENON_S8, "s8"},     {TENON_U8, "u8"},
               {TENON_S16, "s16"},   {TENON_U16, "u16"},   {TENON_S32, "s32"},
               {TENON_U32, "u32"},   {TENON_S64, "s64"},   {TENON_U64, "u64"},
               {TENON_F16, "f16"},   {TENON_BF16, "bf16"}, {TENON_F32, "f32"},
               {TENON_F64, "f64"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (names[i].type == t) return names[i].name;
  return "other";
}

// --- answers ----------------------------------------------------------------

static enum MHD_Result answer(server *s, struct MHD_Connection *c,
                              unsigned status, const char *type,
                              const void *data, size_t size) {
  struct MHD_Response *r = MHD_create_response_from_buffer(
      size, (void *)(uintptr_t)data, MHD_RESPMEM_MUST_COPY);
  if (!r) return MHD_NO;
  (void)MHD_add_response_header(r, "Content-Type", type);
  if (status == 503) (void)MHD_add_response_header(r, "Retry-After", "1");
  enum MHD_Result done = MHD_queue_response(c, status, r);
  MHD_destroy_response(r);
  if (done == MHD_YES) metrics_answer(&s->metrics, status);
  return done;
}

static enum MHD_Result say(server *s, struct MHD_Connection *c, unsigned status,
                           const char *text) {
  return answer(s, c, status, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result give_metrics(server *s, struct MHD_Connection *c) {
  char text[16384];
  size_t queued = 0, running = 0;
  jobs_count(s->jobs, &queued, &running);
  size_t n = metrics_print(&s->metrics, queued, running, text, sizeof text);
  return answer(s, c, 200, "text/plain; version=0.0.4", text, n);
}

static size_t print_list(const tenon_program *p, uint32_t kind, char *to,
                         size_t size) {
  tenon_io list[64];
  size_t n = tenon_program_io(p, 0, kind, list, 64), at = 0;
  for (size_t i = 0; i < n; ++i) {
    char name[256];
    (void)tenon_text_json(name, sizeof name, list[i].name);
    int used =
        snprintf(to + at, size - at,
                 "%s{\"name\": \"%s\", \"dtype\": \"%s\", \"shape\": "
                 "\"%s\"}",
                 i ? ", " : "", name, name_of(list[i].dtype), list[i].shape);
    if (used > 0 && (size_t)used < size - at) at += (size_t)used;
  }
  return at;
}

static enum MHD_Result give_model(server *s, struct MHD_Connection *c) {
  char in[16384] = "", out[16384] = "", text[40000];
  (void)print_list(s->program, TENON_IO_INPUTS, in, sizeof in);
  (void)print_list(s->program, TENON_IO_OUTPUTS, out, sizeof out);
  int n = snprintf(text, sizeof text,
                   "{\"inputs\": [%s], \"outputs\": [%s], \"request\": %zu, "
                   "\"answer\": %zu}\n",
                   in, out, jobs_in_size(s->jobs), jobs_out_size(s->jobs));
  return answer(s, c, 200, "application/json", text, (size_t)n);
}

// --- requests ---------------------------------------------------------------

// Called by a worker; the answer is queued when libmicrohttpd comes back.
static void resume(job *one) {
  MHD_resume_connection((struct MHD_Connection *)one->owner);
}

static bool keep(request *r, const char *data, size_t size) {
  job *j = &r->job;
  if (j->in_size + size > j->in_capacity) {
    r->is_too_long = true;
    return false;
  }
  if (!j->in) j->in = (char *)malloc(j->in_capacity ? j->in_capacity : 1);
  if (!j->in) return false;
  memcpy(j->in + j->in_size, data, size);
  j->in_size += size;
  return true;
}

static enum MHD_Result give_result(request *r, struct MHD_Connection *c) {
  server *s = r->of;
  r->is_answered = true;
  metrics_latency(&s->metrics, metrics_clock() - r->job.begin);
  if (r->job.status != 200) return say(s, c, r->job.status, r->job.why);
  return answer(s, c, 200, "application/octet-stream", r->job.out,
                jobs_out_size(s->jobs));
}

// The body is whole.
static enum MHD_Result take(request *r, struct MHD_Connection *c) {
  server *s = r->of;
  job *j = &r->job;
  char text[128];
  if (j->is_done) return give_result(r, c);
  if (r->is_too_long || j->in_size != jobs_in_size(s->jobs)) {
    r->is_answered = true;
    (void)snprintf(text, sizeof text, "expected %zu bytes, found %s%zu\n",
                   jobs_in_size(s->jobs), r->is_too_long ? "more than " : "",
                   j->in_size);
    return say(s, c, r->is_too_long ? 413 : 400, text);
  }
  j->out = (char *)malloc(jobs_out_size(s->jobs) + 1);
  j->owner = c;
  j->begin = metrics_clock();
  if (!j->out) return MHD_NO;
  // Suspended first: a worker may be done before `jobs_put` returns.
  MHD_suspend_connection(c);
  if (jobs_put(s->jobs, j)) return MHD_YES;
  j->is_done = true;
  j->status = 503;
  j->why = "as many requests wait as may\n";
  MHD_resume_connection(c);
  return MHD_YES;
}

static enum MHD_Result begin(server *s, struct MHD_Connection *c,
                             const char *url, const char *method,
                             void **context) {
  (void)c;
  request *r = (request *)calloc(1, sizeof *r);
  if (!r) return MHD_NO;
  r->of = s;
  r->is_run = strcmp(url, "/run") == 0 && strcmp(method, "POST") == 0;
  // A byte more than is right shows that it is wrong.
  r->job.in_capacity = r->is_run ? jobs_in_size(s->jobs) : 0;
  *context = r;
  return MHD_YES;
}

static enum MHD_Result handle(void *self, struct MHD_Connection *c,
                              const char *url, const char *method,
                              const char *version, const char *data,
                              size_t *size, void **context) {
  server *s = (server *)self;
  request *r = (request *)*context;
  (void)version;
  if (!r) return begin(s, c, url, method, context);
  if (*size) {
    // What is too much is read and forgotten, so that it can be answered.
    if (r->is_run && !r->is_too_long && !keep(r, data, *size) &&
        !r->is_too_long)
      return MHD_NO;
    *size = 0;
    return MHD_YES;
  }
  if (r->is_run) return take(r, c);
  r->is_answered = true;
  bool is_get = strcmp(method, "GET") == 0;
  if (is_get && strcmp(url, "/metrics") == 0) return give_metrics(s, c);
  if (is_get && strcmp(url, "/model") == 0) return give_model(s, c);
  if (is_get && strcmp(url, "/health") == 0) return say(s, c, 200, "well\n");
  bool is_known = strcmp(url, "/run") == 0 || strcmp(url, "/metrics") == 0 ||
                  strcmp(url, "/model") == 0 || strcmp(url, "/health") == 0;
  return is_known ? say(s, c, 405, "not by this method\n")
                  : say(s, c, 404,
                        "POST /run, GET /model, /metrics, "
                        "/health\n");
}

// Never while a worker has the job: its connection is suspended.
static void complete(void *self, struct MHD_Connection *c, void **context,
                     enum MHD_RequestTerminationCode how) {
  server *s = (server *)self;
  request *r = (request *)*context;
  (void)c;
  if (!r) return;
  if (how != MHD_REQUEST_TERMINATED_COMPLETED_OK && !r->is_answered)
    atomic_fetch_add(&s->metrics.cut_off, 1);
  free(r->job.in);
  free(r->job.out);
  free(r);
  *context = NULL;
}

// --- the program ------------------------------------------------------------

typedef struct settings {
  const char *model, *plugins[16];
  int port, workers, queue, n_plugins;
} settings;

static bool number(const char *text, int most, int *out) {
  char *end = NULL;
  long v = text ? strtol(text, &end, 10) : -1;
  *out = (int)v;
  return text && *text && !*end && v >= 0 && v <= most;
}

static bool read_settings(int argc, char **argv, settings *o) {
  *o = (settings){.port = 8080, .workers = 2, .queue = 64};
  for (int i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    bool ok = true;
    if (strcmp(argv[i], "--port") == 0) {
      ok = number(value, 65535, &o->port);
    } else if (strcmp(argv[i], "--workers") == 0) {
      ok = number(value, 256, &o->workers) && o->workers > 0;
    } else if (strcmp(argv[i], "--queue") == 0) {
      ok = number(value, 1000000, &o->queue) && o->queue > 0;
    } else if (strcmp(argv[i], "--plugin") == 0) {
      ok = value && o->n_plugins < 16;
      if (ok) o->plugins[o->n_plugins++] = value;
    } else {
      ok = argv[i][0] != '-' && !o->model;
      o->model = argv[i--];
      ++i;
      if (ok) continue;
    }
    if (!ok) return false;
    ++i;
  }
  return o->model != NULL;
}

static void print_diag(void *self, const tenon_diag *d) {
  (void)self;
  if (d->severity == TENON_ERROR)
    fprintf(stderr, "%s [%s]\n", d->message, d->id);
}

static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  char *data =
      n >= 0 ? (char *)aligned_alloc(64, ((size_t)n / 64 + 1) * 64) : NULL;
  bool ok = data && fseek(f, 0, SEEK_SET) == 0 &&
            fread(data, 1, (size_t)n, f) == (size_t)n;
  if (f) fclose(f);
  if (!ok) {
    fprintf(stderr, "cannot read '%s'\n", path);
    free(data);
    return NULL;
  }
  *size = (size_t)n;
  return data;
}

static tenon_status compile(tenon_context *cx, const char *data, size_t size,
                            const char *name, tenon_program **p) {
  if (tenon_program_is_saved(data, size))
    return tenon_program_load(cx, data, size, name, TENON_LOAD_BORROW, p);
  tenon_module *m = NULL;
  tenon_read_options o = {.struct_size = sizeof o, .name = name};
  tenon_status status = tenon_module_read(cx, data, size, &o, &m);
  tenon_entry entry = {.module = m};
  if (status == TENON_OK) status = tenon_program_compile(&entry, 1, NULL, p);
  tenon_module_destroy(m);
  return status;
}

// Serves until a signal comes; they were blocked before any thread began.
static int serve(server *s, const settings *o, const sigset_t *ends) {
  int got = 0;
  // By poll: with epoll, libmicrohttpd 0.9.75 does not see that a client is
  // gone when its last bytes and its end come together, and keeps the
  // connection.
  struct MHD_Daemon *d = MHD_start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME,
      (uint16_t)o->port, NULL, NULL, handle, s, MHD_OPTION_NOTIFY_COMPLETED,
      complete, s, MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_END);
  if (!d) {
    fprintf(stderr, "cannot listen on port %d\n", o->port);
    return 1;
  }
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT);
  printf("listening on port %d\n", info ? (int)info->port : o->port);
  fflush(stdout);
  (void)sigwait(ends, &got);
  // Those who come now are refused by the system. What is here is answered:
  // connections that are being read get the time that they have anyway.
  int listening = MHD_quiesce_daemon(d);
  if (listening >= 0) close(listening);
  for (int i = 0; i < 1000; ++i) {
    const union MHD_DaemonInfo *now =
        MHD_get_daemon_info(d, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    size_t queued = 0, running = 0;
    jobs_count(s->jobs, &queued, &running);
    if (queued + running == 0 && (!now || now->num_connections == 0)) break;
    // Idle connections that a client keeps open wait for nothing.
    if (queued + running == 0 && i > 100) break;
    usleep(10000);
  }
  MHD_stop_daemon(d);
  return 0;
}

int main(int argc, char **argv) {
  settings o;
  server s = {0};
  sigset_t ends;
  tenon_context *cx = NULL;
  tenon_program *p = NULL;
  size_t size = 0;
  if (!read_settings(argc, argv, &o)) {
    fprintf(stderr,
            "server MODEL [--port N] [--workers N] [--queue N] "
            "[--plugin P]...\n");
    return 2;
  }
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
  signal(SIGPIPE, SIG_IGN);
  tenon_context_options co = {.struct_size = sizeof co,
                              .flags = TENON_CONTEXT_LOAD_PLUGINS,
                              .diag = {NULL, print_diag}};
  char *data = read_file(o.model, &size);
  int code = data ? 0 : 1;
  if (code == 0) code = tenon_context_create(&co, &cx);
  for (int i = 0; code == 0 && i < o.n_plugins; ++i)
    code = tenon_context_load(cx, o.plugins[i]);
  if (code == 0) code = compile(cx, data, size, o.model, &p);
  jobs_options jo = {p, o.workers, (size_t)o.queue, resume};
  s.program = p;
  if (code == 0) s.jobs = jobs_start(&jo);
  if (code == 0) code = s.jobs ? serve(&s, &o, &ends) : 1;
  if (s.jobs) jobs_stop(s.jobs);
  tenon_program_destroy(p);
  if (cx) tenon_context_destroy(cx);
  free(data);
  return code;
}
