// base/vec.h - a typed growable array over an allocator.
//
//   TENON_VEC(int) v;  tenon_vec_init(&v, allocator);
//   if (!tenon_vec_push(&v, 3)) ...out of memory...
//   for (size_t i = 0; i < v.count; ++i) use(v.data[i]);
//   tenon_vec_deinit(&v);
#ifndef TENON_BASE_VEC_H
#define TENON_BASE_VEC_H

#include "tenon/alloc.h"

#define TENON_VEC(T)           \
  struct {                     \
    tenon_allocator allocator; \
    T *data;                   \
    size_t count, capacity;    \
  }

// Makes room for `more` elements; false and unchanged when memory runs out.
bool tenon_vec_grow(const tenon_allocator *allocator, void **data, size_t count,
                    size_t *capacity, size_t more, size_t size, size_t align);

#define tenon_vec_init(v, a) \
  ((v)->allocator = (a), (v)->data = NULL, (v)->count = (v)->capacity = 0)
#define tenon_vec_deinit(v)                                                   \
  ((v)->data ? (void)(v)->allocator.resize((v)->allocator.self, (v)->data,    \
                                           (v)->capacity * sizeof *(v)->data, \
                                           0, _Alignof(max_align_t))          \
             : (void)0,                                                       \
   (v)->data = NULL, (v)->count = (v)->capacity = 0)
#define tenon_vec_reserve(v, more)                                          \
  ((v)->capacity - (v)->count >= (size_t)(more) ||                          \
   tenon_vec_grow(&(v)->allocator, (void **)(void *)&(v)->data, (v)->count, \
                  &(v)->capacity, (more), sizeof *(v)->data,                \
                  _Alignof(max_align_t)))
#define tenon_vec_push(v, ...) \
  (tenon_vec_reserve(v, 1) && ((v)->data[(v)->count++] = (__VA_ARGS__), true))
#define tenon_vec_pop(v) ((v)->data[--(v)->count])

#endif  // TENON_BASE_VEC_H
