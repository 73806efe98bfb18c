#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/queue_test.hpp"
#include "holdfast/error.hpp"

namespace holdfast::test {
namespace {

/// A fenced block of docs/schema.md whose first line is ```sql and these words.
struct Block {
  std::string words;
  std::string sql;
};

std::vector<Block> documented_blocks() {
  std::ifstream file(HOLDFAST_SOURCE_DIR "/docs/schema.md");
  std::vector<Block> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back().sql += line + "\n";
    } else if (line.rfind("```sql ", 0) == 0) {
      blocks.push_back({line.substr(7), ""});
      inside = true;
    }
  }
  return blocks;
}

class DocumentedSql : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, DocumentedSql,
                         ::testing::Values(Backend::file, Backend::postgres), backend_name);

TEST_P(DocumentedSql, every_block_does_what_the_text_says) {
  const std::string dialect = q.connection().dialect() == Dialect::sqlite ? "sqlite" : "postgres";
  int run = 0;
  for (const Block& block : documented_blocks()) {
    if (block.words == dialect) {
      EXPECT_NO_THROW(q.connection().execute(block.sql, {}, [](const Row&) {})) << block.sql;
      ++run;
    } else if (block.words == dialect + " fails") {
      EXPECT_THROW(q.connection().execute(block.sql), Error) << block.sql;
      ++run;
    }
  }
  EXPECT_GE(run, 6);
}

TEST_P(DocumentedSql, replace_rearms_a_running_job) {
  const std::string dialect = q.connection().dialect() == Dialect::sqlite ? "sqlite" : "postgres";
  const auto id = q.enqueue("receipt", {.queue = "mail", .unique_key = "receipt:42"}, "old").id;
  const auto running = q.claim({.limit = 1, .queue = "mail", .kinds = {"receipt"}}).front();
  for (const Block& block : documented_blocks()) {
    if (block.words == dialect && block.sql.find("next_payload") != std::string::npos) {
      q.connection().execute(block.sql, {}, [&](const Row& row) { EXPECT_EQ(row.integer(0), id); });
    }
  }
  EXPECT_EQ(q.find(id)->payload, "old");
  EXPECT_TRUE(q.find(id)->rearmed);
  EXPECT_EQ(q.settle(running, queue::Event::succeeded), queue::Settlement::settled);
  const auto next = q.claim({.limit = 1, .queue = "mail", .kinds = {"receipt"}});
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].revision, 2);
  EXPECT_EQ(next[0].payload, "{\"order\": 42, \"copy\": true}");
}

TEST_P(DocumentedSql, done_settles_under_the_lease_and_refuses_a_lost_one) {
  const auto id = q.enqueue("k").id;
  const auto job = q.claim_one();
  const auto insert = [&](std::int64_t fence) {
    q.connection().execute(
        "insert into " + q.table("done") + " (id, fence, claim_id) values ($1, $2, $3)",
        {job.id, fence, *job.claim_id});
  };
  EXPECT_THROW(insert(job.fence + 1), Error);
  EXPECT_EQ(q.state(id), JobState::running);
  insert(job.fence);
  EXPECT_EQ(q.state(id), JobState::succeeded);
  EXPECT_EQ(q.settle(job, queue::Event::succeeded), queue::Settlement::already_settled);
  EXPECT_THROW(insert(job.fence), Error);
}

}  // namespace
}  // namespace holdfast::test
