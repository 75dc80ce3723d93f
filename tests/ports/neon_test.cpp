// The NEON ports against the portable kernels, bit for bit, each forced in turn; one that this
// processor lacks is skipped by name. tests/ops runs every op spec on them, too.
#include <kompakt/core/config.hpp>

#if (defined(__aarch64__) || defined(__ARM_NEON)) && !KOMPAKT_BIG_ENDIAN &&                        \
    (defined(__GNUC__) || defined(__clang__))

#include <kompakt/run/default_kernels.hpp>

#include <doctest/doctest.h>
#include <ports/made_call.hpp>
#include <string>

using namespace kompakt;
using namespace kompakt_test;

namespace {

template <class Port>
bool can_run() {
    if (Port::supported()) return true;
    MESSAGE("this processor cannot run ", std::string(Port::name), ": skipped");
    return false;
}

struct made {
    const std::vector<std::int32_t>&in_dims, &filter_dims, &out_dims;
    const std::vector<std::int8_t>&in, &filter;
    const made_stage& stage;
};

// Canonical weights, and packed ones where the port packs; at once and by rows.
template <class Family, class Port, class Params>
void check_port(const Params& p, const made& m, std::size_t offset, bool rows_too) {
    for (const bool by_rows : {false, true}) {
        if (by_rows && !rows_too) continue;
        CAPTURE(by_rows);
        made_call expected(Family::id, p, m.in_dims, m.in, m.filter_dims, m.filter, m.out_dims,
                           m.stage, by_rows, 0);
        made_call c(Family::id, p, m.in_dims, m.in, m.filter_dims, m.filter, m.out_dims, m.stage,
                    by_rows, offset);
        const status e = Family::check(c.with(nullptr));
        const std::string said = e.ok() ? "" : e.message();
        REQUIRE(said == "");
        expected.scratch_of(Family::scratch_bytes(portable{}, expected.unplaced()));
        Family::run(portable{}, expected.with(nullptr));
        const std::size_t n = Family::pack_bytes(Port{}, c.unplaced());
        std::vector<std::byte> packed(n + 2 * made_call::zone, std::byte{0x5a});
        std::byte* weights = packed.data() + made_call::zone;
        if (n != 0) Family::pack(Port{}, c.unplaced(), weights);
        for (std::size_t i = 0; i < made_call::zone; ++i) {
            REQUIRE(packed[i] == std::byte{0x5a});
            REQUIRE(packed[packed.size() - 1 - i] == std::byte{0x5a});
        }
        for (const bool use : {false, true}) {
            if (use && n == 0) continue;
            CAPTURE(use);
            c.scratch_of(Family::scratch_bytes(Port{}, c.unplaced()));
            Family::run(Port{}, c.with(use ? weights : nullptr));
            CHECK(c.output() == expected.output());
            CHECK(c.intact());
        }
    }
}

bytes_of any_bytes(dice& d) {
    return d.one_in(3)   ? static_cast<bytes_of>(d.between(1, 3))
           : d.one_in(2) ? bytes_of::tame
                         : bytes_of::anything;
}
std::int32_t any_zero_point(dice& d) {
    return d.one_in(3) ? (d.one_in(2) ? -128 : 127) : d.between(-128, 127);
}

template <class Port>
void check_conv(const made_window& s, std::int32_t out_c, std::int32_t groups, bytes_of in_bytes,
                bytes_of weights, bool wild, std::size_t offset, dice& d) {
    const std::string text = s.text();
    CAPTURE(text);
    CAPTURE(out_c);
    CAPTURE(groups);
    const std::int32_t depth = s.c / groups, taps = s.kernel_h * s.kernel_w * depth;
    const auto in = made_bytes(s.in_size(), in_bytes, d);
    const auto filter = made_bytes(static_cast<std::size_t>(out_c * taps), weights, d);
    const made_stage stage = stage_for(out_c, taps, wild, d);
    conv2d_i8_params p;
    p.window = s.window, p.input_zero_point = any_zero_point(d), p.output = stage.params;
    check_port<conv2d_i8, Port>(p,
                                {s.in_dims(),
                                 {out_c, s.kernel_h, s.kernel_w, depth},
                                 {s.n, s.out_h(), s.out_w(), out_c},
                                 in,
                                 filter,
                                 stage},
                                offset, s.n == 1);
}
template <class Port>
void check_depthwise(const made_window& s, std::int32_t m, bytes_of in_bytes, bytes_of weights,
                     bool wild, std::size_t offset, dice& d) {
    const std::string text = s.text();
    CAPTURE(text);
    CAPTURE(m);
    const std::int32_t out_c = s.c * m, taps = s.kernel_h * s.kernel_w;
    const auto in = made_bytes(s.in_size(), in_bytes, d);
    const auto filter = made_bytes(static_cast<std::size_t>(out_c * taps), weights, d);
    const made_stage stage = stage_for(out_c, taps, wild, d);
    depthwise_conv2d_i8_params p;
    p.window = s.window, p.input_zero_point = any_zero_point(d), p.output = stage.params;
    check_port<depthwise_conv2d_i8, Port>(p,
                                          {s.in_dims(),
                                           {1, s.kernel_h, s.kernel_w, out_c},
                                           {s.n, s.out_h(), s.out_w(), out_c},
                                           in,
                                           filter,
                                           stage},
                                          offset, s.n == 1);
}
template <class Port>
void check_fully_connected(std::int32_t n, std::int32_t k, std::int32_t o, bytes_of in_bytes,
                           bytes_of weights, bool wild, std::size_t offset, dice& d) {
    CAPTURE(n);
    CAPTURE(k);
    CAPTURE(o);
    const auto in = made_bytes(static_cast<std::size_t>(n * k), in_bytes, d);
    const auto w = made_bytes(static_cast<std::size_t>(o * k), weights, d);
    const made_stage stage = stage_for(o, k, wild, d);
    fully_connected_i8_params p;
    p.input_zero_point = any_zero_point(d), p.output = stage.params;
    check_port<fully_connected_i8, Port>(p, {{n, k}, {o, k}, {n, o}, in, w, stage}, offset, false);
}

// Everything below, for one port.
template <class Port>
void random_shapes() {
    if (!can_run<Port>()) return;
    dice d(1);
    for (int i = 0; i < 400; ++i) {
        made_window s = random_window(70, d);
        const std::int32_t groups = d.one_in(8) ? 2 : 1;
        s.c = s.c * groups;
        check_conv<Port>(s, groups * d.between(1, 70), groups, any_bytes(d), any_bytes(d),
                         d.one_in(3), d.one_in(2) ? 0 : static_cast<std::size_t>(d.between(0, 15)),
                         d);
        s = random_window(70, d);
        check_depthwise<Port>(s, d.one_in(8) ? 2 : 1, any_bytes(d), any_bytes(d), d.one_in(3),
                              d.one_in(2) ? 0 : static_cast<std::size_t>(d.between(0, 15)), d);
        check_fully_connected<Port>(d.one_in(2) ? 1 : d.between(1, 9), d.between(1, 200),
                                    d.between(1, 90), any_bytes(d), any_bytes(d), d.one_in(3),
                                    static_cast<std::size_t>(d.between(0, 15)), d);
    }
}
template <class Port>
void ends_and_alignments() {
    if (!can_run<Port>()) return;
    dice d(2);
    made_window s;
    for (const std::int32_t c : {1, 3, 4, 7, 8, 12, 15, 16, 17, 20, 24, 31, 32, 33, 63, 64, 65}) {
        for (const std::int32_t out_c : {1, 3, 4, 5, 8, 9, 12, 15, 16, 17, 31, 32, 33, 49}) {
            s.h = 1, s.w = d.between(1, 9), s.c = c;
            check_conv<Port>(s, out_c, 1, bytes_of::anything, bytes_of::anything, false, 0, d);
            check_fully_connected<Port>(1, c, out_c, bytes_of::anything, bytes_of::tame, false, 0,
                                        d);
        }
    }
    s = {};
    s.kernel_h = s.kernel_w = 3;
    s.window.pad_top = s.window.pad_left = s.pad_bottom = s.pad_right = 1;
    for (const std::int32_t c : {1, 7, 8, 9, 15, 16, 17, 24, 32, 40}) {
        for (const std::int32_t side : {1, 2, 3, 5, 8, 30}) {
            s.h = s.w = side, s.c = c;
            for (const std::int32_t stride : {1, 2}) {
                s.window.stride_h = s.window.stride_w = stride;
                check_depthwise<Port>(s, 1, bytes_of::anything, bytes_of::tame, false, 0, d);
                check_conv<Port>(s, 18, 1, bytes_of::anything, bytes_of::tame, false, 0, d);
            }
        }
    }
    s.h = 5, s.w = 6, s.c = 19, s.window.stride_h = s.window.stride_w = 1;
    for (std::size_t at = 0; at < 16; ++at) {
        check_conv<Port>(s, 21, 1, bytes_of::anything, bytes_of::tame, false, at, d);
        check_depthwise<Port>(s, 1, bytes_of::anything, bytes_of::tame, false, at, d);
        check_fully_connected<Port>(3, 37, 13, bytes_of::anything, bytes_of::tame, false, at, d);
    }
    // Long rows of taps.
    check_fully_connected<Port>(2, 4099, 5, bytes_of::anything, bytes_of::anything, false, 0, d);
    s.c = 300, s.h = s.w = 3;
    check_conv<Port>(s, 6, 1, bytes_of::anything, bytes_of::tame, false, 0, d);
}
template <class Port>
void extremes() {
    if (!can_run<Port>()) return;
    dice d(3);
    made_window s;
    s.h = s.w = 5, s.c = 32, s.kernel_h = s.kernel_w = 3;
    for (int in = 0; in < 5; ++in) {
        for (int weights = 0; weights < 5; ++weights) {
            for (int i = 0; i < 6; ++i) {
                const auto a = static_cast<bytes_of>(in), b = static_cast<bytes_of>(weights);
                check_conv<Port>(s, 20, 1, a, b, i % 2 == 0, 0, d);
                check_depthwise<Port>(s, 1, a, b, i % 2 == 0, 0, d);
                check_fully_connected<Port>(1 + i, 300, 37, a, b, i % 2 == 0, 0, d);
            }
        }
    }
}
// Weights are zero, so that sums are the biases: any sum with any multiplier, ties included.
template <class Port>
void requantization() {
    if (!can_run<Port>()) return;
    dice d(4);
    const std::int32_t channels = 48;
    for (int round = 0; round < 1500; ++round) {
        made_stage s;
        const bool usual = round % 2 == 0; // shifts of real models, which take the short forms
        for (std::int32_t i = 0; i < channels; ++i) {
            const std::int32_t q[] = {0,
                                      1,
                                      1 << 30,
                                      INT32_MAX,
                                      3 << 29,
                                      d.between(0, INT32_MAX),
                                      d.between(1 << 30, INT32_MAX)};
            s.multipliers.push_back(q[d.between(0, 6)]);
            s.shifts.push_back(static_cast<std::int8_t>(
                usual ? d.between(-18, -1)
                      : d.between(min_multiplier_shift, max_multiplier_shift)));
            const double scale =
                s.multipliers.back() / 2147483648.0 * std::ldexp(1.0, s.shifts.back());
            const double wanted = 0.5 * d.between(-260, 260) / (scale > 0 ? scale : 1.0);
            std::int32_t bias = usual ? d.between(-30000, 30000) : d.between(INT32_MIN, INT32_MAX);
            if (std::fabs(wanted) < (usual ? 30000.0 : 2147483000.0)) {
                bias = static_cast<std::int32_t>(std::round(wanted)) + d.between(-1, 1);
            }
            if (!usual && d.one_in(16)) bias = d.one_in(2) ? INT32_MIN : INT32_MAX;
            s.bias.push_back(bias);
        }
        s.params.zero_point = any_zero_point(d);
        if (d.one_in(2)) s.params.min = s.params.zero_point;
        if (d.one_in(4)) s.params.max = d.between(s.params.min, 127);
        fully_connected_i8_params p;
        p.output = s.params;
        const std::int32_t n = d.one_in(2) ? 1 : 4;
        const std::vector<std::int8_t> in(static_cast<std::size_t>(n), 1), w(48, 0);
        CAPTURE(round);
        check_port<fully_connected_i8, Port>(p, {{n, 1}, {channels, 1}, {n, channels}, in, w, s}, 0,
                                             false);
    }
}

} // namespace

TEST_CASE("neon: random shapes") {
    random_shapes<neon::neon>();
}
TEST_CASE("neon: sizes where something ends, and every alignment") {
    ends_and_alignments<neon::neon>();
}
TEST_CASE("neon: nothing saturates") {
    extremes<neon::neon>();
}
TEST_CASE("neon: requantization, ties and extremes included") {
    requantization<neon::neon>();
}

#if defined(KOMPAKT_DETAIL_NEON64)

TEST_CASE("neon_dotprod: random shapes") {
    random_shapes<neon::dotprod>();
}
TEST_CASE("neon_dotprod: sizes where something ends, and every alignment") {
    ends_and_alignments<neon::dotprod>();
}
TEST_CASE("neon_dotprod: nothing saturates") {
    extremes<neon::dotprod>();
}
TEST_CASE("neon_dotprod: requantization, ties and extremes included") {
    requantization<neon::dotprod>();
}
TEST_CASE("neon_i8mm: random shapes") {
    random_shapes<neon::i8mm>();
}
TEST_CASE("neon_i8mm: sizes where something ends, and every alignment") {
    ends_and_alignments<neon::i8mm>();
}
TEST_CASE("neon_i8mm: nothing saturates") {
    extremes<neon::i8mm>();
}
TEST_CASE("neon_i8mm: requantization, ties and extremes included") {
    requantization<neon::i8mm>();
}

#endif

TEST_CASE("neon: the ladder, and what each rung packs") {
    using kompakt::detail::pack_traits;
    static_assert(std::is_base_of_v<portable, neon::neon>);
    static_assert(pack_traits<conv2d_i8, portable>::id == 0);
    static_assert(pack_traits<conv2d_i8, neon::neon>::id != 0);
#if defined(KOMPAKT_DETAIL_NEON64)
    static_assert(std::is_base_of_v<neon::neon, neon::dotprod>);
    static_assert(std::is_base_of_v<neon::dotprod, neon::i8mm>);
    static_assert(pack_traits<conv2d_i8, neon::neon>::id !=
                  pack_traits<conv2d_i8, neon::dotprod>::id);
    static_assert(pack_traits<conv2d_i8, neon::dotprod>::id !=
                  pack_traits<conv2d_i8, neon::i8mm>::id);
    static_assert(pack_traits<depthwise_conv2d_i8, neon::i8mm>::id != 0);
    CHECK((!neon::i8mm::supported() || neon::dotprod::supported()));
    CHECK(std::string(neon::dotprod::name) == "neon_dotprod");
    CHECK(std::string(neon::i8mm::name) == "neon_i8mm");
#endif
    CHECK(neon::neon::supported());
    CHECK(std::string(neon::neon::name) == "neon");
}

#endif
