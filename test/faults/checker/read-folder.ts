import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { type Documents, noDocuments } from '../../invariants/documents.ts'
import {
  type Arrival,
  type Call,
  type Exit,
  type Fault,
  files,
  type ProviderRequest,
  type Setting,
} from '../evidence/evidence.ts'

export type Line = { from: string; line: string }

/** The evidence of a round. Calls are in the order in which they began. */
export interface Evidence {
  setting: Setting
  calls: Call[]
  arrivals: Arrival[]
  provider: ProviderRequest[]
  faults: Fault[]
  ends: Exit[]
  dump: Documents
  /** Every line of the logs and of the dump. */
  texts: () => Iterable<Line>
}

/** Reads a folder of evidence. A missing file counts as empty. @throws {Error} if the setting is missing */
export function readFolder(folder: string): Evidence {
  const records = <T>(file: string) => [...linesOf(join(folder, file))].map((line) => JSON.parse(line, plain) as T)
  return {
    setting: JSON.parse(readFileSync(join(folder, files.setting), 'utf8')),
    calls: records<Call>(files.calls).toSorted((one, other) => one.began - other.began),
    arrivals: records<Arrival>(files.arrivals).toSorted((one, other) => one.at - other.at),
    provider: records(files.provider),
    faults: records(files.faults),
    ends: records(files.ends),
    dump: dumpIn(
      readdirSync(join(folder, files.dump)).map((name) => basename(name, '.ndjson')),
      (name) => records(`${files.dump}/${name}.ndjson`),
    ),
    texts: () => textsIn(folder),
  }
}

function dumpIn(names: string[], documentsOf: (name: string) => unknown[]): Documents {
  const deliveries = (documentsOf('deliveries') as Documents['deliveries']).map((delivery) => {
    return { ...delivery, eventId: Buffer.from(delivery._id, 'base64url').toString('hex', 0, 12) }
  })
  const others = Object.fromEntries(names.map((name) => [name, documentsOf(name)]))
  return { ...noDocuments, ...(others as unknown as Documents), deliveries }
}

const readers: Record<string, (value: unknown) => unknown> = {
  $numberInt: Number,
  $numberLong: Number,
  $numberDouble: Number,
  $oid: String,
  $date: (value) => (typeof value === 'string' ? Date.parse(value) : Number(value)),
}

/** Converts extended JSON: numbers to numbers, dates to milliseconds, ids to text. */
function plain(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const [name = '', ...more] = Object.keys(value)
  const read = more.length === 0 ? readers[name] : undefined
  return read === undefined ? value : read((value as Record<string, unknown>)[name])
}

function* textsIn(folder: string): Generator<Line> {
  for (const part of [files.log, files.dump])
    for (const name of existsSync(join(folder, part)) ? readdirSync(join(folder, part)) : [])
      for (const line of linesOf(join(folder, part, name))) yield { from: `${part}/${name}`, line }
}

/** Files are read in pieces, because a log may be larger than the longest string of Node.js. */
const pieceBytes = 1 << 20

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
