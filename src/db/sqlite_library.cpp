#include <sqlite3.h>

#include "holdfast/sqlite.hpp"

namespace holdfast::sqlite {

std::string_view library_version() noexcept { return sqlite3_libversion(); }

}  // namespace holdfast::sqlite
