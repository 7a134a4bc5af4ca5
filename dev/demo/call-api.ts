import { execFile } from 'node:child_process'
import { STATUS_CODES } from 'node:http'
import { promisify } from 'node:util'
import { cut, pretty, show } from './screen.ts'
import { must } from './wait-for.ts'

const LIMIT_MS = 30_000
const apiBase = '/api/v1'

export interface Call {
  origin: string
  method: 'GET' | 'POST'
  /** The path below /api/v1. */
  path: string
  headers: Record<string, string>
  /** A string is sent unchanged, an object as JSON. */
  body?: object | string
}

interface Refusal {
  code: string
  details?: Record<string, unknown>
}

/**
 * Sends a request, and shows it with its response as they are on the wire.
 * @returns the `data` of the response
 * @throws {Error} if the response lacks the expected status or the envelope of a success
 */
export async function callApi(expected: 200 | 201, call: Call): Promise<Record<string, unknown>> {
  showCall(call)
  const { text, words } = await exchange(expected, call)
  show([words, ...pretty(text)])
  return dataOf(text)
}

/** Like `callApi`, but shows no headers, and only some fields of the response. */
export async function callApiBriefly(expected: 200 | 201, call: Call, fields: readonly string[]) {
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
 * Like `callApi`, for a request that must be refused.
 * @returns the `error` of the response
 */
export async function callApiRefused(expected: 402, call: Call): Promise<Refusal> {
  showCall(call)
  const { text, words } = await exchange(expected, call)
  show([words, ...pretty(text)])
  const { success, error } = JSON.parse(text) as { success: boolean; error: Refusal }
  must(!success, 'the response says success: false')
  return error
}

function showCall({ method, path, headers, body }: Call): void {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const bodyLines = body === undefined ? [] : ['', ...pretty(textOf(body))]
  show([`${method} ${apiBase}${path}`, ...headerLines, ...bodyLines])
}

const textOf = (body: object | string): string => (typeof body === 'string' ? body : JSON.stringify(body))

async function exchange(expected: number, { origin, method, path, headers, body }: Call) {
  const response = await fetch(origin + apiBase + path, {
    method,
    headers,
    body: body === undefined ? null : textOf(body),
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  const text = await response.text()
  must(response.status === expected, `the response has status ${expected}: ${text}`)
  return { text, words: `${response.status} ${STATUS_CODES[response.status] ?? ''}` }
}

function dataOf(text: string): Record<string, unknown> {
  const { success, data } = JSON.parse(text) as { success: boolean; data: Record<string, unknown> }
  must(success, 'the response says success: true')
  return data
}

/**
 * Runs a command of the command line as an operator would, and shows it with its output.
 * @throws {Error} with the output of a command that fails
 */
export async function admin(words: readonly string[]): Promise<Record<string, string>> {
  const args = ['src/admin/main.ts', ...words, '--json']
  const shown = ['npm run --silent admin --', ...words.map(quoted), '--json'].join(' ')
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: LIMIT_MS }).catch((error: Error) => {
    const { stderr, killed } = error as { stderr?: string; killed?: boolean }
    const fault = killed ? `did not end within ${LIMIT_MS / 1000} s` : 'failed'
    throw new Error(`\`${shown}\` ${fault}: ${stderr?.trim() || error.message}`)
  })
  show([...broken(shown), ...pretty(stdout)])
  return JSON.parse(stdout) as Record<string, string>
}

const quoted = (word: string): string => (/^[\w-]+$/.test(word) ? word : `'${word}'`)

/** Breaks a long command into two lines for a shell. */
const broken = (command: string): string[] =>
  command.length < 76 ? [command] : command.replace(' --business', ' \\\n  --business').split('\n')
