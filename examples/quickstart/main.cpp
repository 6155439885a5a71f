// Trains a convolutional network on Fashion-MNIST, as scripts/quickstart.sh does: everything that a training needs, in
// one file. examples/fashion_mnist is the same training with every option.
//
//   quickstart [--epochs N] [--batch-size N] [--lr RATE] [--seed N] [--device cpu|cuda|cuda:N] [--data DIR]
//              [--out DIR]

#include <minima/minima.h>

#include <getopt.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

using namespace minima;

namespace {

struct Options {
  int epochs = 3;
  std::int64_t batch_size = 128;
  double lr = 3e-3;         // the peak: it rises for a twentieth of the steps and falls along a cosine
  std::uint64_t seed = 1;   // of the weights, the order of the images and dropout
  std::string device = {};  // empty: the first GPU, or the CPU if there is none
  std::string data = {};    // the folder of the four IDX files; empty: Debian's package
  std::string out = "quickstart-results";
};

/// 421,834 parameters: x [N, 1, 28, 28] → logits [N, 10]
struct Network : nn::Module {
  nn::Sequential stages = child("stages", nn::Sequential(stage(1, 32), stage(32, 64)));
  nn::Linear hidden = child("hidden", nn::Linear({.in = 64 * 7 * 7, .out = 128}));
  nn::Linear output = child("output", nn::Linear({.in = 128, .out = 10}));

  static nn::Sequential stage(std::int64_t in, std::int64_t out) {
    return nn::Sequential(nn::Conv2d({.in = in, .out = out, .kernel = 3, .padding = 1}),
                          nn::BatchNorm2d({.features = out}), nn::ReLU(), nn::MaxPool2d({.kernel = 2}));
  }
  Tensor forward(const Tensor& x) override {
    return output(dropout(relu(hidden(flatten(stages(x), 1))), 0.3, is_training()));
  }
};

/// uint8 pixels to floats with mean 0 and standard deviation 1 over the training set.
Tensor normalise(const Tensor& pixels) { return (pixels.to(float32) - 72.94) * (1 / 90.02); }

struct Evaluation {
  double loss = 0, accuracy = 0;
  std::vector<std::int64_t> predictions = {};
};

Evaluation evaluate(Network& network, const data::LabelledImages& set, Device device) {
  const NoGrad no_grad;
  network.eval();
  Mean loss;
  Accuracy accuracy;
  Evaluation result;
  constexpr std::int64_t batch_size = 500;
  for (std::int64_t from = 0; from < set.images.size(0); from += batch_size) {
    const Tensor labels = slice(set.labels, 0, from, from + batch_size).to(device);
    const Tensor logits = network(normalise(slice(set.images, 0, from, from + batch_size).to(device)));
    loss.add(cross_entropy(logits, labels));
    accuracy.add(logits, labels);
    for (const std::int64_t p : argmax(logits, 1).to_vector<std::int64_t>()) result.predictions.push_back(p);
  }
  network.train();
  result.loss = loss.value();
  result.accuracy = accuracy.value();
  return result;
}

struct Curve {
  std::vector<double> epochs = {}, training = {}, validation = {}, accuracy = {};
};

/// The learning curve, and the first test images that the network gets wrong.
void draw(const Options& options, const Curve& curve, const data::LabelledImages& test, const Evaluation& result) {
  const auto path = [&](const char* name) { return (std::filesystem::path(options.out) / name).string(); };
  write_file(path("learning_curve.svg"),
             line_plot_svg({{.title = "Cross entropy",
                             .x_label = "epoch",
                             .y_label = "loss",
                             .series = {{.name = "training", .x = curve.epochs, .y = curve.training},
                                        {.name = "validation", .x = curve.epochs, .y = curve.validation}},
                             .whole_x = true},
                            {.title = "Accuracy",
                             .x_label = "epoch",
                             .y_label = "accuracy",
                             .series = {{.name = "validation", .x = curve.epochs, .y = curve.accuracy}},
                             .whole_x = true}}));
  ImageGrid grid{.title = "Misclassified test images"};
  const std::vector<std::int64_t> labels = test.labels.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < labels.size() && grid.images.size() < 36; ++i)
    if (result.predictions[i] != labels[i])
      grid.images.push_back(
          {.pixels = test.images[static_cast<std::int64_t>(i)].to_vector<std::uint8_t>(),
           .height = 28,
           .width = 28,
           .caption = data::FashionMnist::class_names[labels[i]],
           .note = std::string("taken for ") + data::FashionMnist::class_names[result.predictions[i]]});
  write_file(path("misclassified.svg"), image_grid_svg(grid));
}

void train(const Options& options) {
  const Device device = options.device.empty() ? default_device() : parse_device(options.device);
  std::filesystem::create_directories(options.out);  // fails now rather than after training
  manual_seed(options.seed);

  // The last 5,000 training images tell how training goes; the test set is used once, at the end.
  const data::LabelledImages all = data::FashionMnist::train(options.data);
  const data::LabelledImages test = data::FashionMnist::test(options.data);
  const data::LabelledImages validation{slice(all.images, 0, -5000), slice(all.labels, 0, -5000)};
  data::DataLoader loader(data::TensorDataset(slice(all.images, 0, 0, -5000), slice(all.labels, 0, 0, -5000)),
                          {.batch_size = options.batch_size, .shuffle = true, .workers = 1, .device = device});
  const std::int64_t steps = options.epochs * loader.batches(), rise = std::max<std::int64_t>(steps / 20, 1);

  Network network;
  network.to(device);
  optim::AdamW optimizer(network.parameters(), {.lr = options.lr});
  optim::Scheduler scheduler(optimizer,
                             optim::schedules::warmup(rise, optim::schedules::cosine(steps - rise, 0, true)));

  std::printf("training on %s\nseed %llu\n", describe_device(device).c_str(),
              static_cast<unsigned long long>(initial_seed()));
  Curve curve;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    Progress progress(
        loader.dataset().size(),
        {.label = "epoch " + std::to_string(epoch) + "/" + std::to_string(options.epochs), .unit = "img"});
    Mean mean_loss;
    RunningMean recent_loss;
    for (auto& [images, labels] : loader) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(network(normalise(images)), labels);
      loss.backward();
      optimizer.step();
      scheduler.step();
      mean_loss.add(loss.detach(), static_cast<double>(labels.size(0)));
      recent_loss.add(loss.detach());
      progress.advance(labels.size(0), progress.is_due() ? "loss " + std::to_string(recent_loss.value()) : "");
    }
    progress.finish();
    const Evaluation result = evaluate(network, validation, device);
    std::printf("epoch %d/%d  train loss %.4f  validation loss %.4f accuracy %.4f  %.0f img/s  %.1f s\n", epoch,
                options.epochs, mean_loss.value(), result.loss, result.accuracy, progress.rate(), progress.seconds());
    std::fflush(stdout);
    curve.epochs.push_back(epoch);
    curve.training.push_back(mean_loss.value());
    curve.validation.push_back(result.loss);
    curve.accuracy.push_back(result.accuracy);
  }

  const Evaluation result = evaluate(network, test, device);
  draw(options, curve, test, result);
  nn::save((std::filesystem::path(options.out) / "network.safetensors").string(), network);
  std::printf("weights, learning curve and misclassified images: %s\n", options.out.c_str());
  std::printf("test accuracy %.4f\n", result.accuracy);
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "quickstart: %ssee --help\n", why.c_str());
  std::exit(2);
}

double positive(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || !std::isfinite(value))
    stop(option + ": must be above 0, not " + text + "; ");
  return value;
}

std::int64_t count(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 1 || value > 1'000'000)
    stop(option + ": must be a whole number, at least 1, not " + text + "; ");
  return value;
}

std::uint64_t whole(const std::string& option, const std::string& text) {
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), nullptr, 10);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos || errno != 0)
    stop(option + ": must be a whole number, not " + text + "; ");
  return value;
}

Options parse(int argc, char** argv) {
  const option known[]{{"epochs", required_argument, nullptr, 'e'},
                       {"batch-size", required_argument, nullptr, 'b'},
                       {"lr", required_argument, nullptr, 'l'},
                       {"seed", required_argument, nullptr, 's'},
                       {"device", required_argument, nullptr, 'd'},
                       {"data", required_argument, nullptr, 'i'},
                       {"out", required_argument, nullptr, 'o'},
                       {"help", no_argument, nullptr, 'h'},
                       {nullptr, 0, nullptr, 0}};
  Options options;
  for (int found = 0; (found = getopt_long(argc, argv, "h", known, nullptr)) != -1;) switch (found) {
      case 'e': options.epochs = static_cast<int>(count("--epochs", optarg)); break;
      case 'b': options.batch_size = count("--batch-size", optarg); break;
      case 'l': options.lr = positive("--lr", optarg); break;
      case 's': options.seed = whole("--seed", optarg); break;
      case 'd': options.device = optarg; break;
      case 'i': options.data = optarg; break;
      case 'o': options.out = optarg; break;
      case 'h':
        std::printf(
            "Trains a small convolutional network on Fashion-MNIST.\n\n"
            "  --epochs N        passes over the training set (3)\n"
            "  --batch-size N    images per step (128)\n"
            "  --lr RATE         peak learning rate (0.003)\n"
            "  --seed N          of the weights, the order of the images and dropout (1)\n"
            "  --device DEVICE   cpu, cuda or cuda:N (the first GPU, or the CPU if there is none)\n"
            "  --data DIR        folder of the four IDX files, plain or .gz (Debian's package)\n"
            "  --out DIR         folder for the weights and the pictures (quickstart-results)\n\n"
            "examples/fashion_mnist is the same training with every option: mixed precision, resuming, several\n"
            "processes, profiles and more.\n");
        std::exit(0);
      default: stop("");  // getopt_long has said why
    }
  if (optind < argc) stop("unexpected argument " + std::string(argv[optind]) + "; ");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    train(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quickstart: %s\n", error.what());
    return 2;
  }
}
