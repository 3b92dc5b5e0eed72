// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: an object is received into a fresh one, so its type needs a default constructor
#include <tutti/object/codec.hpp>

#include <string>
#include <utility>
#include <vector>

class person {
 public:
  explicit person(std::string name) : name_(std::move(name)) {}
#if defined(TUTTI_MUST_BUILD)
  person() = default;
#endif
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name_);
  }

 private:
  std::string name_;
};

std::vector<person> wrong(const tutti::packed& bytes) { return tutti::unpack<std::vector<person>>(bytes); }
