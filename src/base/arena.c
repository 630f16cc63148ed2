// base/arena.c - bumping a pointer through a stack of blocks.
//
// Blocks double in size from 1 KiB to 8 MiB, so an arena of n bytes takes
// O(log n) blocks while it is small and wastes little while it is large. What
// does not fit in the newest block starts a new one, also when it is larger
// than a block would be: blocks stay in the order of allocation, which is all
// that a mark relies on. Addresses are aligned, not offsets, so blocks may come
// from an allocator with any alignment.
//
// What the arena knows of a block lies behind its memory: a system gives pages
// to whoever writes to them first, and clears them for it. Weights are packed
// by many threads; one that wrote in front of each block would wait for the
// first large page of all of them.
//
// The stress build makes blocks of 64 bytes, so that nearly every allocation
// lies in a block of its own, where a sanitizer sees its ends, and fills memory
// with a pattern.
#include "base/arena.h"

#include <string.h>

#include "base/heap.h"
#include "base/size.h"

#ifdef TENON_STRESS
enum { BLOCK_LEAST = 64, BLOCK_MOST = 64 };
#else
enum { BLOCK_LEAST = 1024, BLOCK_MOST = 8 * 1024 * 1024 };
#endif

struct tenon_arena_block {
  tenon_arena_block *below;
  size_t size;  // of the memory in front of this
};

static unsigned char *start_of(tenon_arena_block *block) {
  return (unsigned char *)block - block->size;
}

static void poison(void *ptr, size_t size) {
#ifdef TENON_STRESS
  if (size != 0) memset(ptr, 0xa5, size);
#else
  (void)ptr;
  (void)size;
#endif
}

void tenon_arena_init(tenon_arena *arena, tenon_allocator allocator) {
  memset(arena, 0, sizeof *arena);
  arena->allocator = allocator;
}

static void pop_block(tenon_arena *arena) {
  tenon_arena_block *block = arena->top;
  arena->top = block->below;
  tenon_free(&arena->allocator, start_of(block), block->size + sizeof *block,
             _Alignof(max_align_t));
}

void tenon_arena_deinit(tenon_arena *arena) {
  while (arena->top)
    pop_block(arena);
  arena->used = 0;
}

// Puts a block on top in which `size` bytes fit at any alignment up to `align`.
static bool push_block(tenon_arena *arena, size_t size, size_t align) {
  size_t room = BLOCK_LEAST, need = 0, whole = 0;
  if (arena->top) {
    size_t last = arena->top->size;
    room = last >= BLOCK_MOST / 2 ? BLOCK_MOST : last * 2;
    if (room < BLOCK_LEAST) room = BLOCK_LEAST;
  }
  if (!tenon_size_add(size, align - 1, &need)) return false;
  if (need > room) room = need;
  if (!tenon_size_align(room, _Alignof(tenon_arena_block), &room) ||
      !tenon_size_add(room, sizeof(tenon_arena_block), &whole))
    return false;
  unsigned char *start =
      tenon_alloc(&arena->allocator, whole, _Alignof(max_align_t));
  if (!start) return false;
  tenon_arena_block *block = (tenon_arena_block *)(void *)(start + room);
  block->below = arena->top;
  block->size = room;
  arena->top = block;
  arena->used = 0;
  return true;
}

// The place for the allocation in the newest block, or null if there is none.
static void *bump(tenon_arena *arena, size_t size, size_t align) {
  tenon_arena_block *block = arena->top;
  if (!block) return NULL;
  uintptr_t at = (uintptr_t)start_of(block) + arena->used;
  size_t gap = (size_t)(-at & (align - 1));
  size_t left = block->size - arena->used;
  if (gap > left || size > left - gap) return NULL;
  unsigned char *ptr = start_of(block) + arena->used + gap;
  arena->used += gap + size;
  arena->total += size;
  return ptr;
}

void *tenon_arena_alloc(tenon_arena *arena, size_t size, size_t align) {
  void *ptr = bump(arena, size, align);
  if (!ptr && push_block(arena, size, align)) ptr = bump(arena, size, align);
  if (!ptr) {
    arena->failed = true;
    return NULL;
  }
  poison(ptr, size);
  return ptr;
}

void *tenon_arena_zalloc(tenon_arena *arena, size_t size, size_t align) {
  void *ptr = tenon_arena_alloc(arena, size, align);
  if (ptr) memset(ptr, 0, size);
  return ptr;
}

void *tenon_arena_calloc(tenon_arena *arena, size_t count, size_t size,
                         size_t align) {
  size_t bytes = 0;
  if (!tenon_size_mul(count, size, &bytes)) {
    arena->failed = true;
    return NULL;
  }
  return tenon_arena_zalloc(arena, bytes, align);
}

void *tenon_arena_copy(tenon_arena *arena, const void *data, size_t size,
                       size_t align) {
  void *ptr = tenon_arena_alloc(arena, size, align);
  if (ptr && size != 0) memcpy(ptr, data, size);
  return ptr;
}

char *tenon_arena_text(tenon_arena *arena, const char *text, size_t size) {
  size_t whole = 0;
  if (!tenon_size_add(size, 1, &whole)) {
    arena->failed = true;
    return NULL;
  }
  char *copy = tenon_arena_alloc(arena, whole, 1);
  if (!copy) return NULL;
  if (size != 0) memcpy(copy, text, size);
  copy[size] = 0;
  return copy;
}

char *tenon_arena_string(tenon_arena *arena, const char *text) {
  return text ? tenon_arena_text(arena, text, strlen(text)) : NULL;
}

tenon_arena_mark tenon_arena_save(const tenon_arena *arena) {
  tenon_arena_mark mark = {arena->top, arena->used};
  return mark;
}

void tenon_arena_restore(tenon_arena *arena, tenon_arena_mark mark) {
  while (arena->top != mark.top)
    pop_block(arena);
  arena->used = mark.used;
  if (arena->top) {
    poison(start_of(arena->top) + mark.used, arena->top->size - mark.used);
  }
}
