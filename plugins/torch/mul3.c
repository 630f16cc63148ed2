// mul3.c - 3 * input: the smallest operator with a kernel.
