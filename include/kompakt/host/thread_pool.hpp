// A pool of threads as an executor (core/executor.hpp).
//
//     kompakt::thread_pool pool(4);
//     pool.parallel_for(pieces, [&](std::size_t i) { part[i] = …; });
//     // then combine the parts in the order of i
#pragma once

#include <kompakt/core/executor.hpp>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class thread_pool {
  public:
    // The caller of parallel_for works too and counts as one of `threads`; 0 takes as many as the
    // machine runs at once. At most 256, and no more than the system gives: see threads(). (Without
    // exceptions the standard library ends the program when it gives none.)
    explicit thread_pool(std::size_t threads = 0) {
        if (threads == 0) threads = (std::max)(1u, std::thread::hardware_concurrency());
        threads = (std::min)(threads, std::size_t{256});
        workers_.reserve(threads - 1);
        while (workers_.size() + 1 < threads && add_worker()) {
        }
    }
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;
    ~thread_pool() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread& t : workers_) t.join();
    }

    std::size_t threads() const noexcept { return workers_.size() + 1; }

    // Calls f(0) … f(pieces - 1), each once, and returns when all are done. Any thread may call,
    // the pool's own from inside a piece too: the caller does the pieces that nobody else takes,
    // and waits only for pieces that are being run, so nested calls end. `f` must not throw.
    template <class F>
    void parallel_for(std::size_t pieces, F&& f) {
        if (workers_.empty() || pieces < 2) {
            serial_executor().parallel_for(pieces, f);
            return;
        }
        using function = std::remove_reference_t<F>;
        job j;
        j.pieces = pieces;
        j.context = const_cast<void*>(static_cast<const void*>(std::addressof(f)));
        j.run = [](void* context, std::size_t i) { (*static_cast<function*>(context))(i); };
        std::unique_lock<std::mutex> lock(mutex_);
        jobs_.push_back(&j);
        if (pieces - 1 < workers_.size()) {
            for (std::size_t i = 1; i < pieces; ++i) wake_.notify_one();
        } else {
            wake_.notify_all();
        }
        while (j.next < j.pieces) run_piece(j, lock);
        j.done.wait(lock, [&] { return j.running == 0; });
    }

  private:
    // Lives on the stack of its caller, who returns when `running` is 0 and nothing is left.
    struct job {
        std::size_t pieces = 0, next = 0, running = 0;
        void* context = nullptr;
        void (*run)(void*, std::size_t) = nullptr;
        std::condition_variable done;
    };

    bool add_worker() {
#if defined(__cpp_exceptions)
        try {
            workers_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            return false;
        }
#else
        workers_.emplace_back([this] { work(); });
#endif
        return true;
    }
    // Takes the next piece under the lock and runs it without.
    void run_piece(job& j, std::unique_lock<std::mutex>& lock) {
        const std::size_t piece = j.next++;
        ++j.running;
        if (j.next == j.pieces) jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &j));
        lock.unlock();
        j.run(j.context, piece);
        lock.lock();
        // Under the lock: the job is gone as soon as its caller sees that nothing runs.
        if (--j.running == 0 && j.next == j.pieces) j.done.notify_one();
    }
    void work() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            // The newest first: an outer call waits for the ones nested in it.
            run_piece(*jobs_.back(), lock);
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<job*> jobs_; // those with pieces that nobody has taken
    bool stop_ = false;
    std::vector<std::thread> workers_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
