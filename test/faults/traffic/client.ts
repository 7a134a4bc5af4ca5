import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import type { Call } from '../evidence/evidence.ts'
import type { Recording } from '../evidence/record.ts'
import type { Chance } from './chance.ts'
import { pageOf, withoutMarks } from './page.ts'
import type { Body, Wish } from './wish.ts'

/** Asks once and records it, whatever becomes of it. */
export type Ask = (wish: Wish, attempt: number, chance: Chance) => Promise<Call>

/** Longer than the service lets a request wait for MongoDB (8 s) or for another with its key (10 s). */
export const clientTimeoutMs = 12_000
/** How many of 100 wait how long: some give up in no time, and the service goes on with what they asked for. */
const timeouts = { 700: 10, 3000: 45, [clientTimeoutMs]: 45 }
/** So many of 1 of the writes with a key break off in the midst of their body, after so long: whoever comes again is the first. */
const brokenOff = 0.03
const brokenOffMs = 150

interface Needs {
  record: Recording
  origins: () => string[]
  clockAheadMs: () => number
}

export function openClient({ record, origins, clockAheadMs }: Needs): { ask: Ask; close(): Promise<void> } {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  let calls = 0

  async function exchange(origin: string, wish: Wish, timeoutMs: number, isHalf: boolean) {
    const { method, path } = wish
    const { headers, body } = isHalf ? half(written(wish)) : written(wish)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const got = await request(origin + path, { dispatcher, method, headers, body, signal })
      const bytes = Buffer.from(await got.body.arrayBuffer())
      const responseHash = createHash('sha256').update(bytes).digest('base64url')
      return { status: got.statusCode, headers: plain(got.headers), text: bytes.toString(), responseHash }
    } catch {
      return { status: null, headers: {}, text: '', responseHash: null }
    }
  }

  async function ask(wish: Wish, attempt: number, chance: Chance): Promise<Call> {
    calls += 1
    const call = calls
    const origin = chance.pick(origins())
    const isHalf = wish.idempotencyKey !== null && wish.body !== null && chance.is(brokenOff)
    const timeoutMs = isHalf ? brokenOffMs : timeoutOf(wish, chance)
    const [began, aheadAtFirst] = [Date.now(), clockAheadMs()]
    const { status, headers, text, responseHash } = await exchange(origin, wish, timeoutMs, isHalf)
    const made: Call = {
      call,
      began,
      ended: Date.now(),
      clockAheadMs: [aheadAtFirst, clockAheadMs()],
      actor: wish.actor,
      operation: wish.operation,
      attempt,
      timeoutMs,
      origin,
      what: wish.what,
      business: wish.key?.business ?? null,
      keyId: wish.key?.id ?? null,
      sandbox: wish.key === null ? null : wish.key.mode === 'test',
      method: wish.method,
      path: wish.path,
      idempotencyKey: wish.idempotencyKey,
      body: sent(wish.body),
      expects: wish.expects,
      status,
      headers,
      response: status === null ? null : read(headers, text),
      responseHash,
    }
    record.call({ ...made, response: withoutMarks(made.response) })
    return made
  }

  return { ask, close: () => dispatcher.destroy() }
}

const timeoutOf = ({ actor }: Wish, chance: Chance): number =>
  actor === 'auditor' ? clientTimeoutMs : Number(chance.weighted(timeouts))

function written({ key, idempotencyKey, body, headers }: Wish) {
  const all = {
    ...(key !== null && { Authorization: `Bearer ${key.secret}` }),
    ...(idempotencyKey !== null && { 'X-Idempotency-Key': idempotencyKey }),
    ...headers,
  }
  if (body === null) return { headers: all, body: null }
  if ('json' in body)
    return { headers: { ...all, 'Content-Type': 'application/json' }, body: JSON.stringify(body.json) }
  if ('csv' in body) return { headers: { ...all, 'Content-Type': 'text/csv' }, body: body.csv }
  const form = new URLSearchParams(body.form).toString()
  return { headers: { ...all, 'Content-Type': 'application/x-www-form-urlencoded' }, body: form }
}

/** Says how long the body is, and sends half of it. */
function half({ headers, body }: ReturnType<typeof written>) {
  const bytes = Buffer.from(body ?? '')
  const stream = new Readable({ read: () => undefined })
  // It is destroyed with its request.
  stream.on('error', () => undefined)
  stream.push(bytes.subarray(0, Math.ceil(bytes.length / 2)))
  return { headers: { ...headers, 'Content-Length': String(bytes.length) }, body: stream }
}

const sent = (body: Body): unknown => (body === null ? null : Object.values(body)[0])

const plain = (headers: { [name: string]: string | string[] | undefined }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))

function read(headers: { [name: string]: string }, text: string): unknown {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/json')) return parsed(text)
  if (type.startsWith('text/html') || headers.location !== undefined)
    return pageOf(headers.location ?? null, text)
  return text
}

/** What is no JSON stays text: the checker minds. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
