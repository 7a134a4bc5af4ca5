import { setTimeout as pause } from 'node:timers/promises'
import { type FaultOf, type Kind, type ProcessName, processNames, typeOf } from '../plan/fault.ts'
import type { Clocks } from '../round/clocks.ts'
import type { Orders } from '../round/orders.ts'
import type { ServiceProcess } from '../round/process.ts'
import type { RoundServers } from '../round/servers.ts'
import type { Behaviour } from '../traffic/behaviours.ts'
import type { EndpointServers } from '../traffic/endpoint-servers.ts'
import type { ProviderBehaviour } from '../traffic/provider.ts'
import { atMongo, atRedis } from './at-servers.ts'

/** Everything that can have a fault. */
export interface Targets {
  servers: RoundServers
  processes: ReadonlyMap<ProcessName, ServiceProcess>
  clocks: Clocks
  orders: Orders
  endpointServers: Pick<EndpointServers, 'behave' | 'behaveProvider'>
}

/** Makes a fault and ends it. Returns when it began and its recorded target, or null if it could not be made. */
export type FaultAction<Name extends Kind> = (
  targets: Targets,
  fault: FaultOf<Name>,
) => Promise<{ began: number; target: string } | null>

/** How long to wait for the other process of a type. */
const startMs = 4000

const processOf = ({ processes }: Targets, name: ProcessName): ServiceProcess => {
  const found = processes.get(name)
  if (found === undefined) throw new Error(`no process ${name}`)
  return found
}

/** Whether the other process of the same type serves. Otherwise a process must not die. */
async function mayDie(targets: Targets, name: ProcessName): Promise<boolean> {
  const twin = processNames.find((other) => other !== name && typeOf(other) === typeOf(name)) ?? name
  const deadline = Date.now() + startMs
  while (!processOf(targets, twin).isServing() && Date.now() < deadline) await pause(50)
  return processOf(targets, twin).isServing()
}

const signed = (ms: number): string => (ms > 0 ? `+${ms}` : String(ms))

export const faultActions: { [kind in Kind]: FaultAction<kind> } = {
  ...atRedis,
  ...atMongo,
  async 'process.kill'(targets, { target, forMs }) {
    const one = processOf(targets, target)
    if (!(await mayDie(targets, target))) return null
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
    if (deed === 'kill' && !(await mayDie(targets, target))) return null
    targets.orders.give(target, fault)
    const reached = await one.reachesPoint(fault.forMs)
    // The order is removed before the process restarts, so that it does not die again.
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
    return { began, target: `${target} ${signed(aheadMs)}` }
  },
  async 'clock.jump'({ clocks }, { target, aheadMs }) {
    const began = Date.now()
    clocks.jump(aheadMs)
    return { began, target: `${target} ${signed(aheadMs)}` }
  },
  async 'endpoint.behaviour'({ endpointServers }, { target, behaviour, forMs }) {
    const began = Date.now()
    const behave = (next: string | null): void =>
      target === 'provider'
        ? endpointServers.behaveProvider(next as ProviderBehaviour | null)
        : endpointServers.behave(target, next as Behaviour | null)
    behave(behaviour)
    await pause(forMs)
    behave(null)
    return { began, target: `${target} ${behaviour}` }
  },
}
