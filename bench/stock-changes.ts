// Changes the stock of random variants in a separate process, several at once, until the time is up. Prints the result
// as one line of JSON.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import type { LoadResult } from './load.ts'
import { percentile } from './percentile.ts'

/** A variant, and a key that may change its stock. */
export interface Shelf {
  variantId: string
  path: string
  apiKey: string
}

export interface StockLoad {
  /** Scheme, host and port. */
  origin: string
  /** The number of concurrent changes. */
  connections: number
  seconds: number
  /** The file with the shelves, a JSON array. */
  file: string
}

/** `failed`: responses other than 200. */
export interface Changed extends LoadResult {
  /** The sum of the successful changes of each variant. */
  moved: Record<string, number>
}

const { origin, connections, seconds, file } = JSON.parse(process.argv[2] ?? '') as StockLoad
const shelves = JSON.parse(readFileSync(file, 'utf8')) as Shelf[]
const pool = new Pool(origin, { connections })
const moved = new Map<string, number>()
const waits: number[] = []
let failed = 0

async function change({ variantId, path, apiKey }: Shelf, delta: number): Promise<void> {
  const sentAt = performance.now()
  const response = await pool.request({
    path,
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'X-Idempotency-Key': randomUUID(),
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ delta }),
  })
  await response.body.dump()
  waits.push(performance.now() - sentAt)
  if (response.statusCode === 200) moved.set(variantId, (moved.get(variantId) ?? 0) + delta)
  else failed += 1
}

async function changeRepeatedly(): Promise<void> {
  while (performance.now() < endAt) {
    const shelf = shelves[Math.floor(Math.random() * shelves.length)]
    if (shelf === undefined) return
    // Sells two or adds seven, so that lost changes hardly ever cancel out.
    await change(shelf, Math.random() < 0.8 ? -2 : 7)
  }
}

const startedAt = performance.now()
const endAt = startedAt + seconds * 1000
await Promise.all(Array.from({ length: connections }, changeRepeatedly))
const changed: Changed = {
  failed,
  perSecond: (waits.length - failed) / ((performance.now() - startedAt) / 1000),
  p50: percentile(waits, 0.5),
  p99: percentile(waits, 0.99),
  moved: Object.fromEntries(moved),
}
console.log(JSON.stringify(changed))
await pool.close()
