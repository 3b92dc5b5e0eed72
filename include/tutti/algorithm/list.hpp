// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/algorithm/aggregator.hpp>
#include <tutti/algorithm/automatic.hpp>
#include <tutti/algorithm/bruck.hpp>
#include <tutti/algorithm/chain.hpp>
#include <tutti/algorithm/circulant.hpp>
#include <tutti/algorithm/direct.hpp>
#include <tutti/algorithm/double_binary_tree.hpp>
#include <tutti/algorithm/halving_doubling.hpp>
#include <tutti/algorithm/knomial.hpp>
#include <tutti/algorithm/one_of.hpp>
#include <tutti/algorithm/one_phase.hpp>
#include <tutti/algorithm/pairwise.hpp>
#include <tutti/algorithm/recursive_doubling.hpp>
#include <tutti/algorithm/ring.hpp>
#include <tutti/algorithm/scatter_all_gather.hpp>
#include <tutti/algorithm/tree.hpp>

namespace tutti {

/// Every algorithm of the house, by name: the list behind command lines, tests and tools.
using every_algorithm =
    one_of<automatic, ring, tree, aggregator, direct, one_phase, recursive_doubling, halving_doubling, circulant,
           knomial<4>, chain, double_binary_tree, scatter_all_gather, bruck, pairwise>;

}  // namespace tutti
