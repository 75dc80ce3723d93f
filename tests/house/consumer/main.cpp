// Two translation units with everything in both. KOMPAKT_HEADER is the single header, if one
// is used.
#ifdef KOMPAKT_HEADER
#include KOMPAKT_HEADER
#else
#include <kompakt/kompakt.hpp>
#endif

int second(const kompakt::status& s, kompakt::span<const int> numbers);

int main() {
    const int numbers[] = {1, 2, 3};
    return second(kompakt::fail(kompakt::errc::limit, "from ", "main"), numbers);
}
