// Sends the requests of a file in a separate process, several at once. Ends when the time is up, or when all are sent
// if each may be sent once. Prints the result as one line of JSON.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import { nowMs } from './clock.ts'
import type { LoadResult } from './load.ts'
import { percentile } from './percentile.ts'

export interface Call {
  method: 'GET' | 'POST'
  path: string
  apiKey: string
}

export interface Requests {
  /** Scheme, host and port. */
  origin: string
  /** The number of concurrent requests. */
  connections: number
  seconds: number
  /** The file with the calls, a JSON array. */
  file: string
  /** Whether each call is sent only once. Else they rotate. */
  eachOnce: boolean
  /** Sent as JSON with every POST. */
  body?: object
}

export interface Timed extends LoadResult {
  p95: number
  sent: number
  /** The instant by `nowMs`. */
  startedAt: number
}

const { origin, connections, seconds, file, eachOnce, body } = JSON.parse(process.argv[2] ?? '') as Requests
const calls = JSON.parse(readFileSync(file, 'utf8')) as Call[]
const pool = new Pool(origin, { connections })
const payload = body === undefined ? {} : { body: JSON.stringify(body) }
const waits: number[] = []
let sent = 0
let failed = 0

async function send({ method, path, apiKey }: Call): Promise<void> {
  const sentAt = performance.now()
  const response = await pool.request({
    path,
    method,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(method === 'POST' ? { 'X-Idempotency-Key': randomUUID() } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...payload,
  })
  await response.body.dump()
  waits.push(performance.now() - sentAt)
  if (response.statusCode >= 300) failed += 1
}

async function caller(): Promise<void> {
  while (performance.now() < endsAt) {
    const call = calls[eachOnce ? sent : sent % calls.length]
    if (call === undefined) return
    sent += 1
    await send(call)
  }
}

const startedAt = nowMs()
const startAt = performance.now()
const endsAt = startAt + seconds * 1000
await Promise.all(Array.from({ length: connections }, caller))
const timed: Timed = {
  sent,
  failed,
  startedAt,
  perSecond: (sent - failed) / ((performance.now() - startAt) / 1000),
  p50: percentile(waits, 0.5),
  p95: percentile(waits, 0.95),
  p99: percentile(waits, 0.99),
}
console.log(JSON.stringify(timed))
await pool.close()
