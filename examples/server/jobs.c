// How: workers sleep on a condition until a job waits. Each has a session of
// the one program, whose memory was taken before the first request, so that a
// run takes none. Inputs are read, and outputs written, where the request has
// them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

typedef struct io {
  tenon_io io;
  int32_t dims[TENON_MAX_RANK];
  size_t offset, size;  // in the bytes of a request or an answer
} io;

typedef struct worker {
  jobs *of;
  pthread_t thread;
  tenon_session *session;
  void *memory[3];
  tenon_tensor *in, *out;
  bool is_started;
} worker;

struct jobs {
  jobs_options o;
  pthread_mutex_t lock;
  pthread_cond_t work, idle;
  job *first, **last;
  size_t queued, running;
  bool is_ending;
  io *in, *out;
  size_t n_in, n_out, in_size, out_size;
  worker *workers;
};

// A size that is open has no place in raw bytes.
static io *list_io(const jobs *j, uint32_t kind, size_t *n, size_t *size) {
  tenon_io list[64];
  *n = tenon_program_io(j->o.program, 0, kind, list, 64);
  io *out = (io *)calloc(*n + 1, sizeof *out);
  *size = 0;
  for (size_t i = 0; out && i < *n; ++i) {
    out[i].io = list[i];
    out[i].offset = *size;
    out[i].size = tenon_element_bytes(list[i].dtype);
    if (!out[i].size) {
      fprintf(stderr, "'%s' has a type that is not of whole bytes\n",
              list[i].name);
      free(out);
      return NULL;
    }
    for (int k = 0; k < list[i].rank; ++k) {
      if (list[i].dims[k] < 0) {
        fprintf(stderr, "'%s' has an open size: fix it with 'tenon compile'\n",
                list[i].name);
        free(out);
        return NULL;
      }
      out[i].dims[k] = (int32_t)list[i].dims[k];
      out[i].size *= (size_t)list[i].dims[k];
    }
    *size += out[i].size;
  }
  return out;
}

static void fill(const io *list, size_t n, char *bytes, tenon_tensor *out) {
  for (size_t i = 0; i < n; ++i) {
    memset(&out[i], 0, sizeof out[i]);
    out[i].data = bytes + list[i].offset;
    out[i].dims = list[i].dims;
    out[i].dtype = list[i].io.dtype;
    out[i].rank = list[i].io.rank;
  }
}

static void compute(worker *w, job *one) {
  const jobs *j = w->of;
  fill(j->in, j->n_in, one->in, w->in);
  fill(j->out, j->n_out, one->out, w->out);
  tenon_status status = tenon_session_reset(w->session);
  if (status == TENON_OK)
    status = tenon_session_run(w->session, 0, w->in, j->n_in, w->out, j->n_out);
  one->status = status == TENON_OK ? 200 : 500;
  one->why = status == TENON_OK ? NULL : "the model failed on this input\n";
}

static void *work(void *arg) {
  worker *w = (worker *)arg;
  jobs *j = w->of;
  pthread_mutex_lock(&j->lock);
  for (;;) {
    while (!j->first && !j->is_ending)
      pthread_cond_wait(&j->work, &j->lock);
    job *one = j->first;
    if (!one) break;
    j->first = one->next;
    if (!j->first) j->last = &j->first;
    --j->queued;
    ++j->running;
    pthread_mutex_unlock(&j->lock);
    compute(w, one);
    one->is_done = true;
    j->o.done(one);
    pthread_mutex_lock(&j->lock);
    --j->running;
    if (!j->first && j->running == 0) pthread_cond_broadcast(&j->idle);
  }
  pthread_mutex_unlock(&j->lock);
  return NULL;
}

static bool open_worker(jobs *j, worker *w) {
  tenon_memory need[3];
  tenon_session_options o = {.struct_size = sizeof o, .memory = w->memory};
  size_t n = tenon_program_memory(j->o.program, 1, need, 3);
  w->of = j;
  w->in = (tenon_tensor *)calloc(j->n_in + 1, sizeof *w->in);
  w->out = (tenon_tensor *)calloc(j->n_out + 1, sizeof *w->out);
  bool ok = w->in && w->out;
  for (size_t i = 0; ok && i < n; ++i) {
    w->memory[i] = aligned_alloc(need[i].align, need[i].size);
    ok = w->memory[i] != NULL;
  }
  ok = ok && tenon_session_init(j->o.program, &o, &w->session) == TENON_OK;
  w->is_started = ok && pthread_create(&w->thread, NULL, work, w) == 0;
  return w->is_started;
}

jobs *jobs_start(const jobs_options *o) {
  jobs *j = (jobs *)calloc(1, sizeof *j);
  if (!j) return NULL;
  j->o = *o;
  j->last = &j->first;
  pthread_mutex_init(&j->lock, NULL);
  pthread_cond_init(&j->work, NULL);
  pthread_cond_init(&j->idle, NULL);
  j->in = list_io(j, TENON_IO_INPUTS, &j->n_in, &j->in_size);
  j->out = list_io(j, TENON_IO_OUTPUTS, &j->n_out, &j->out_size);
  j->workers = (worker *)calloc((size_t)o->workers, sizeof *j->workers);
  bool ok = j->in && j->out && j->workers;
  for (int i = 0; ok && i < o->workers; ++i)
    ok = open_worker(j, &j->workers[i]);
  if (ok) return j;
  jobs_stop(j);
  return NULL;
}

size_t jobs_in_size(const jobs *j) {
  return j->in_size;
}
size_t jobs_out_size(const jobs *j) {
  return j->out_size;
}

bool jobs_put(jobs *j, job *one) {
  pthread_mutex_lock(&j->lock);
  bool fits = j->queued < j->o.most && !j->is_ending;
  if (fits) {
    one->next = NULL;
    *j->last = one;
    j->last = &one->next;
    ++j->queued;
    pthread_cond_signal(&j->work);
  }
  pthread_mutex_unlock(&j->lock);
  return fits;
}

void jobs_count(jobs *j, size_t *queued, size_t *running) {
  pthread_mutex_lock(&j->lock);
  *queued = j->queued;
  *running = j->running;
  pthread_mutex_unlock(&j->lock);
}

void jobs_stop(jobs *j) {
  pthread_mutex_lock(&j->lock);
  j->is_ending = true;
  pthread_cond_broadcast(&j->work);
  while (j->first || j->running)
    pthread_cond_wait(&j->idle, &j->lock);
  pthread_mutex_unlock(&j->lock);
  for (int i = 0; j->workers && i < j->o.workers; ++i) {
    worker *w = &j->workers[i];
    if (w->is_started) pthread_join(w->thread, NULL);
    if (w->session) tenon_session_deinit(w->session);
    for (int k = 0; k < 3; ++k)
      free(w->memory[k]);
    free(w->in);
    free(w->out);
  }
  free(j->workers);
  free(j->in);
  free(j->out);
  free(j);
}
