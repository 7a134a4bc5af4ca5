// Creates at a steady rate in a separate process. Each create is sent on schedule, even if earlier ones have no
// response yet. Prints the result as one line of JSON.
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { nowMs } from './clock.ts'
import { order } from './order.ts'

/** Creates that use some keys in rotation. */
export interface Stream {
  perSecond: number
  apiKeys: string[]
  /** Set if this stream ends before the others. */
  seconds?: number
}

export interface Steady {
  /** Scheme, host and port. */
  origin: string
  path: string
  seconds: number
  streams: Stream[]
}

export interface Created {
  /** The index of the stream. */
  stream: number
  reference: string
  /** Both instants are by `nowMs`. */
  sentAt: number
  respondedAt: number
}

export interface SteadyResult {
  creates: Created[]
  /** The worst delay of a create behind its schedule. */
  latestMs: number
}

const CONNECTIONS = 256

const input = JSON.parse(process.argv[2] ?? '') as Steady
const pool = new Pool(input.origin, { connections: CONNECTIONS })
const body = JSON.stringify(order)
const run = nowMs().toString(36)
let latestMs = 0

async function create(apiKey: string, id: string, stream: number): Promise<Created> {
  const sentAt = nowMs()
  const { statusCode, body: responseBody } = await pool.request({
    path: input.path,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'X-Idempotency-Key': id,
    },
    body,
  })
  const text = await responseBody.text()
  const respondedAt = nowMs()
  if (statusCode !== 201) throw new Error(`A create got ${statusCode}: ${text}`)
  const { data } = JSON.parse(text) as { data: { referenceNumber: string } }
  return { stream, reference: data.referenceNumber, sentAt, respondedAt }
}

async function send(
  { perSecond, apiKeys, seconds = input.seconds }: Stream,
  stream: number,
  startedAt: number,
): Promise<Created[]> {
  const creates: Promise<Created>[] = []
  const total = perSecond * seconds
  while (creates.length < total) {
    const due = Math.min(total, Math.ceil(((nowMs() - startedAt) / 1000) * perSecond))
    while (creates.length < due) {
      const index = creates.length
      latestMs = Math.max(latestMs, nowMs() - startedAt - (index * 1000) / perSecond)
      creates.push(create(apiKeys[index % apiKeys.length] ?? '', `${run}-${stream}-${index}`, stream))
    }
    await pause(1)
  }
  return Promise.all(creates)
}

const startedAt = nowMs()
const sent = await Promise.all(input.streams.map((stream, index) => send(stream, index, startedAt)))
console.log(JSON.stringify({ creates: sent.flat(), latestMs } satisfies SteadyResult))
await pool.close()
