import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../evidence/evidence.ts'
import { faultKinds, type PlannedFault, type Targets } from './faults.ts'

export const targetOf = ({ what, target }: PlannedFault): string =>
  what === 'process.skew' ? `clock of ${target}` : target

/**
 * Makes each planned fault at its time, and resolves when all have ended. Skips a fault that is more than `maxLateMs`
 * late. `report` gets each fault made. If one throws, the others still end, but no more begin.
 * @throws {Error} the first error
 */
export async function runFaults(
  targets: Targets,
  plan: readonly PlannedFault[],
  maxLateMs: number,
  report: (fault: Fault, planned: PlannedFault) => void,
): Promise<void> {
  const beganAt = Date.now()
  const broken = new AbortController()
  setMaxListeners(0, broken.signal)
  async function inOrder(faults: readonly PlannedFault[]): Promise<void> {
    for (const fault of faults) {
      const dueMs = beganAt + fault.atMs - Date.now()
      if (dueMs < -maxLateMs) continue
      await pause(Math.max(0, dueMs), null, { signal: broken.signal }).catch(() => null)
      if (broken.signal.aborted) return
      const made = await makeFault(targets, fault)
      if (made !== null) report(made, fault)
    }
  }
  const byTarget = [...Map.groupBy(plan, targetOf).values()]
  await Promise.all(byTarget.map((own) => inOrder(own).catch((error: unknown) => broken.abort(error))))
  broken.signal.throwIfAborted()
}

async function makeFault(targets: Targets, fault: PlannedFault): Promise<Fault | null> {
  const { mayBegin, begin } = faultKinds[fault.what]
  if (mayBegin !== undefined && !(await mayBegin(targets, fault))) return null
  const now = Date.now()
  const begun = await begin(targets, fault)
  if (begun === null) return null
  const { began = now, forMs = fault.forMs, target = fault.target, end } = begun
  if (end !== undefined) await pause(forMs)
  await end?.()
  return { began, ended: Date.now(), what: fault.what, target }
}
