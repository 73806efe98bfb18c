#pragma once

/// Everything an application needs on SQLite. For PostgreSQL add holdfast/postgres.hpp.
#include "holdfast/error.hpp"
#include "holdfast/handlers.hpp"
#include "holdfast/job.hpp"
#include "holdfast/outcome.hpp"
#include "holdfast/run.hpp"
#include "holdfast/sqlite.hpp"
#include "holdfast/store.hpp"
#include "holdfast/version.hpp"
#include "holdfast/worker.hpp"
