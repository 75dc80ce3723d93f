// Tokenizers: reading, encoding, training, compiled once for everything that links
// kompakt::compiled.
#define KOMPAKT_DEFINITIONS
#include <kompakt/io/token/tokenizer.hpp>
#include <kompakt/io/token/train/train.hpp>
#include <kompakt/io/token/train/write.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

template result<trained_tokenizer> train_tokenizer(const std::vector<std::string>&,
                                                   const train_options&, serial_executor&);
template result<trained_tokenizer> train_tokenizer(const std::vector<std::string>&,
                                                   const train_options&, thread_pool&);

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
