import type { Violation } from '../evidence/evidence.ts'
import type { Evidence } from './folder/evidence.ts'
import { readFolder } from './folder/read-folder.ts'
import { promises } from './promises/promises.ts'
import { type Judge, roundOf } from './round.ts'

/** Of one promise so many are told: what is broken everywhere is told well enough by some. */
const mostOfOne = 25

/** Reads a folder of evidence and says what it does not prove. Empty: every promise held. */
export const check = async (folder: string): Promise<Violation[]> => judge(readFolder(folder))

/** The same of evidence that is read. */
export function judge(evidence: Evidence): Violation[] {
  const round = roundOf(evidence)
  return Object.entries<Judge>(promises).flatMap(([promise, broken]) => {
    const all = [...broken(round)].map((each) => ({ promise, ...each }))
    const more = all.length - mostOfOne
    if (more <= 0) return all
    return [...all.slice(0, mostOfOne), { promise, of: '…', says: `and ${more} more like these` }]
  })
}
