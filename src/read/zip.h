// read/zip.h - the members of a ZIP archive, in the bytes of the mapped file.
//
// Only the central directory is believed, and every number of it is checked
// against the file. Stored members are used where they lie; deflated ones are
// unpacked into an arena, up to a limit for the whole archive. Nothing is ever
// written to the file system, so a name is only a name.
//
// The checksum of a member is compared when it is read, if it is unpacked, if
// it is small, or if the caller asks: weights of gigabytes are not touched to
// open a file.
#ifndef TENON_READ_ZIP_H
#define TENON_READ_ZIP_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/map.h"
#include "core/report.h"

typedef struct tenon_zip_member {
  const char *name;  // whole, with the root
  uint64_t header;   // of its local header
  uint64_t stored;   // bytes in the file
  uint64_t size;     // bytes of the member
  uint32_t crc;
  bool is_deflated;
  bool is_known;  // read already: `data` is it
  tenon_bytes data;
} tenon_zip_member;

typedef struct tenon_zip {
  tenon_bytes bytes;
  uint64_t base;  // of `bytes` in the file, where it is a member itself
  const tenon_report *report;
  const char *file;    // in places
  tenon_arena *arena;  // of names and unpacked members; a scratch arena will do
                       // where no data outlives it
  tenon_zip_member *members;
  size_t count;
  tenon_map names;
  uint64_t unpacked;  // bytes so far
  uint64_t checked;   // bytes of stored members whose checksum was compared
  bool checks_all;
} tenon_zip;

// Members up to this size are always compared with their checksum, until so
// many bytes have been.
#define TENON_ZIP_CHECKED (UINT64_C(1) << 20)
#define TENON_ZIP_CHECKED_ALL (UINT64_C(16) << 20)
// Bytes that members may unpack to: this, and so many for each of the file.
#define TENON_ZIP_UNPACKED (UINT64_C(256) << 20)
#define TENON_ZIP_UNPACKED_FACTOR 16

bool tenon_zip_recognise(const void *data, size_t size);
// Reads the central directory. `zip` is deinitialised in any case.
tenon_status tenon_zip_open(tenon_zip *zip, tenon_bytes bytes, uint64_t base,
                            tenon_arena *arena, const tenon_report *report,
                            const char *file);
// Without what stands in front of an archive that was appended to it as it is:
// the directory ends at the end record, which says where it should begin.
tenon_bytes tenon_zip_appended(tenon_bytes bytes);
void tenon_zip_deinit(tenon_zip *zip);
// By its whole name; null: there is none.
tenon_zip_member *tenon_zip_find(const tenon_zip *zip, const char *name);
// The bytes of a member, where they lie or unpacked.
tenon_status tenon_zip_read(tenon_zip *zip, tenon_zip_member *member,
                            tenon_bytes *out);
// Compares the checksums of all small members that are not deflated, of which
// any damage to an archive of usual size is one; of all with `checks_all`.
tenon_status tenon_zip_check(tenon_zip *zip);
// Where a member lies, for reports: overwritten by nobody, kept by the caller.
tenon_place tenon_zip_place(const tenon_zip *zip,
                            const tenon_zip_member *member);

#endif  // TENON_READ_ZIP_H
