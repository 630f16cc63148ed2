# For scripts that source it: libraries for another system, built from
# the sources of Debian, which has no packages of them. `made` is the folder of the build,
# `toolchain` a file for CMake.

# The named source packages, into $made/sources.
sources() {
  local from=$made/sources
  mkdir -p "$from/lists/partial" "$from/list.d"
  sed 's/^Types: deb$/Types: deb-src/; s/^deb /deb-src /' /etc/apt/sources.list.d/*.sources \
      >"$from/list.d/debian.sources" 2>/dev/null || true
  grep -h '^deb ' /etc/apt/sources.list 2>/dev/null | sed 's/^deb /deb-src /' \
      >"$from/list.d/debian.list" || true
  local apt=(apt-get -qq -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$from/list.d"
             -o "Dir::State::Lists=$from/lists" -o "APT::Sandbox::User=$(id -un)")
  "${apt[@]}" update
  (cd "$from" && "${apt[@]}" source --download-only "$@")
  rm -f "$from"/*.asc
}

# One of them, with words for CMake, into $made/libraries. $lacking is a file that the CMake
# file names and Debian leaves out.
library() {
  local name=$1 from=$made/sources/$1
  shift
  rm -rf "$from"
  mkdir "$from"
  tar -xf "$made/sources/$name"_*.orig.tar.* -C "$from" --strip-components 1
  [ -z "${lacking:-}" ] || { mkdir -p "$from/${lacking%/*}"; touch "$from/$lacking"; }
  local log=$made/sources/$name.log
  if ! { cmake -S "$from" -B "$from/build" -G Ninja --toolchain "$toolchain" \
             -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$made/libraries" \
             -DCMAKE_POLICY_VERSION_MINIMUM=3.5 "$@" &&
         cmake --build "$from/build" --target install; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "${0##*/}: $name is not built" >&2
    exit 1
  fi
}

# Jansson and libyaml, which the library needs, and cmocka, which its tests do.
libraries() {
  [ ! -e "$made/libraries/made" ] || return 0
  sources jansson libyaml cmocka "$@"
  library jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
  library libyaml -DBUILD_TESTING=OFF
  # It installs no such file.
  printf 'Name: libyaml\nDescription: YAML\nVersion: 0.2.5\nLibs: -L%s/lib -lyaml\nCflags: -I%s/include -DYAML_DECLARE_STATIC\n' \
      "$made/libraries" "$made/libraries" >"$made/libraries/lib/pkgconfig/yaml-0.1.pc"
  library cmocka -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF -DWITH_STATIC_LIB=ON
  mv "$made/libraries/lib/libcmocka-static.a" "$made/libraries/lib/libcmocka.a"
  rm -f "$made"/libraries/lib/libcmocka.dll.a "$made"/libraries/lib/libcmocka*.dylib
}
