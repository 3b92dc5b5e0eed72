// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Collectives and messages of C++ objects: strings, containers, classes with serialize(). Not part of tutti.hpp.

#include <tutti/collective/object.hpp>
