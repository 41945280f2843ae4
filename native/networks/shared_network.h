// A network in ONNX Runtime that all threads of the process run: its weights are in memory once. A session of
// onnxruntime-node belongs to one thread, although ONNX Runtime itself can be called from several
// (onnxruntime_c_api.h: "Run() can be called from multiple threads").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime_table.h"

namespace earshot::networks {

/** An input or output as the network declares it. */
struct Port {
  std::string name;
  /** As ONNX numbers them (TensorProto.DataType); 0: no tensor. */
  int type = 0;
  /** -1: any length, named by `symbols`. */
  std::vector<int64_t> dims;
  std::vector<std::string> symbols;
};

/** Elements in memory of the caller. */
struct TensorView {
  std::string name;
  int type = 0;
  std::vector<int64_t> dims;
  /** nullptr: ONNX Runtime allocates. */
  void* data = nullptr;
  size_t bytes = 0;
};

/** An output in ONNX Runtime's memory. */
struct Computed {
  int type = 0;
  std::vector<int64_t> dims;
  const void* data = nullptr;
  size_t bytes = 0;
};

/** Bytes of an element; 0: a type that is not supported. */
size_t element_bytes(int type);

struct Source {
  /** UTF-8; used where `bytes` is nullptr. */
  std::string path;
  const void* bytes = nullptr;
  size_t length = 0;
  /** Keeps a run's memory for the next one. */
  bool keeps_memory = true;
};

/** Safe to run from several threads at once. Errors are std::runtime_error with ONNX Runtime's message. */
class Network {
 public:
  Network(const void* const* table, const Source& source);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  /**
   * Computes the outputs. Those without memory of their own are handed to `take`, whose argument is good until it
   * returns.
   */
  void run(const std::vector<TensorView>& inputs, const std::vector<TensorView>& outputs,
           const std::function<void(size_t index, const Computed&)>& take) const;

 private:
  void check(OrtStatus* status) const;
  std::vector<Port> ports(bool of_inputs) const;

  const void* const* table_;
  OrtMemoryInfo* memory_ = nullptr;
  OrtSession* session_ = nullptr;
  std::vector<Port> inputs_, outputs_;
};

/**
 * The network of this key, loaded by the first thread that asks for it while others wait, and released with the last
 * pointer to it.
 * @param key identifies the network's bytes
 */
std::shared_ptr<const Network> open_network(const void* const* table, const std::string& key, const Source& source);

}  // namespace earshot::networks
