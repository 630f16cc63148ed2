// base/hash.h - numbers of 64 bits that tell byte strings apart, mostly.
//
// Not cryptographic: whoever wants equal bytes compares them where the numbers
// agree.
#ifndef TENON_BASE_HASH_H
#define TENON_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TENON_HASH_SEED UINT64_C(0xcbf29ce484222325)

// FNV-1a: a byte at a time, and the same in every build and on every machine,
// so files may hold it.
uint64_t tenon_hash(const void *data, size_t size, uint64_t seed);

// Many times faster for what is large, such as weights: as fast as memory is
// read. Program files hold it, so it is the same in every build, too.
uint64_t tenon_hash_bulk(const void *data, size_t size, uint64_t seed);

// Of what is large a part, spread over all of it: enough to tell weights apart
// that are not the same, in no time. Whoever finds two alike compares them.
uint64_t tenon_hash_sample(const void *data, size_t size, uint64_t seed);

#endif  // TENON_BASE_HASH_H
