import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
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
  const namesIn = (part: string) => (existsSync(join(folder, part)) ? readdirSync(join(folder, part)) : [])
  const collections = namesIn(files.dump).map((file) => [
    basename(file, '.ndjson'),
    records(join(files.dump, file)),
  ])
  const dump: Documents = { ...noDocuments, ...Object.fromEntries(collections) }
  const deliveries = dump.deliveries.map((delivery) => {
    return { ...delivery, eventId: Buffer.from(delivery._id, 'base64url').toString('hex', 0, 12) }
  })
  return {
    setting: JSON.parse(readFileSync(join(folder, files.setting), 'utf8')),
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

export const linesOf = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
