#!/usr/bin/env bash
# Builds and runs native/tests with sanitizers: by default AddressSanitizer with UBSan, and then ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
generator=()
command -v ninja > /dev/null && generator=(-G Ninja)
test $# -gt 0 || set -- address,undefined thread
for sanitizer in "$@"; do
    folder="build/sanitize-${sanitizer%%,*}"
    cmake -S . -B "$folder" "${generator[@]}" -DLOOKALIKE_MODULE=OFF -DLOOKALIKE_SANITIZE="$sanitizer" > /dev/null
    cmake --build "$folder" --parallel 2 --target native_tests
    echo "native tests under -fsanitize=$sanitizer"
    "$folder/native_tests"
done
