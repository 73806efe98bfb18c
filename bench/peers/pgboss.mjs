// pg-boss with LISTEN/NOTIFY and batches, which it needs to go on without a pause.
import { PgBoss } from "pg-boss";
import { connectionString, sql } from "./postgres.mjs";
import { serve } from "./protocol.mjs";

const name = "bench";

async function started() {
  const boss = new PgBoss({ connectionString, max: 20, useListenNotify: true });
  boss.on("error", (error) => console.error(error.message));
  await boss.start();
  return boss;
}

await serve({
  async reset() {
    const boss = await started();
    if (!(await boss.getQueue(name))) await boss.createQueue(name, { notify: true });
    await boss.stop({ graceful: false });
    await sql("truncate pgboss.job");
  },
  async open() {
    const boss = await started();
    return {
      add: (job) => boss.send(name, job),
      add_many: (jobs) => boss.insert(name, jobs.map((data) => ({ data }))),
      settle_down: () => sql("vacuum analyze pgboss.job_common"),
      remaining: async () =>
        Number((await sql("select count(*) from pgboss.job where state < 'completed'"))[0].count),
      close: () => boss.stop({ graceful: false }),
    };
  },
  async work(on_job) {
    const boss = await started();
    const options = process.env.PEER_PROBE
      ? { localConcurrency: 10, batchSize: 1 }
      : { localConcurrency: 2, batchSize: 1000, burstWhenBatchFull: true };
    await boss.work(name, options, async (jobs) => jobs.forEach((job) => on_job(job.data)));
  },
});
