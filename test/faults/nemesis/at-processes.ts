import { setTimeout as pause } from 'node:timers/promises'
import type { Act } from './act.ts'
import { processOf } from './world.ts'

type Kinds = 'process.kill' | 'process.stop' | 'process.point' | 'process.skew'

export const atProcesses: { [kind in Kinds]: Act<kind> } = {
  async 'process.kill'(world, { target, forMs }) {
    const one = processOf(world, target)
    const began = Date.now()
    await one.kill()
    await pause(forMs)
    await one.start()
    return { began, target }
  },
  async 'process.stop'(world, { target, forMs }) {
    const one = processOf(world, target)
    const began = Date.now()
    one.freeze()
    await pause(forMs)
    one.thaw()
    return { began, target }
  },
  async 'process.point'(world, fault) {
    const { target, deed, awayMs } = fault
    const one = processOf(world, target)
    world.orders.give(target, fault)
    const point = await one.comesToPoint(fault.forMs)
    const began = Date.now()
    // Before its next life: it would die again.
    world.orders.takeBack(target, fault, point)
    if (point === null) return null
    await pause(awayMs)
    if (deed === 'kill') await one.start()
    else one.thaw()
    return { began, target: `${target} ${point} ${deed}` }
  },
  async 'process.skew'({ clocks }, { target, aheadMs, forMs }) {
    const began = Date.now()
    clocks.skew(target, aheadMs)
    await pause(forMs)
    clocks.skew(target, 0)
    return { began, target: `${target} ${aheadMs > 0 ? '+' : ''}${aheadMs}` }
  },
}
