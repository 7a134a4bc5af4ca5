import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../evidence/evidence.ts'
import { laneOf, type PlannedFault } from '../plan/fault.ts'
import type { Act } from './act.ts'
import { acts } from './acts.ts'
import type { World } from './world.ts'

/**
 * Does what is planned, each at its time; resolves when all of it is healed. One that could not begin within `mostLateMs` of its time, because what
 * went before it took long, is left out. `tell` is told of each that came to be.
 */
export async function unleash(
  world: World,
  plan: readonly PlannedFault[],
  mostLateMs: number,
  tell: (fault: Fault) => void,
): Promise<void> {
  const beganAt = Date.now()
  const lanes = new Map<string, PlannedFault[]>()
  for (const fault of plan) lanes.set(laneOf(fault), [...(lanes.get(laneOf(fault)) ?? []), fault])
  await Promise.all(
    [...lanes.values()].map(async (faults) => {
      for (const fault of faults) {
        const dueMs = beganAt + fault.atMs - Date.now()
        if (dueMs < -mostLateMs) continue
        await pause(Math.max(0, dueMs))
        const done = await (acts[fault.what] as Act<typeof fault.what>)(world, fault)
        if (done !== null) tell({ ...done, ended: Date.now(), what: fault.what })
      }
    }),
  )
}
