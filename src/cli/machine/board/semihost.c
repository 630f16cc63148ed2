/* Output and exit for Cortex-M under QEMU, by semihosting. See mcu.h. */
#include "mcu.h"

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20 };
enum { STOPPED_NORMALLY = 0x20026 }; /* ADP_Stopped_ApplicationExit */

uint32_t mcu_semihost(uint32_t operation, const void *argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void mcu_puts(const char *text) {
  mcu_semihost(SYS_WRITE0, text);
}

void mcu_putu(uint32_t value) {
  char digits[11];
  char *at = digits + sizeof digits - 1;
  *at = 0;
  do {
    *--at = (char)('0' + value % 10);
  } while (value /= 10);
  mcu_puts(at);
}

void mcu_putx(uint32_t value) {
  char digits[9];
  for (int i = 0; i < 8; i++)
    digits[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
  digits[8] = 0;
  mcu_puts(digits);
}

void mcu_report(const char *name, uint32_t value) {
  mcu_puts(name);
  mcu_puts(" ");
  mcu_putu(value);
  mcu_puts("\n");
}

void mcu_exit(int status) {
  const uint32_t block[2] = {STOPPED_NORMALLY, (uint32_t)status};
  for (;;)
    mcu_semihost(SYS_EXIT_EXTENDED, block);
}
