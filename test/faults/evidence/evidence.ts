import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Documents, noDocuments } from '../../invariants/documents.ts'

/** One JSON record per line. Instants are on the machine's clock, in ms. */
export const files = {
  setting: 'setting.json',
  calls: 'calls.ndjson',
  arrivals: 'arrivals.ndjson',
  provider: 'provider.ndjson',
  faults: 'faults.ndjson',
  ends: 'ends.ndjson',
  dump: 'dump',
  log: 'log',
  violations: 'violations.json',
} as const

type Settings = Record<`${'intentLifetime' | 'codeLifetime' | 'webhookTimeout'}Seconds`, number> & {
  retrySeconds: number[]
  sandboxRetentionDays: number
}

export interface Setting {
  seed: number
  /** `quietAt` is null if the service never became quiet. Then `left` says what was still open. */
  beganAt: number
  healedAt: number
  quietAt: number | null
  left: string[]
  brokenOff: string[]
  settings: Settings
  businesses: {
    id: string
    name: string
    /** Part of all this business's labels, names, reasons and metadata in that environment, and of no others. */
    markers: { test: string; live: string }
    keys: { id: string; mode: 'test' | 'live'; kind: 'secret' | 'publishable'; secret: string }[]
  }[]
  wallets: { phone: string; pin: string; balance: number }[]
  providerWallets: { phone: string; pin: string; balance: number }[]
  staff: { name: string; role: 'support' | 'viewer'; password: string }[]
  stock: { business: string; sandbox: boolean; product: string; variant: string; quantity: number }[]
  clientTimeoutMs: number
}

export type What =
  | 'create'
  | 'read'
  | 'list'
  | 'cancel'
  | 'refund'
  | 'simulate'
  | 'import'
  | 'stock'
  | 'overreach'
  | `pay.${'page' | 'confirm' | 'code' | 'status'}`
  | `endpoint.${'create' | 'update' | 'delete' | 'rotate' | 'test' | 'list' | 'read'}`
  | `delivery.${'list' | 'read' | 'retry'}`
  | `event.${'feed' | 'list' | 'read'}`
  | `replay${'' | '.dry' | '.list' | '.read' | '.cancel'}`
  | `product.${'create' | 'update' | 'delete' | 'list' | 'read' | 'export'}`
  | `order${'' | '.list' | '.read'}`
  | `support.${'sign-in' | 'page'}`
  | `requeue${'' | '.all'}`
  | `till${'' | '.page' | '.sign-in'}`

export interface Call {
  call: number
  began: number
  ended: number
  clockAheadMs: [number, number]
  /** A `stranger` is a merchant who requests another business's data. The `auditor` reads everything at the end. */
  actor: 'merchant' | 'customer' | 'cashier' | 'support' | 'stranger' | 'auditor'
  operation: number
  attempt: number
  timeoutMs: number
  origin: string
  what: What
  business: string | null
  keyId: string | null
  sandbox: boolean | null
  method: string
  path: string
  idempotencyKey: string | null
  body: unknown
  expects: readonly string[]
  status: number | null
  headers: Record<string, string>
  response: unknown
  responseHash?: string | null
}

export type Page = { text: string; state: string | null; location: string | null }

export interface Arrival {
  at: number
  clockAheadMs: number
  path: string
  headers: Record<string, string>
  body: string
  /** `slow`: a 200 after the timeout. `unread`: the service closed the connection before the response's end. */
  did: number | 'hung' | 'reset' | 'cut' | 'garbage' | 'slow' | 'unread'
  begun: number | null
  done: number
}

export interface ProviderRequest {
  at: number
  clockAheadMs: number
  kind: 'payment' | 'refund'
  type: 'order' | 'outcome'
  key: string
  /** Includes the fee. Null in a query. A refund has a `paymentKey` and no `reference`. */
  amount: number | null
  businessId: string | null
  reference: string | null
  paymentKey: string | null
  phone: string | null
  status: string
  decided: boolean
  did: number | 'hung' | 'reset' | 'slow'
}

export type Fault = { began: number; ended: number; what: string; target: string }
export type Exit = { at: number; process: string; message: string }
export type Violation = { promise: string; subject: string; message: string }
export const deliveryIn = (body: string): string => /^\{"id":"([\w-]+)"/.exec(body)?.[1] ?? ''
export const having = <Member extends { what: What }>(members: Member[], ...whats: What[]): Member[] =>
  members.filter(({ what }) => whats.includes(what))
export type Recording = ReturnType<typeof openRecord>

export function openRecord(folder: string) {
  fs.mkdirSync(folder, { recursive: true })
  const streams = new Map<string, fs.WriteStream>()
  function writerOf<Record extends object>(file: string): (line: Record) => void {
    return (line) => {
      const stream = streams.get(file) ?? fs.createWriteStream(join(folder, file), { flags: 'a' })
      streams.set(file, stream)
      stream.write(`${JSON.stringify(line)}\n`)
    }
  }
  return {
    call: writerOf<Call>(files.calls),
    arrival: writerOf<Arrival>(files.arrivals),
    provider: writerOf<ProviderRequest>(files.provider),
    fault: writerOf<Fault>(files.faults),
    end: writerOf<Exit>(files.ends),
    close: () => Promise.all([...streams.values()].map((stream) => finished(stream.end()))),
  }
}

export type Line = { from: string; line: string }

export interface Evidence {
  setting: Setting
  calls: Call[]
  arrivals: Arrival[]
  provider: ProviderRequest[]
  faults: Fault[]
  ends: Exit[]
  dump: Documents
  texts: () => Iterable<Line>
}

/** A missing file counts as empty. @throws {Error} if the setting is missing */
export function readFolder(folder: string): Evidence {
  const records = <T>(file: string) => linesOf(join(folder, file)).map((line) => JSON.parse(line) as T)
  const namesIn = (part: string) =>
    fs.existsSync(join(folder, part)) ? fs.readdirSync(join(folder, part)) : []
  const kept = namesIn(files.dump).map((file) => [basename(file, '.ndjson'), records(join(files.dump, file))])
  const dump: Documents = { ...noDocuments, ...Object.fromEntries(kept) }
  const deliveries = dump.deliveries.map((delivery) => {
    return { ...delivery, eventId: Buffer.from(delivery._id, 'base64url').toString('hex', 0, 12) }
  })
  return {
    setting: JSON.parse(fs.readFileSync(join(folder, files.setting), 'utf8')),
    calls: records<Call>(files.calls).toSorted((one, other) => one.began - other.began),
    arrivals: records<Arrival>(files.arrivals).toSorted((one, other) => one.at - other.at),
    provider: records(files.provider),
    faults: records(files.faults),
    ends: records(files.ends),
    dump: { ...dump, deliveries },
    *texts() {
      for (const part of [files.log, files.dump])
        for (const name of namesIn(part))
          for (const line of linesOf(join(folder, part, name))) yield { from: `${part}/${name}`, line }
    },
  }
}

export function linesOf(path: string): string[] {
  return (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '').split('\n').filter((line) => line !== '')
}
