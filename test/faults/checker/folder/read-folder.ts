import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import {
  type Arrival,
  type Call,
  type Fault,
  files,
  type ProviderRequest,
  type UnwantedEnd,
} from '../../evidence/evidence.ts'
import type { Dump } from '../documents.ts'
import { withBodies } from './bodies.ts'
import type { Evidence, Line } from './evidence.ts'
import { readDocument } from './extended-json.ts'

/** Reads a folder of evidence. A file that is missing has no lines; without the setting it throws. */
export function readFolder(folder: string): Evidence {
  const lines = <Entry>(file: string) =>
    [...linesOf(join(folder, file))].map((line) => JSON.parse(line) as Entry)
  const documents = <Name extends keyof Dump>(name: Name) =>
    [...linesOf(join(folder, files.dump, `${name}.ndjson`))].map(readDocument) as Dump[Name]
  return {
    setting: JSON.parse(readFileSync(join(folder, files.setting), 'utf8')),
    calls: lines<Call>(files.calls).toSorted((one, other) => one.began - other.began),
    arrivals: lines<Arrival>(files.arrivals).toSorted((one, other) => one.at - other.at),
    provider: lines<ProviderRequest>(files.provider),
    faults: lines<Fault>(files.faults),
    ends: lines<UnwantedEnd>(files.ends),
    dump: withBodies({
      intents: documents('intents'),
      deliveries: documents('deliveries'),
      webhookendpoints: documents('webhookendpoints'),
      wallets: documents('wallets'),
      walletmovements: documents('walletmovements'),
      products: documents('products'),
      orders: documents('orders'),
      auditevents: documents('auditevents'),
      importplans: documents('importplans'),
      staffsessions: documents('staffsessions'),
    }),
    texts: () => textsIn(folder, [files.log, files.dump]),
    logs: () => textsIn(folder, [files.log]),
  }
}

function* textsIn(folder: string, parts: string[]): Generator<Line> {
  for (const part of parts)
    for (const name of existsSync(join(folder, part)) ? readdirSync(join(folder, part)) : [])
      for (const line of linesOf(join(folder, part, name))) yield { from: `${part}/${name}`, line }
}

/** A log of a long round is larger than a text may be: read piece by piece. */
const pieceBytes = 1 << 20

/** The lines of a file; of one that is missing there are none. */
export function* linesOf(path: string): Generator<string> {
  if (!existsSync(path)) return
  const file = openSync(path, 'r')
  const piece = Buffer.alloc(pieceBytes)
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const lines = (rest + decoder.write(piece.subarray(0, read))).split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter((line) => line !== '')
    }
  } finally {
    closeSync(file)
  }
  if (rest !== '') yield rest
}
