import { type Evidence, readFolder, type Violation } from '../evidence/evidence.ts'
import { promises } from './promises/promises.ts'
import { type Check, type Checked, nothingChecked, type Round, roundOf } from './round.ts'

export type Verdict = { violations: Violation[]; checked: Checked; busy: Round['times']['busy'] }

export async function check(folder: string): Promise<Verdict> {
  let round: Round | null = null
  const violations = guarded('round.ended', () => {
    round = roundOf(readFolder(folder))
    return violationsIn(round)
  })
  const { checked, times } = (round as Round | null) ?? { checked: nothingChecked(), times: null }
  return { violations, checked, busy: times?.busy ?? { ms: 0, ofMs: 0, isMostly: false } }
}

export const checkEvidence = (evidence: Evidence): Violation[] => violationsIn(roundOf(evidence))

const violationsIn = (round: Round): Violation[] =>
  Object.entries<Check>(promises).flatMap(([promise, find]) =>
    guarded(promise, () => [...find(round)].map(([subject, message]) => ({ promise, subject, message }))),
  )

function guarded(promise: string, find: () => Violation[]): Violation[] {
  try {
    return find()
  } catch (error) {
    return [{ promise, subject: 'the evidence', message: `cannot be checked: ${(error as Error).stack}` }]
  }
}
