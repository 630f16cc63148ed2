// base/vec.c - growth of typed arrays.
//
// Doubling, so that n pushes copy at most 2n elements. The stress build grows
// by exactly what is asked, so that every push moves the array and a pointer
// kept across one is found by the sanitizer; large arrays move every so often,
// as searches with 100,000 states would do nothing but copy.
#include "base/vec.h"

#include "base/size.h"

// How many elements to have, so that `need` fit. Doubling stops short of
// overflow; then exactly what is needed must do.
static size_t grown(size_t capacity, size_t need) {
#ifdef TENON_STRESS
  const size_t room = capacity < 1024 ? 0 : capacity + capacity / 16;
  return room < need ? need : room;
#else
  size_t twice = capacity > SIZE_MAX / 2 ? need : capacity * 2;
  if (twice < 8) twice = 8;
  return twice < need ? need : twice;
#endif
}

bool tenon_vec_grow(const tenon_allocator *allocator, void **data, size_t count,
                    size_t *capacity, size_t more, size_t size, size_t align) {
  size_t need = 0, bytes = 0;
  if (!tenon_size_add(count, more, &need)) return false;
  if (need <= *capacity) return true;
  size_t room = grown(*capacity, need);
  if (!tenon_size_mul(room, size, &bytes)) {
    room = need;
    if (!tenon_size_mul(room, size, &bytes)) return false;
  }
  void *moved =
      allocator->resize(allocator->self, *data, *capacity * size, bytes, align);
  if (!moved) return false;
  *data = moved;
  *capacity = room;
  return true;
}
