import type { Violation } from '../evidence/evidence.ts'
import type { Evidence } from './folder/evidence.ts'
import { readFolder } from './folder/read-folder.ts'
import { promises } from './promises/promises.ts'
import { type Judge, type Judged, nothingJudged, type Round, roundOf } from './round.ts'

/** What the evidence does not prove, and how much of what has to do with time it could be asked about. */
export interface Verdict {
  /** Empty: every promise held. */
  violations: Violation[]
  judged: Judged
  busy: Round['times']['busy']
}

/** Reads a folder of evidence and says what it proves. */
export async function check(folder: string): Promise<Verdict> {
  let round: Round | null = null
  const violations = judged('round.ended', () => {
    round = roundOf(readFolder(folder))
    return brokenIn(round)
  })
  const { judged: counts, times } = (round as Round | null) ?? { judged: nothingJudged(), times: null }
  return { violations, judged: counts, busy: times?.busy ?? { ms: 0, ofMs: 0, isMostly: false } }
}

/** What evidence that is read does not prove. */
export const judge = (evidence: Evidence): Violation[] => brokenIn(roundOf(evidence))

function brokenIn(round: Round): Violation[] {
  return Object.entries<Judge>(promises).flatMap(([promise, broken]) =>
    judged(promise, () => [...broken(round)].map((each) => ({ promise, ...each }))),
  )
}

/** What cannot be judged, because something in the evidence is as nobody expects it, is not proved. */
function judged(promise: string, judging: () => Violation[]): Violation[] {
  try {
    return judging()
  } catch (error) {
    return [{ promise, of: 'the evidence', says: `cannot be judged: ${(error as Error).stack}` }]
  }
}
