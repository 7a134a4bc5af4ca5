// Sends a file's requests in a separate process, several at once. Ends when the time is up, or when all are sent if
// each may be sent once. Prints the result as one line of JSON.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import type { LoadResult } from './load.ts'
import { nowMs, waitsOf } from './times.ts'

export interface Call {
  method: 'GET' | 'POST'
  path: string
  apiKey?: string
  /** Encoded as a browser does. Its response must be 303, all others 2xx. */
  form?: string
}

export interface Requests {
  origin: string
  connections: number
  seconds: number
  file: string
  /** Whether each call is sent only once. Otherwise they rotate. */
  eachOnce: boolean
  /** Sent as JSON with every POST. */
  body?: object
}

export interface Timed extends LoadResult {
  p95: number
  sent: number
  /** Read from `nowMs`. */
  startedAt: number
}

const { origin, connections, seconds, file, eachOnce, body } = JSON.parse(process.argv[2] ?? '') as Requests
const calls = JSON.parse(readFileSync(file, 'utf8')) as Call[]
const pool = new Pool(origin, { connections })
const json = body === undefined ? null : JSON.stringify(body)
const waits: number[] = []
let sent = 0
let failed = 0

const headersOf = ({ method, apiKey, form }: Call): Record<string, string> => ({
  ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
  ...(method === 'POST' && form === undefined ? { 'X-Idempotency-Key': randomUUID() } : {}),
  ...(json === null ? {} : { 'Content-Type': 'application/json' }),
  ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
})

async function send(call: Call): Promise<void> {
  const { method, path, form } = call
  const sentAt = performance.now()
  const response = await pool.request({ path, method, headers: headersOf(call), body: form ?? json })
  await response.body.dump()
  waits.push(performance.now() - sentAt)
  const { statusCode } = response
  if (form === undefined ? statusCode >= 300 : statusCode !== 303) failed += 1
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
const { p50, p95, p99 } = waitsOf(waits)
const perSecond = (sent - failed) / ((performance.now() - startAt) / 1000)
console.log(JSON.stringify({ sent, failed, startedAt, perSecond, p50, p95, p99 } satisfies Timed))
await pool.close()
