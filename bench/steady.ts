// Creates, cancels and pays at a steady rate in a separate process. Each request is sent on schedule, even if earlier
// ones have no response yet. Prints them as one line of JSON.
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { order } from './calls.ts'
import { nowMs } from './times.ts'

export interface Stream {
  perSecond: number
  apiKeys: string[]
  /** Set if this stream ends before the others. */
  seconds?: number
  /** Whether every third intent is cancelled a second after its create, and every third one paid. */
  settles?: boolean
}

export interface Steady {
  /** Scheme, host and port of each `web`. Requests alternate between them. */
  origins: string[]
  path: string
  seconds: number
  streams: Stream[]
}

export interface Sent {
  act: 'create' | 'cancel' | 'pay'
  stream: number
  reference: string
  /** When the request was due to be sent. Like `respondedAt`, by `nowMs`. */
  dueAt: number
  respondedAt: number
}

interface Due {
  afterMs: number
  send(dueAt: number): Promise<Sent>
}

const CONNECTIONS = 256
const SETTLED_AFTER_MS = 1000
const settlements = [
  { act: 'cancel', suffix: 'cancel' },
  { act: 'pay', suffix: 'simulate-payment' },
] as const

const input = JSON.parse(process.argv[2] ?? '') as Steady
const pools = input.origins.map((origin) => new Pool(origin, { connections: CONNECTIONS }))
const run = nowMs().toString(36)
let posted = 0

async function post(path: string, apiKey: string, body: object): Promise<string> {
  posted += 1
  const response = await pools[posted % pools.length]?.request({
    path,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'X-Idempotency-Key': `${run}-${posted}`,
    },
    body: JSON.stringify(body),
  })
  const text = (await response?.body.text()) ?? ''
  if (response === undefined || response.statusCode >= 300)
    throw new Error(`${path} got ${response?.statusCode}: ${text}`)
  return (JSON.parse(text) as { data: { referenceNumber: string } }).data.referenceNumber
}

function actsOf({ perSecond, apiKeys, settles = false }: Stream, stream: number, index: number): Due[] {
  const apiKey = apiKeys[index % apiKeys.length] ?? ''
  const afterMs = (index * 1000) / perSecond
  let created = Promise.resolve('')
  const create: Due = {
    afterMs,
    async send(dueAt) {
      created = post(input.path, apiKey, order)
      return { act: 'create', stream, reference: await created, dueAt, respondedAt: nowMs() }
    },
  }
  const settlement = settles ? settlements[index % 3] : undefined
  if (settlement === undefined) return [create]
  const { act, suffix } = settlement
  const settle: Due = {
    afterMs: afterMs + SETTLED_AFTER_MS,
    async send(dueAt) {
      const reference = await created
      await post(`${input.path}/${reference}/${suffix}`, apiKey, {})
      return { act, stream, reference, dueAt, respondedAt: nowMs() }
    },
  }
  return [create, settle]
}

const acts = input.streams.flatMap((stream, number) =>
  Array.from({ length: stream.perSecond * (stream.seconds ?? input.seconds) }, (_, index) =>
    actsOf(stream, number, index),
  ),
)
const startedAt = nowMs()
const sent: Promise<Sent>[] = []
for (const { afterMs, send } of acts.flat().toSorted((one, other) => one.afterMs - other.afterMs)) {
  while (nowMs() < startedAt + afterMs) await pause(1)
  sent.push(send(startedAt + afterMs))
}
console.log(JSON.stringify(await Promise.all(sent)))
await Promise.all(pools.map((pool) => pool.close()))
