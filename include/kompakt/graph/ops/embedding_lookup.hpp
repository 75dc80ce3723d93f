// embedding_lookup: rows of a table, at the indices that the first input holds. A table of int8 may
// have a float32 output: rows are dequantized then.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/gather.hpp>
#include <kompakt/kernel/quantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct embedding_lookup : op_of<embedding_lookup> {
    static constexpr const char* op_name = "embedding_lookup";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        const graph_tensor& table = c.input(1);
        KOMPAKT_TRY(expect_index_type(c.input(0)));
        KOMPAKT_TRY(c.expect_rank(0, 1));
        if (table.shape.size() < 2) {
            return fail(errc::unsupported, "table ", text_of(table.shape),
                        ", needed rank 2 or more");
        }
        shape out = table.shape;
        out[0] = c.input_shape(0)[0];
        const bool real = table.type == dtype::i8 && c.output(0).type == dtype::f32;
        c.set_output(0, real ? dtype::f32 : table.type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &table = c.input(1), &out = c.output();
        KOMPAKT_TRY(expect_movable_rank(table.shape));
        gather_params p;
        for (std::size_t i = 1; i < table.shape.size(); ++i) {
            p.inner *= static_cast<std::int32_t>(table.shape[i].value());
        }
        if (out.type == table.type) {
            c.emit<kompakt::gather>(p, {c.in(1), c.in(0)}, {c.out()});
            return {};
        }
        KOMPAKT_TRY(expect_per_tensor(table, "table"));
        const std::uint32_t rows = c.temporary(dtype::i8, dims_of(out.shape));
        c.emit<kompakt::gather>(p, {c.in(1), c.in(0)}, {rows});
        c.emit<dequantize_i8_f32>({table.quantization->scale(), table.quantization->zero_point()},
                                  {rows}, {c.out()}, {{overlap::kind::same_place, 0}});
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r = same_scale_rule();
        r.indices = 1u << 0;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
