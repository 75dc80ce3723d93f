// What of TensorFlow Lite's schema is used: field numbers, enumerators, and the names of all
// builtin operators (for messages). Source: schema.fbs of TensorFlow.
#pragma once

#include <kompakt/core/dtype.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline constexpr const char* file_identifier = "TFL3";
inline constexpr std::uint32_t schema_version = 3;

// Field numbers, one namespace per table.
namespace model_field {
inline constexpr std::uint16_t version = 0, operator_codes = 1, subgraphs = 2, description = 3,
                               buffers = 4, signatures = 7;
}
namespace operator_code_field {
inline constexpr std::uint16_t deprecated_code = 0, custom_code = 1, version = 2, code = 3;
}
namespace subgraph_field {
inline constexpr std::uint16_t tensors = 0, inputs = 1, outputs = 2, operators = 3, name = 4;
}
namespace tensor_field {
inline constexpr std::uint16_t shape = 0, type = 1, buffer = 2, name = 3, quantization = 4,
                               is_variable = 5, sparsity = 6, shape_signature = 7, has_rank = 8,
                               variants = 9, external_buffer = 10;
}
namespace quantization_field {
inline constexpr std::uint16_t scale = 2, zero_point = 3, details_type = 4, details = 5, axis = 6;
}
namespace buffer_field {
inline constexpr std::uint16_t data = 0, offset = 1, size = 2;
}
namespace signature_field {
inline constexpr std::uint16_t key = 2, subgraph = 4;
}
namespace operator_field {
inline constexpr std::uint16_t code_index = 0, inputs = 1, outputs = 2, options_type = 3,
                               options = 4, custom_options = 5, custom_format = 6,
                               mutating_inputs = 7, intermediates = 8, large_options_at = 9,
                               large_options_size = 10, options2_type = 11, options2 = 12,
                               debug_metadata = 13;
}
namespace conv_field {
inline constexpr std::uint16_t padding = 0, stride_w = 1, stride_h = 2, activation = 3,
                               dilation_w = 4, dilation_h = 5, bias_type = 6;
}
namespace depthwise_field {
inline constexpr std::uint16_t padding = 0, stride_w = 1, stride_h = 2, multiplier = 3,
                               activation = 4, dilation_w = 5, dilation_h = 6;
}
namespace transpose_conv_field {
inline constexpr std::uint16_t padding = 0, stride_w = 1, stride_h = 2, activation = 3,
                               bias_type = 4;
}
namespace batch_matmul_field {
inline constexpr std::uint16_t transpose_a = 0, transpose_b = 1, asymmetric_inputs = 2;
}
namespace pool_field {
inline constexpr std::uint16_t padding = 0, stride_w = 1, stride_h = 2, kernel_w = 3, kernel_h = 4,
                               activation = 5;
}
namespace fully_connected_field {
inline constexpr std::uint16_t activation = 0, weights_format = 1, keep_num_dims = 2,
                               asymmetric_inputs = 3, bias_type = 4;
}
namespace arithmetic_field { // of add, sub and mul
inline constexpr std::uint16_t activation = 0, power_of_two_scale = 1;
}
namespace softmax_field {
inline constexpr std::uint16_t beta = 0;
}
namespace cast_field {
inline constexpr std::uint16_t in_type = 0, out_type = 1;
}
namespace leaky_relu_field {
inline constexpr std::uint16_t alpha = 0;
}
namespace gelu_field {
inline constexpr std::uint16_t approximate = 0;
}
namespace concatenation_field {
inline constexpr std::uint16_t axis = 0, activation = 1;
}
namespace reshape_field {
inline constexpr std::uint16_t shape = 0;
}
namespace reducer_field {
inline constexpr std::uint16_t keep_dims = 0;
}
namespace arg_field { // of arg_max and arg_min
inline constexpr std::uint16_t output_type = 0;
}
namespace cumsum_field {
inline constexpr std::uint16_t exclusive = 0, reverse = 1;
}
namespace l2_normalization_field {
inline constexpr std::uint16_t activation = 0;
}
namespace squeeze_field {
inline constexpr std::uint16_t axes = 0;
}
namespace strided_slice_field {
inline constexpr std::uint16_t begin_mask = 0, end_mask = 1, ellipsis_mask = 2, new_axis_mask = 3,
                               shrink_axis_mask = 4, offset = 5;
}
namespace split_field { // of split and split_v
inline constexpr std::uint16_t count = 0;
}
namespace pack_field {
inline constexpr std::uint16_t count = 0, axis = 1;
}
namespace unpack_field {
inline constexpr std::uint16_t count = 0, axis = 1;
}
namespace gather_field {
inline constexpr std::uint16_t axis = 0, batch_dims = 1;
}
namespace mirror_pad_field {
inline constexpr std::uint16_t mode = 0;
}
namespace block_field { // of space_to_depth and depth_to_space
inline constexpr std::uint16_t size = 0;
}
namespace resize_bilinear_field {
inline constexpr std::uint16_t old_height = 0, old_width = 1, align_corners = 2,
                               half_pixel_centers = 3;
}
namespace resize_nearest_field {
inline constexpr std::uint16_t align_corners = 0, half_pixel_centers = 1;
}
namespace shape_field {
inline constexpr std::uint16_t type = 0;
}

namespace svdf_field {
inline constexpr std::uint16_t rank = 0, activation = 1, asymmetric_inputs = 2;
}
namespace sequence_lstm_field {
inline constexpr std::uint16_t activation = 0, cell_clip = 1, proj_clip = 2, time_major = 3,
                               asymmetric_inputs = 4, diagonal_recurrent = 5;
}
namespace call_once_field {
inline constexpr std::uint16_t subgraph = 0;
}
namespace if_field {
inline constexpr std::uint16_t then_subgraph = 0, else_subgraph = 1;
}
namespace while_field {
inline constexpr std::uint16_t cond_subgraph = 0, body_subgraph = 1;
}
namespace var_handle_field {
inline constexpr std::uint16_t container = 0, shared_name = 1;
}

// Which table the options of an operator are.
enum class options_type : std::uint8_t {
    none = 0,
    conv_2d = 1,
    depthwise_conv_2d = 2,
    pool_2d = 5,
    svdf = 6,
    fully_connected = 8,
    softmax = 9,
    concatenation = 10,
    add = 11,
    l2_normalization = 12,
    resize_bilinear = 15,
    reshape = 17,
    space_to_depth = 19,
    mul = 21,
    pad = 22,
    gather = 23,
    batch_to_space_nd = 24,
    space_to_batch_nd = 25,
    transpose = 26,
    reducer = 27,
    sub = 28,
    div = 29,
    squeeze = 30,
    strided_slice = 32,
    exp = 33,
    split = 35,
    log_softmax = 36,
    cast = 37,
    dequantize = 38,
    maximum_minimum = 39,
    arg_max = 40,
    less = 41,
    neg = 42,
    pad_v2 = 43,
    greater = 44,
    greater_equal = 45,
    less_equal = 46,
    select = 47,
    slice = 48,
    transpose_conv = 49,
    tile = 51,
    expand_dims = 52,
    equal = 53,
    not_equal = 54,
    shape = 55,
    arg_min = 57,
    pack = 59,
    logical_or = 60,
    logical_and = 62,
    logical_not = 63,
    unpack = 64,
    floor_div = 65,
    square = 66,
    zeros_like = 67,
    fill = 68,
    unidirectional_sequence_lstm = 71,
    floor_mod = 72,
    range = 73,
    resize_nearest_neighbor = 74,
    leaky_relu = 75,
    squared_difference = 76,
    mirror_pad = 77,
    abs = 78,
    split_v = 79,
    reverse_v2 = 81,
    add_n = 82,
    gather_nd = 83,
    cos = 84,
    rank = 86,
    quantize = 89,
    hard_swish = 91,
    if_ = 92,
    while_ = 93,
    depth_to_space = 94,
    select_v2 = 98,
    batch_matmul = 101,
    cumsum = 102,
    call_once = 103,
    broadcast_to = 104,
    var_handle = 111,
    read_variable = 112,
    assign_variable = 113,
    gelu = 116,
    dynamic_update_slice = 117,
};

enum class builtin : std::int32_t {
    add = 0,
    average_pool_2d = 1,
    concatenation = 2,
    conv_2d = 3,
    depthwise_conv_2d = 4,
    depth_to_space = 5,
    dequantize = 6,
    embedding_lookup = 7,
    floor = 8,
    fully_connected = 9,
    l2_normalization = 11,
    l2_pool_2d = 12,
    logistic = 14,
    max_pool_2d = 17,
    mul = 18,
    relu = 19,
    relu_n1_to_1 = 20,
    relu6 = 21,
    reshape = 22,
    resize_bilinear = 23,
    softmax = 25,
    space_to_depth = 26,
    svdf = 27,
    tanh = 28,
    custom = 32,
    pad = 34,
    gather = 36,
    batch_to_space_nd = 37,
    space_to_batch_nd = 38,
    transpose = 39,
    mean = 40,
    sub = 41,
    div = 42,
    squeeze = 43,
    unidirectional_sequence_lstm = 44,
    strided_slice = 45,
    exp = 47,
    split = 49,
    log_softmax = 50,
    cast = 53,
    prelu = 54,
    maximum = 55,
    arg_max = 56,
    minimum = 57,
    less = 58,
    neg = 59,
    pad_v2 = 60,
    greater = 61,
    greater_equal = 62,
    less_equal = 63,
    select = 64,
    slice = 65,
    sin = 66,
    transpose_conv = 67,
    tile = 69,
    expand_dims = 70,
    equal = 71,
    not_equal = 72,
    log = 73,
    sum = 74,
    sqrt = 75,
    rsqrt = 76,
    shape = 77,
    arg_min = 79,
    reduce_max = 82,
    pack = 83,
    logical_or = 84,
    logical_and = 86,
    logical_not = 87,
    unpack = 88,
    reduce_min = 89,
    floor_div = 90,
    reduce_any = 91,
    square = 92,
    zeros_like = 93,
    fill = 94,
    floor_mod = 95,
    range = 96,
    resize_nearest_neighbor = 97,
    leaky_relu = 98,
    squared_difference = 99,
    mirror_pad = 100,
    abs = 101,
    split_v = 102,
    ceil = 104,
    reverse_v2 = 105,
    add_n = 106,
    gather_nd = 107,
    cos = 108,
    rank = 110,
    elu = 111,
    quantize = 114,
    round = 116,
    hard_swish = 117,
    if_ = 118,
    while_ = 119,
    select_v2 = 123,
    batch_matmul = 126,
    cumsum = 128,
    call_once = 129,
    broadcast_to = 130,
    reduce_all = 140,
    var_handle = 142,
    read_variable = 143,
    assign_variable = 144,
    broadcast_args = 145,
    gelu = 150,
    dynamic_update_slice = 151,
    relu_0_to_1 = 152,
};
// Codes up to this one fit the old, one-byte field too; larger ones put this number there.
inline constexpr std::int32_t last_old_code = 127;

// By code.
inline constexpr const char* const builtin_names[] = {
    "ADD",
    "AVERAGE_POOL_2D",
    "CONCATENATION",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "DEQUANTIZE",
    "EMBEDDING_LOOKUP",
    "FLOOR",
    "FULLY_CONNECTED",
    "HASHTABLE_LOOKUP",
    "L2_NORMALIZATION",
    "L2_POOL_2D",
    "LOCAL_RESPONSE_NORMALIZATION",
    "LOGISTIC",
    "LSH_PROJECTION",
    "LSTM",
    "MAX_POOL_2D",
    "MUL",
    "RELU",
    "RELU_N1_TO_1",
    "RELU6",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RNN",
    "SOFTMAX",
    "SPACE_TO_DEPTH",
    "SVDF",
    "TANH",
    "CONCAT_EMBEDDINGS",
    "SKIP_GRAM",
    "CALL",
    "CUSTOM",
    "EMBEDDING_LOOKUP_SPARSE",
    "PAD",
    "UNIDIRECTIONAL_SEQUENCE_RNN",
    "GATHER",
    "BATCH_TO_SPACE_ND",
    "SPACE_TO_BATCH_ND",
    "TRANSPOSE",
    "MEAN",
    "SUB",
    "DIV",
    "SQUEEZE",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "STRIDED_SLICE",
    "BIDIRECTIONAL_SEQUENCE_RNN",
    "EXP",
    "TOPK_V2",
    "SPLIT",
    "LOG_SOFTMAX",
    "DELEGATE",
    "BIDIRECTIONAL_SEQUENCE_LSTM",
    "CAST",
    "PRELU",
    "MAXIMUM",
    "ARG_MAX",
    "MINIMUM",
    "LESS",
    "NEG",
    "PADV2",
    "GREATER",
    "GREATER_EQUAL",
    "LESS_EQUAL",
    "SELECT",
    "SLICE",
    "SIN",
    "TRANSPOSE_CONV",
    "SPARSE_TO_DENSE",
    "TILE",
    "EXPAND_DIMS",
    "EQUAL",
    "NOT_EQUAL",
    "LOG",
    "SUM",
    "SQRT",
    "RSQRT",
    "SHAPE",
    "POW",
    "ARG_MIN",
    "FAKE_QUANT",
    "REDUCE_PROD",
    "REDUCE_MAX",
    "PACK",
    "LOGICAL_OR",
    "ONE_HOT",
    "LOGICAL_AND",
    "LOGICAL_NOT",
    "UNPACK",
    "REDUCE_MIN",
    "FLOOR_DIV",
    "REDUCE_ANY",
    "SQUARE",
    "ZEROS_LIKE",
    "FILL",
    "FLOOR_MOD",
    "RANGE",
    "RESIZE_NEAREST_NEIGHBOR",
    "LEAKY_RELU",
    "SQUARED_DIFFERENCE",
    "MIRROR_PAD",
    "ABS",
    "SPLIT_V",
    "UNIQUE",
    "CEIL",
    "REVERSE_V2",
    "ADD_N",
    "GATHER_ND",
    "COS",
    "WHERE",
    "RANK",
    "ELU",
    "REVERSE_SEQUENCE",
    "MATRIX_DIAG",
    "QUANTIZE",
    "MATRIX_SET_DIAG",
    "ROUND",
    "HARD_SWISH",
    "IF",
    "WHILE",
    "NON_MAX_SUPPRESSION_V4",
    "NON_MAX_SUPPRESSION_V5",
    "SCATTER_ND",
    "SELECT_V2",
    "DENSIFY",
    "SEGMENT_SUM",
    "BATCH_MATMUL",
    "PLACEHOLDER_FOR_GREATER_OP_CODES",
    "CUMSUM",
    "CALL_ONCE",
    "BROADCAST_TO",
    "RFFT2D",
    "CONV_3D",
    "IMAG",
    "REAL",
    "COMPLEX_ABS",
    "HASHTABLE",
    "HASHTABLE_FIND",
    "HASHTABLE_IMPORT",
    "HASHTABLE_SIZE",
    "REDUCE_ALL",
    "CONV_3D_TRANSPOSE",
    "VAR_HANDLE",
    "READ_VARIABLE",
    "ASSIGN_VARIABLE",
    "BROADCAST_ARGS",
    "RANDOM_STANDARD_NORMAL",
    "BUCKETIZE",
    "RANDOM_UNIFORM",
    "MULTINOMIAL",
    "GELU",
    "DYNAMIC_UPDATE_SLICE",
    "RELU_0_TO_1",
    "UNSORTED_SEGMENT_PROD",
    "UNSORTED_SEGMENT_MAX",
    "UNSORTED_SEGMENT_SUM",
    "ATAN2",
    "UNSORTED_SEGMENT_MIN",
    "SIGN",
    "BITCAST",
    "BITWISE_XOR",
    "RIGHT_SHIFT",
    "STABLEHLO_LOGISTIC",
    "STABLEHLO_ADD",
    "STABLEHLO_DIVIDE",
    "STABLEHLO_MULTIPLY",
    "STABLEHLO_MAXIMUM",
    "STABLEHLO_RESHAPE",
    "STABLEHLO_CLAMP",
    "STABLEHLO_CONCATENATE",
    "STABLEHLO_BROADCAST_IN_DIM",
    "STABLEHLO_CONVOLUTION",
    "STABLEHLO_SLICE",
    "STABLEHLO_CUSTOM_CALL",
    "STABLEHLO_REDUCE",
    "STABLEHLO_ABS",
    "STABLEHLO_AND",
    "STABLEHLO_COSINE",
    "STABLEHLO_EXPONENTIAL",
    "STABLEHLO_FLOOR",
    "STABLEHLO_LOG",
    "STABLEHLO_MINIMUM",
    "STABLEHLO_NEGATE",
    "STABLEHLO_OR",
    "STABLEHLO_POWER",
    "STABLEHLO_REMAINDER",
    "STABLEHLO_RSQRT",
    "STABLEHLO_SELECT",
    "STABLEHLO_SUBTRACT",
    "STABLEHLO_TANH",
    "STABLEHLO_SCATTER",
    "STABLEHLO_COMPARE",
    "STABLEHLO_CONVERT",
    "STABLEHLO_DYNAMIC_SLICE",
    "STABLEHLO_DYNAMIC_UPDATE_SLICE",
    "STABLEHLO_PAD",
    "STABLEHLO_IOTA",
    "STABLEHLO_DOT_GENERAL",
    "STABLEHLO_REDUCE_WINDOW",
    "STABLEHLO_SORT",
    "STABLEHLO_WHILE",
    "STABLEHLO_GATHER",
    "STABLEHLO_TRANSPOSE",
    "DILATE",
    "STABLEHLO_RNG_BIT_GENERATOR",
    "REDUCE_WINDOW",
    "STABLEHLO_COMPOSITE",
    "STABLEHLO_SHIFT_LEFT",
    "STABLEHLO_CBRT",
    "STABLEHLO_CASE",
};
inline constexpr std::int32_t builtin_count =
    static_cast<std::int32_t>(sizeof builtin_names / sizeof builtin_names[0]);

enum class padding : std::int8_t { same = 0, valid = 1 };

// The numbers of fused activations; the last two have no counterpart here.
inline constexpr const char* const activation_names[] = {"NONE",  "RELU", "RELU_N1_TO_1",
                                                         "RELU6", "TANH", "SIGN_BIT"};

// By number of the type; none where the graph has no such type.
struct tensor_type {
    const char* name;
    dtype type;
};
inline constexpr tensor_type tensor_types[] = {
    {"FLOAT32", dtype::f32},      {"FLOAT16", dtype::f16},
    {"INT32", dtype::i32},        {"UINT8", dtype::u8},
    {"INT64", dtype::i64},        {"STRING", dtype::none},
    {"BOOL", dtype::boolean},     {"INT16", dtype::i16},
    {"COMPLEX64", dtype::none},   {"INT8", dtype::i8},
    {"FLOAT64", dtype::f64},      {"COMPLEX128", dtype::none},
    {"UINT64", dtype::u64},       {"RESOURCE", dtype::none},
    {"VARIANT", dtype::none},     {"UINT32", dtype::u32},
    {"UINT16", dtype::u16},       {"INT4", dtype::i4},
    {"BFLOAT16", dtype::bf16},    {"INT2", dtype::none},
    {"UINT4", dtype::none},       {"FLOAT8_E4M3FN", dtype::none},
    {"FLOAT8_E5M2", dtype::none},
};
inline constexpr std::int8_t resource_type = 13; // a name of a variable
inline constexpr std::size_t tensor_type_count = sizeof tensor_types / sizeof tensor_types[0];

// -1 for a dtype that the format lacks.
constexpr std::int8_t number_of(dtype t) noexcept {
    for (std::size_t i = 0; t != dtype::none && i < tensor_type_count; ++i) {
        if (tensor_types[i].type == t) return static_cast<std::int8_t>(i);
    }
    return -1;
}

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
