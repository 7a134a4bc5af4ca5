import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Call, files } from './evidence/evidence.ts'
import type { Round } from './round/round.ts'

/** What a round came to, in one line. */
export function figuresOf(folder: string, { faults, violations }: Round): string {
  const calls = linesOf(folder, files.calls).map((line) => JSON.parse(line) as Call)
  const unknown = calls.filter(({ status }) => status === null).length
  const dead = linesOf(folder, join(files.dump, 'deliveries.ndjson')).filter((line) =>
    line.includes('"status":"DEAD"'),
  )
  const kinds = new Map<string, number>()
  for (const { what } of faults) kinds.set(what, (kinds.get(what) ?? 0) + 1)
  const passed = new Set(
    faults.flatMap(({ what, target }) => (what === 'process.point' ? [target.split(' ')[1]] : [])),
  )
  return [
    `${calls.length} calls, ${unknown} without an answer`,
    `${linesOf(folder, join(files.dump, 'intents.ndjson')).length} intents`,
    `${linesOf(folder, join(files.dump, 'deliveries.ndjson')).length} deliveries, ${dead.length} of them DEAD`,
    `${linesOf(folder, files.arrivals).length} arrivals`,
    `${faults.length} faults (${[...kinds].map((kind) => kind.join(' ')).join(', ')})`,
    `${passed.size} points`,
    `${violations.length} violations`,
  ].join('; ')
}

const linesOf = (folder: string, file: string): string[] =>
  readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)
