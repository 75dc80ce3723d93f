#include <kompakt/numeric/float_math.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>

TEST_CASE("exp_f32 is within 2 units in the last place of the double function") {
    double worst = 0;
    for (std::uint32_t i = 0; i < 0x7f800000u; i += 997) {
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            const std::uint32_t bits = i | sign;
            float x;
            std::memcpy(&x, &bits, sizeof x);
            const double exact = std::exp(static_cast<double>(x));
            const float mine = kompakt::exp_f32(x);
            const auto rounded = static_cast<float>(exact);
            if (std::isinf(rounded) || rounded == 0.0f) {
                // Near the ends the last representable value is also right.
                CHECK((mine == rounded || std::fabs(mine) < 3e-45f || mine > 3.4e38f));
                continue;
            }
            const double ulp = static_cast<double>(std::nextafter(rounded, INFINITY)) -
                               static_cast<double>(rounded);
            worst = (std::max)(worst, std::fabs(static_cast<double>(mine) - exact) / ulp);
        }
    }
    MESSAGE("worst error: ", worst, " ulp");
    CHECK(worst <= 2.0);
}

TEST_CASE("exp_f32 at the ends") {
    CHECK(kompakt::exp_f32(0.0f) == 1.0f);
    CHECK(std::isinf(kompakt::exp_f32(INFINITY)));
    CHECK(kompakt::exp_f32(-INFINITY) == 0.0f);
    CHECK(kompakt::exp_f32(-200.0f) == 0.0f);
    CHECK(std::isnan(kompakt::exp_f32(NAN)));
}
