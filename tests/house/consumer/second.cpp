#ifdef KOMPAKT_HEADER
#include KOMPAKT_HEADER
#else
#include <kompakt/kompakt.hpp>
#endif

__attribute__((visibility("default"))) int second(const kompakt::status& s,
                                                  kompakt::span<const int> numbers) {
    return s.code() == kompakt::errc::limit && numbers.size() == 3 ? 0 : 1;
}
