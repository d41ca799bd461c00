// Bindings that have a file of their own.
#pragma once
#include <nanobind/nanobind.h>

void bind_frequent(nanobind::module_& m);
void bind_weighted(nanobind::module_& m);
