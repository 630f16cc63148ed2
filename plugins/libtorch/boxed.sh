#!/bin/sh
# Builds libtorch_boxed.so, through which the plugin `libtorch` passes arguments of every
# type, against the headers that come with a torch: a wheel has them, and the archive of
# libtorch. It serves the torch it was built for, and is built again for another.
#
#     sh boxed.sh [FOLDER [FILE]]
#
# FOLDER has libtorch_cpu.so (what TENON_LIBTORCH names, by default); FILE is what is written:
# by default what TENON_LIBTORCH_BOXED names, else libtorch_boxed.so beside the plugin. CXX is
# the compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-${TENON_LIBTORCH:-}}
file=${2:-${TENON_LIBTORCH_BOXED:-$here/../libtorch_boxed.so}}
case $folder in *.so) folder=$(dirname "$folder") ;; esac
include=$folder/../include
if [ -z "$folder" ] || [ ! -f "$include/ATen/core/dispatch/Dispatcher.h" ]; then
  echo "boxed.sh: '$folder' has no ../include with torch's headers; name torch's lib folder" >&2
  exit 2
fi
# What it calls is found in the libtorch that is loaded already.
"${CXX:-c++}" -std=c++17 -O2 -fPIC -shared -fvisibility=hidden -isystem "$include" \
  -o "$file.new" "$here/boxed.cc"
mv "$file.new" "$file"
echo "wrote $file"
