// ir/text/element_text.h - one element of a dense tensor as text, and back.
#ifndef TENON_IR_ELEMENT_TEXT_H
#define TENON_IR_ELEMENT_TEXT_H

#include "base/buf.h"
#include "base/text.h"
#include "tenon/tensor.h"

// Whether elements of the type are written as numbers or words at all.
bool tenon_element_has_text(tenon_dtype dtype);
void tenon_element_print(tenon_dtype dtype, const void *data, size_t i,
                         tenon_buf *out);
// Stores what `text` says as element i; false when it is no such element.
// Packed elements share bytes: the others of a byte are left alone.
bool tenon_element_read(tenon_dtype dtype, tenon_text text, void *data,
                        size_t i);

#endif  // TENON_IR_ELEMENT_TEXT_H
