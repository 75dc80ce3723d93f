// The float32 graph that is calibrated: batch norms folded, activations fused, constants computed.
#pragma once

#include <kompakt/graph/passes/decode_weights.hpp>
#include <kompakt/graph/passes/fold_batch_norm.hpp>
#include <kompakt/graph/passes/fuse_activations.hpp>
#include <kompakt/graph/passes/remove_dead.hpp>
#include <kompakt/graph/passes/remove_identities.hpp>
#include <kompakt/plan/constant_folding.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline status prepare_for_quantization(graph& g) {
    KOMPAKT_TRY(infer(g));
    for (status (*pass)(graph&) :
         {passes::decode_weights, passes::fold_constants, passes::remove_identities,
          passes::fold_batch_norm, passes::fuse_activations, passes::remove_dead}) {
        KOMPAKT_TRY(pass(g));
    }
    KOMPAKT_TRY(infer(g));
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        const graph_tensor& x = g.tensor(t);
        if (x.quantization && !x.value) {
            return fail(errc::unsupported, "tensor ", x.name.substr(0, 60),
                        " is quantized already; needed a float32 model");
        }
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
