import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import type { Chance } from '../../support/chance.ts'
import type { Call } from '../evidence/evidence.ts'
import type { Recording } from '../evidence/record.ts'
import { pageOf, withoutMarkup } from './page.ts'
import type { Body, RequestSpec } from './request-spec.ts'

/** Sends one request and records it. */
export type MakeCall = (spec: RequestSpec, attempt: number, chance: Chance) => Promise<Call>

/** Longer than a request waits for MongoDB (8 s) or for another request with its key (10 s). */
export const clientTimeoutMs = 12_000
/** Timeouts in ms, and how many of 100 clients have them. Some are short, and the service continues after them. */
const timeouts = { 700: 10, 3000: 45, [clientTimeoutMs]: 45 }
/** Some writes with a key break off in the middle of the body. */
const brokenOff = { part: 0.03, afterMs: 150 }

type Needs = { record: Recording; origins: () => string[]; clockAheadMs: () => number }

const none = { status: null, headers: {}, text: '', responseHash: null }

export function openClient({ record, origins, clockAheadMs }: Needs) {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  let calls = 0

  async function exchange(origin: string, spec: RequestSpec, timeoutMs: number, isHalf: boolean) {
    const { headers, body } = isHalf ? half(written(spec)) : written(spec)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const got = await request(origin + spec.path, {
        dispatcher,
        method: spec.method,
        headers,
        body,
        signal,
      })
      const bytes = Buffer.from(await got.body.arrayBuffer())
      const responseHash = createHash('sha256').update(bytes).digest('base64url')
      return { status: got.statusCode, headers: plain(got.headers), text: bytes.toString(), responseHash }
    } catch {
      return none
    }
  }

  const makeCall: MakeCall = async (spec, attempt, chance) => {
    calls += 1
    const call = calls
    const origin = chance.pick(origins())
    const isHalf = spec.idempotencyKey !== null && spec.body !== null && chance.is(brokenOff.part)
    const timeoutMs = isHalf ? brokenOff.afterMs : timeoutOf(spec, chance)
    const [began, aheadAtFirst] = [Date.now(), clockAheadMs()]
    const { status, headers, text, responseHash } = await exchange(origin, spec, timeoutMs, isHalf)
    const { key, body, otherBody: _other, headers: _headers, ...shared } = spec
    const made: Call = {
      ...shared,
      call,
      began,
      ended: Date.now(),
      clockAheadMs: [aheadAtFirst, clockAheadMs()],
      attempt,
      timeoutMs,
      origin,
      business: key?.business ?? null,
      keyId: key?.id ?? null,
      sandbox: key === null ? null : key.mode === 'test',
      body: body === null ? null : Object.values(body)[0],
      status,
      headers,
      response: status === null ? null : read(headers, text),
      responseHash,
    }
    record.call({ ...made, response: withoutMarkup(made.response) })
    return made
  }
  return { makeCall, close: () => dispatcher.destroy() }
}

const timeoutOf = ({ actor }: RequestSpec, chance: Chance): number =>
  actor === 'auditor' ? clientTimeoutMs : Number(chance.weighted(timeouts))

function written({ key, idempotencyKey, body, headers }: RequestSpec) {
  const all = {
    ...(key !== null && { Authorization: `Bearer ${key.secret}` }),
    ...(idempotencyKey !== null && { 'X-Idempotency-Key': idempotencyKey }),
    ...headers,
  }
  if (body === null) return { headers: all, body: null }
  const [type, text] = encoded(body)
  return { headers: { ...all, 'Content-Type': type }, body: text }
}

function encoded(body: NonNullable<Body>): [type: string, text: string] {
  if ('json' in body) return ['application/json', JSON.stringify(body.json)]
  if ('csv' in body) return ['text/csv', body.csv]
  return ['application/x-www-form-urlencoded', new URLSearchParams(body.form).toString()]
}

/** Declares the full length, but sends half of the body. */
function half({ headers, body }: ReturnType<typeof written>) {
  const bytes = Buffer.from(body ?? '')
  const stream = new Readable({ read: () => undefined })
  // The stream is destroyed with its request.
  stream.on('error', () => undefined)
  stream.push(bytes.subarray(0, Math.ceil(bytes.length / 2)))
  return { headers: { ...headers, 'Content-Length': String(bytes.length) }, body: stream }
}

const plain = (headers: { [name: string]: string | string[] | undefined }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))

/** Parses a response. The checker reports those that are not JSON. */
function read(headers: { [name: string]: string }, text: string): unknown {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('text/html') || headers.location !== undefined) return pageOf(headers.location ?? null, text)
  try {
    return type.startsWith('application/json') ? JSON.parse(text) : text
  } catch {
    return text
  }
}
