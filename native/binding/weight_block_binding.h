// Calls that fill the weights of a network: (handle, weights, index, ...).
#pragma once

#include "../kernels/whisper/q8_matrix.h"
#include "../kernels/whisper/weight_block.h"
#include "elements.h"
#include "handle.h"
#include "values.h"

namespace earshot::binding {

template <class Network> uint8_t* weights_of(const Napi::CallbackInfo& info, const Network& network) {
  return elements<uint8_t>(info, 1, "weights", napi_uint8_array, network.weights().bytes(), alignof(float)).data;
}

template <class Network> Napi::Value set_matrix(const Napi::CallbackInfo& info) {
  const Network& network = from_handle<Network>(info);
  const WeightBlock& block = network.weights();
  const size_t index = size_t(whole(info, 2, "index", 0, double(block.matrices() - 1)));
  const WeightBlock::Size size = block.matrix_size(index);
  uint8_t* weights = weights_of(info, network);
  const auto table = elements<uint8_t>(info, 3, "table", napi_uint8_array, size.rows * size.columns);
  const Plane scales = at_least(info, 4, "scales", size.rows * size.columns / kQ8Block);
  block.set_matrix(weights, index, table.data, scales.data);
  return info.Env().Undefined();
}

template <class Network> Napi::Value set_vector(const Napi::CallbackInfo& info) {
  const Network& network = from_handle<Network>(info);
  const WeightBlock& block = network.weights();
  const size_t index = size_t(whole(info, 2, "index", 0, double(block.vectors() - 1)));
  uint8_t* weights = weights_of(info, network);
  block.set_vector(weights, index, at_least(info, 3, "values", block.vector_length(index)).data);
  return info.Env().Undefined();
}

}  // namespace earshot::binding
