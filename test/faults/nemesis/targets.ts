import { type ProcessName, processNames, typeOf } from '../plan/fault.ts'
import type { Clocks } from '../round/clocks.ts'
import type { Orders } from '../round/orders.ts'
import type { ServiceProcess } from '../round/process.ts'
import type { RoundServers } from '../round/servers.ts'
import type { Receivers } from '../traffic/receivers.ts'

/** All that something can be done to. */
export interface Targets {
  servers: RoundServers
  processes: ReadonlyMap<ProcessName, ServiceProcess>
  clocks: Clocks
  orders: Orders
  receivers: Pick<Receivers, 'behave' | 'behaveProvider'>
}

/** The other of its type. */
export function twinOf(targets: Targets, name: ProcessName): ServiceProcess {
  const isTwin = (other: ProcessName): boolean => other !== name && typeOf(other) === typeOf(name)
  return processOf(targets, processNames.find(isTwin) ?? name)
}

export function processOf({ processes }: Targets, name: ProcessName): ServiceProcess {
  const found = processes.get(name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}
