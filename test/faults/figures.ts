import { join } from 'node:path'
import { carriedOut } from './carried-out.ts'
import { linesOf } from './checker/read-folder.ts'
import { files } from './evidence/evidence.ts'
import type { Played } from './round/round.ts'
import { timeJudged } from './time-judged.ts'

/** What a round came to, in one line. */
export function figuresOf(folder: string, played: Played): string {
  const count = (file: string, isMeant: (line: string) => boolean = () => true): number =>
    [...linesOf(join(folder, file))].filter(isMeant).length
  const deliveries = join(files.dump, 'deliveries.ndjson')
  return [
    `${count(files.calls)} calls, ${count(files.calls, isUnknown)} without an answer`,
    `${count(join(files.dump, 'intents.ndjson'))} intents`,
    `${count(deliveries)} deliveries, ${count(deliveries, isDead)} of them DEAD`,
    `${count(files.arrivals)} arrivals`,
    carriedOut(played),
    timeJudged(played),
    `${played.violations.length} violations`,
  ].join('; ')
}

const isUnknown = (line: string): boolean => line.includes('"status":null')
const isDead = (line: string): boolean => line.includes('"status":"DEAD"')
