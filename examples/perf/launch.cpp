// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.hpp"

#include "machine.hpp"
#include "offer.hpp"

#include <tutti/tutti.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace perf {

std::vector<const char*> every_transport() {
  if (built_with_mpi()) return {"shm", "threads", "mpi", "hybrid"};
  return {"shm", "threads"};
}

std::vector<const char*> every_peer() {
  auto all = every_transport();
  if (launch_gloo()) all.push_back("gloo");
  return all;
}

int ranks_for(const options& chosen, const tutti::launcher_info& launcher) {
  if (chosen.transport == "threads" && launcher && launcher.size > 1)
    throw options_error("--transport threads: its ranks are threads of one process, but the launcher started " +
                        std::to_string(launcher.size) + " processes; use --transport shm");
  const bool over_mpi = is_over_mpi(chosen.transport) || (chosen.versus && is_over_mpi(chosen.versus->transport));
  return chosen.ranks.value_or(launcher ? launcher.size : over_mpi ? 1 : 4);
}

void launch(const std::string& transport, int ranks, const std::function<void(meeting&)>& work) {
  const auto cpus = usable_cpu_numbers();
  const auto meet = [&](auto& comm) {
    if (ranks > 1 && std::size_t(ranks) <= cpus.size()) pin_this_thread(cpus, comm.rank());
    meeting_over<std::remove_reference_t<decltype(comm)>, tutti::detail::shared_communicator> all(transport, comm);
    work(all);
  };
  if (is_over_mpi(transport))
    launch_over_mpi()(transport, ranks, work);
  else if (transport == "threads")
    tutti::threads::launch(ranks, meet);
  else
    tutti::shm::launch(ranks, meet);
}

}  // namespace perf
