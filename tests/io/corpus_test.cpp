// The files that fuzzing starts from (tests/fuzz/corpus, made by tests/fuzz/make_corpus.cpp): ok_*
// are read, planned and run, bad_* refused in one line that says what is wrong where.
#include <kompakt/run/byte_order.hpp>

#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <io/run_model.hpp>
#include <map>
#include <memory>

namespace {

using kompakt_test::file_bytes;
using kompakt_test::read_file;

// Part of what must be said of each bad file.
const std::map<std::string, const char*> tflite_messages = {
    {"activation", "operator 0 CONV_2D: fused activation 77"},
    {"broadcast", "operator 0 ADD: shapes [1, 3, 4] and [5] do not broadcast"},
    {"buffer_beyond", "tensor w1: buffer 99 of 2"},
    {"buffer_short", "tensor w1: [2, 3, 3, 2] int8 needs 36 bytes, buffer 1 has 35"},
    {"channel_scale_zero", "tensor w1: scale 1 is 0, needed a positive number"},
    {"channel_scales_short", "tensor w1: 1 scales and 2 zero points"},
    {"concatenation_axis", "operator 0 CONCATENATION: axis 3 of [1, 2, 3]"},
    {"cut_at_0", "flatbuffer: byte 0: the header needs 8 bytes, has 0"},
    {"cut_at_7", "flatbuffer: byte 0: the header needs 8 bytes, has 7"},
    {"cut_before_model", "flatbuffer: byte 28: a table needs 4 bytes, has 0"},
    {"cut_before_operators", "flatbuffer: byte 180: a vector needs 4 bytes, has 0"},
    {"cut_before_subgraphs", "flatbuffer: byte 76: a vector needs 4 bytes, has 0"},
    {"cut_before_tensors", "flatbuffer: byte 160: a vector needs 4 bytes, has 0"},
    {"cut_half", "flatbuffer: byte 732: a table needs 4 bytes, has 0"},
    {"cut_in_subgraph", "flatbuffer: byte 124: a table needs 20 bytes, has 4"},
    {"cut_in_tensor", "flatbuffer: byte 732: a table needs 4 bytes, has 0"},
    {"cut_in_weights", "flatbuffer: byte 732: a table needs 4 bytes, has 0"},
    {"cycle_subgraph", "flatbuffer: byte 4294967324: a table needs 4 bytes, has 0"},
    {"cycle_tensors", "flatbuffer: byte 4294967372: a vector needs 4 bytes, has 0"},
    {"conv_no_channels", "does not fit 0 input channels"},
    {"dimension_huge", "tensor in0: shape [1, 2147483647, 4, 2] has more than 2147483647 elements"},
    {"dimension_negative", "tensor in0: dimension 1 is -5, needed at least 0, or -1 for any"},
    {"dimension_zero", "input in0 is empty"},
    {"dimensions_overflow",
     "tensor in0: shape [65536, 65536, 65536, 65536] has more than 2147483647 elements"},
    {"filter_transposed", "operator 0 CONV_2D: filter [2, 2, 3, 3] does not fit 2 input channels"},
    {"graph_input", "input 0 is tensor -2 of 4"},
    {"graph_output", "output 0 is tensor 4 of 4"},
    {"identifier", "flatbuffer: byte 4: needs the identifier \"TFL3\", has \"TFL2\""},
    {"input_huge", "bind its dimensions first"},
    {"int4_short", "tensor w: [2, 3] int4 needs 3 bytes, buffer 1 has 2"},
    {"mean_axis", "operator 0 MEAN: axis 4 of [1, 3, 4, 2]"},
    {"name_length", "flatbuffer: byte 776: a string needs 2147483647 bytes, has 88"},
    {"no_output", "the model has no output"},
    {"offset_zero", "flatbuffer: byte 128: an offset is zero"},
    {"operator_code", "operator 1: operator code 9 of 2"},
    {"operator_input", "operator 0 CONV_2D: input 0 is tensor 99 of 4"},
    {"operator_options", "operator 0 CONV_2D: options of type 77, needed 1"},
    {"operator_output", "operator 0: output 0 is tensor 99 of 4"},
    {"operator_reads_itself", "node 0 conv_2d (conv_2d0): reads conv_2d0 before it is written"},
    {"operator_unknown", "operator 0 LSTM is not supported"},
    {"operator_version", "operator 0 CONV_2D: version 99, needed at most 8"},
    {"operator_writes_input", "node 0 conv_2d (in0): writes in0, which has a value already"},
    {"output_shape",
     "operator 1 ADD: output add1 is int8 [1, 5, 5, 2] in the file, needed int8 [1, 5, 4, 2]"},
    {"pad_huge", "operator 0 PAD: output pad0 is float32 [1, 3, 6, 4] in the file, needed float32 "
                 "[1, 2147483649, 6, 4]"},
    {"pad_negative", "operator 0 PAD: pads -1 and 0, needed 0 or more"},
    {"permutation_beyond",
     "operator 0 TRANSPOSE: axis 7 of [1, 2, 3, 4] does not exist or comes twice"},
    {"permutation_twice",
     "operator 0 TRANSPOSE: axis 0 of [1, 2, 3, 4] does not exist or comes twice"},
    {"pool_window", "operator 0 AVERAGE_POOL_2D: window of 0, stride 1, dilation 1, padding 0 and "
                    "0; needed 1 (padding 0) to 16384"},
    {"quantized_axis", "tensor w1: quantized axis 9 of [1, 2, 2, 4]"},
    {"reshape_misfit",
     "operator 0 RESHAPE: from [1, 2, 6] to [5, -1]: not the same number of elements"},
    {"root_beyond", "flatbuffer: byte 2147483632: a table needs 4 bytes, has 0"},
    {"root_zero", "flatbuffer: byte 0: an offset is zero"},
    {"scale_infinite", "tensor in0: scale 0 is infinity, needed a positive number"},
    {"scale_nan", "tensor in0: scale 0 is NaN, needed a positive number"},
    {"scale_negative", "tensor in0: scale 0 is -0.05, needed a positive number"},
    {"scale_zero", "tensor in0: scale 0 is 0, needed a positive number"},
    {"softmax_beta", "node 0 softmax (softmax0): beta NaN, needed a positive number"},
    {"stride_negative", "operator 0 CONV_2D: stride -1x1, dilation 1x1, needed 1 or more"},
    {"stride_zero", "operator 0 CONV_2D: stride 1x0, dilation 1x1, needed 1 or more"},
    {"type_string", "tensor in0: type STRING is not supported"},
    {"type_unknown", "tensor in0: type 99"},
    {"vector_length", "flatbuffer: byte 164: a vector needs 17179869180 bytes, has 700"},
    {"version", "schema version 4, needed 3"},
    {"vtable_beyond", "flatbuffer: byte 2147483660: a vtable needs 4 bytes, has 0"},
    {"vtable_size", "flatbuffer: byte 14: a vtable needs 65520 bytes, has 850"},
    {"weight_dimensions_overflow",
     "tensor w1: shape [65536, 65536, 65536, 65536] has more than 2147483647 elements"},
    {"zero_point_range", "tensor in0: zero point 128 outside int8"},
    {"zero_point_wide", "tensor in0: zero point 1099511627776 outside int32"},
};

const std::map<std::string, const char*> kpk_messages = {
    {"arena_odd", "arena of 97 bytes"},
    {"arena_small", "tensor 0: block 0 and 40 bytes, beyond 16"},
    {"checksum", "checksum does not match"},
    {"cut_at_0", "needs at least 96 bytes, has 0"},
    {"cut_at_constants", "needs 592 bytes, has 480"},
    {"cut_at_names", "needs 592 bytes, has 448"},
    {"cut_at_notes", "needs 592 bytes, has 352"},
    {"cut_at_ops", "needs 592 bytes, has 192"},
    {"cut_at_tensors", "needs 592 bytes, has 96"},
    {"cut_at_words", "needs 592 bytes, has 224"},
    {"cut_in_header", "needs at least 96 bytes, has 90"},
    {"dimension_negative", "tensor 0: dimension 0 is -1"},
    {"dimension_zero", "tensor 0: dimension 0 is 0"},
    {"dimensions_at", "tensor 0: rank 4 with dimensions at word 4294967294"},
    {"dimensions_overflow", "tensor 0: dimension 1 is 65536"},
    {"dtype", "tensor 0: unknown dtype 99"},
    {"encoding", "tensor 1: encoding 7"},
    {"encoding_port", "op 0 conv2d_i8: operand 1 is in the order of a port"},
    {"file_bytes", "needs 608 bytes, has 592"},
    {"flags", "op 0 conv2d_i8: unknown flags 2"},
    {"input_constant", "input or output 0 is tensor 1"},
    {"input_number", "input or output 0 is tensor 99"},
    {"inputs_beyond", "inputs, outputs or states outside the words"},
    {"kernel", "op 0: kernel 999 is not in this build"},
    {"kernel_of_floats", "op 0 conv2d_f32: input: needed float32, given int8"},
    {"magic", "no KPK1 at the start"},
    {"name_beyond", "tensor 1: name outside the names"},
    {"names_open", "names do not end"},
    {"no_output", "op 0 conv2d_i8: 5 operands at word 13"},
    {"operand_count", "op 0 conv2d_i8: 65536 operands at word 13"},
    {"operand_missing", "op 0 conv2d_i8: needs an input, a filter and one output"},
    {"operand_number", "op 0 conv2d_i8: operand 1 is tensor 99 of 6"},
    {"operands_at", "op 0 conv2d_i8: 6 operands at word 4294967280"},
    {"output_overlaps_input", "op 0 conv2d_i8: operand 5 overlaps operand 0"},
    {"pack_id", "op 0 conv2d_i8: weights are packed for another port (305419896)"},
    {"params_at", "op 0 conv2d_i8: parameters at word 31"},
    {"place", "tensor 0: unknown place 7"},
    {"rank", "tensor 0: rank 7 with dimensions at word 0"},
    {"rows_of_dense", "op 0 fully_connected_i8: cannot run by rows"},
    {"rows_unmarked", "op 0 conv2d_i8: operand 5 overlaps operand 0"},
    {"scratch_beyond", "op 0 conv2d_i8: scratch of 32 bytes beyond the arena"},
    {"scratch_overlaps", "op 0 conv2d_i8: scratch overlaps operand 0"},
    {"scratch_short", "op 0 conv2d_i8: needs 32 bytes of scratch, has 1"},
    {"section_beyond", "constants: 112 entries at byte 4294967280 of 592"},
    {"section_misaligned", "words: 31 entries at byte 228 of 592"},
    {"shift",
     "op 0 conv2d_i8: multiplier 1374389504 with shift 99, needed at least 0 and -31 to 30"},
    {"short_at_constants", "constants: 112 entries at byte 480 of 480"},
    {"short_at_names", "constants: 112 entries at byte 480 of 448"},
    {"short_at_notes", "constants: 112 entries at byte 480 of 352"},
    {"short_at_ops", "ops: 1 entries at byte 192 of 192"},
    {"short_at_tensors", "tensors: 6 entries at byte 96 of 96"},
    {"short_at_words", "words: 31 entries at byte 224 of 224"},
    {"stride_zero", "op 0 conv2d_i8: stride 0x1, needed 1 to 16384"},
    {"tensor_beyond_arena", "tensor 0: block 268435455 and 40 bytes, beyond 96"},
    {"tensor_beyond_constants", "tensor 1: block 7 and 54 bytes, beyond 112"},
    {"tensor_bytes", "tensor 0: needs 40 bytes, has 39"},
    {"tensor_count", "tensors: 268435456 entries at byte 96 of 592"},
    {"version", "version 2, needed 1"},
    {"word_count", "words: 1073741825 entries at byte 224 of 592"},
    {"writes_constant", "op 0 conv2d_i8: writes tensor 1, which is not in the arena"},
};

bool one_line(const std::string& message) {
    if (message.empty() || message.size() >= KOMPAKT_MESSAGE_BYTES) return false;
    for (const char c : message) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
    }
    return true;
}

void run(kompakt::session& s) {
    kompakt::aligned_buffer arena(s.arena_bytes());
    const kompakt::status bound = s.bind({arena.data(), arena.size()});
    REQUIRE_MESSAGE(bound.ok(), std::string(bound.message()));
    s.run();
}

// What is said of a file; empty when it was run.
std::string tflite(const file_bytes& file) {
    // A heap block of exactly this size: the address sanitizer sees a byte too many.
    const std::unique_ptr<std::byte[]> bytes(new std::byte[file.size()]);
    std::copy(file.begin(), file.end(), bytes.get());
    const auto g = kompakt_test::read_bound({bytes.get(), file.size()});
    if (!g.ok()) return g.error().message();
    const auto p = kompakt::plan(*g);
    if (!p.ok()) return p.error().message();
    kompakt::session s(p->bytes());
    REQUIRE_MESSAGE(s.check().ok(), std::string(s.check().message()));
    if (s.arena_bytes() <= 1 << 20) run(s);
    return {};
}

std::string kpk(const file_bytes& file) {
    kompakt::aligned_buffer bytes(file.size());
    std::copy(file.begin(), file.end(), bytes.data());
    const kompakt::status turned = kompakt::convert_executable({bytes.data(), file.size()});
    if (!turned.ok()) return turned.message();
    for (const auto* kernels :
         {&kompakt::kernels_of<kompakt::portable>(), &kompakt::default_kernels()}) {
        kompakt::session s({bytes.data(), file.size()}, *kernels);
        if (!s.check().ok()) {
            CHECK(s.arena_bytes() == 0);
            CHECK(s.inputs() + s.outputs() == 0);
            kompakt::aligned_buffer arena(16);
            CHECK(!s.bind({arena.data(), arena.size()}).ok());
            return s.check().message();
        }
        if (s.arena_bytes() <= 1 << 20) run(s);
    }
    return {};
}

void check_folder(const std::string& name, std::string (*message_of)(const file_bytes&),
                  const std::map<std::string, const char*>& messages) {
    const std::filesystem::path folder = std::filesystem::path(KOMPAKT_TEST_CORPUS) / name;
    std::error_code failure;
    std::size_t accepted = 0, refused = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
        const std::string file = entry.path().filename().string();
        CAPTURE(file);
        const std::string message = message_of(read_file(entry.path().string()));
        if (file.compare(0, 3, "ok_") == 0) {
            ++accepted;
            CHECK(message == "");
            continue;
        }
        ++refused;
        REQUIRE(file.compare(0, 4, "bad_") == 0);
        CHECK(one_line(message));
        const auto wanted = messages.find(file.substr(4, file.rfind('.') - 4));
        REQUIRE_MESSAGE(wanted != messages.end(), "no message for this file; it is: ", message);
        // Where the byte order changes first, some are refused by that.
        if (KOMPAKT_BIG_ENDIAN && name == "kpk") continue;
        CHECK_MESSAGE(message.find(wanted->second) != std::string::npos, message,
                      " | wanted: ", wanted->second);
    }
    CHECK(!failure);
    CHECK(accepted > 20);
    CHECK(refused == messages.size()); // no file is missing
}

} // namespace

TEST_CASE("corpus: tflite") {
    check_folder("tflite", tflite, tflite_messages);
}

TEST_CASE("corpus: kpk") {
    check_folder("kpk", kpk, kpk_messages);
}
