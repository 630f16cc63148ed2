// read/weights/state_dict.h - a file of torch.save with a dictionary of
// tensors.
//
// A ZIP archive, alone or as a member of another: `data.pkl` says which tensor
// lies how in which storage, and each storage is a member. Data are used where
// they lie. Before torch 1.6 the file was a row of pickles and storages
// instead, which torch.save still writes when told so.
#ifndef TENON_READ_STATE_DICT_H
#define TENON_READ_STATE_DICT_H

#include "read/weights/pickle.h"
#include "read/zip.h"

typedef struct tenon_state_dict {
  tenon_zip zip;
  const tenon_pickle_value *root;  // a dictionary, or one tensor
  const char *folder;              // of its members, with the slash
} tenon_state_dict;

// `where` says in reports which file it is; `base` is where its bytes stand.
// `dict` is deinitialised in any case.
tenon_status tenon_state_dict_open(tenon_state_dict *dict, tenon_bytes bytes,
                                   uint64_t base, tenon_arena *arena,
                                   const tenon_report *report, const char *file,
                                   const char *where);
// The same of a file that torch.save made of one tensor: the root is that.
tenon_status tenon_state_dict_open_tensor(tenon_state_dict *dict,
                                          tenon_bytes bytes, uint64_t base,
                                          tenon_arena *arena,
                                          const tenon_report *report,
                                          const char *file, const char *where);
// Whether it is a row of pickles; and the reader of those, which the others
// call (state_dict_legacy.c).
bool tenon_state_dict_is_legacy(tenon_bytes bytes);
tenon_status tenon_state_dict_open_legacy(tenon_state_dict *dict,
                                          tenon_bytes bytes, uint64_t base,
                                          tenon_arena *arena,
                                          const tenon_report *report,
                                          const char *file, const char *where);
void tenon_state_dict_deinit(tenon_state_dict *dict);
// The tensor of that name; null: there is none, or it is no tensor.
const tenon_pickle_value *tenon_state_dict_find(const tenon_state_dict *dict,
                                                const char *name);
// The member that holds the tensor's storage.
tenon_zip_member *tenon_state_dict_member(const tenon_state_dict *dict,
                                          const tenon_pickle_value *tensor);

#endif  // TENON_READ_STATE_DICT_H
