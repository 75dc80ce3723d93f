// shape and rank: numbers about the input's shape, constant once that is known.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// int32; shapes int64 where `wide`. These are called shape_of and rank_of for the sake of the type.
struct shape_of : op_of<shape_of> {
    static constexpr const char* op_name = "shape";

    bool wide = false;

    template <class V>
    void fields(V&& v) {
        v("wide", wide);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        c.set_output(0, wide ? dtype::i64 : dtype::i32,
                     {dim(static_cast<std::int64_t>(c.input_shape(0).size()))});
        return {};
    }

    status lower(lowering& c) const override {
        const std::uint32_t numbers = c.constant_operand(value(c.input(0).shape));
        c.emit<copy>({}, {numbers}, {c.out()});
        return {};
    }

    std::vector<constant> fold(const inference& c) const override {
        if (!is_known(c.input_shape(0))) return {};
        return {value(c.input_shape(0))};
    }

  private:
    constant value(const shape& in) const {
        std::vector<std::int64_t> values;
        for (const dim& d : in) values.push_back(d.value());
        return index_constant({dim(static_cast<std::int64_t>(in.size()))}, values, wide);
    }
};

struct rank_of : op_of<rank_of> {
    static constexpr const char* op_name = "rank";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        c.set_output(0, dtype::i32, {});
        return {};
    }

    status lower(lowering& c) const override {
        const std::uint32_t numbers = c.constant_operand(value(c.input(0).shape));
        c.emit<copy>({}, {numbers}, {c.out()});
        return {};
    }

    std::vector<constant> fold(const inference& c) const override {
        return {value(c.input_shape(0))};
    }

  private:
    static constant value(const shape& in) {
        return index_constant({}, {static_cast<std::int64_t>(in.size())}, false);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
