// Where the queues on PostgreSQL find their database, and a statement of our own there.
import pg from "pg";

export const connectionString = process.env.PEER_POSTGRES;

export async function sql(text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
