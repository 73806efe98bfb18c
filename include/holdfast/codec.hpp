#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

namespace holdfast {

/// Thrown by Codec::decode for a payload that this program cannot read. The job is tried three
/// times over about ten minutes (a rolling deploy shows new payloads to old workers), then
/// quarantined as `data`.
class Undecodable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A type that says itself how it becomes a payload and back:
///
///   struct SendReceipt {
///     static constexpr std::string_view kind = "send_receipt";
///     std::string encode() const;                        // the payload, UTF-8 text
///     static SendReceipt decode(std::string_view text);  // throws Undecodable
///   };
template <class T>
concept EncodesItself = requires(const T& job, std::string_view payload) {
  { T::kind } -> std::convertible_to<std::string_view>;
  { job.encode() } -> std::convertible_to<std::string>;
  { T::decode(payload) } -> std::convertible_to<T>;
};

/// How a type becomes a payload and back. Specialise it, with the same three members, for types
/// that you cannot change.
template <class T>
struct Codec {};

template <EncodesItself T>
struct Codec<T> {
  static constexpr std::string_view kind = T::kind;
  static std::string encode(const T& job) { return job.encode(); }
  static T decode(std::string_view payload) { return T::decode(payload); }
};

/// A type with a usable Codec.
template <class T>
concept Job = requires(const T& job, std::string_view payload) {
  { Codec<T>::kind } -> std::convertible_to<std::string_view>;
  { Codec<T>::encode(job) } -> std::convertible_to<std::string>;
  { Codec<T>::decode(payload) } -> std::convertible_to<T>;
};

}  // namespace holdfast
