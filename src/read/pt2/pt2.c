// How: the archive is opened, its version checked, and every program in it
// becomes a function and an entry of one module. Only the members that say what
// a program is are read whole; weights stay in the file.
#include "read/foreign.h"
#include "read/pt2/pt2_import.h"
#include "read/read.h"

// The version of the schema that is known; minor versions only add.
#define SCHEMA_MAJOR 8

#define pt2_fail(im, where, ...)                                     \
  tenon_fail(&(im)->m->report, TENON_BAD_MODEL, "pt2-archive",       \
             &(const tenon_place){(im)->m->name, where, NULL, 0, 0}, \
             __VA_ARGS__)

// ---------------------------------------------------------------------------
// The archive
// ---------------------------------------------------------------------------

// All members stand below one folder, whatever its name.
static tenon_status find_root(tenon_pt2 *im) {
  const tenon_zip *z = &im->zip;
  if (z->count == 0)
    return pt2_fail(im, "archive", "expected a .pt2, found an empty archive");
  bool has_root = !tenon_zip_find(z, "archive_format");
  const char *first = z->members[0].name, *slash = strchr(first, '/');
  im->root_size = has_root && slash ? (size_t)(slash - first) + 1 : 0;
  im->root = tenon_arena_text(&im->scratch, first, im->root_size);
  if (!im->root) return tenon_pt2_memory(im);
  for (size_t i = 0; i < z->count; ++i) {
    if (strncmp(z->members[i].name, im->root, im->root_size) == 0) continue;
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(z->members[i].name));
    return pt2_fail(
        im, label,
        "is outside of the folder '%.40s' that holds the other members",
        im->root);
  }
  return TENON_OK;
}

static tenon_zip_member *pt2_find_member(tenon_pt2 *im, const char *name) {
  tenon_buf_clear(&im->text);
  tenon_buf_format(&im->text, "%s%s", im->root, name);
  return im->text.failed ? NULL : tenon_zip_find(&im->zip, im->text.data);
}

// A member of a few bytes that has one of two texts; absent: the first.
static tenon_status pt2_check_text(tenon_pt2 *im, const char *name,
                                   const char *wanted, bool may_miss) {
  tenon_bytes bytes = {NULL, 0};
  tenon_zip_member *member = pt2_find_member(im, name);
  if (!member && may_miss) return TENON_OK;
  if (!member)
    return pt2_fail(im, "archive", "expected a .pt2, found no '%s' in it",
                    name);
  TENON_TRY(tenon_zip_read(&im->zip, member, &bytes));
  tenon_text text =
      tenon_text_trim((tenon_text){(const char *)bytes.data, bytes.size});
  if (tenon_text_is(text, wanted)) return TENON_OK;
  char label[TENON_LABEL];
  tenon_label_make(label, text);
  return pt2_fail(im, name, "expected '%s', found '%s'", wanted, label);
}

// An archive of something else says what it is.
static tenon_status refuse_foreign(tenon_pt2 *im) {
  static const char *const own[] = {"archive_format",
                                    "serialized_exported_program.json"};
  for (size_t i = 0; i < im->zip.count; ++i)
    for (size_t k = 0; k < 2; ++k)
      if (tenon_text_ends(im->zip.members[i].name, own[k])) return TENON_OK;
  tenon_foreign foreign = tenon_foreign_zip(&im->zip);
  if (!foreign.what) return TENON_OK;
  tenon_place place = {im->m->name, "archive", NULL, 0, 0};
  tenon_diag note = tenon_note_of("read-format", foreign.remedy, NULL);
  return tenon_fail_notes(&im->m->report, TENON_BAD_MODEL, "read-format",
                          &place, &note, "expected a .pt2, found %s",
                          foreign.what);
}

static tenon_status check_archive(tenon_pt2 *im) {
  TENON_TRY(pt2_check_text(im, "archive_format", "pt2", false));
  TENON_TRY(pt2_check_text(im, "archive_version", "0", true));
  return pt2_check_text(im, "byteorder", "little", true);
}

// ---------------------------------------------------------------------------
// A program
// ---------------------------------------------------------------------------

// Of torch 2.3 to 2.5, which wrote flat files, are 5 and 7; those of 2.1
// and 2.2 are numbers alone, 1 and 2. No torch was released with the others.
static tenon_status check_version(const tenon_json *root, bool is_flat) {
  int64_t major = 0;
  tenon_json version = tenon_json_get(root, "schema_version");
  tenon_json at = tenon_json_get(&version, "major");
  bool is_number = is_flat && json_is_integer(version.value);
  if (is_number) at = version;
  if (!is_number) TENON_TRY(tenon_json_object(&version));
  TENON_TRY(tenon_json_int(&at, &major));
  bool is_older = is_flat && (is_number ? major == 1 || major == 2
                                        : major == 5 || major == 7);
  if (major == SCHEMA_MAJOR || is_older) return TENON_OK;
  return tenon_json_fail(&at, TENON_UNSUPPORTED, "pt2-version",
                         "schema version %lld, expected %d", (long long)major,
                         SCHEMA_MAJOR);
}

static tenon_status pt2_read_text(tenon_pt2 *im, tenon_zip_member *member,
                                  tenon_pt2_visit_fn *visit) {
  tenon_bytes bytes = {NULL, 0};
  TENON_TRY(tenon_zip_read(&im->zip, member, &bytes));
  TENON_TRY(tenon_json_parse(&im->program, bytes, &im->cx->allocator,
                             &im->m->report, im->m->name,
                             member->name + im->root_size));
  im->program_root = tenon_json_root(&im->program);
  TENON_TRY(tenon_json_object(&im->program_root));
  TENON_TRY(check_version(&im->program_root, im->is_flat));
  if (im->is_flat) TENON_TRY(tenon_pt2_older(im));
  im->ranges = tenon_json_get(&im->program_root, "range_constraints");
  TENON_TRY(tenon_pt2_ranges(im));
  TENON_TRY(tenon_pt2_weights_open(im));
  return visit(im);
}

static tenon_status read_program(tenon_pt2 *im, tenon_zip_member *member,
                                 tenon_pt2_visit_fn *visit) {
  tenon_allocator allocator = im->cx->allocator;
  memset(&im->program, 0, sizeof im->program);
  memset(&im->weights, 0, sizeof im->weights);
  memset(&im->constants, 0, sizeof im->constants);
  memset(im->pickled, 0, sizeof im->pickled);
  im->pickles = NULL;
  tenon_map_init(&im->known, allocator);
  im->sizes.count = im->local.count = 0;
  tenon_status status = pt2_read_text(im, member, visit);
  tenon_map_deinit(&im->known);
  tenon_pt2_weights_close(im);
  tenon_state_dict_deinit(&im->pickled[1]);
  tenon_state_dict_deinit(&im->pickled[0]);
  tenon_json_deinit(&im->constants);
  tenon_json_deinit(&im->weights);
  tenon_json_deinit(&im->program);
  return status;
}

// The name of the program whose text the member is; null: it is none.
static char *program_name(tenon_pt2 *im, const tenon_zip_member *member) {
  static const char folder[] = "models/", suffix[] = ".json";
  const char *name = member->name + im->root_size;
  size_t before = sizeof folder - 1, after = sizeof suffix - 1;
  if (strncmp(name, folder, before) != 0 || !tenon_text_ends(name, suffix))
    return NULL;
  size_t size = strlen(name) - before - after;
  char *own = tenon_arena_text(&im->scratch, name + before, size);
  return own && strchr(own, '/') ? NULL : own;
}

static size_t count_programs(tenon_pt2 *im) {
  size_t n = 0;
  for (size_t i = 0; i < im->zip.count; ++i)
    n += program_name(im, &im->zip.members[i]) != NULL;
  return n;
}

tenon_status tenon_pt2_archive(tenon_pt2 *im, tenon_bytes bytes,
                               bool checks_all, tenon_pt2_visit_fn *visit) {
  TENON_TRY(tenon_zip_open(&im->zip, bytes, 0, &im->m->arena, &im->m->report,
                           im->m->name));
  im->zip.checks_all = checks_all;
  TENON_TRY(tenon_zip_check(&im->zip));
  TENON_TRY(refuse_foreign(im));
  TENON_TRY(find_root(im));
  tenon_zip_member *flat =
      pt2_find_member(im, "serialized_exported_program.json");
  if (flat) {
    im->m->format = "pt2";
    im->name = "model";
    im->n_programs = 1;
    im->is_flat = true;
    return read_program(im, flat, visit);
  }
  TENON_TRY(check_archive(im));
  im->m->format = "pt2";
  im->n_programs = count_programs(im);
  if (im->n_programs == 0)
    return pt2_fail(im, "archive", "has no program in its models/");
  for (size_t i = 0; i < im->zip.count; ++i) {
    im->name = program_name(im, &im->zip.members[i]);
    if (im->scratch.failed) return tenon_pt2_memory(im);
    if (!im->name) continue;
    TENON_TRY(read_program(im, &im->zip.members[i], visit));
  }
  return im->m->arena.failed ? tenon_pt2_memory(im) : TENON_OK;
}

bool tenon_pt2_recognise(const void *data, size_t size) {
  return tenon_zip_recognise(data, size);
}

void tenon_pt2_init(tenon_pt2 *im, tenon_module *m) {
  tenon_allocator allocator = m->cx->allocator;
  memset(im, 0, sizeof *im);
  im->cx = m->cx;
  im->m = m;
  tenon_arena_init(&im->scratch, allocator);
  tenon_buf_init(&im->text, allocator);
  tenon_map_init(&im->unique, allocator);
  tenon_map_init(&im->leaves, allocator);
  tenon_vec_init(&im->sizes, allocator);
  tenon_vec_init(&im->decided, allocator);
  tenon_vec_init(&im->local, allocator);
  tenon_vec_init(&im->in, allocator);
  tenon_vec_init(&im->groups, allocator);
  tenon_vec_init(&im->args, allocator);
  tenon_map_init(&im->met, allocator);
  tenon_vec_init(&im->wanted, allocator);
  tenon_vec_init(&im->problems, allocator);
}

void tenon_pt2_deinit(tenon_pt2 *im) {
  tenon_vec_deinit(&im->problems);
  tenon_vec_deinit(&im->wanted);
  tenon_map_deinit(&im->met);
  tenon_vec_deinit(&im->args);
  tenon_vec_deinit(&im->groups);
  tenon_vec_deinit(&im->in);
  tenon_vec_deinit(&im->local);
  tenon_vec_deinit(&im->decided);
  tenon_vec_deinit(&im->sizes);
  tenon_map_deinit(&im->leaves);
  tenon_map_deinit(&im->unique);
  tenon_buf_deinit(&im->text);
  tenon_zip_deinit(&im->zip);
  tenon_arena_deinit(&im->scratch);
}

tenon_status tenon_pt2_read(tenon_context *cx, const void *data, size_t size,
                            const tenon_read_options *options,
                            tenon_module **out) {
  tenon_pt2 im;
  tenon_module *m = NULL;
  *out = NULL;
  TENON_TRY(tenon_module_create(
      cx, options && options->name ? options->name : "model", &m));
  tenon_pt2_init(&im, m);
  im.apart = options ? options->weights : NULL;
  tenon_status status = tenon_pt2_archive(
      &im, (tenon_bytes){(const uint8_t *)data, size},
      options && (options->flags & TENON_READ_CHECK_CRC), tenon_pt2_program);
  if (status == TENON_OK) status = tenon_pt2_apart_report(&im);
  tenon_pt2_deinit(&im);
  if (status == TENON_OK) {
    *out = m;
  } else {
    tenon_module_release(m);
  }
  return status;
}
