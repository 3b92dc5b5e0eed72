// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: serialize() is also called to read, so what it hands over can't be const
#include <tutti/object/codec.hpp>

#if defined(TUTTI_MUST_BUILD)
using number = int;
#else
using number = const int;
#endif

struct person {
  number age = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(age);
  }
};

person wrong(const tutti::packed& bytes) { return tutti::unpack<person>(bytes); }
