// kern/tile/apart.h - a function that is not put into others, so that its loop
// has all registers, at every level of optimisation.
#ifndef TENON_KERN_TILE_APART_H
#define TENON_KERN_TILE_APART_H

#if defined(__GNUC__)
#define TENON_APART static __attribute__((noinline))
#else
#define TENON_APART static
#endif

#endif  // TENON_KERN_TILE_APART_H
