// Creates at a steady rate, as a process of its own: each is sent when its moment has come, whatever became of those
// before it. Prints all answers as one line of JSON.
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { nowMs } from './clock.ts'
import { order } from './order.ts'

/** Creates with these keys in turn. */
export interface Stream {
  perSecond: number
  apiKeys: string[]
  /** Where this stream ends before the others. */
  seconds?: number
}

export interface Steady {
  /** Without path. */
  origin: string
  path: string
  seconds: number
  streams: Stream[]
}

export interface Answer {
  /** Which of the streams. */
  stream: number
  reference: string
  /** Both by `nowMs`. */
  sentAt: number
  answeredAt: number
}

export interface Answers {
  answers: Answer[]
  /** By how much the worst send was late: the load itself was not steady. */
  latestMs: number
}

const CONNECTIONS = 256

const asked = JSON.parse(process.argv[2] ?? '') as Steady
const pool = new Pool(asked.origin, { connections: CONNECTIONS })
const body = JSON.stringify(order)
const run = nowMs().toString(36)
let latestMs = 0

async function create(apiKey: string, id: string, stream: number): Promise<Answer> {
  const sentAt = nowMs()
  const { statusCode, body: answered } = await pool.request({
    path: asked.path,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'X-Idempotency-Key': id,
    },
    body,
  })
  const text = await answered.text()
  const answeredAt = nowMs()
  if (statusCode !== 201) throw new Error(`A create was answered ${statusCode}: ${text}`)
  const { data } = JSON.parse(text) as { data: { referenceNumber: string } }
  return { stream, reference: data.referenceNumber, sentAt, answeredAt }
}

async function send(
  { perSecond, apiKeys, seconds = asked.seconds }: Stream,
  stream: number,
  startAt: number,
): Promise<Answer[]> {
  const answers: Promise<Answer>[] = []
  const total = perSecond * seconds
  while (answers.length < total) {
    const due = Math.min(total, Math.ceil(((nowMs() - startAt) / 1000) * perSecond))
    while (answers.length < due) {
      const place = answers.length
      latestMs = Math.max(latestMs, nowMs() - startAt - (place * 1000) / perSecond)
      answers.push(create(apiKeys[place % apiKeys.length] ?? '', `${run}-${stream}-${place}`, stream))
    }
    await pause(1)
  }
  return Promise.all(answers)
}

const startAt = nowMs()
const sent = await Promise.all(asked.streams.map((stream, place) => send(stream, place, startAt)))
console.log(JSON.stringify({ answers: sent.flat(), latestMs } satisfies Answers))
await pool.close()
