// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Everything that needs no third party.

#include <tutti/algorithm/explain.hpp>
#include <tutti/algorithm/hierarchical.hpp>
#include <tutti/algorithm/lanes.hpp>
#include <tutti/algorithm/list.hpp>
#include <tutti/algorithm/native.hpp>
#include <tutti/algorithm/supports.hpp>
#include <tutti/collective/all_gather.hpp>
#include <tutti/collective/all_reduce.hpp>
#include <tutti/collective/all_to_all.hpp>
#include <tutti/collective/async.hpp>
#include <tutti/collective/barrier.hpp>
#include <tutti/collective/broadcast.hpp>
#include <tutti/collective/gather.hpp>
#include <tutti/collective/pipeline.hpp>
#include <tutti/collective/plan.hpp>
#include <tutti/collective/reduce.hpp>
#include <tutti/collective/reduce_scatter.hpp>
#include <tutti/collective/scan.hpp>
#include <tutti/collective/scatter.hpp>
#include <tutti/collective/send_recv.hpp>
#include <tutti/core/version.hpp>
#include <tutti/op/arithmetic.hpp>
#include <tutti/op/bitwise.hpp>
#include <tutti/op/commutative.hpp>
#include <tutti/op/half.hpp>
#include <tutti/op/location.hpp>
#include <tutti/op/logical.hpp>
#include <tutti/op/premultiplied.hpp>
#include <tutti/op/then.hpp>
#include <tutti/transport/shm.hpp>
#include <tutti/transport/threads.hpp>
