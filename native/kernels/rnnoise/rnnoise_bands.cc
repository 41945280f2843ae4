#include "rnnoise_bands.h"

#include <cmath>

namespace earshot {

RnnoiseBands::RnnoiseBands() {
  for (size_t band = 0; band <= kBands; band++) {
    const size_t from = kEdges[band], width = kEdges[band + 1] - from;
    for (size_t i = 0; i < width; i++) rise_[from + i] = float(i) / float(width);
  }
  const double step = 3.14159265358979323846 / kBands;
  for (size_t band = 0; band < kBands; band++) {
    for (size_t k = 0; k < kBands; k++) {
      // The first RNNoise had 22 bands, and its factor was kept.
      const double scale = std::sqrt(2.0 / 22) * (k == 0 ? std::sqrt(0.5) : 1);
      cosines_[band * kBands + k] = float(scale * std::cos((double(band) + 0.5) * double(k) * step));
    }
  }
}

}  // namespace earshot
