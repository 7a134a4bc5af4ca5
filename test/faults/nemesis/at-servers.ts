import { setTimeout as pause } from 'node:timers/promises'
import mongoose from 'mongoose'
import { query } from '../../../dev/servers/query.ts'
import type { Server } from '../../../dev/servers.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { Kind } from '../plan/fault.ts'
import { command } from '../round/servers.ts'
import type { FaultAction, Targets } from './fault-actions.ts'

/** Long enough for a frozen or starting server. */
const timeoutMs = 30_000

const primary = ({ servers }: Targets): Promise<Server> =>
  waitFor('a primary', () => servers.primary().catch(() => null), timeoutMs)

type OfMongo = Extract<Kind, `mongo.${string}` | `primary.${string}`>

/** Kills the server that accepts writes, and restarts it. */
const dies =
  (signal: 'SIGKILL' | 'SIGTERM'): FaultAction<OfMongo> =>
  async (targets, { target, forMs }) => {
    const one = await primary(targets)
    const began = Date.now()
    await one.kill(signal)
    await pause(forMs)
    await one.restart()
    await primary(targets)
    return { began, target }
  }

async function freeze(one: Server, forMs: number): Promise<void> {
  await one.kill('SIGSTOP')
  await pause(forMs)
  await one.kill('SIGCONT')
}

const freezes: FaultAction<OfMongo> = async (targets, { target, forMs }) => {
  const one = await primary(targets)
  const began = Date.now()
  await freeze(one, forMs)
  await primary(targets)
  return { began, target }
}

export const atMongo: { [kind in OfMongo]: FaultAction<kind> } = {
  'mongo.kill': dies('SIGKILL'),
  'mongo.stop': freezes,
  'primary.kill': dies('SIGKILL'),
  'primary.end': dies('SIGTERM'),
  'primary.stop': freezes,
  async 'primary.step-down'(targets, { target }) {
    const one = await primary(targets)
    const began = Date.now()
    // The primary refuses if no other member is up to date. If it does not respond, it has stepped down or is about to.
    const isRefused = await command(one, { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1 }, 5000).then(
      () => false,
      (error) => error instanceof mongoose.mongo.MongoServerError,
    )
    await primary(targets)
    return isRefused ? null : { began, target }
  },
}

type OfRedis = Extract<Kind, `redis.${string}`>

export const atRedis: { [kind in OfRedis]: FaultAction<kind> } = {
  'redis.stop': ({ servers: { redis } }, { target, forMs }) => since(target, () => freeze(redis, forMs)),
  'redis.flush': (targets, { target }) => since(target, () => send(targets, 'FLUSHALL')),
  /** Redis keeps nothing on disk, so it restarts empty. */
  'redis.empty': ({ servers: { redis } }, { target, forMs }) =>
    since(target, async () => {
      await redis.kill('SIGKILL')
      await pause(forMs)
      await redis.restart()
    }),
  /** Redis refuses each command that needs memory. */
  'redis.full': (targets, { target, forMs }) =>
    since(target, async () => {
      await send(targets, 'CONFIG SET maxmemory 1')
      await pause(forMs)
      await send(targets, 'CONFIG SET maxmemory 0')
    }),
}

/** Causes a fault. Returns the time at which it began. */
async function since(target: string, act: () => Promise<void>): Promise<{ began: number; target: string }> {
  const began = Date.now()
  await act()
  return { began, target }
}

async function send({ servers: { redis } }: Targets, text: string): Promise<void> {
  const isDone = async () => (await query(redis.port, `${text}\r\n`))?.startsWith('+OK') === true
  await waitFor(`Redis accepts ${text}`, isDone, timeoutMs)
}
