#include "db/postgres_arrays.hpp"

#include <bit>
#include <limits>

#include "db/postgres_params.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

// Type numbers of the server's catalogue. They are part of its protocol and never change.
struct Types {
  std::uint32_t element;
  std::uint32_t array;
};
constexpr Types types_of(Column column) {
  switch (column) {
    case Column::integer: return {20, 1016};
    case Column::real: return {701, 1022};
    case Column::text: break;
  }
  return {25, 1009};
}

constexpr int binary_format = 1;
constexpr std::uint32_t null_length = 0xFFFFFFFF;
constexpr std::size_t nulls_flag_at = 4;
constexpr std::size_t length_at = 12;

void put(std::string& out, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<char>(value >> (24 - 8 * i));
}

void append(std::string& out, std::uint32_t value) {
  out.append(4, '\0');
  put(out, out.size() - 4, value);
}

void append(std::string& out, std::uint64_t value) {
  append(out, static_cast<std::uint32_t>(value >> 32));
  append(out, static_cast<std::uint32_t>(value));
}

/// One dimension that counts from 1. Null flag and length are filled in at the end.
std::string array_header(Column column) {
  std::string out;
  append(out, std::uint32_t{1});
  append(out, std::uint32_t{0});
  append(out, types_of(column).element);
  append(out, std::uint32_t{0});
  append(out, std::uint32_t{1});
  return out;
}

void append_null(std::string& out) {
  append(out, null_length);
  put(out, nulls_flag_at, 1);
}

void append_number(std::string& out, std::uint64_t bits) {
  append(out, std::uint32_t{8});
  append(out, bits);
}

void append_text(std::string& out, std::string_view text, std::string_view statement) {
  require_text(text, statement);
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

void append_value(std::string& out, Column column, const Value& value, std::string_view statement) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const auto* text = std::get_if<std::string_view>(&value);
  if (std::holds_alternative<std::monostate>(value)) {
    append_null(out);
  } else if (column == Column::integer && integer != nullptr) {
    append_number(out, static_cast<std::uint64_t>(*integer));
  } else if (column == Column::real && real != nullptr) {
    append_number(out, std::bit_cast<std::uint64_t>(*real));
  } else if (column == Column::text && text != nullptr) {
    append_text(out, *text, statement);
  } else {
    throw Error(Code::internal, "a batch value has another type than its column",
                std::string(statement));
  }
}

std::size_t bytes_of(Params row) {
  std::size_t bytes = 0;
  for (const Value& value : row) {
    const auto* text = std::get_if<std::string_view>(&value);
    bytes += 4 + (text == nullptr ? 8 : text->size());
  }
  return bytes;
}

/// Where a chunk ends that starts at `first`.
std::size_t chunk_end(const Batch& batch, std::size_t first, std::size_t rows_max,
                      std::size_t bytes_max) {
  std::size_t end = first;
  std::size_t bytes = 0;
  while (end < batch.size() && end - first < rows_max) {
    bytes += bytes_of(batch.row(end));
    if (bytes > bytes_max && end > first) break;
    ++end;
  }
  return end;
}

}  // namespace

ArrayParams::ArrayParams(const Batch& batch, std::size_t first, std::size_t rows_max,
                         std::size_t bytes_max, std::string_view statement)
    : next_(chunk_end(batch, first, rows_max, bytes_max)) {
  for (const Column column : batch.columns()) arrays_.push_back(array_header(column));
  for (std::size_t index = first; index < next_; ++index) {
    const Params row = batch.row(index);
    for (std::size_t i = 0; i < row.size(); ++i) {
      append_value(arrays_[i], batch.columns()[i], row[i], statement);
    }
  }
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 2) {
      throw Error(Code::invalid, "a batch row is larger than PostgreSQL can take (1 GiB)",
                  std::string(statement));
    }
    put(arrays_[i], length_at, static_cast<std::uint32_t>(next_ - first));
    types_.push_back(types_of(batch.columns()[i]).array);
    values_.push_back(arrays_[i].data());
    lengths_.push_back(static_cast<int>(arrays_[i].size()));
    formats_.push_back(binary_format);
  }
}

}  // namespace holdfast::db
