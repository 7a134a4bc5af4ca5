import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessName } from '../plan/fault.ts'
import type { Act } from './act.ts'
import { processOf, type Targets, twinOf } from './targets.ts'

type Kinds = 'process.kill' | 'process.stop' | 'process.point' | 'process.skew'

/** What a start may take here. Where it takes longer, the machine has so much else to do that traffic would find nobody most of the time. */
const PATIENCE_MS = 4000

/** Whether it is not missed if it dies: the other of its type serves by now. That one may die a moment later. */
async function isSpared(targets: Targets, target: ProcessName): Promise<boolean> {
  const twin = twinOf(targets, target)
  const giveUpAt = Date.now() + PATIENCE_MS
  while (!twin.isServing() && Date.now() < giveUpAt) await pause(50)
  return twin.isServing()
}

export const atProcesses: { [kind in Kinds]: Act<kind> } = {
  async 'process.kill'(targets, { target, forMs }) {
    const one = processOf(targets, target)
    if (!(await isSpared(targets, target))) return null
    const began = Date.now()
    const wasAlive = await one.kill()
    await pause(forMs)
    await one.start()
    return wasAlive ? { began, target } : null
  },
  async 'process.stop'(targets, { target, forMs }) {
    const one = processOf(targets, target)
    const began = Date.now()
    if (!one.freeze()) return null
    await pause(forMs)
    one.thaw()
    return { began, target }
  },
  async 'process.point'(targets, fault) {
    const { target, deed, awayMs } = fault
    const one = processOf(targets, target)
    if (deed === 'kill' && !(await isSpared(targets, target))) return null
    targets.orders.give(target, fault)
    const reached = await one.comesToPoint(fault.forMs)
    // Before its next life: it would die again.
    targets.orders.takeBack(target, fault, reached?.point ?? null)
    if (reached === null) return null
    await pause(awayMs)
    if (deed === 'kill') await one.start()
    else one.thaw()
    return { began: reached.began, target: `${target} ${reached.point} ${deed}` }
  },
  async 'process.skew'({ clocks }, { target, aheadMs, forMs }) {
    const began = Date.now()
    clocks.skew(target, aheadMs)
    await pause(forMs)
    clocks.skew(target, 0)
    return { began, target: `${target} ${aheadMs > 0 ? '+' : ''}${aheadMs}` }
  },
}
