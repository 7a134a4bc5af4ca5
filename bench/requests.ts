// Sends requests as a process of its own: so many at a time, taken in turn from a file, until the time is up or, if each may be sent
// once, all are sent. Prints the result as one line of JSON.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import { nowMs } from './clock.ts'
import type { Answered } from './load.ts'
import { percentile } from './percentile.ts'

export interface Call {
  method: 'GET' | 'POST'
  path: string
  apiKey: string
}

export interface Requests {
  /** Without path. */
  origin: string
  /** How many at a time. */
  connections: number
  seconds: number
  /** Where the calls are, as a JSON array. */
  file: string
  /** Else round and round. */
  eachOnce: boolean
  /** Sent as JSON with every POST. */
  body?: object
}

export interface Timed extends Answered {
  p95: number
  sent: number
  /** By `nowMs`. */
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
  const answer = await pool.request({
    path,
    method,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(method === 'POST' ? { 'X-Idempotency-Key': randomUUID() } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...payload,
  })
  await answer.body.dump()
  waits.push(performance.now() - sentAt)
  if (answer.statusCode >= 300) failed += 1
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
