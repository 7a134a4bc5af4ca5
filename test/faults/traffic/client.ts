import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { unescaped } from '../../admin/staff.ts'
import type { Chance } from '../../support/chance.ts'
import { errorOf, pageOf } from '../checker/responses.ts'
import type { Call, Page, Recording, Setting, What } from '../evidence/evidence.ts'

export type Body = { json: object } | { csv: string } | { form: { [name: string]: string } }
export type Key = Setting['businesses'][number]['keys'][number] & { business: string }

export interface RequestSpec {
  operation: number
  actor: Call['actor']
  what: What
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  key?: Key
  idempotencyKey?: string
  body?: Body
  otherBody?: Body
  expects?: Call['expects']
  headers?: { [name: string]: string }
}

/** Not final: no response, 5xx, 429 (unless it's a repeated one), and the 409 of a running request. */
export const isFinal = ({ status, what, response }: Call): boolean =>
  status !== null &&
  status < 500 &&
  (status !== 429 || what === 'replay') &&
  (status !== 409 || errorOf({ response })?.code === 'MERCHANT_REFERENCE_TAKEN')

export const isGood = ({ status }: Call): boolean => status !== null && status < 300
export type MakeCall = (spec: RequestSpec, attempt: number, chance: Chance) => Promise<Call>

/** Longer than a request waits for MongoDB (8 s) or for another one with its key (10 s). */
export const clientTimeoutMs = 12_000
/** How many of 100 clients have which timeout, in ms. Some are short, and the service continues after them. */
const timeouts = { 700: 10, 3000: 45, [clientTimeoutMs]: 45 }
const brokenOff = { part: 0.03, afterMs: 150 }
type Needs = { record: Pick<Recording, 'call'>; origins: readonly string[]; clockAheadMs: () => number }
const none = { status: null, headers: {}, text: '', responseHash: null }

export function openClient({ record, origins, clockAheadMs }: Needs) {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  let calls = 0
  async function exchange(origin: string, spec: RequestSpec, timeoutMs: number, isHalf: boolean) {
    const { headers, body } = isHalf ? half(written(spec)) : written(spec)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const { method, path } = spec
      const got = await request(origin + path, { dispatcher, method, headers, body, signal })
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
    const { operation, actor, what, method, path, key, idempotencyKey = null, body, expects = [] } = spec
    const origin = chance.pick(origins)
    const isHalf = idempotencyKey !== null && body !== undefined && chance.is(brokenOff.part)
    const usualMs = actor === 'auditor' ? clientTimeoutMs : Number(chance.weighted(timeouts))
    const timeoutMs = isHalf ? brokenOff.afterMs : usualMs
    const sent = { call, attempt, timeoutMs, origin, began: Date.now() }
    const aheadAtFirst = clockAheadMs()
    const { text, ...responded } = await exchange(origin, spec, timeoutMs, isHalf)
    const caller = { business: key?.business ?? null, keyId: key?.id ?? null }
    const about = { operation, actor, what, method, path, idempotencyKey, expects }
    const made: Call = {
      ended: Date.now(),
      clockAheadMs: [aheadAtFirst, clockAheadMs()],
      ...about,
      ...caller,
      ...sent,
      sandbox: key ? key.mode === 'test' : null,
      body: body === undefined ? null : Object.values(body)[0],
      ...responded,
      response: responded.status === null ? null : read(responded.headers, text),
    }
    record.call(withoutMarkup(made))
    return made
  }
  return { makeCall, close: () => dispatcher.destroy() }
}

function written({ key, idempotencyKey, body, headers }: RequestSpec) {
  const all = {
    ...(key !== undefined && { Authorization: `Bearer ${key.secret}` }),
    ...(idempotencyKey !== undefined && { 'X-Idempotency-Key': idempotencyKey }),
    ...headers,
  }
  if (body === undefined) return { headers: all, body: null }
  const [type, text] = encoded(body)
  return { headers: { ...all, 'Content-Type': type }, body: text }
}

function encoded(body: Body): [type: string, text: string] {
  if ('json' in body) return ['application/json', JSON.stringify(body.json)]
  if ('csv' in body) return ['text/csv', body.csv]
  return ['application/x-www-form-urlencoded', new URLSearchParams(body.form).toString()]
}

function half({ headers, body }: ReturnType<typeof written>) {
  const bytes = Buffer.from(body ?? '')
  const stream = new Readable({ read: () => undefined })
  stream.on('error', () => undefined)
  stream.push(bytes.subarray(0, Math.ceil(bytes.length / 2)))
  return { headers: { ...headers, 'Content-Length': String(bytes.length) }, body: stream }
}

const plain = (headers: { [name: string]: string | string[] | undefined }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))

function read(headers: { [name: string]: string }, text: string): unknown {
  const type = headers['content-type'] ?? ''
  const location = headers.location ?? null
  if (type.startsWith('text/html') || location !== null)
    return { text, state: /data-state="(\w+)"/.exec(text)?.[1] ?? null, location } satisfies Page
  try {
    return type.startsWith('application/json') ? JSON.parse(text) : text
  } catch {
    return text
  }
}

function withoutMarkup(call: Call): Call {
  const page = pageOf(call)
  return page === null ? call : { ...call, response: { ...page, text: words(page.text) } }
}

const words = (html: string): string =>
  unescaped(html.replace(/^.*<main/s, '<main').replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')
