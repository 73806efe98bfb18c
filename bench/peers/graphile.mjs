// graphile-worker with the settings of its own performance test: local queue, batched completion.
import { Logger, makeWorkerUtils, run, runMigrations } from "graphile-worker";
import { connectionString, sql } from "./postgres.mjs";
import { serve } from "./protocol.mjs";

const logger = new Logger(() => () => {});

await serve({
  async reset() {
    await runMigrations({ connectionString, logger });
    await sql("truncate graphile_worker._private_jobs");
  },
  async open() {
    const tools = await makeWorkerUtils({ connectionString, logger });
    return {
      add: (job) => tools.addJob("bench", job),
      add_many: (jobs) =>
        tools.addJobs(jobs.map((job) => ({ identifier: "bench", payload: job }))),
      settle_down: () => sql("vacuum analyze graphile_worker._private_jobs"),
      remaining: async () =>
        Number((await sql("select count(*) from graphile_worker._private_jobs"))[0].count),
      close: () => tools.release(),
    };
  },
  async work(on_job) {
    const worker = {
      connectionString,
      logger,
      concurrentJobs: 24,
      maxPoolSize: 26,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    };
    await run({
      preset: { worker },
      logger,
      noHandleSignals: true,
      parsedCronItems: [],
      taskList: { bench: async (job) => on_job(job) },
    });
  },
});
