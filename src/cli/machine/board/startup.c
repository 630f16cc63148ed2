/* Reset and faults for Cortex-M under QEMU. See mcu.h. */
#include "mcu.h"

extern uint32_t __data_load[], __data_start[], __data_end[];
extern uint32_t __bss_start[], __bss_end[];
extern uint32_t __stack_low[], __stack_top[];
extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);

int main(void);
void mcu_reset(void);

enum { STACK_PAINT = 0xA5A5A5A5 };

static volatile uint32_t *const CPACR = (volatile uint32_t *)0xE000ED88;
static volatile uint32_t *const CFSR = (volatile uint32_t *)0xE000ED28;
static volatile uint32_t *const SYSTICK = (volatile uint32_t *)0xE000E010;
enum { SYSTICK_CTRL, SYSTICK_LOAD, SYSTICK_VALUE };

/* One instruction and a return each: the plugin needs only their addresses. */
__attribute__((naked, noinline)) void mcu_begin(void) {
  __asm__ volatile("bx lr");
}
__attribute__((naked, noinline)) void mcu_end(void) {
  __asm__ volatile("bx lr");
}

static volatile uint32_t systick_wraps;

static void systick_handler(void) {
  systick_wraps++;
}

void mcu_ticks_start(void) {
  systick_wraps = 0;
  SYSTICK[SYSTICK_CTRL] = 0;
  SYSTICK[SYSTICK_LOAD] = 0xFFFFFF;
  SYSTICK[SYSTICK_VALUE] = 0;
  SYSTICK[SYSTICK_CTRL] = 7;          /* core clock, interrupt, on */
  while (SYSTICK[SYSTICK_VALUE] == 0) /* until the first reload */
    ;
}

uint64_t mcu_ticks(void) {
  uint32_t wraps, value;
  do {
    wraps = systick_wraps;
    value = SYSTICK[SYSTICK_VALUE];
  } while (wraps != systick_wraps);
  return ((uint64_t)wraps << 24) + (0xFFFFFF - value);
}

uint32_t mcu_stack_used(void) {
  const uint32_t *at = __stack_low;
  while (at < __stack_top && *at == STACK_PAINT)
    at++;
  return (uint32_t)((const char *)__stack_top - (const char *)at);
}

static const uint32_t *stack_mark;

void mcu_stack_mark(void) {
  const uint32_t *used;
  __asm__ volatile("mov %0, sp" : "=r"(used));
  /* Where the compiler reads it, what this function keeps may lie below. */
  for (volatile uint32_t *at = __stack_low; at < used - 16; at++)
    *at = STACK_PAINT;
  stack_mark = used;
}

uint32_t mcu_stack_since(void) {
  const uint32_t *at = __stack_low;
  while (at < stack_mark && *at == STACK_PAINT)
    at++;
  return (uint32_t)((const char *)stack_mark - (const char *)at);
}

uint32_t mcu_hash(const void *data, size_t size) {
  const unsigned char *bytes = data;
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

/* What the core has stacked: r0-r3, r12, lr, pc, psr. */
__attribute__((used)) void mcu_fault(const uint32_t *frame);
void mcu_fault(const uint32_t *frame) {
  uint32_t vector;
  __asm__("mrs %0, ipsr" : "=r"(vector));
  mcu_puts("fault: exception ");
  mcu_putu(vector);
  mcu_puts(", CFSR ");
  mcu_putx(*CFSR);
  if (frame >= __stack_low && frame + 8 <= __stack_top) {
    mcu_puts(", pc ");
    mcu_putx(frame[6]);
  }
  mcu_puts("\n");
  mcu_exit(120);
}

__attribute__((naked)) static void fault(void) {
  __asm__ volatile("mrs r0, msp\n\tb mcu_fault");
}

/* Of the files beside this one that want to know; see syscalls.c. */
__attribute__((weak)) void mcu_flush(void);

static void startup_finish(int status) {
  if (mcu_flush) mcu_flush();
  if (mcu_stack_used() ==
      (uint32_t)((const char *)__stack_top - (const char *)__stack_low)) {
    mcu_puts("the stack overflowed\n");
    status = 121;
  }
  mcu_exit(status);
}

void mcu_reset(void) {
  *CPACR |= 0xFu << 20; /* FPU and MVE on */
#if defined(__ARM_ARCH_6M__)
  *(volatile uint32_t *)0xE000ED14 |=
      1u << 3; /* on a Cortex-M3, unaligned accesses fault as there */
#endif
  __asm__ volatile("dsb\n\tisb");

  mcu_stack_mark();
  const uint32_t *from = __data_load;
  for (uint32_t *to = __data_start; to < __data_end;)
    *to++ = *from++;
  for (uint32_t *to = __bss_start; to < __bss_end;)
    *to++ = 0;
  for (void (*const *init)(void) = __init_array_start; init < __init_array_end;
       init++)
    (*init)();
  startup_finish(main());
}

typedef union {
  void *stack;
  void (*handler)(void);
} Vector;

__attribute__((section(".vectors"), used)) static const Vector vectors[16] = {
    [0] = {.stack = __stack_top}, [1] = {.handler = mcu_reset},
    [2] = {.handler = fault}, /* NMI */
    [3] = {.handler = fault}, /* HardFault */
    [4] = {.handler = fault}, /* MemManage */
    [5] = {.handler = fault}, /* BusFault */
    [6] = {.handler = fault}, /* UsageFault */
    [7] = {.handler = fault}, /* SecureFault */
    [11] = {.handler = fault},    [12] = {.handler = fault},
    [14] = {.handler = fault},    [15] = {.handler = systick_handler},
};
