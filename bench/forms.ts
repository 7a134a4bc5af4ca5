// Customers who send their forms, as a process of its own: so many at a time, each form once, until the time is up or all are
// sent. Prints what came of it as one line of JSON.
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import type { Answered } from './load.ts'
import { percentile } from './percentile.ts'

export interface Form {
  path: string
  /** As a browser encodes it. */
  body: string
}

export interface Customers {
  /** Without path. */
  origin: string
  /** How many at a time. */
  connections: number
  seconds: number
  /** Where the forms are, as a JSON array. */
  file: string
}

/** `failed`: answers other than 303. */
export interface Posted extends Answered {
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
  const answer = await pool.request({ path, method: 'POST', headers, body })
  await answer.body.dump()
  waits.push(performance.now() - sentAt)
  if (answer.statusCode !== 303) failed += 1
}

async function customer(): Promise<void> {
  while (performance.now() < endsAt) {
    const form = forms[sent]
    if (form === undefined) return
    sent += 1
    await post(form)
  }
}

const startAt = performance.now()
const endsAt = startAt + seconds * 1000
await Promise.all(Array.from({ length: connections }, customer))
const posted: Posted = {
  sent,
  failed,
  perSecond: (sent - failed) / ((performance.now() - startAt) / 1000),
  p50: percentile(waits, 0.5),
  p99: percentile(waits, 0.99),
}
console.log(JSON.stringify(posted))
await pool.close()
