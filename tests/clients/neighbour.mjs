// An application beside a worker: neighbour.mjs FILE JOBS. Each transaction writes a row of its own and
// a job, with the time limit that better-sqlite3 has by default. Any error ends it with a failure.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const Database = require('better-sqlite3');
const [file, jobs] = process.argv.slice(2);
const db = new Database(file);
db.pragma('synchronous = FULL');
db.exec('create table if not exists visits (who text)');
const visit = db.prepare("insert into visits values ('node')");
const enqueue = db.prepare("insert into holdfast_jobs (kind) values ('plain')");
const both = db.transaction(() => {
  visit.run();
  enqueue.run();
});

for (let i = 0; i < Number(jobs); i += 1) {
  both();
  await new Promise((resolve) => setTimeout(resolve, 2));
}
