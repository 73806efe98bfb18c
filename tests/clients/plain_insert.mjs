// Enqueues with better-sqlite3 or pg, as an application would: plain_insert.mjs sqlite|postgres ADDRESS.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const [dialect, address] = process.argv.slice(2);

async function onSqlite() {
  const Database = require('better-sqlite3');
  const db = new Database(address);
  db.pragma('synchronous = FULL');
  db.exec('create table orders (id integer primary key)');
  const enqueue = db.prepare('insert into holdfast_jobs (queue, kind, payload) values (?, ?, ?)');
  const order = db.prepare('insert into orders values (?)');
  db.transaction(() => {
    order.run(1);
    enqueue.run('mail', 'k', '{"from": "node"}');
  })();
  try {
    db.transaction(() => {
      order.run(2);
      enqueue.run('mail', 'k', 'rolled back');
      throw new Error('the application changed its mind');
    })();
  } catch (error) {
    if (error.message !== 'the application changed its mind') throw error;
  }
  console.log(db.prepare('select count(*) as n from orders').get().n);
}

// libpq's keywords, as far as a test's address has them.
function options(conninfo) {
  const words = Object.fromEntries(conninfo.split(' ').map((word) => word.replaceAll("'", '').split('=')));
  return { host: words.host, port: Number(words.port ?? 5432), user: words.user, database: words.dbname };
}

async function onPostgres() {
  const { Client } = require('pg');
  const client = new Client(options(address));
  await client.connect();
  const insert = 'insert into holdfast.jobs (queue, kind, payload) values ($1, $2, $3)';
  await client.query('create table orders (id bigint primary key)');
  await client.query('begin');
  await client.query('insert into orders values (1)');
  await client.query(insert, ['mail', 'k', '{"from": "node"}']);
  await client.query('commit');
  await client.query('begin');
  await client.query('insert into orders values (2)');
  await client.query(insert, ['mail', 'k', 'rolled back']);
  await client.query('rollback');
  console.log((await client.query('select count(*)::int as n from orders')).rows[0].n);
  await client.end();
}

await (dialect === 'sqlite' ? onSqlite() : onPostgres());
