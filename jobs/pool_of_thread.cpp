#include "jobs/pool_of_thread.hpp"

#include <utility>

namespace stoker::jobs {

namespace {

thread_local const PoolOfThread* innermost_pool = nullptr;

} // namespace

PoolOfThread::PoolOfThread(std::string pool)
    : pool_(std::move(pool)), outer_(innermost_pool) {
  innermost_pool = this;
}

PoolOfThread::~PoolOfThread() {
  innermost_pool = outer_;
}

const std::string* PoolOfThread::name() noexcept {
  return innermost_pool == nullptr ? nullptr : &innermost_pool->pool_;
}

} // namespace stoker::jobs
