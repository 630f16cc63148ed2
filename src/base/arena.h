// base/arena.h - memory that is given back all at once.
//
// A bump allocator over blocks taken from a tenon_allocator. It owns its
// blocks; whoever embeds the arena calls deinit. A failed allocation returns
// null and is latched in `failed`, so a constructor may allocate freely and
// check once at the end, as long as nothing is written through a null pointer
// until then. Memory is not zeroed unless the name says so. One thread at a
// time.
#ifndef TENON_BASE_ARENA_H
#define TENON_BASE_ARENA_H

#include "tenon/alloc.h"

typedef struct tenon_arena_block tenon_arena_block;

typedef struct tenon_arena {
  tenon_allocator allocator;
  tenon_arena_block *top;  // newest block; older ones hang below it
  size_t used;             // bytes of `top` in use
  size_t total;            // bytes handed out, for statistics
  bool failed;             // an allocation has failed since init
} tenon_arena;

typedef struct tenon_arena_mark {
  tenon_arena_block *top;
  size_t used;
} tenon_arena_mark;

void tenon_arena_init(tenon_arena *arena, tenon_allocator allocator);
void tenon_arena_deinit(tenon_arena *arena);

// `align` is a power of two, at most 64. Size 0 gives a valid, unique-or-not
// pointer. Null on failure.
void *tenon_arena_alloc(tenon_arena *arena, size_t size, size_t align);
void *tenon_arena_zalloc(tenon_arena *arena, size_t size, size_t align);
// `count` elements of `size` bytes; null when the product overflows.
void *tenon_arena_calloc(tenon_arena *arena, size_t count, size_t size,
                         size_t align);
// Copies; the text gets a final zero.
void *tenon_arena_copy(tenon_arena *arena, const void *data, size_t size,
                       size_t align);
char *tenon_arena_text(tenon_arena *arena, const char *text, size_t size);
char *tenon_arena_string(tenon_arena *arena, const char *text);  // null: null

// Everything allocated after the mark is given back; blocks return to the
// allocator.
tenon_arena_mark tenon_arena_save(const tenon_arena *arena);
void tenon_arena_restore(tenon_arena *arena, tenon_arena_mark mark);

// Zeroed.
#define tenon_arena_new(arena, T) \
  ((T *)tenon_arena_zalloc((arena), sizeof(T), _Alignof(T)))
#define tenon_arena_array(arena, T, n) \
  ((T *)tenon_arena_calloc((arena), (n), sizeof(T), _Alignof(T)))

#endif  // TENON_BASE_ARENA_H
