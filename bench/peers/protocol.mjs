// The two sides of a queue as programs that speak JSON, one object a line: orders on stdin, answers
// on stdout. bench/peers/holdfast_driver.cpp speaks the same. Times are ms of the machine's steady
// clock, which all processes share.
//
//   DRIVER produce   {"do":"reset"} {"do":"one","count":N,"ms":M} {"do":"many","count":N,"size":S}
//                    {"do":"settle_down"} {"do":"remaining"} {"do":"probe","count":N,"every":MS}
//   DRIVER work      {"do":"work","count":N}: answers {"up":t} and, when N jobs were handled,
//                    {"handled":t,"repeated":n,"entered":[t, …]} with the time of each number
import readline from "node:readline";

export const now = () => Number(process.hrtime.bigint()) / 1e6;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A JSON object of 100 bytes with a number in it. */
export function payload(n) {
  const job = { n, to: "user@example.com", template: "welcome", padding: "" };
  job.padding = "x".repeat(100 - JSON.stringify(job).length);
  return job;
}

const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

async function produce(queue, order) {
  if (order.do === "one") {
    const begin = now();
    let n = 0;
    while (n < order.count && now() - begin < order.ms) await queue.add(payload(n++));
    return { rate: n / ((now() - begin) / 1000) };
  }
  if (order.do === "many") {
    let spent = 0;
    for (let n = 0; n < order.count; n += order.size) {
      const size = Math.min(order.size, order.count - n);
      const batch = Array.from({ length: size }, (_, i) => payload(n + i));
      const begin = now();
      await queue.add_many(batch);
      spent += now() - begin;
    }
    return { rate: order.count / (spent / 1000) };
  }
  if (order.do === "remaining") return { remaining: await queue.remaining() };
  if (order.do === "settle_down") return { done: await (queue.settle_down?.() ?? true) };
  const returned = [];
  let due = now();
  for (let n = 0; n < order.count; n++) {
    due += order.every;
    await pause(Math.max(0, due - now()));
    await queue.add(payload(n));
    returned.push(now());
  }
  return { returned };
}

async function work(peer, order) {
  const entered = new Array(order.count).fill(null);
  let left = order.count;
  let repeated = 0;
  const begin = now();
  const all = new Promise((resolve) => {
    peer.work((job) => {
      if (entered[job.n] !== null) repeated += 1;
      else {
        entered[job.n] = now();
        if (--left === 0) resolve();
      }
    }).then(() => say({ up: begin }));
  });
  await all;
  say({ handled: now(), repeated, entered: order.times ? entered : [] });
}

/** Serves as either side of `peer`: { version(), reset(), open() -> queue, work(on_job) }. */
export async function serve(peer) {
  const role = process.argv[2];
  let queue = null;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const order = JSON.parse(line);
    if (role === "work") await work(peer, order);
    else if (order.do === "reset") {
      await queue?.close();
      await peer.reset();
      queue = await peer.open();
      say({ done: true });
    } else say(await produce(queue, order));
  }
  process.exit(0);
}
