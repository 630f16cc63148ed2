// skip_gram_ref.c - groups of words of a text, joined by single spaces.
//
// How: a stack has the words of the present group; each further one is looked
// for behind the last. The longest groups come first, as in LiteRT. Measuring
// walks the same way and stores nothing.
#include "kern/op/skip_gram.h"

typedef struct skip_gram_word {
  uint64_t begin, size, next;  // where to look for the next one
  int64_t index;
} skip_gram_word;

typedef struct skip_gram_walk {
  const char *text;
  uint64_t size;
  const tenon_skip_gram_attrs *a;
  tenon_string *to;  // null: groups and their bytes are counted
  char *bytes;
  int64_t n_groups, n_bytes;
  skip_gram_word words[TENON_SKIP_GRAM_MOST];  // of the present group
} skip_gram_walk;

static bool skip_gram_is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The word behind `*w`. LiteRT takes a space that the text begins with for the
// first letter of a word, and drops that word unless it is the last one.
static bool skip_gram_next(const skip_gram_walk *k, skip_gram_word *w) {
  uint64_t begin = w->next;
  for (uint64_t i = begin > 1 ? begin : 1; i < k->size; ++i) {
    if (!skip_gram_is_space(k->text[i])) continue;
    if (i > begin && !skip_gram_is_space(k->text[begin])) {
      *w = (skip_gram_word){begin, i - begin, i + 1, w->index + 1};
      return true;
    }
    begin = i + 1;
  }
  if (begin >= k->size) return false;
  *w = (skip_gram_word){begin, k->size - begin, k->size, w->index + 1};
  return true;
}

static void skip_gram_take(skip_gram_walk *k, int64_t n) {
  const int64_t begin = k->n_bytes;
  for (int64_t i = 0; i < n; ++i) {
    const skip_gram_word *w = &k->words[i];
    if (i > 0 && k->to) k->bytes[k->n_bytes] = ' ';
    k->n_bytes += i > 0;
    for (uint64_t b = 0; k->to && b < w->size; ++b)
      k->bytes[k->n_bytes + (int64_t)b] = k->text[w->begin + b];
    k->n_bytes += (int64_t)w->size;
  }
  if (k->to) {
    k->to[k->n_groups].at.word = 0;
    k->to[k->n_groups].at.data = k->bytes + begin;
    k->to[k->n_groups].size = (uint64_t)(k->n_bytes - begin);
  }
  ++k->n_groups;
}

// Whether another word stands where the group of `at` words goes on.
static bool skip_gram_step(skip_gram_walk *k, int64_t at) {
  if (at >= k->a->n) return false;
  if (at > 0 && k->words[at].index - k->words[at - 1].index > k->a->skip)
    return false;
  return skip_gram_next(k, &k->words[at]);
}

static void skip_gram_groups(skip_gram_walk *k) {
  int64_t at = 1;
  skip_gram_word w = {0, 0, 0, -1};
  for (int64_t i = 0; i < k->a->n; ++i) {
    if (!skip_gram_next(k, &w)) return;  // fewer words than a group has
    if (i == 0) k->words[0] = k->words[1] = w;
  }
  // What is more than a dimension can say ends the count.
  while (at >= 0 && k->n_groups <= INT32_MAX && k->n_bytes <= INT32_MAX) {
    if (skip_gram_step(k, at)) {
      ++at;
      if (at < k->a->n) k->words[at] = k->words[at - 1];
    } else {
      if (at > 0 && (at == k->a->n || k->a->shorter)) skip_gram_take(k, at);
      --at;
    }
  }
}

static skip_gram_walk skip_gram_start(const tenon_call *c) {
  const tenon_string *x = (const tenon_string *)c->in[0].data;
  skip_gram_walk k = {0};
  k.text = x->at.data;
  k.size = x->size;
  k.a = (const tenon_skip_gram_attrs *)c->attrs;
  return k;
}

TENON_KERNEL(tenon_k_skip_gram_ref_measure) {
  skip_gram_walk k = skip_gram_start(c);
  skip_gram_groups(&k);
  if (k.n_groups > INT32_MAX || k.n_bytes > INT32_MAX)
    return tenon_call_fail(c, "{0} groups of {1} bytes and more", k.n_groups,
                           k.n_bytes);
  c->sizes[0] = k.n_groups;
  c->sizes[1] = k.n_bytes;
  return TENON_OK;
}

// The results have room for what was measured, or for what the model bounds.
TENON_KERNEL(tenon_k_skip_gram_ref) {
  skip_gram_walk count = skip_gram_start(c), k = count;
  skip_gram_groups(&count);
  if (count.n_groups > c->out[0].dims[0] || count.n_bytes > c->out[1].dims[0])
    return tenon_call_fail(c, "{0} groups of {1} bytes", count.n_groups,
                           count.n_bytes);
  k.to = (tenon_string *)c->out[0].data;
  k.bytes = (char *)c->out[1].data;
  skip_gram_groups(&k);
  if (c->sizes) c->sizes[0] = count.n_groups;
  if (c->sizes) c->sizes[1] = count.n_bytes;
  return TENON_OK;
}
