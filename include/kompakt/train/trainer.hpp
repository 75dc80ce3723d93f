// trainer: fits a graph to a data set, epoch by epoch.
//
//     auto t = trainer::make(graph, options);              // result<std::unique_ptr<trainer>>
//     thread_pool pool;
//     status s = (*t)->fit(pool, training, &validation);   // or resume(path) before it
//     graph g = (*t)->trained();
//
// A batch falls into pieces, each a run of the training graph in an arena of its own; the number of
// pieces follows from the batch alone, and their gradients are added in order. The result is
// therefore the same whatever the number of threads, and after a kill and a resume.
#pragma once

#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/passes/remove_dead.hpp>
#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/optimizer.hpp>
#include <kompakt/run/session.hpp>
#include <kompakt/run/training_kernels.hpp>
#include <kompakt/train/checkpoint.hpp>
#include <kompakt/train/data_set.hpp>
#include <kompakt/train/differentiate.hpp>
#include <kompakt/train/schedule.hpp>

#include <chrono>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The graph with `n` samples a run: its inputs' first dimensions, and reshapes that name it.
KOMPAKT_ONCE result<graph> with_batch(const graph& g, std::int64_t n);

struct trainer_options {
    std::size_t epochs = 10;
    std::size_t batch = 32; // the last samples of an epoch that make no batch wait for the next
    // Runs that a batch is split into; 0: about 16 samples each, one where samples influence each
    // other (batch normalization).
    std::size_t pieces = 0;
    optimizer_options optimizer = optimizer_options::of(optimizer_kind::adam);
    kompakt::schedule schedule; // total 0: all steps
    differentiate_options differentiate;
    float clip_norm = 0.0f, clip_value = 0.0f; // 0: not
    std::size_t accumulate = 1;                // batches whose gradients make one update
    float average = 0.0f;                      // decay of an average of the weights; 0: none
    std::uint32_t seed = 0;
    std::size_t shuffle_window = 0; // 0: global
    bool keep_best = true;          // with validation data: the best epoch's weights are the result
    std::size_t patience = 0;       // epochs without a better one before it stops; 0: never
    std::string checkpoint;         // path; empty: none
    std::size_t checkpoint_steps = 0;      // between checkpoints; 0: one an epoch
    const kernel_table* kernels = nullptr; // null: the preferred port's
};

// What is known after an epoch.
struct epoch_record {
    std::uint64_t epoch = 0, step = 0;
    double rate = 0, loss = 0, accuracy = 0; // of training, as it went; accuracy of labels only
    double validation_loss = 0, validation_accuracy = 0;
    double seconds = 0; // since this process began to train
};
// The same while it runs. `fit` stops where the observer says no.
struct train_progress {
    std::uint64_t epoch = 0, epochs = 0, step = 0, steps = 0; // steps of all epochs
    double loss = 0, accuracy = 0, rate = 0, seconds = 0;     // of this epoch so far
    const epoch_record* finished = nullptr;                   // at the end of one
};
using train_observer = std::function<bool(const train_progress&)>;

struct evaluation {
    double loss = 0, accuracy = 0;
};

class trainer {
  public:
    static result<std::unique_ptr<trainer>> make(const graph& g, const trainer_options& options);

    // Bytes of one run's arena, of which there are `pieces`; known before anything is allocated.
    std::size_t arena_bytes() const noexcept { return arena_bytes_; }
    std::size_t pieces() const noexcept { return pieces_; }
    std::size_t parameters() const noexcept { return values_.size(); }
    const std::vector<epoch_record>& history() const noexcept { return history_; }
    std::uint64_t step() const noexcept { return step_; }

    // The model with the weights of now, or with the best ones. Shapes and names are the given
    // graph's.
    graph trained(bool best = true) const;
    // Goes on where the run that wrote it was.
    status resume(const std::string& path);
    status save(const std::string& path) const;

    template <class Executor>
    status fit(Executor& executor, const data_set& data, const data_set* validation = nullptr,
               const train_observer& observer = {});
    template <class Executor>
    result<evaluation> evaluate(Executor& executor, const data_set& data) const;

  private:
    struct runner {
        std::unique_ptr<session> run;
        aligned_buffer arena;
    };
    struct slot { // of a parameter, in the flat arrays
        std::size_t at = 0, elements = 0, memory_at = 0;
        std::size_t state = 0;
        bool decays = true;
    };

    trainer() = default;
    void hash_recipe();
    static std::size_t state_of(const session& s, tensor_id t);
    template <class Executor>
    status step_once(Executor& executor, const data_set& data,
                     const std::vector<std::uint32_t>& order, std::uint64_t epoch,
                     std::size_t first, bool update);
    void fill_piece(runner& r, const data_set& data, const std::uint32_t* samples,
                    std::uint64_t epoch) const;
    status explain(runner& r) const;
    void put_statistics(graph& g, const std::vector<float>& values) const;
    std::vector<float> statistics_now() const;

    graph model_;
    trainer_options options_;
    kernel_table kernels_;
    training_graph training_;
    planned plan_;
    std::vector<runner> runners_;
    std::vector<slot> slots_;
    std::vector<std::size_t> statistics_; // states that the forward pass updates
    std::size_t pieces_ = 1, piece_ = 1, arena_bytes_ = 0;
    std::size_t depth_ = 1, outputs_ = 1, inputs_ = 1; // of one sample
    std::size_t data_input_ = 0, target_input_ = 0, step_input_ = SIZE_MAX;
    std::uint64_t recipe_ = 0, samples_ = 0; // samples: of the data that a checkpoint is of

    std::vector<float> values_, gradients_, memory_, average_, best_, best_statistics_;
    std::uint64_t step_ = 0, updates_ = 0; // batches seen, and updates made of them
    double epoch_loss_ = 0, epoch_weight_ = 0, epoch_right_ = 0, epoch_rows_ = 0;
    double best_metric_ = HUGE_VAL;
    std::uint64_t bad_epochs_ = 0;
    std::vector<epoch_record> history_;
};

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<graph> with_batch(const graph& g, std::int64_t n) {
    graph bound = g;
    if (bound.inputs.empty()) return fail(errc::bad_argument, "the model has no input");
    for (tensor_id t : bound.inputs) {
        shape& s = bound.tensor(t).shape;
        if (s.empty()) {
            return fail(errc::unsupported, "input ", bound.tensor(t).name,
                        " is a scalar: no batch");
        }
        if (s[0].known() && s[0].value() != 1 && s[0].value() != n) {
            return fail(errc::unsupported, "input ", bound.tensor(t).name, " ", text_of(s),
                        ": its first dimension is no batch of ", n);
        }
        s[0] = dim(n);
    }
    for (node_id k : bound.order()) {
        ops::reshape* r = bound.node_at(k).op->as<ops::reshape>();
        if (r == nullptr || r->target.empty() || bound.tensor(bound.node_at(k).inputs[0]).value) {
            continue;
        }
        if (!r->target[0].known() || r->target[0].value() == 1) r->target[0] = dim(n);
    }
    KOMPAKT_TRY(infer(bound));
    return bound;
}

KOMPAKT_ONCE result<std::unique_ptr<trainer>> trainer::make(const graph& g,
                                                            const trainer_options& options) {
    std::unique_ptr<trainer> made(new trainer);
    trainer& t = *made;
    t.options_ = options;
    t.model_ = g;
    if (g.inputs.size() != 1 || g.outputs.empty()) {
        return fail(errc::unsupported, "training: ", g.inputs.size(), " inputs and ",
                    g.outputs.size(), " outputs, needed one input and an output");
    }
    if (g.tensor(g.inputs[0]).type != dtype::f32) {
        return fail(errc::unsupported, "training: input ", g.tensor(g.inputs[0]).name, " is ",
                    name_of(g.tensor(g.inputs[0]).type), ", needed a float32 model");
    }
    if (options.batch < 1 || options.accumulate < 1) {
        return fail(errc::bad_argument, "training: batch ", options.batch, ", accumulated ",
                    options.accumulate, ", needed 1 at least");
    }
    if (options.schedule.total != 0 || options.schedule.kind == schedule_kind::constant) {
        KOMPAKT_TRY(options.schedule.check());
    }
    // How many pieces is known once the graph is: a first look with a batch of one.
    const auto single = with_batch(g, 1);
    if (!single.ok()) return single.error();
    const auto look = differentiate(*single, options.differentiate);
    if (!look.ok()) return look.error();
    t.pieces_ = options.pieces;
    if (t.pieces_ == 0) {
        t.pieces_ = look->mixes_samples ? 1 : (options.batch + 15) / 16;
        while (options.batch % t.pieces_ != 0) --t.pieces_;
    }
    if (options.batch % t.pieces_ != 0 || (look->mixes_samples && t.pieces_ != 1)) {
        return fail(errc::bad_argument, "training: a batch of ", options.batch, " in ", t.pieces_,
                    " pieces", look->mixes_samples ? ": batch normalization needs one" : "");
    }
    t.piece_ = options.batch / t.pieces_;
    const auto bound = with_batch(g, static_cast<std::int64_t>(t.piece_));
    if (!bound.ok()) return bound.error();
    auto training = differentiate(*bound, options.differentiate);
    if (!training.ok()) return training.error();
    t.training_ = std::move(*training);
    t.kernels_ = options.kernels != nullptr ? *options.kernels : default_training_kernels();
    plan_options planning;
    planning.kernels = &t.kernels_;
    auto code = plan(t.training_.graph, planning);
    if (!code.ok()) return code.error();
    t.plan_ = std::move(*code);
    for (std::size_t i = 0; i < t.pieces_; ++i) {
        runner r;
        r.run = std::make_unique<session>(t.plan_.bytes(), t.kernels_);
        KOMPAKT_TRY(r.run->check());
        t.arena_bytes_ = r.run->arena_bytes();
        r.arena = aligned_buffer(t.arena_bytes_);
        KOMPAKT_TRY(r.run->bind({r.arena.data(), r.arena.size()}));
        t.runners_.push_back(std::move(r));
    }
    session& s = *t.runners_[0].run;
    const auto number_of = [&](std::size_t i) { return s.code().notes[s.input_tensor(i)].source; };
    for (std::size_t i = 0; i < s.inputs(); ++i) {
        if (number_of(i) == t.training_.target) t.target_input_ = i;
        if (number_of(i) == t.training_.step) t.step_input_ = i;
        if (number_of(i) == t.training_.graph.inputs[0]) t.data_input_ = i;
    }
    t.inputs_ = s.input<float>(t.data_input_).size() / t.piece_;
    t.outputs_ = s.output<float>(1).size() / t.piece_;
    t.depth_ = static_cast<std::size_t>(
        t.training_.graph.tensor(t.training_.prediction).shape.back().value());
    std::size_t at = 0, memory_at = 0;
    for (const trained_parameter& p : t.training_.parameters) {
        slot k;
        k.at = at, k.elements = p.elements, k.memory_at = memory_at;
        k.decays = p.decays;
        k.state = state_of(s, p.tensor);
        at += p.elements;
        memory_at += optimizer_floats(options.optimizer, p.elements);
        t.slots_.push_back(k);
    }
    t.values_.resize(at);
    t.gradients_.resize(at);
    t.memory_.assign(memory_at, 0.0f);
    for (const slot& k : t.slots_) {
        std::memcpy(t.values_.data() + k.at, s.state_bytes(k.state).data(),
                    k.elements * sizeof(float));
    }
    for (tensor_id x : t.training_.statistics) t.statistics_.push_back(state_of(s, x));
    if (options.average > 0.0f) t.average_ = t.values_;
    t.best_ = t.values_;
    t.best_statistics_ = t.statistics_now();
    t.hash_recipe();
    return made;
}

KOMPAKT_ONCE std::size_t trainer::state_of(const session& s, tensor_id t) {
    for (std::size_t i = 0; i < s.states(); ++i) {
        if (s.code().notes[s.state_tensor(i)].source == t) return i;
    }
    KOMPAKT_ASSERT(false, "trainer: a parameter that no kernel reads");
    return 0;
}

// What has to be the same for a run to go on: the model's shapes and everything that the next
// numbers depend on. More epochs are allowed where the schedule does not ask for their number.
KOMPAKT_ONCE void trainer::hash_recipe() {
    detail::checksum c;
    for (const trained_parameter& p : training_.parameters) {
        c.add(p.name);
        c.add(std::uint64_t{p.elements});
    }
    for (node_id n : training_.graph.order()) c.add(training_.graph.node_at(n).op->name());
    const optimizer_options& o = options_.optimizer;
    for (float x : {o.momentum,
                    o.dampening,
                    o.beta1,
                    o.beta2,
                    o.epsilon,
                    o.weight_decay,
                    o.alpha,
                    o.rate_decay,
                    o.momentum_decay,
                    o.eta,
                    o.shrink,
                    o.grow,
                    o.least_step,
                    o.largest_step,
                    options_.clip_norm,
                    options_.clip_value,
                    options_.average,
                    static_cast<float>(options_.schedule.rate),
                    static_cast<float>(options_.schedule.least),
                    options_.differentiate.loss.smoothing,
                    options_.differentiate.loss.parameter}) {
        c.add(x);
    }
    for (std::uint64_t x :
         {static_cast<std::uint64_t>(o.kind), std::uint64_t{o.nesterov}, std::uint64_t{o.amsgrad},
          std::uint64_t{o.centered}, static_cast<std::uint64_t>(options_.schedule.kind),
          static_cast<std::uint64_t>(options_.schedule.total),
          static_cast<std::uint64_t>(options_.schedule.warmup),
          static_cast<std::uint64_t>(options_.differentiate.loss.kind),
          // A schedule over all steps depends on their number.
          std::uint64_t{options_.schedule.total == 0 && needs_total(options_.schedule.kind)
                            ? options_.epochs
                            : std::size_t{0}},
          std::uint64_t{options_.batch}, std::uint64_t{pieces_}, std::uint64_t{options_.accumulate},
          std::uint64_t{options_.seed}, std::uint64_t{options_.shuffle_window}}) {
        c.add(x);
    }
    recipe_ = c.value();
}

KOMPAKT_ONCE std::vector<float> trainer::statistics_now() const {
    std::vector<float> all;
    for (std::size_t i : statistics_) {
        const bytes_span b = runners_[0].run->state_bytes(i);
        const auto* x = reinterpret_cast<const float*>(b.data());
        all.insert(all.end(), x, x + b.size() / sizeof(float));
    }
    return all;
}
KOMPAKT_ONCE void trainer::put_statistics(graph& g, const std::vector<float>& values) const {
    std::size_t at = 0;
    for (tensor_id t : training_.statistics) {
        graph_tensor& x = g.tensor(t);
        const std::size_t n = x.value->bytes().size() / sizeof(float);
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(at);
        x.value =
            make_constant(x.shape, std::vector<float>(from, from + static_cast<std::ptrdiff_t>(n)));
        at += n;
    }
}

KOMPAKT_ONCE graph trainer::trained(bool best) const {
    graph g = model_;
    const std::vector<float>& from = best ? best_ : average_.empty() ? values_ : average_;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        graph_tensor& x = g.tensor(training_.parameters[i].tensor);
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(slots_[i].at);
        x.value = make_constant(
            x.shape, std::vector<float>(at, at + static_cast<std::ptrdiff_t>(slots_[i].elements)));
    }
    put_statistics(g, best ? best_statistics_ : statistics_now());
    return g;
}

KOMPAKT_ONCE status trainer::save(const std::string& path) const {
    detail::checkpoint_writer w(recipe_);
    w.word(step_), w.word(updates_), w.word(bad_epochs_), w.word(samples_);
    for (double x : {epoch_loss_, epoch_weight_, epoch_right_, epoch_rows_, best_metric_})
        w.real(x);
    const std::vector<float> statistics = statistics_now();
    for (const std::vector<float>* x :
         {&values_, &gradients_, &memory_, &average_, &best_, &best_statistics_, &statistics}) {
        w.floats({x->data(), x->size()});
    }
    w.word(history_.size());
    for (const epoch_record& r : history_) {
        w.word(r.epoch), w.word(r.step);
        for (double x :
             {r.rate, r.loss, r.accuracy, r.validation_loss, r.validation_accuracy, r.seconds}) {
            w.real(x);
        }
    }
    return w.write(path);
}

KOMPAKT_ONCE status trainer::resume(const std::string& path) {
    auto r = detail::checkpoint_reader::open(path, recipe_);
    if (!r.ok()) return r.error();
    step_ = r->word(), updates_ = r->word(), bad_epochs_ = r->word(), samples_ = r->word();
    for (double* x : {&epoch_loss_, &epoch_weight_, &epoch_right_, &epoch_rows_, &best_metric_}) {
        *x = r->real();
    }
    std::vector<float> statistics = statistics_now();
    for (std::vector<float>* x :
         {&values_, &gradients_, &memory_, &average_, &best_, &best_statistics_, &statistics}) {
        r->floats({x->data(), x->size()});
    }
    const std::uint64_t records = r->word();
    history_.clear();
    for (std::uint64_t i = 0; i < records && r->left() != 0; ++i) {
        epoch_record e;
        e.epoch = r->word(), e.step = r->word();
        for (double* x : {&e.rate, &e.loss, &e.accuracy, &e.validation_loss, &e.validation_accuracy,
                          &e.seconds}) {
            *x = r->real();
        }
        history_.push_back(e);
    }
    KOMPAKT_TRY(r->finish());
    std::size_t at = 0;
    for (std::size_t i : statistics_) {
        const bytes_span b = runners_[0].run->state_bytes(i);
        std::memcpy(b.data(), statistics.data() + at, b.size());
        at += b.size() / sizeof(float);
    }
    return {};
}

KOMPAKT_ONCE void trainer::fill_piece(runner& r, const data_set& data, const std::uint32_t* samples,
                                      std::uint64_t epoch) const {
    session& s = *r.run;
    for (const slot& k : slots_) {
        std::memcpy(s.state_bytes(k.state).data(), values_.data() + k.at,
                    k.elements * sizeof(float));
    }
    float* to = s.input<float>(data_input_).data();
    for (std::size_t i = 0; i < piece_; ++i) data.fill(samples[i], epoch, to + i * inputs_);
    const std::size_t rows = outputs_ / depth_;
    if (takes_labels(options_.differentiate.loss.kind)) {
        std::int32_t* labels = s.input<std::int32_t>(target_input_).data();
        for (std::size_t i = 0; i < piece_; ++i)
            for (std::size_t k = 0; k < rows; ++k)
                labels[i * rows + k] = data.labels[samples[i] * rows + k];
    } else {
        float* targets = s.input<float>(target_input_).data();
        for (std::size_t i = 0; i < piece_; ++i)
            for (std::size_t k = 0; k < outputs_; ++k)
                targets[i * outputs_ + k] = data.targets[samples[i] * outputs_ + k];
    }
    if (step_input_ != SIZE_MAX) {
        s.input<std::int32_t>(step_input_)[0] = static_cast<std::int32_t>(
            step_ * pieces_ + static_cast<std::size_t>(&r - runners_.data()));
    }
}

// Which tensor of a piece, whose inputs are filled again, first is not a number.
KOMPAKT_ONCE status trainer::explain(runner& r) const {
    session& s = *r.run;
    const auto finite = [&](std::uint32_t t) {
        const tensor_record& x = s.record(t);
        if (x.type != dtype::f32) return true;
        const auto* v = reinterpret_cast<const float*>(s.tensor_bytes(t).data());
        for (std::size_t i = 0; i < x.bytes / sizeof(float); ++i)
            if (!std::isfinite(v[i])) return false;
        return true;
    };
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (!finite(s.state_tensor(slots_[i].state))) {
            return fail(errc::bad_data, "step ", step_, ": parameter ",
                        training_.parameters[i].name, " is not a number");
        }
    }
    if (!finite(s.input_tensor(data_input_))) {
        return fail(errc::bad_data, "step ", step_, ": the input is not a number");
    }
    for (std::uint32_t i = 0; i < s.code().code.op_count; ++i) {
        s.run_op(i);
        const op_record& op = s.code().code.ops[i];
        for (std::uint32_t k = 0; k < op.outputs; ++k) {
            const std::uint32_t t = s.code().code.words[op.operands_at + op.inputs + k];
            if (finite(t)) continue;
            return fail(errc::bad_data, "step ", step_, ": op ", i, " ", s.op_name(i), ": tensor ",
                        s.code().name_of_tensor(t), " is not a number");
        }
    }
    return fail(errc::bad_data, "step ", step_, ": the loss is not a number");
}
#endif

template <class Executor>
status trainer::step_once(Executor& executor, const data_set& data,
                          const std::vector<std::uint32_t>& order, std::uint64_t epoch,
                          std::size_t first, bool update) {
    executor.parallel_for(pieces_, [&](std::size_t i) {
        fill_piece(runners_[i], data, order.data() + first + i * piece_, epoch);
        runners_[i].run->run();
    });
    double weight = 0, sum = 0;
    for (std::size_t i = 0; i < pieces_; ++i) {
        const auto l = runners_[i].run->template output<float>(0);
        if (!std::isfinite(l[0])) {
            fill_piece(runners_[i], data, order.data() + first + i * piece_, epoch);
            return explain(runners_[i]);
        }
        sum += static_cast<double>(l[0]);
        weight += static_cast<double>(l[1]);
    }
    epoch_loss_ += sum;
    epoch_weight_ += weight;
    if (takes_labels(options_.differentiate.loss.kind)) {
        const std::size_t rows = outputs_ / depth_;
        for (std::size_t i = 0; i < pieces_; ++i) {
            const float* y = runners_[i].run->template output<float>(1).data();
            for (std::size_t r = 0; r < piece_ * rows; ++r, y += depth_) {
                const std::size_t sample = order[first + i * piece_ + r / rows];
                const std::int32_t label = data.labels[sample * rows + r % rows];
                if (label < 0) continue;
                std::size_t most = 0;
                for (std::size_t k = 1; k < depth_; ++k) most = y[k] > y[most] ? k : most;
                epoch_rows_ += 1;
                epoch_right_ += static_cast<std::int32_t>(most) == label ? 1 : 0;
            }
        }
    }
    // Of the mean over what was accumulated; the first batch of those replaces.
    const bool fresh = step_ % options_.accumulate == 0;
    const float scale = static_cast<float>(
        1.0 / ((weight > 0 ? weight : 1) * static_cast<double>(options_.accumulate)));
    executor.parallel_for(slots_.size(), [&](std::size_t k) {
        float* to = gradients_.data() + slots_[k].at;
        const std::size_t n = slots_[k].elements;
        for (std::size_t i = 0; i < pieces_; ++i) {
            const float* from = runners_[i].run->template output<float>(2 + k).data();
            if (i == 0 && fresh) {
                for (std::size_t e = 0; e < n; ++e) to[e] = from[e] * scale;
            } else {
                for (std::size_t e = 0; e < n; ++e) to[e] += from[e] * scale;
            }
        }
        if (update && options_.clip_value > 0.0f) clip_by_value({to, n}, options_.clip_value);
    });
    if (!update) return {};
    if (options_.clip_norm > 0.0f) {
        const span<float> all[] = {{gradients_.data(), gradients_.size()}};
        clip_by_norm({all, 1}, options_.clip_norm);
    }
    const auto rate = static_cast<float>(options_.schedule.at(static_cast<std::int64_t>(updates_)));
    const auto momentum =
        static_cast<float>(options_.schedule.momentum_at(static_cast<std::int64_t>(updates_)));
    ++updates_;
    executor.parallel_for(slots_.size(), [&](std::size_t k) {
        const slot& x = slots_[k];
        optimizer_options o = options_.optimizer;
        if (!x.decays) o.weight_decay = 0.0f;
        if (momentum > 0.0f) {
            if (o.momentum > 0.0f) o.momentum = momentum;
            o.beta1 = momentum;
        }
        optimizer_update(o, {rate, static_cast<std::int32_t>(updates_)},
                         {values_.data() + x.at, x.elements},
                         {gradients_.data() + x.at, x.elements}, memory_.data() + x.memory_at);
        if (average_.empty()) return;
        average_exponentially({average_.data() + x.at, x.elements},
                              {values_.data() + x.at, x.elements}, options_.average);
    });
    return {};
}

template <class Executor>
result<evaluation> trainer::evaluate(Executor& executor, const data_set& data) const {
    const loss_params& p = options_.differentiate.loss;
    KOMPAKT_TRY(data.check("validation", inputs_, outputs_, depth_, p.kind));
    graph g = trained(false);
    // The logits, which losses take, are what the training graph calls its prediction.
    g.outputs = {training_.prediction};
    KOMPAKT_TRY(passes::remove_dead(g));
    constexpr std::size_t lanes = 8, piece = 16;
    const auto bound = with_batch(g, piece);
    if (!bound.ok()) return bound.error();
    plan_options planning;
    planning.kernels = &kernels_;
    const auto code = plan(*bound, planning);
    if (!code.ok()) return code.error();
    const std::size_t chunks = (data.samples + piece - 1) / piece;
    std::vector<double> losses(chunks), weights(chunks), right(chunks), rows_of(chunks);
    std::vector<status> failures(lanes);
    const std::size_t rows = outputs_ / depth_;
    const std::vector<float>& w = options_.differentiate.weights;
    executor.parallel_for(lanes, [&](std::size_t lane) {
        if (lane >= chunks) return;
        session s(code->bytes(), kernels_);
        const aligned_buffer arena(s.arena_bytes());
        failures[lane] = s.bind({arena.data(), arena.size()});
        if (!failures[lane].ok()) return;
        std::vector<float> gradient(piece * outputs_);
        for (std::size_t c = lane; c < chunks; c += lanes) {
            const std::size_t first = c * piece;
            const std::size_t n = data.samples - first < piece ? data.samples - first : piece;
            float* to = s.input<float>(0).data();
            for (std::size_t i = 0; i < n; ++i) data.fill(first + i, 0, to + i * inputs_);
            s.run();
            const float* y = s.output<float>(0).data();
            const bool labels = takes_labels(p.kind);
            const loss_sum l =
                loss(p, y, static_cast<std::int32_t>(n * rows), static_cast<std::int32_t>(depth_),
                     labels ? data.labels.data() + first * rows : nullptr,
                     labels ? nullptr : data.targets.data() + first * outputs_,
                     w.empty() ? nullptr : w.data(), gradient.data());
            losses[c] = static_cast<double>(l.loss);
            weights[c] = static_cast<double>(l.weight);
            for (std::size_t r = 0; labels && r < n * rows; ++r, y += depth_) {
                const std::int32_t label = data.labels[first * rows + r];
                if (label < 0) continue;
                std::size_t most = 0;
                for (std::size_t k = 1; k < depth_; ++k) most = y[k] > y[most] ? k : most;
                rows_of[c] += 1;
                right[c] += static_cast<std::int32_t>(most) == label ? 1 : 0;
            }
        }
    });
    for (const status& s : failures) KOMPAKT_TRY(s);
    double loss_total = 0, weight = 0, hits = 0, counted = 0;
    for (std::size_t c = 0; c < chunks; ++c) {
        loss_total += losses[c], weight += weights[c], hits += right[c], counted += rows_of[c];
    }
    return evaluation{loss_total / (weight > 0 ? weight : 1), counted > 0 ? hits / counted : 0};
}

template <class Executor>
status trainer::fit(Executor& executor, const data_set& data, const data_set* validation,
                    const train_observer& observer) {
    KOMPAKT_TRY(
        data.check("training", inputs_, outputs_, depth_, options_.differentiate.loss.kind));
    if (validation != nullptr) {
        KOMPAKT_TRY(validation->check("validation", inputs_, outputs_, depth_,
                                      options_.differentiate.loss.kind));
    }
    if (data.samples < options_.batch) {
        return fail(errc::bad_data, "training data: ", data.samples,
                    " samples are less than a batch of ", options_.batch);
    }
    if (samples_ != 0 && samples_ != data.samples) {
        return fail(errc::bad_data, "training data: ", data.samples,
                    " samples, the checkpoint is of ", samples_);
    }
    samples_ = data.samples;
    const std::size_t steps = data.samples / options_.batch;
    if (options_.schedule.total == 0) {
        options_.schedule.total =
            static_cast<std::int64_t>(steps * options_.epochs / options_.accumulate) -
            options_.schedule.warmup;
        if (options_.schedule.kind == schedule_kind::constant) options_.schedule.total = 0;
        KOMPAKT_TRY(options_.schedule.check());
    }
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    train_progress now;
    now.epochs = options_.epochs, now.steps = steps * options_.epochs;
    while (step_ < now.steps) {
        const std::uint64_t epoch = step_ / steps;
        const auto order = shuffled(data.samples, options_.seed, epoch, options_.shuffle_window);
        if (options_.patience != 0 && bad_epochs_ >= options_.patience) break;
        for (std::size_t k = static_cast<std::size_t>(step_ % steps); k < steps; ++k) {
            const bool update = (step_ + 1) % options_.accumulate == 0;
            KOMPAKT_TRY(step_once(executor, data, order, epoch, k * options_.batch, update));
            ++step_;
            now.epoch = epoch, now.step = step_;
            now.loss = epoch_loss_ / (epoch_weight_ > 0 ? epoch_weight_ : 1);
            now.accuracy = epoch_rows_ > 0 ? epoch_right_ / epoch_rows_ : 0;
            now.rate = options_.schedule.at(static_cast<std::int64_t>(updates_));
            now.seconds = seconds();
            now.finished = nullptr;
            // Where an epoch ends, what it leaves is part of the checkpoint.
            if (k + 1 < steps && options_.checkpoint_steps != 0 && !options_.checkpoint.empty() &&
                step_ % options_.checkpoint_steps == 0) {
                KOMPAKT_TRY(save(options_.checkpoint));
            }
            if (k + 1 < steps && observer && !observer(now)) return {};
        }
        epoch_record r;
        r.epoch = epoch, r.step = step_, r.rate = now.rate;
        r.loss = now.loss, r.accuracy = now.accuracy;
        double metric = now.loss;
        if (validation != nullptr) {
            const auto e = evaluate(executor, *validation);
            if (!e.ok()) return e.error();
            r.validation_loss = e->loss, r.validation_accuracy = e->accuracy;
            // Accuracy first; the loss tells equals apart.
            metric = takes_labels(options_.differentiate.loss.kind)
                         ? 1.0 - e->accuracy + 1e-6 * (std::fmin)(e->loss, 100.0)
                         : e->loss;
        }
        r.seconds = now.seconds = seconds();
        history_.push_back(r);
        bad_epochs_ = metric < best_metric_ ? 0 : bad_epochs_ + 1;
        if (metric < best_metric_ || validation == nullptr || !options_.keep_best) {
            best_metric_ = (std::fmin)(best_metric_, metric);
            best_ = average_.empty() ? values_ : average_;
            best_statistics_ = statistics_now();
        }
        epoch_loss_ = epoch_weight_ = epoch_right_ = epoch_rows_ = 0;
        if (!options_.checkpoint.empty()) KOMPAKT_TRY(save(options_.checkpoint));
        now.finished = &history_.back();
        if (observer && !observer(now)) return {};
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
