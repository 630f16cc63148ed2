/* QEMU TCG plugin: exact instruction counts of the regions between mcu_begin
 * and mcu_end. Built for the host: cc -O2 -shared -fPIC count.c -o count.so
 *
 *   -plugin count.so,begin=ADDRESS,end=ADDRESS[,dump=FILE]
 *
 * Prints "region N instructions COUNT" on standard error at each mcu_end. With
 * dump=, FILE gets "region N" and then "ADDRESS COUNT" (hex, decimal) per
 * executed instruction; profile.py turns that into counts per function and per
 * mnemonic.
 *
 * Debian ships no qemu-plugin.h, so the few declarations used are given here
 * (plugin API version 1, as exported by qemu-system-arm 7.2). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*TranslateCallback)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*ExecuteCallback)(unsigned vcpu, void *user);
enum { CB_NO_REGS = 0, INLINE_ADD_U64 = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, TranslateCallback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                            ExecuteCallback, int flags,
                                            void *user);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *,
                                                int operation, void *counter,
                                                uint64_t amount);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *,
                                                 size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

typedef struct {
  uint64_t address;
  uint64_t count;
} Counter;

enum { TABLE_SIZE = 1 << 18 };
static Counter table[TABLE_SIZE]; /* open addressing; count is written by QEMU's
                                     own code */
static size_t table_used;
static uint64_t begin_address, end_address;
static unsigned region;
static FILE *dump;

static Counter *counter_for(uint64_t address) {
  size_t at = (size_t)(address * 0x9E3779B97F4A7C15u >> 46) % TABLE_SIZE;
  while (table[at].address != address + 1 && table[at].address != 0)
    at = (at + 1) % TABLE_SIZE;
  if (table[at].address == 0) {
    if (++table_used > TABLE_SIZE / 2) {
      fputs("count: more code than the table holds\n", stderr);
      exit(1);
    }
    table[at].address = address + 1; /* 0 marks a free entry */
  }
  return &table[at];
}

static void region_begin(unsigned vcpu, void *user) {
  (void)vcpu, (void)user;
  for (size_t i = 0; i < TABLE_SIZE; i++)
    table[i].count = 0;
}

static void region_end(unsigned vcpu, void *user) {
  (void)vcpu, (void)user;
  uint64_t total = 0;
  region++;
  if (dump) fprintf(dump, "region %u\n", region);
  for (size_t i = 0; i < TABLE_SIZE; i++) {
    if (table[i].count == 0) continue;
    total += table[i].count;
    if (dump)
      fprintf(dump, "%llx %llu\n", (unsigned long long)table[i].address - 1,
              (unsigned long long)table[i].count);
  }
  if (dump) fflush(dump);
  fprintf(stderr, "region %u instructions %llu\n", region,
          (unsigned long long)total);
}

static void count_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
    uint64_t address = qemu_plugin_insn_vaddr(insn);
    if (address == begin_address)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, region_begin, CB_NO_REGS,
                                             NULL);
    else if (address == end_address)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, region_end, CB_NO_REGS,
                                             NULL);
    else
      qemu_plugin_register_vcpu_insn_exec_inline(
          insn, INLINE_ADD_U64, &counter_for(address)->count, 1);
  }
}

__attribute__((visibility("default"))) int qemu_plugin_install(
    qemu_plugin_id_t id, const void *info, int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; i++) {
    if (!strncmp(argv[i], "begin=", 6))
      begin_address = strtoull(argv[i] + 6, NULL, 16);
    else if (!strncmp(argv[i], "end=", 4))
      end_address = strtoull(argv[i] + 4, NULL, 16);
    else if (!strncmp(argv[i], "dump=", 5))
      dump = fopen(argv[i] + 5, "w");
  }
  if (begin_address == 0 || end_address == 0) {
    fputs("count: begin= and end= are needed\n", stderr);
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_translate);
  return 0;
}
