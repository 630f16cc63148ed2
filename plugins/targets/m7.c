// m7.c - a target of one's own: a microcontroller with four kinds of memory.
//
//   tenon plan model.tflite --plugin plugins/targets/m7.c --target acme-m7
//   tenon emit model.tflite --plugin plugins/targets/m7.c --target acme-m7 \
//     --place 'constant:*=ospi' -o out
//
// The plan fills the tightly coupled memory first, then the SRAM; constants lie
// in the internal flash, and those that a rule sends there in a flash behind a
// bus, from which the application copies them. Emitted C has each in the
// section that is named here; a linker script puts the sections where they
// belong.
#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"

static const tenon_target_desc m7 = {
    .struct_size = sizeof(tenon_target_desc),
    .name = "acme-m7",
    .doc = "A Cortex-M7 with DTCM, SRAM, flash and an external flash.",
    .features = "dsp",
    .cflags = "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16",
    .memories = "dtcm=128K sram=512K flash=1M:rom ospi=8M:cold",
    .sections = "sram=.bss.sram flash=.rodata.model ospi=.rodata.ospi",
    .pointer_bits = 32,
    .int_bits = 32,
};

static const tenon_plugin acme_targets = {
    TENON_PLUGIN_HEADER,
    .name = "acme_targets",
    .version = "1.0.0",
    .targets = (const tenon_target_desc *const[]){&m7, NULL},
};
TENON_PLUGIN_EXPORT(acme_targets, acme_targets);
