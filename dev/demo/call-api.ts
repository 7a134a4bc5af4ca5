import { STATUS_CODES } from 'node:http'
import { pretty, show } from './screen.ts'
import { must } from './wait-for.ts'

const LIMIT_MS = 30_000

export interface Call {
  origin: string
  method: 'GET' | 'POST'
  /** Below /api/v1. */
  path: string
  headers: Record<string, string>
  body?: object
}

/**
 * Makes one call over HTTP and shows it as it goes over the wire, with its answer.
 * @returns the answer's `data`
 * @throws {Error} unless the answer has the expected status and the success envelope
 */
export async function callApi(expected: 200 | 201, call: Call): Promise<Record<string, unknown>> {
  const path = `/api/v1${call.path}`
  const body = call.body === undefined ? null : JSON.stringify(call.body)
  const headers = Object.entries(call.headers)
  const headerLines = headers.map(([name, value]) => `${name}: ${value}`)
  show([`${call.method} ${path}`, ...headerLines, ...(body === null ? [] : ['', ...pretty(body)])])

  const limit = AbortSignal.timeout(LIMIT_MS)
  const answer = await fetch(call.origin + path, { method: call.method, headers, body, signal: limit })
  const text = await answer.text()
  show([`${answer.status} ${STATUS_CODES[answer.status] ?? ''}`, ...pretty(text)])
  must(answer.status === expected, `the answer has status ${expected}`)
  const { success, data } = JSON.parse(text) as { success: boolean; data: Record<string, unknown> }
  must(success, 'the answer says success: true')
  return data
}
