// Tills that sell and take in, as a process of its own: so many changes of a stock at a time, each of a variant by chance, until the
// time is up. Prints what came of it as one line of JSON.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import type { Answered } from './load.ts'
import { percentile } from './percentile.ts'

/** One variant, and who may change its stock. */
export interface Shelf {
  variantId: string
  path: string
  apiKey: string
}

export interface Tills {
  /** Without path. */
  origin: string
  /** How many at a time. */
  connections: number
  seconds: number
  /** Where the shelves are, as a JSON array. */
  file: string
}

/** `failed`: answers other than 200. */
export interface Changed extends Answered {
  /** By how much the answered changes moved each variant's stock. */
  moved: Record<string, number>
}

const { origin, connections, seconds, file } = JSON.parse(process.argv[2] ?? '') as Tills
const shelves = JSON.parse(readFileSync(file, 'utf8')) as Shelf[]
const pool = new Pool(origin, { connections })
const moved = new Map<string, number>()
const waits: number[] = []
let failed = 0

async function change({ variantId, path, apiKey }: Shelf, delta: number): Promise<void> {
  const sentAt = performance.now()
  const answer = await pool.request({
    path,
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'X-Idempotency-Key': randomUUID(),
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ delta }),
  })
  await answer.body.dump()
  waits.push(performance.now() - sentAt)
  if (answer.statusCode === 200) moved.set(variantId, (moved.get(variantId) ?? 0) + delta)
  else failed += 1
}

async function till(): Promise<void> {
  while (performance.now() < endsAt) {
    const shelf = shelves[Math.floor(Math.random() * shelves.length)]
    if (shelf === undefined) return
    // Two are sold, or seven come in: sums that hardly ever cancel out.
    await change(shelf, Math.random() < 0.8 ? -2 : 7)
  }
}

const startAt = performance.now()
const endsAt = startAt + seconds * 1000
await Promise.all(Array.from({ length: connections }, till))
const changed: Changed = {
  failed,
  perSecond: (waits.length - failed) / ((performance.now() - startAt) / 1000),
  p50: percentile(waits, 0.5),
  p99: percentile(waits, 0.99),
  moved: Object.fromEntries(moved),
}
console.log(JSON.stringify(changed))
await pool.close()
