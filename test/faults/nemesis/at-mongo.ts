import { setTimeout as pause } from 'node:timers/promises'
import mongoose from 'mongoose'
import type { Server } from '../../../dev/servers.ts'
import { until } from '../../support/until.ts'
import { command } from '../round/servers.ts'
import type { Act } from './act.ts'
import type { Targets } from './targets.ts'

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
  async (targets, { target, forMs }) => {
    const one = await primary(targets)
    const began = Date.now()
    await one.kill(signal)
    await pause(forMs)
    await one.restart()
    await primary(targets)
    return { began, target }
  }

const standsStill: Act<Kinds> = async (targets, { target, forMs }) => {
  const one = await primary(targets)
  const began = Date.now()
  await one.kill('SIGSTOP')
  await pause(forMs)
  await one.kill('SIGCONT')
  await primary(targets)
  return { began, target }
}

export const atMongo: { [kind in Kinds]: Act<kind> } = {
  'mongo.kill': dies('SIGKILL'),
  'mongo.stop': standsStill,
  'primary.kill': dies('SIGKILL'),
  'primary.end': dies('SIGTERM'),
  'primary.stop': standsStill,
  async 'primary.step-down'(targets, { target }) {
    const one = await primary(targets)
    const began = Date.now()
    const isRefused = await stepDown(one)
    await primary(targets)
    return isRefused ? null : { began, target }
  },
}

/** Whether it refused, as it may where no other has kept up with it. One that answers nothing has done it, or is about to. */
const stepDown = (one: Server): Promise<boolean> =>
  command(one, { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1 }, 5000).then(
    () => false,
    (error) => error instanceof mongoose.mongo.MongoServerError,
  )

const primary = ({ servers }: Targets): Promise<Server> =>
  until('a primary', () => servers.primary().catch(() => null), 30_000)
