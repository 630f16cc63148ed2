// How: an ELF file of 32 bits as the linker of the cross compiler writes it:
// little-endian, with a symbol table. Every offset is checked before it is
// used. A function's symbol has its address plus one, as Thumb wants it.
#include <stdlib.h>
#include <string.h>

#include "cli/machine/machine.h"

enum {
  HEADER = 52,
  SECTION = 40,
  SYMBOL = 16,
  SHT_SYMTAB = 2,
  SHF_WRITE = 1,
  SHF_ALLOC = 2,
  STT_OBJECT = 1,
  STT_FUNC = 2,
  STT_FILE = 4
};

static uint32_t image_number(const cli_image *i, size_t at, int bytes) {
  uint32_t value = 0;
  if (at > i->bytes.size || i->bytes.size - at < (size_t)bytes) return 0;
  for (int b = bytes - 1; b >= 0; --b)
    value = value << 8 | (unsigned char)i->bytes.data[at + (size_t)b];
  return value;
}

static bool image_is_within(const cli_image *i, uint32_t at, uint32_t size) {
  return at <= i->bytes.size && size <= i->bytes.size - at;
}

// What cli_read_file has put behind the last byte ends every text.
static const char *text_at(const cli_image *i, uint32_t table, uint32_t at) {
  return image_is_within(i, table, at) && table + at < i->bytes.size
             ? i->bytes.data + table + at
             : "";
}

static size_t section_at(const cli_image *i, uint32_t index) {
  return image_number(i, 32, 4) + (size_t)index * SECTION;
}

static bool is_symbol(const cli_image *i, size_t at, cli_symbol *out) {
  uint32_t type = image_number(i, at + 12, 1) & 15,
           section = image_number(i, at + 14, 2);
  uint32_t flags = image_number(i, section_at(i, section) + 8, 4);
  out->address = image_number(i, at + 4, 4);
  out->size = image_number(i, at + 8, 4);
  if (section == 0 || section >= image_number(i, 48, 2) || !(flags & SHF_ALLOC))
    return false;
  if (type == STT_FUNC) {
    out->kind = CLI_SYMBOL_CODE;
    out->address &= ~1u;
    return true;
  }
  out->kind = flags & SHF_WRITE ? CLI_SYMBOL_DATA : CLI_SYMBOL_CONSTANT;
  return type == STT_OBJECT;
}

static int by_address(const void *x, const void *y) {
  const cli_symbol *a = (const cli_symbol *)x, *b = (const cli_symbol *)y;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  return strcmp(a->name, b->name);
}

static bool read_table(cli_image *i, size_t section) {
  uint32_t at = image_number(i, section + 16, 4),
           size = image_number(i, section + 20, 4);
  uint32_t names =
      image_number(i, section_at(i, image_number(i, section + 24, 4)) + 16, 4);
  const char *file = "";
  if (!image_is_within(i, at, size)) return true;
  i->symbols = (cli_symbol *)calloc(size / SYMBOL + 1, sizeof *i->symbols);
  if (!i->symbols) return false;
  for (uint32_t k = 0; k + SYMBOL <= size; k += SYMBOL) {
    const char *name = text_at(i, names, image_number(i, at + k, 4));
    uint32_t info = image_number(i, at + k + 12, 1);
    cli_symbol *s = &i->symbols[i->count];
    if ((info & 15) == STT_FILE) file = name;
    if (!is_symbol(i, at + k, s)) continue;
    s->name = name;
    s->file = info >> 4 == 0 ? file : "";
    ++i->count;
  }
  qsort(i->symbols, i->count, sizeof *i->symbols, by_address);
  return true;
}

int cli_image_read(cli *c, const char *path, cli_image *out) {
  memset(out, 0, sizeof *out);
  if (!cli_read_file(c, path, &out->bytes)) return TENON_IO;
  if (out->bytes.size < HEADER ||
      memcmp(out->bytes.data, "\177ELF\1\1", 6) != 0)
    return cli_fail(c, TENON_IO, "machine-image",
                    "'%s' is no ELF file of 32 bits", path);
  for (uint32_t k = 0; k < image_number(out, 48, 2); ++k) {
    size_t section = section_at(out, k);
    if (image_number(out, section + 4, 4) != SHT_SYMTAB || out->symbols)
      continue;
    if (!read_table(out, section)) return CLI_NO_MEMORY;
  }
  return 0;
}

const cli_symbol *cli_image_find(const cli_image *image, const char *name) {
  for (size_t i = 0; i < image->count; ++i)
    if (strcmp(image->symbols[i].name, name) == 0) return &image->symbols[i];
  return NULL;
}

const cli_symbol *cli_image_at(const cli_image *image, uint32_t address) {
  const cli_symbol *found = NULL;
  for (size_t i = 0; i < image->count; ++i) {
    const cli_symbol *s = &image->symbols[i];
    if (s->kind == CLI_SYMBOL_CODE && s->address <= address &&
        address - s->address < s->size)
      found = s;
  }
  return found;
}

void cli_image_free(cli_image *image) {
  free(image->symbols);
  tenon_buf_deinit(&image->bytes);
  memset(image, 0, sizeof *image);
}
