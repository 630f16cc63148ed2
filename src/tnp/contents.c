// tnp/contents.c - the constants of a program file: where they stand, and that
// they are what was written.
//
// How: a hash is of pieces, so that all processors can take part: together with
// bringing the pages of a mapped file in, which a run would have to wait for
// otherwise, it takes about as long as to read them.
#include "base/hash.h"
#include "exec/crew.h"
#include "tnp/coder.h"

// ---------------------------------------------------------------------------
// Hashes
// ---------------------------------------------------------------------------

#define PIECE (UINT64_C(1) << 20)

typedef struct content_piece {
  const char *from;
  size_t size;
  uint64_t hash;
} content_piece;

static void content_hash_piece(void *arg, int64_t i) {
  content_piece *piece = (content_piece *)arg + i;
  piece->hash = tenon_hash_bulk(piece->from, piece->size, TENON_HASH_SEED);
}

static uint64_t content_pieces_of(const tenon_program_constant *c) {
  return c->size / PIECE + (c->size % PIECE != 0);
}

static content_piece *content_cut(const tenon_program_constant *c,
                                  content_piece *to) {
  for (uint64_t at = 0; at < c->size; at += PIECE)
    *to++ = (content_piece){
        (const char *)c->data + at,
        (size_t)(c->size - at < PIECE ? c->size - at : PIECE), 0};
  return to;
}

// The hashes of the pieces, in the order of bytes that files have.
static uint64_t content_join(const content_piece *pieces, uint64_t n) {
  uint64_t hash = TENON_HASH_SEED;
  for (uint64_t i = 0; i < n; ++i) {
    uint8_t bytes[8];
    for (int k = 0; k < 8; ++k)
      bytes[k] = (uint8_t)(pieces[i].hash >> 8 * k);
    hash = tenon_hash(bytes, sizeof bytes, hash);
  }
  return hash;
}

bool tenon_tnp_hash(const struct tenon_program *p, const uint32_t *which,
                    uint32_t n, uint64_t *hashes) {
  const tenon_allocator *allocator =
      &((const tenon_context *)p->keep)->allocator;
  tenon_arena arena;
  uint64_t count = 0, bytes = 0;
  for (uint32_t i = 0; i < n; ++i) {
    count += content_pieces_of(&p->constants[which[i]]);
    bytes += p->constants[which[i]].size;
  }
  tenon_arena_init(&arena, *allocator);
  content_piece *pieces = tenon_arena_array(&arena, content_piece, count + 1);
  content_piece *at = pieces;
  for (uint32_t i = 0; pieces && i < n; ++i)
    at = content_cut(&p->constants[which[i]], at);
  if (pieces)
    tenon_crew_run(allocator, bytes, (int64_t)count, content_hash_piece,
                   pieces);
  at = pieces;
  for (uint32_t i = 0; pieces && i < n; ++i) {
    const uint64_t own = content_pieces_of(&p->constants[which[i]]);
    hashes[i] = content_join(at, own);
    at += own;
  }
  tenon_arena_deinit(&arena);
  return pieces != NULL;
}

// ---------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------

// Up to version 6 they follow the body, those that are packed left out, and the
// head has a hash of all.
static void contents_count(const struct tenon_program *p,
                           tenon_tnp_content *list) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < p->n_constants; ++i) {
    if (p->constants[i].is_packed) continue;
    list[i] =
        (tenon_tnp_content){.is_there = true, .at = at, .is_checked = true};
    // A size that no file has is found when the place is looked at.
    if (p->constants[i].size > UINT64_MAX / 4 - at) return;
    at += p->constants[i].size + TENON_ARENA_TAIL + TENON_ARENA_ALIGN - 1;
    at -= at % TENON_ARENA_ALIGN;
  }
}

static bool content_is_zero(tenon_bytes b, uint64_t from, uint64_t end) {
  for (; from < end && from < b.size; ++from)
    if (b.data[from]) return false;
  return true;
}

static const char *content_check_place(const tenon_program_constant *k,
                                       const tenon_tnp_content *c,
                                       tenon_bytes constants) {
  const bool is_block = c->layout != NULL;
  if (!c->is_there) return "is missing";
  if (is_block != k->is_packed) return "is a block that no kernel has packed";
  if (c->at % TENON_ARENA_ALIGN) return "lies at an odd place";
  if (!tenon_bytes_has(constants, c->at, k->size) ||
      !tenon_bytes_has(constants, c->at + k->size, TENON_ARENA_TAIL))
    return "ends outside of the file";
  return NULL;
}

const char *tenon_tnp_place(struct tenon_program *p, tenon_tnp_rows *rows,
                            tenon_bytes constants, bool is_old, bool stays,
                            uint32_t *constant) {
  tenon_program_constant *list =
      (tenon_program_constant *)(uintptr_t)p->constants;
  if (is_old) {
    rows->contents = tenon_arena_array(&p->arena, tenon_tnp_content,
                                       (size_t)p->n_constants + 1);
    if (!rows->contents) return NULL;
    contents_count(p, rows->contents);
  }
  for (*constant = 0; *constant < p->n_constants; ++*constant) {
    tenon_program_constant *k = &list[*constant];
    const tenon_tnp_content *c = &rows->contents[*constant];
    const bool is_in_tables = k->dtype == TENON_STR && !k->is_packed;
    if (!c->is_there && (k->is_packed || is_in_tables)) continue;
    if (is_in_tables) return "stands twice in the file";
    const char *error = content_check_place(k, c, constants);
    if (error) return error;
    const uint64_t end = c->at + k->size,
                   behind = TENON_ARENA_TAIL + TENON_ARENA_ALIGN - 1;
    if (!is_old &&
        !content_is_zero(constants, end,
                         end + behind - (end + behind) % TENON_ARENA_ALIGN))
      return "has something behind it";
    const uint8_t *from = constants.data + c->at;
    const size_t size = (size_t)k->size + TENON_ARENA_TAIL;
    k->data = stays
                  ? from
                  : tenon_arena_copy(&p->arena, from, size, TENON_ARENA_ALIGN);
    if (!k->data) return NULL;
    k->layout = c->layout;
    k->layout_version = c->layout_version;
    k->hash = c->hash;
    k->is_unread = !c->is_checked;
  }
  return NULL;
}

const char *tenon_tnp_check_contents(struct tenon_program *p,
                                     const uint32_t *which, uint32_t n,
                                     uint32_t *constant) {
  tenon_program_constant *list =
      (tenon_program_constant *)(uintptr_t)p->constants;
  uint32_t few[8];
  uint64_t few_hashes[8];
  tenon_arena_mark mark = tenon_arena_save(&p->arena);
  uint32_t *unread = n <= 8 ? few : tenon_arena_array(&p->arena, uint32_t, n);
  uint64_t *hashes =
      n <= 8 ? few_hashes : tenon_arena_array(&p->arena, uint64_t, n);
  uint32_t count = 0;
  const char *error = NULL;
  if (!unread || !hashes) return NULL;
  for (uint32_t i = 0; i < n; ++i)
    if (list[which[i]].is_unread) unread[count++] = which[i];
  if (count && !tenon_tnp_hash(p, unread, count, hashes)) {
    p->arena.failed = true;
    return NULL;
  }
  for (uint32_t i = 0; i < count && !error; ++i) {
    *constant = unread[i];
    if (list[unread[i]].hash != hashes[i])
      error = "is not what was written (hash)";
    list[unread[i]].is_unread = false;
  }
  tenon_arena_restore(&p->arena, mark);
  return error;
}
