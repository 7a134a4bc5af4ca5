import { STATUS_CODES } from 'node:http'
import { cut, pretty, show } from './screen.ts'
import { must } from './wait-for.ts'

const LIMIT_MS = 30_000
const apiBase = '/api/v1'

export interface Call {
  origin: string
  method: 'GET' | 'POST'
  /** Below /api/v1. */
  path: string
  headers: Record<string, string>
  /** A text goes as it is, anything else as JSON. */
  body?: object | string
}

interface Refusal {
  code: string
  details?: Record<string, unknown>
}

/**
 * Makes one call over HTTP and shows it as it goes over the wire, with its answer.
 * @returns the answer's `data`
 * @throws {Error} unless the answer has the expected status and the success envelope
 */
export async function callApi(expected: 200 | 201, call: Call): Promise<Record<string, unknown>> {
  showCall(call)
  const { text, words } = await exchange(expected, call)
  show([words, ...pretty(text)])
  return dataOf(text)
}

/** As `callApi`, for whoever has seen such a call before: without headers, and of the answer only the fields named. */
export async function callApiBriefly(
  expected: 200 | 201,
  call: Call,
  fields: readonly string[],
): Promise<Record<string, unknown>> {
  show([
    `${call.method} ${apiBase}${call.path}`,
    ...(call.body === undefined ? [] : textOf(call.body).split('\n').flatMap(cut)),
  ])
  const { text, words } = await exchange(expected, call)
  const data = dataOf(text)
  const shown = Object.fromEntries(fields.map((name) => [name, data[name]]))
  show([`${words}, with`, ...pretty(JSON.stringify(shown))])
  return data
}

/**
 * As `callApi`, a call that is to be refused.
 * @returns the answer's `error`
 */
export async function callApiInVain(expected: 402, call: Call): Promise<Refusal> {
  showCall(call)
  const { text, words } = await exchange(expected, call)
  show([words, ...pretty(text)])
  const { success, error } = JSON.parse(text) as { success: boolean; error: Refusal }
  must(!success, 'the answer says success: false')
  return error
}

function showCall({ method, path, headers, body }: Call): void {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const bodyLines = body === undefined ? [] : ['', ...pretty(textOf(body))]
  show([`${method} ${apiBase}${path}`, ...headerLines, ...bodyLines])
}

const textOf = (body: object | string): string => (typeof body === 'string' ? body : JSON.stringify(body))

async function exchange(
  expected: number,
  { origin, method, path, headers, body }: Call,
): Promise<{ text: string; words: string }> {
  const answer = await fetch(origin + apiBase + path, {
    method,
    headers,
    body: body === undefined ? null : textOf(body),
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  const text = await answer.text()
  must(answer.status === expected, `the answer has status ${expected}: ${text}`)
  return { text, words: `${answer.status} ${STATUS_CODES[answer.status] ?? ''}` }
}

function dataOf(text: string): Record<string, unknown> {
  const { success, data } = JSON.parse(text) as { success: boolean; data: Record<string, unknown> }
  must(success, 'the answer says success: true')
  return data
}
