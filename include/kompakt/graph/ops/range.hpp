// range: start, start + step, … up to and without the limit, of constants.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct range : op_of<range> {
    static constexpr const char* op_name = "range";

    template <class V>
    void fields(V&&) {}

    // Inputs: start, limit, step; scalars of one type: int32, int64 or float32.
    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(3, 3, 1));
        for (std::size_t i = 0; i < 3; ++i) {
            const graph_tensor& t = c.input(i);
            const auto n = element_count(t.shape);
            if (!t.value || t.value->coding.kind != encoding::dense || !n.ok() || *n != 1) {
                return fail(errc::unsupported, "input ", i, " is not one constant");
            }
            if (t.type != c.input(0).type) {
                return fail(errc::unsupported, "inputs ", name_of(c.input(0).type), " and ",
                            name_of(t.type), ", needed one type");
            }
        }
        const auto all = value(c.input(0), c.input(1), c.input(2));
        if (!all.ok()) return all.error();
        c.set_output(0, all->type, all->shape);
        return {};
    }

    status lower(lowering& c) const override {
        const auto all = value(c.input(0), c.input(1), c.input(2));
        if (!all.ok()) return all.error();
        const std::uint32_t numbers = c.constant_operand(*all);
        c.emit<copy>({}, {numbers}, {c.out()});
        return {};
    }

    std::vector<constant> fold(const inference& c) const override {
        auto all = value(c.input(0), c.input(1), c.input(2));
        if (!all.ok() || all->type == dtype::f32) return {};
        return {std::move(*all)};
    }

  private:
    // Of a constant that no input bounds, so bounded itself.
    static constexpr double most = 65536;

    template <class T>
    static result<constant> count(const graph_tensor& a, const graph_tensor& b,
                                  const graph_tensor& s) {
        const T start = a.value->values<T>()[0], limit = b.value->values<T>()[0],
                step = s.value->values<T>()[0];
        const double n = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                   static_cast<double>(step));
        if (!(n >= 0.0 && n <= most)) {
            return fail(errc::unsupported, "from ", start, " to ", limit, " by ", step,
                        ", needed at most ", most, " numbers");
        }
        std::vector<T> values;
        T x = start;
        for (double i = 0; i < n; i += 1) {
            values.push_back(x);
            // A last sum that nobody needs could leave the type.
            if (i + 1 < n) x = static_cast<T>(x + step);
        }
        return make_constant({dim(static_cast<std::int64_t>(values.size()))}, values);
    }
    static result<constant> value(const graph_tensor& a, const graph_tensor& b,
                                  const graph_tensor& s) {
        switch (a.type) {
        case dtype::i32:
            return count<std::int32_t>(a, b, s);
        case dtype::i64:
            return count<std::int64_t>(a, b, s);
        case dtype::f32:
            return count<float>(a, b, s);
        default:
            return fail(errc::unsupported, name_of(a.type), ", needed int32, int64 or float32");
        }
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
