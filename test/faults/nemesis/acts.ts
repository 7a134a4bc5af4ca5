import { setTimeout as pause } from 'node:timers/promises'
import type { Kind } from '../plan/fault.ts'
import type { Manner } from '../traffic/manners.ts'
import type { ProviderManner } from '../traffic/provider.ts'
import type { Act } from './act.ts'
import { atMongo } from './at-mongo.ts'
import { atProcesses } from './at-processes.ts'
import { atRedis } from './at-redis.ts'
import type { Targets } from './targets.ts'

/** Of each kind of fault, how it is done and healed. */
export const acts: { [kind in Kind]: Act<kind> } = {
  ...atProcesses,
  ...atRedis,
  ...atMongo,
  async 'clock.jump'({ clocks }, { target, aheadMs }) {
    const began = Date.now()
    clocks.jump(aheadMs)
    return { began, target: `${target} +${aheadMs}` }
  },
  async 'receiver.mood'({ receivers }, { target, manner, forMs }) {
    const began = Date.now()
    behave(receivers, target, manner)
    await pause(forMs)
    behave(receivers, target, null)
    return { began, target: `${target} ${manner}` }
  },
}

function behave(receivers: Targets['receivers'], target: string, manner: string | null): void {
  if (target === 'provider') receivers.behaveProvider(manner as ProviderManner | null)
  else receivers.behave(target, manner as Manner | null)
}
