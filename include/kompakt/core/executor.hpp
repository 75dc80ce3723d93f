// Executors: how work that falls into pieces is carried out.
//
// An executor is any type with `template <class F> void parallel_for(std::size_t pieces, F&& f)`
// that calls f(0) … f(pieces - 1), each once, in any order and on any thread, and returns when all
// are done. Pieces depend on sizes only, never on the number of threads, and partial results are
// combined in the order of the index: the result is the same whatever the executor.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct serial_executor {
    template <class F>
    void parallel_for(std::size_t pieces, F&& f) const {
        for (std::size_t i = 0; i < pieces; ++i) f(i);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
