// BullMQ on a Redis whose append-only file is synced each second, or at every write.
import { Queue, Worker } from "bullmq";
import IORedis from "ioredis";
import { serve } from "./protocol.mjs";

const name = "bench";
const connect = () =>
  new IORedis({ host: "127.0.0.1", port: Number(process.env.PEER_REDIS_PORT), maxRetriesPerRequest: null });
const kept = { removeOnComplete: true };

await serve({
  async reset() {
    const redis = connect();
    await redis.flushall();
    redis.disconnect();
  },
  async open() {
    const redis = connect();
    const queue = new Queue(name, { connection: redis });
    return {
      add: (job) => queue.add("job", job, kept),
      add_many: (jobs) =>
        queue.addBulk(jobs.map((data) => ({ name: "job", data, opts: kept }))),
      async remaining() {
        const counts = await queue.getJobCounts("wait", "active", "delayed", "prioritized");
        return Object.values(counts).reduce((sum, count) => sum + count, 0);
      },
      async close() {
        await queue.close();
        redis.disconnect();
      },
    };
  },
  async work(on_job) {
    const options = { connection: connect(), concurrency: 100 };
    const worker = new Worker(name, async (job) => on_job(job.data), options);
    worker.on("error", (error) => console.error(error.message));
    await worker.waitUntilReady();
  },
});
