// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proofs that take too long while compiling: every algorithm and collective for up to 33 ranks with every root,
// and up to 130 with the roots 0, 1, p/2 and p-1.
#include <tutti/tutti.hpp>
#include <tutti/verify.hpp>

#include <doctest/doctest.h>

#include <string>

#if !defined(TUTTI_REDUCED)
#  define TUTTI_REDUCED 0
#endif

namespace {

namespace on = tutti::collective;

std::string told(const char* algorithm, const char* collective, const tutti::verdict& found) {
  return std::string(algorithm) + " " + collective + ": flaw " + std::to_string(int(found.found)) + ", size " +
         std::to_string(found.size) + ", root " + std::to_string(found.root) + ", rank " + std::to_string(found.rank) +
         ", round " + std::to_string(found.round) + ", block " + std::to_string(found.block);
}

template <class Algorithm, class Collective>
int prove(int size, int root) {
  const tutti::verdict found = tutti::check_schedule<Algorithm, Collective>(size, root);
  if (!found) FAIL_CHECK(told(Algorithm::name, Collective::name, found));
  return 1;
}

/// Returns how many proofs it made.
template <class Algorithm, class Collective>
int prove_all() {
  if constexpr (requires { Algorithm::schedule(Collective{}); }) {
    const int all_roots = TUTTI_REDUCED ? 9 : 33, most = TUTTI_REDUCED ? 20 : 130;
    int made = 0;
    for (int size = 2; size <= most; ++size) {
      const int roots[] = {0, 1, size / 2, size - 1};
      if (!Collective::rooted)
        made += prove<Algorithm, Collective>(size, 0);
      else if (size <= all_roots)
        for (int root = 0; root < size; ++root) made += prove<Algorithm, Collective>(size, root);
      else
        for (const int root : roots) made += prove<Algorithm, Collective>(size, root);
    }
    return made;
  } else {
    return 0;
  }
}

template <class Algorithm>
void prove_algorithm() {
  int made = 0;
  on::for_each([&](auto tag) { made += prove_all<Algorithm, decltype(tag)>(); });
  CHECK(made > 10);
}

}  // namespace

TEST_CASE("every algorithm of the list up to 130 ranks") {
#if TUTTI_REDUCED  // sanitizers watch the prover
  using proved = tutti::one_of<tutti::ring, tutti::direct, tutti::bruck, tutti::recursive_doubling>;
#else
  using proved = tutti::every_algorithm;
#endif
  proved::for_each([](auto one) {
    if constexpr (tutti::algorithm<decltype(one)>) prove_algorithm<decltype(one)>();
  });
}
