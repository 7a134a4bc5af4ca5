import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../evidence/evidence.ts'
import { type PlannedFault, targetOf } from '../plan/fault.ts'
import { type FaultAction, faultActions, type Targets } from './fault-actions.ts'

/**
 * Makes each planned fault at its time, and resolves when all have ended. Leaves out a fault that is more than
 * `maxLateMs` late. `report` gets each fault that was made. If one throws, the others still end, but no more begin.
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
      const done = await (faultActions[fault.what] as FaultAction<typeof fault.what>)(targets, fault)
      if (done !== null) report({ ...done, ended: Date.now(), what: fault.what }, fault)
    }
  }
  const byTarget = new Map<string, PlannedFault[]>()
  for (const fault of plan) byTarget.set(targetOf(fault), [...(byTarget.get(targetOf(fault)) ?? []), fault])
  await Promise.allSettled(
    [...byTarget.values()].map((faults) => inOrder(faults).catch((error: unknown) => broken.abort(error))),
  )
  broken.signal.throwIfAborted()
}
