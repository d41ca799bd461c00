#!/usr/bin/env bash
# Builds and runs native/tests with sanitizers: by default AddressSanitizer and UBSan; `sanitize.sh thread` for others.
set -euo pipefail
cd "$(dirname "$0")/.."
generator=()
command -v ninja > /dev/null && generator=(-G Ninja)
for sanitizer in "${@:-address,undefined}"; do
    folder="build/sanitize-${sanitizer%%,*}"
    cmake -S . -B "$folder" "${generator[@]}" -DLOOKALIKE_MODULE=OFF -DLOOKALIKE_SANITIZE="$sanitizer" > /dev/null
    cmake --build "$folder" --parallel 2 --target native_tests
    echo "native tests under -fsanitize=$sanitizer"
    "$folder/native_tests"
done
