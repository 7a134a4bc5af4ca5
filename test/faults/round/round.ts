import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watchPulse } from '../../support/pulse.ts'
import { check, type Verdict } from '../checker/check.ts'
import { type Fault, files } from '../evidence/evidence.ts'
import type { PlannedFault } from '../plan/fault.ts'
import { openNotes } from './notes.ts'
import { play, type RoundOptions } from './play.ts'
import { openStage } from './stage.ts'

export interface RoundResult extends Verdict, Record<'planned' | 'done', readonly PlannedFault[]> {
  faults: readonly Fault[]
}

/** Runs one round, from its servers to its check. Records errors, and checks the evidence anyway. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { folder, plan: planned } = options
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, files.log), { recursive: true })
  const notes = openNotes(folder, options.seed)
  const stopWatching = watchPulse((busy) => notes.fault({ ...busy, what: 'machine.busy', target: 'machine' }, null))
  const stage = await notes.attempt('the start', () => openStage(options, notes))
  if (stage !== null) {
    await notes.attempt('the traffic', () => play(options, stage, notes))
    await notes.attempt('the end', stage.stop)
  }
  stopWatching()
  await notes.close()
  const verdict = await check(folder)
  writeFileSync(join(folder, files.violations), JSON.stringify(verdict.violations, null, 2))
  return { ...verdict, faults: notes.faults, planned, done: notes.done }
}
