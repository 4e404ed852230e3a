#pragma once

// What a copy of the cluster tells of workers, applications and drivers, as `stoker status`
// tells it of a master. Each looks at what it returns alone.

#include <cstddef>
#include <optional>
#include <vector>

#include "messages/administration.hpp"
#include "pages/cluster_figures.hpp"
#include "web/cluster_copy.hpp"
#include "web/page_address.hpp"

namespace stoker {

/// A part of a list.
struct ListPart {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// All of them: those that are stored, then those that are lost.
/// @pre there is an observation
std::vector<WorkerInfo> workers_of(const ClusterCopy& cluster);

/// @pre there is an observation
std::optional<WorkerInfo> worker_of(const ClusterCopy& cluster,
                                    const WorkerId& id);

/// The same for people: by their ids, and each with why it is given nothing, also one that
/// is not ALIVE.
/// @pre there is an observation
std::vector<WorkerInfo> shown_workers(const ClusterCopy& cluster);
std::optional<WorkerInfo> shown_worker(const ClusterCopy& cluster,
                                       const WorkerId& id);

/// A part of a list, and how many the whole of it has.
template <class T>
struct ListOf {
  std::vector<T> part;
  std::size_t in_all = 0;
};

/// Those that somebody looks for, but for their executors: those that have ended, the last
/// one first, or the others. Looks at what it returns alone, unless there is a
/// filter: then at all of them.
ListOf<ApplicationInfo> found_applications(const ClusterCopy& cluster,
                                           bool ended, const ListFilter& filter,
                                           ListPart part);
ListOf<DriverInfo> found_drivers(const ClusterCopy& cluster, bool ended,
                                 const ListFilter& filter, ListPart part);

/// But for their executors.
std::vector<ApplicationInfo> active_applications(const ClusterCopy& cluster,
                                                 ListPart part);

/// The last one first.
std::vector<ApplicationInfo> ended_applications(const ClusterCopy& cluster,
                                                ListPart part);

/// With all of its executors that are kept.
std::optional<ApplicationInfo> application_of(const ClusterCopy& cluster,
                                              const AppId& id);

/// When the first one of its executors ended whose end is kept with all that came later;
/// milliseconds since 1970. Unset: no such end is kept.
///
/// The master forgets them in the order of their ends (scheduling/master/ended_executors.hpp),
/// so whatever is forgotten has ended before this one. Two kinds stay though later ends are
/// forgotten, and do not count here: lost attempts at instances, and those whose programs have
/// yet to end. Ends are in the order in which the master took them: where the program of one
/// that is forgotten went on for a while, as after a kill, that lies behind this moment.
std::optional<std::int64_t> first_end_kept(const ClusterCopy& cluster,
                                           const AppId& id);

std::optional<ExecutorInfo> executor_of(const ClusterCopy& cluster,
                                        const ExecutorId& id);

/// Those that hold something of it.
std::vector<ExecutorInfo> executors_on(const ClusterCopy& cluster,
                                       const WorkerId& id);

/// The same of drivers.
std::vector<DriverInfo> drivers_on(const ClusterCopy& cluster,
                                   const WorkerId& id);

std::vector<DriverInfo> active_drivers(const ClusterCopy& cluster,
                                       ListPart part);
std::vector<DriverInfo> ended_drivers(const ClusterCopy& cluster,
                                      ListPart part);
std::optional<DriverInfo> driver_of(const ClusterCopy& cluster,
                                    const DriverId& id);

/// @param workers all of them
pages::ClusterFigures figures_of(const ClusterCopy& cluster,
                                 const std::vector<WorkerInfo>& workers);

} // namespace stoker
