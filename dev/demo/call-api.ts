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
  path: string
  headers: Record<string, string>
  body?: object | string
}

type Content = Record<string, unknown>

/** Shows request and response as they are on the wire, or only these `fields`. Throws if the status differs. */
export async function callApi(expected: number, call: Call, fields?: readonly string[]): Promise<Content> {
  const { origin, method, path, headers, body } = call
  const url = apiBase + path
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  if (fields) show([`${method} ${url}`, ...(text?.split('\n').flatMap(cut) ?? [])])
  else {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    show([`${method} ${url}`, ...lines, ...(text === undefined ? [] : ['', ...pretty(text)])])
  }
  const signal = AbortSignal.timeout(LIMIT_MS)
  const response = await fetch(origin + url, { method, headers, body: text ?? null, signal })
  const received = await response.text()
  must(response.status === expected, `the response has status ${expected}: ${received}`)
  const { success, data, error } = JSON.parse(received) as { success: boolean; data: Content; error: Content }
  must(success === expected < 300, `the response says success: ${expected < 300}`)
  const words = `${expected} ${STATUS_CODES[expected]}`
  if (fields) {
    const shown = Object.fromEntries(fields.map((name) => [name, data[name]]))
    show([`${words}, with`, ...pretty(JSON.stringify(shown))])
  } else show([words, ...pretty(received)])
  return success ? data : error
}

/** Runs and shows an operator's command. Throws with its output if it fails. */
export async function admin(words: readonly string[]): Promise<Record<string, string>> {
  const args = ['src/admin/main.ts', ...words, '--json']
  const shown = ['npm run --silent admin --', ...words.map(quoted), '--json'].join(' ')
  const run = promisify(execFile)(process.execPath, args, { timeout: LIMIT_MS })
  const { stdout } = await run.catch((error: Error) => {
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
