// What a rewrite is told of the memory beside its node: each row's bytes are
// counted by hand.
#include "ir/rewrite/rewrite.h"
#include "world.h"

static const tenon_owner owner = {.name = "acme", .version = "1.0.0"};

static tenon_status asks_for_room(tenon_rewriter *rw, const tenon_node *node) {
  (void)node;
  *(uint64_t *)rw->api->user(rw) = rw->api->room(rw);
  return TENON_OK;
}

static const struct {
  const char *what, *text;
  uint64_t room;
} rows[] = {
    {"16 live, later 24",
     "module { %x = input f32[2]\n%y = acme::gain(%x) [gain=2.0]\n"
     "%a = core::concat([%y, %y]) [axis=0]\nreturn %a }",
     8},
    {"a value that is read twice by one node dies once",
     "module { %x = input f32[2]\n%a = core::concat([%x, %x]) [axis=0]\n"
     "%b = acme::ruleless(%a) : f32[2]\n"
     "%y = acme::gain(%b) [gain=2.0]\nreturn %y }",
     8},
    {"a value that is read again lives on",
     "module { %x = input f32[2]\n%a = core::concat([%x, %x]) [axis=0]\n"
     "%b = acme::ruleless(%a) : f32[2]\n"
     "%y = acme::gain(%b) [gain=2.0]\nreturn %y, %x }",
     8},
    {"a value that is never read lives at its node",
     "module { %x = input f32[2]\n%a = core::concat([%x, %x, %x]) [axis=0]\n"
     "%y = acme::gain(%x) [gain=2.0]\nreturn %y }",
     16},
    {"a constant does not count",
     "module { %x = input f32[2]\n%k = const f32[2] {1, 2}\n"
     "%a = core::mul(%x, %k)\n%y = acme::gain(%a) [gain=2.0]\nreturn %y }",
     0},
    {"a size is open",
     "module { %x = input f32[?n]\n%y = acme::gain(%x) [gain=2.0]\n"
     "%a = core::concat([%y, %y]) [axis=0]\nreturn %a }",
     0},
    {"what regions read dies once, at the node that has them",
     "module { %p = input bool[]\n%x = input f32[2]\n"
     "%a = core::concat([%x, %x]) [axis=0]\n"
     "%c = core::cond(%p, [%a]) : f32[4] {\n"
     "(%t: f32[4]) { %d = core::concat([%x, %x]) [axis=0]\nreturn %d }\n"
     "(%t: f32[4]) { %e = core::concat([%x, %x]) [axis=0]\n"
     "%f = core::mul(%t, %e)\nreturn %f } }\n"
     "%b = acme::ruleless(%c) : f32[2]\n"
     "%y = acme::gain(%b) [gain=2.0]\nreturn %y }",
     1 + 8 + 16 + 16 - 16},
    {"in a region, what belongs to the graph around does not count",
     "module { %p = input bool[]\n%x = input f32[2]\n%o = core::relu(%x)\n"
     "%c = core::cond(%p, [%x]) : f32[4] {\n"
     "(%t: f32[2]) { %y = acme::gain(%t) [gain=2.0]\n"
     "%b = core::mul(%y, %o)\n%d = core::concat([%b, %b]) [axis=0]\n"
     "return %d }\n"
     "(%t: f32[2]) { %e = core::concat([%t, %t]) [axis=0]\nreturn %e } }\n"
     "return %c }",
     8},
};

static void room_is_the_most_less_what_lives_here(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    world w;
    world_init(&w);
    tenon_module *m = world_read(&w, rows[i].text);
    uint64_t room = 77;
    tenon_rewrite_outcome outcome = TENON_REWRITE_REPLACED;
    CHECK(tenon_rewrite_node(world_find(m, "acme::gain"), asks_for_room, &room,
                             &owner, "asks", &outcome) == TENON_OK,
          "%s: %s", rows[i].what, w.log.text);
    CHECK(room == rows[i].room, "%s: %llu instead of %llu", rows[i].what,
          (unsigned long long)room, (unsigned long long)rows[i].room);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

TEST_GROUP(rewrite_room,
           cmocka_unit_test(room_is_the_most_less_what_lives_here))
