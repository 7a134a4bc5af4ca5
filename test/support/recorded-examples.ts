import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenApiExample } from '../../src/http/openapi/operation.ts'
import type { WebhookExample } from '../../src/http/openapi/webhooks.ts'

const file = join(import.meta.dirname, '../../src/http/openapi/examples.json')
export const isRecording = process.env.RECORD_EXAMPLES === '1'
export type Examples = { operations: Record<string, OpenApiExample>; events: Record<string, WebhookExample> }
export const readExamples = (): Examples => JSON.parse(readFileSync(file, 'utf8'))
const recorded: Examples = { operations: {}, events: {} }

export function compare(kind: keyof Examples, name: string, example: object): void {
  const plain = JSON.parse(JSON.stringify(example))
  if (isRecording) recorded[kind][name] = plain
  else
    expect(plain, `${name}: after an intended change, run \`npm run examples\``).to.deep.equal(
      readExamples()[kind][name],
    )
}

export function saveExamples(names: Record<keyof Examples, readonly string[]>): void {
  if (!isRecording) return
  const before = readExamples()
  const sorted = <Kind extends keyof Examples>(kind: Kind) => {
    const all: Record<string, unknown> = { ...before[kind], ...recorded[kind] }
    return Object.fromEntries(names[kind].filter((name) => name in all).map((name) => [name, all[name]]))
  }
  const sections = { operations: sorted('operations'), events: sorted('events') }
  writeFileSync(file, `${JSON.stringify(sections, null, 2)}\n`)
}

/** What differs between two runs. An example that still contains such a value is refused. */
const random =
  /(?<!\w)([0-9a-f]{24}|[0-9a-f]{64}|(PI|RF|OR)-[0-9A-Z]{16}|[\w-]{32}|whsec_[\w+/]{43}=|[sp]k_\w+|[\w.]+:\d{4,5})(?!\w)/g
export type Disguise = ReturnType<typeof createDisguise>

export function createDisguise() {
  const shownFor = new Map<string, string>()
  const replace = (text: string, pairs: readonly (readonly [string, string])[]): string =>
    pairs.reduce(
      (before, [from, to]) =>
        before.replaceAll(new RegExp(`(?<!\\w)${from.replaceAll(/[+.]/g, '\\$&')}(?!\\w)`, 'g'), () => to),
      text,
    )
  const hideText = (text: string): string => {
    const hidden = replace(text, [...shownFor])
    const shown = new Set(shownFor.values())
    const left = (hidden.match(random) ?? []).filter((value) => !shown.has(value))
    expect(left, `values of this run in ${text}`).to.deep.equal([])
    return hidden
  }
  return {
    learn: (real: string, shown: string): void => void shownFor.set(real, shown),
    hide: <Data>(data: Data): Data =>
      // Durations are the only times that the frozen clock does not determine.
      mapValues(data, (name, value) => {
        if (typeof value === 'string') return hideText(value)
        return /^(lastD|d)urationMs$/.test(name) && value !== null ? 211 : value
      }),
    reveal<Data>(data: Data): Data {
      const pairs = [...shownFor].map(([real, shown]) => [shown, real] as const)
      return mapValues(data, (_, value) => (typeof value === 'string' ? replace(value, pairs) : value))
    },
  }
}

const mapValues = <Data>(data: Data, change: (name: string, value: unknown) => unknown): Data =>
  JSON.parse(JSON.stringify(data), change)

export function signed({ headers, body }: WebhookExample, secret: string): WebhookExample {
  const text = JSON.stringify(body)
  const timestamp = headers['webhook-timestamp'] ?? ''
  const hmac = (key: string | Buffer, content: string) => createHmac('sha256', key).update(content)
  const standard = hmac(Buffer.from(secret, 'hex'), `${headers['webhook-id']}.${timestamp}.${text}`)
  return {
    headers: {
      ...headers,
      'x-service-signature': `sha256=${hmac(secret, `${timestamp}.${text}`).digest('hex')}`,
      'webhook-signature': `v1,${standard.digest('base64')}`,
    },
    body,
  }
}
