// The same application with Node's better-sqlite3: writer.mjs FILE.
import { createRequire } from "node:module";

const clients = new URL("../../tests/clients/", import.meta.url);
const Database = createRequire(clients)("better-sqlite3");
const every = 10;

const db = new Database(process.argv[2]);
db.pragma("synchronous = full");
db.exec("create table if not exists orders (id integer primary key, state text not null)");
db.exec("insert or ignore into orders values (1, 'open')");
const update = db.prepare("update orders set state = 'paid' where id = 1");
const insert = db.prepare("insert into orders (state) values ('open')");
const write = db.transaction(() => {
  update.run();
  insert.run();
}).immediate;

let over = false;
process.stdin.on("end", () => (over = true)).resume();
console.log("ready");

const times = [];
let errors = 0;
let due = performance.now();
while (!over) {
  due += every;
  // At least one turn of the loop, or the end of stdin would never be seen.
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  const begin = performance.now();
  due = Math.max(due, begin);
  try {
    write();
  } catch {
    errors += 1;
  }
  times.push(performance.now() - begin);
}

times.sort((a, b) => a - b);
const at = (share) => times[Math.floor(times.length * share)];
console.log(times.length, errors, at(0.5), at(0.99), times.at(-1));
