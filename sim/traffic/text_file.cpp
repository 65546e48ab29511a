#include "qosarb/traffic/text_file.hpp"

#include <lzma.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

namespace {

using FileHandle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

FileHandle open_file(const std::string& file) {
  FileHandle handle(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (handle == nullptr || std::filesystem::is_directory(file)) {
    throw InputError(file, 0, "cannot be opened for reading");
  }
  return handle;
}

[[noreturn]] void damaged(const std::string& file, int line) {
  throw InputError(file, line, "the compressed data are damaged or end early");
}

}  // namespace

class TextFile::Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::size_t read(std::span<char> space, int line) = 0;
};

namespace {

class Plain final : public TextFile::Decoder {
 public:
  explicit Plain(std::string file) : file_(std::move(file)), handle_(open_file(file_)) {}

  std::size_t read(std::span<char> space, int line) override {
    const std::size_t got = std::fread(space.data(), 1, space.size(), handle_.get());
    if (got == 0 && std::ferror(handle_.get()) != 0) {
      throw InputError(file_, line, "cannot be read");
    }
    return got;
  }

 private:
  std::string file_;
  FileHandle handle_;
};

class Gzip final : public TextFile::Decoder {
 public:
  explicit Gzip(std::string file)
      : file_(std::move(file)), handle_(gzopen(file_.c_str(), "rb"), &gzclose) {
    if (handle_ == nullptr) {
      throw InputError(file_, 0, "cannot be opened for reading");
    }
    gzbuffer(handle_.get(), 1U << 17U);
  }

  // gzread() alone does not tell the end of a file from one that ends early.
  std::size_t read(std::span<char> space, int line) override {
    const int got = gzread(handle_.get(), space.data(), static_cast<unsigned>(space.size()));
    int fault = Z_OK;
    gzerror(handle_.get(), &fault);
    if (got < 0 || fault != Z_OK) {
      damaged(file_, line);
    }
    return got;
  }

 private:
  std::string file_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> handle_;
};

class Xz final : public TextFile::Decoder {
 public:
  explicit Xz(std::string file) : file_(std::move(file)), handle_(open_file(file_)) {
    constexpr std::uint64_t kMemory = std::uint64_t{1} << 30U;
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_CONCATENATED) != LZMA_OK) {
      throw InputError(file_, 0, "the decoder of xz cannot be started");
    }
  }
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  std::size_t read(std::span<char> space, int line) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(space.data());
    stream_.avail_out = space.size();
    while (!ended_ && stream_.avail_out == space.size()) {
      if (stream_.avail_in == 0 && !last_) {
        stream_.next_in = in_.data();
        stream_.avail_in = std::fread(in_.data(), 1, in_.size(), handle_.get());
        last_ = stream_.avail_in < in_.size();
      }
      const lzma_ret result = lzma_code(&stream_, last_ ? LZMA_FINISH : LZMA_RUN);
      ended_ = result == LZMA_STREAM_END;
      if (!ended_ && result != LZMA_OK) {
        damaged(file_, line);
      }
    }
    return space.size() - stream_.avail_out;
  }

 private:
  std::string file_;
  FileHandle handle_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::array<std::uint8_t, 1U << 16U> in_{};
  bool last_ = false;   ///< the file has no more than is in `in_`
  bool ended_ = false;  ///< all streams are out
};

}  // namespace

TextFile::TextFile(const std::string& file) {
  using namespace std::string_view_literals;
  std::array<char, 6> begin{};
  const std::size_t got = std::fread(begin.data(), 1, begin.size(), open_file(file).get());
  const std::string_view magic(begin.data(), got);
  if (magic == "\xfd\x37zXZ\0"sv) {
    decoder_ = std::make_unique<Xz>(file);
  } else if (magic.starts_with("\x1f\x8b"sv)) {
    decoder_ = std::make_unique<Gzip>(file);
  } else {
    decoder_ = std::make_unique<Plain>(file);
  }
}

TextFile::~TextFile() = default;

std::size_t TextFile::read(std::span<char> space, int line) { return decoder_->read(space, line); }

}  // namespace qosarb
