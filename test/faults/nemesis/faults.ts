import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import mongoose from 'mongoose'
import { query } from '../../../dev/servers/query.ts'
import type { Server } from '../../../dev/servers.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { Fault } from '../evidence/evidence.ts'
import type { Controls, Order } from '../round/controls.ts'
import { processNames, type ServiceProcess, typeOf } from '../round/process.ts'
import { command, type RoundServers } from '../round/stage.ts'
import type { EndpointServers } from '../traffic/endpoint-servers.ts'

export interface PlannedFault {
  what: FaultName
  /** A process, a kind of server, an endpoint, or `all`. Each target has at most one fault at a time. */
  target: string
  atMs: number
  forMs: number
  order?: Order & { awayMs: number }
  aheadMs?: number
  behaviour?: string
}

export interface Targets {
  servers: RoundServers
  processes: ReadonlyMap<string, ServiceProcess>
  controls: Controls
  endpointServers: Pick<EndpointServers, 'behave'>
}

type Begun = { end?: () => unknown; began?: number; forMs?: number; target?: string }

interface FaultKind {
  lastsMs?: readonly [from: number, to: number]
  mayBegin?: (targets: Targets, fault: PlannedFault) => Promise<boolean>
  begin(targets: Targets, fault: PlannedFault): Begun | null | Promise<Begun | null>
}

const timeoutMs = 30_000
const primary = ({ servers }: Targets): Promise<Server> =>
  waitFor('a primary', () => servers.primary().catch(() => null), timeoutMs)

const dies = (signal: 'SIGKILL' | 'SIGTERM') => async (targets: Targets) => {
  const one = await primary(targets)
  await one.kill(signal)
  return { end: () => one.restart().then(() => primary(targets)) }
}

const freezes = async (targets: Targets) => {
  const one = await primary(targets)
  await one.kill('SIGSTOP')
  return { end: () => one.kill('SIGCONT').then(() => primary(targets)) }
}

async function toRedis({ servers: { redis } }: Targets, text: string): Promise<void> {
  const isDone = async () => (await query(redis.port, `${text}\r\n`))?.startsWith('+OK') === true
  await waitFor(`Redis accepts ${text}`, isDone, timeoutMs)
}

const processOf = ({ processes }: Targets, name: string): ServiceProcess => {
  const found = processes.get(name)
  if (found === undefined) throw new Error(`no process ${name}`)
  return found
}

const startMs = 4000

async function twinServes(targets: Targets, { target, order }: PlannedFault): Promise<boolean> {
  if (order?.deed === 'stop') return true
  const twin = processNames.find((other) => other !== target && typeOf(other) === typeOf(target)) ?? target
  const deadline = Date.now() + startMs
  while (!processOf(targets, twin).isServing() && Date.now() < deadline) await pause(50)
  return processOf(targets, twin).isServing()
}

const signed = (ms: number): string => (ms > 0 ? `+${ms}` : String(ms))

/** `mongo.*` are for a replica set of one member, `primary.*` for three (README.md). */
const faults = {
  'process.kill': {
    mayBegin: twinServes,
    async begin(targets, { target }) {
      const one = processOf(targets, target)
      if (await one.kill()) return { end: one.start }
      await one.start()
      return null
    },
  },
  'process.stop': {
    begin(targets, { target }) {
      const one = processOf(targets, target)
      return one.freeze() ? { end: one.thaw } : null
    },
  },
  'process.point': {
    mayBegin: twinServes,
    async begin(targets, { target, order, forMs }) {
      if (order === undefined) return null
      const one = processOf(targets, target)
      targets.controls.order(target, order)
      const reached = await one.reachesPoint(forMs)
      // Withdrawn before the process restarts, so that it doesn't die again.
      targets.controls.withdraw(target, order, reached?.point)
      if (reached === null) return null
      const { point, began } = reached
      return { began, forMs: order.awayMs, target: `${target} ${point} ${order.deed}`, end: one.start }
    },
  },
  'process.skew': {
    begin({ controls }, { target, aheadMs = 0 }) {
      controls.skew(target, aheadMs)
      return { target: `${target} ${signed(aheadMs)}`, end: () => controls.skew(target, 0) }
    },
  },
  'clock.jump': {
    begin({ controls }, { target, aheadMs = 0 }) {
      controls.jump(aheadMs)
      return { target: `${target} ${signed(aheadMs)}` }
    },
  },
  'redis.stop': {
    lastsMs: [1000, 9000],
    async begin({ servers: { redis } }) {
      await redis.kill('SIGSTOP')
      return { end: () => redis.kill('SIGCONT') }
    },
  },
  'redis.flush': { lastsMs: [0, 0], begin: (targets) => toRedis(targets, 'FLUSHALL').then(() => ({})) },
  'redis.empty': {
    lastsMs: [0, 3000],
    async begin({ servers: { redis } }) {
      await redis.kill('SIGKILL')
      return { end: () => redis.restart() }
    },
  },
  'redis.full': {
    lastsMs: [2000, 8000],
    async begin(targets) {
      await toRedis(targets, 'CONFIG SET maxmemory 1')
      return { end: () => toRedis(targets, 'CONFIG SET maxmemory 0') }
    },
  },
  'mongo.kill': { lastsMs: [0, 3000], begin: dies('SIGKILL') },
  /** The driver times out on a frozen server after 5 s. Two other members elect a primary after 2 s. */
  'mongo.stop': { lastsMs: [1000, 9000], begin: freezes },
  'primary.kill': { lastsMs: [0, 6000], begin: dies('SIGKILL') },
  'primary.end': { lastsMs: [0, 6000], begin: dies('SIGTERM') },
  'primary.stop': { lastsMs: [1000, 9000], begin: freezes },
  'primary.step-down': {
    lastsMs: [0, 0],
    async begin(targets) {
      const one = await primary(targets)
      // It refuses if no other member is up to date. Without a response, it has stepped down or is about to.
      const isRefused = await command(one, { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1 }, 5000).then(
        () => false,
        (error) => error instanceof mongoose.mongo.MongoServerError,
      )
      await primary(targets)
      return isRefused ? null : {}
    },
  },
  'endpoint.behaviour': {
    begin({ endpointServers }, { target, behaviour = '' }) {
      endpointServers.behave(target, behaviour)
      return { target: `${target} ${behaviour}`, end: () => endpointServers.behave(target, null) }
    },
  },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof faults
export const faultKinds: Readonly<Record<FaultName, FaultKind>> = faults
export const targetOf = ({ what, target }: PlannedFault): string =>
  what === 'process.skew' ? `clock of ${target}` : target

/** Skips a fault that is more than `maxLateMs` late. If one throws, the others still end, but no more begin. */
export async function runFaults(
  targets: Targets,
  plan: readonly PlannedFault[],
  maxLateMs: number,
  report: (fault: Fault, planned: PlannedFault) => void,
): Promise<void> {
  const beganAt = Date.now()
  const broken = new AbortController()
  setMaxListeners(0, broken.signal)
  async function inOrder(planned: readonly PlannedFault[]): Promise<void> {
    for (const fault of planned) {
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
