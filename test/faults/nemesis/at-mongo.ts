import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../../dev/servers.ts'
import { until } from '../../support/until.ts'
import { command } from '../round/servers.ts'
import type { Act } from './act.ts'
import type { World } from './world.ts'

type Kinds =
  | 'mongo.kill'
  | 'mongo.stop'
  | 'primary.kill'
  | 'primary.end'
  | 'primary.stop'
  | 'primary.step-down'

/** Whoever takes writes: of one server itself. */
const dies =
  (signal: 'SIGKILL' | 'SIGTERM'): Act<Kinds> =>
  async (world, { target, forMs }) => {
    const one = await primary(world)
    const began = Date.now()
    await one.kill(signal)
    await pause(forMs)
    await one.restart()
    await primary(world)
    return { began, target }
  }

const standsStill: Act<Kinds> = async (world, { target, forMs }) => {
  const one = await primary(world)
  const began = Date.now()
  await one.kill('SIGSTOP')
  await pause(forMs)
  await one.kill('SIGCONT')
  await primary(world)
  return { began, target }
}

export const atMongo: { [kind in Kinds]: Act<kind> } = {
  'mongo.kill': dies('SIGKILL'),
  'mongo.stop': standsStill,
  'primary.kill': dies('SIGKILL'),
  'primary.end': dies('SIGTERM'),
  'primary.stop': standsStill,
  async 'primary.step-down'(world, { target }) {
    const one = await primary(world)
    const began = Date.now()
    // It may refuse where no other has kept up with it.
    await command(one, { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1 }).catch(() => undefined)
    await primary(world)
    return { began, target }
  },
}

const primary = ({ servers }: World): Promise<Server> =>
  until('a primary', () => servers.primary().catch(() => null), 30_000)
