// plainjob on a SQLite file; PEER_SYNCHRONOUS=full gives it the durability that Holdfast has.
import fs from "node:fs";
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker } from "plainjob";
import { serve } from "./protocol.mjs";

const file = process.env.PEER_FILE;
const quiet = { debug() {}, info() {}, warn() {}, error: console.error };

function opened() {
  const db = new Database(file);
  const queue = defineQueue({ connection: better(db), logger: quiet });
  if (process.env.PEER_SYNCHRONOUS === "full") db.pragma("synchronous = full");
  return queue;
}

await serve({
  async reset() {
    for (const part of ["", "-wal", "-shm"]) fs.rmSync(file + part, { force: true });
  },
  async open() {
    const queue = opened();
    const count = (status) => queue.countJobs({ type: "bench", status });
    return {
      add: async (job) => queue.add("bench", job),
      add_many: async (jobs) => queue.addMany("bench", jobs),
      remaining: async () => count(0) + count(1),
      close: async () => queue.close(),
    };
  },
  async work(on_job) {
    const options = { queue: opened(), logger: quiet };
    defineWorker("bench", async (job) => on_job(JSON.parse(job.data)), options).start();
  },
});
