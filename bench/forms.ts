// Sends forms of customers in a separate process, several at once and each form once, until the time is up or all are
// sent. Prints the result as one line of JSON.
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import type { LoadResult } from './load.ts'
import { percentile } from './percentile.ts'

export interface Form {
  path: string
  /** Encoded as by a browser. */
  body: string
}

export interface Customers {
  /** Scheme, host and port. */
  origin: string
  /** The number of concurrent customers. */
  connections: number
  seconds: number
  /** The file with the forms, a JSON array. */
  file: string
}

/** `failed`: responses other than 303. */
export interface Posted extends LoadResult {
  sent: number
}

const { origin, connections, seconds, file } = JSON.parse(process.argv[2] ?? '') as Customers
const forms = JSON.parse(readFileSync(file, 'utf8')) as Form[]
const pool = new Pool(origin, { connections })
const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
const waits: number[] = []
let sent = 0
let failed = 0

async function post({ path, body }: Form): Promise<void> {
  const sentAt = performance.now()
  const response = await pool.request({ path, method: 'POST', headers, body })
  await response.body.dump()
  waits.push(performance.now() - sentAt)
  if (response.statusCode !== 303) failed += 1
}

async function customer(): Promise<void> {
  while (performance.now() < endAt) {
    const form = forms[sent]
    if (form === undefined) return
    sent += 1
    await post(form)
  }
}

const startedAt = performance.now()
const endAt = startedAt + seconds * 1000
await Promise.all(Array.from({ length: connections }, customer))
const posted: Posted = {
  sent,
  failed,
  perSecond: (sent - failed) / ((performance.now() - startedAt) / 1000),
  p50: percentile(waits, 0.5),
  p99: percentile(waits, 0.99),
}
console.log(JSON.stringify(posted))
await pool.close()
