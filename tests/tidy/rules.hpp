#pragma once

#include "tidy/repository.hpp"

namespace holdfast::tidy {

/// Includes between the layers base < db < store < queue < worker < bench < cli point down only.
[[nodiscard]] Findings upward_includes(const File& source);

/// A database's C interface is seen by its own files alone, and what formats, logs, parses flags or
/// reads JSON by the command line alone: a library that is embedded brings nothing else along.
[[nodiscard]] Findings foreign_includes(const File& source);

/// A public header starts with #pragma once and includes the standard library and public headers.
[[nodiscard]] Findings public_header(const File& header);

/// No file is too long to be read in one go.
[[nodiscard]] Findings too_long(const File& file);

/// No file is named after being a place for anything.
[[nodiscard]] Findings empty_name(const File& file);

/// No blanks at the end of a line, no carriage returns, and a line end at the end.
[[nodiscard]] Findings loose_ends(const File& file);

/// No path that exists on one person's machine only.
[[nodiscard]] Findings home_paths(const File& file);

/// Statements on tables live in sql/, where they are named and checked, never in C++: but for what
/// the benchmarks compare with (src/bench/sqlite_*.cpp and postgres_*.cpp), which is what one
/// writes without a library.
[[nodiscard]] Findings sql_in_source(const File& source);

/// Every update and delete of jobs carries the lease (id, fence and claim_id), says that the job
/// must be waiting (claim_id is null), or works on rows that the same statement locked under one
/// of the two.
[[nodiscard]] Findings unfenced_writes(const File& sql);

}  // namespace holdfast::tidy
