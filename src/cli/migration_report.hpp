#pragma once

#include "cli/database.hpp"

namespace holdfast::cli {

/// Says what `init` or `migrate` did to the schema: versions before and after, 0 for none.
void report_migration(const Globals& globals, int before, int after);

/// The SQL of all migrations for this database and namespace, to be read or run by hand.
void print_migrations(const Globals& globals);

}  // namespace holdfast::cli
