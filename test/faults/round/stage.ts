import { join } from 'node:path'
import { freePort } from '../../../dev/servers/free-port.ts'
import { files } from '../evidence/evidence.ts'
import { type ProcessName, processNames, typeOf } from '../plan/fault.ts'
import { type EndpointServers, openEndpointServers } from '../traffic/endpoint-servers.ts'
import { type Clocks, openClocks } from './clocks.ts'
import { openCommandLine } from './command-line.ts'
import type { Notes } from './notes.ts'
import { type Orders, openOrders } from './orders.ts'
import type { RoundOptions } from './play.ts'
import { openProcess, type ServiceProcess } from './process.ts'
import { type RoundServers, startServers } from './servers.ts'
import { environmentOf } from './settings.ts'

/** The servers, processes and controls of a round. */
export interface Stage {
  servers: RoundServers
  processes: ReadonlyMap<ProcessName, ServiceProcess>
  /** The origins of the `web` processes. */
  origins: string[]
  endpointServers: EndpointServers
  clocks: Clocks
  orders: Orders
  commandLine: ReturnType<typeof openCommandLine>
  stop(): Promise<void>
}

export async function openStage(
  { seed, build, servers: kind, folder }: Pick<RoundOptions, 'seed' | 'build' | 'servers' | 'folder'>,
  notes: Pick<Notes, 'fault' | 'end'>,
): Promise<Stage> {
  const clocks = openClocks(join(folder, 'orders'))
  const orders = openOrders(join(folder, 'orders'))
  const opening = { seed, folder, clockAheadMs: clocks.aheadMs }
  const [servers, endpointServers] = await Promise.all([startServers(kind), openEndpointServers(opening)])
  const ports = new Map<ProcessName, number>()
  for (const name of processNames) ports.set(name, await freePort())
  const webs = processNames.filter((name) => typeOf(name) === 'web')
  const origins = webs.map((name) => `http://127.0.0.1:${ports.get(name)}`)
  const webOrigin = origins[0] ?? ''
  const environment = environmentOf({ ...servers, webOrigin, endpointServers: endpointServers.environment })
  const processes = new Map(
    processNames.map((name) => [
      name,
      openProcess({
        name,
        build,
        environment: {
          ...environment,
          PORT: String(ports.get(name)),
          FAULT_OFFSET: clocks.offsetFile,
          WALL_CLOCK: clocks.fileOf(name),
          FAULT_ORDERS: orders.fileOf(name),
        },
        logFile: join(folder, files.log, `${name}.log`),
        reportStray: (fault) => notes.fault(fault, null),
        reportEnd: (message) => notes.end(name, message),
      }),
    ]),
  )
  const commandLine = openCommandLine(build, environment)
  async function stop(): Promise<void> {
    commandLine.close()
    await Promise.all([...processes.values()].map((one) => one.close()))
    await Promise.all([servers.stop(), endpointServers.close()])
  }
  await Promise.all([...processes.values()].map((one) => one.start())).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { servers, processes, origins, endpointServers, clocks, orders, commandLine, stop }
}
