import { join } from 'node:path'
import { freePort } from '../../../dev/servers/free-port.ts'
import { runHere } from '../../admin/run-here.ts'
import { files } from '../evidence/evidence.ts'
import { openEndpointServers } from '../traffic/endpoint-servers.ts'
import { openControls } from './controls.ts'
import type { Notes } from './notes.ts'
import { openProcess, type ProcessName, processNames, type ServiceProcess, typeOf } from './process.ts'
import { type Servers, startServers } from './servers.ts'
import { environmentOf } from './settings.ts'

export type Stage = Awaited<ReturnType<typeof openStage>>

export async function openStage(
  { seed, build, servers: kind, folder }: { seed: number; build: string; servers: Servers; folder: string },
  notes: Pick<Notes, 'fault' | 'end'>,
) {
  const controls = openControls(join(folder, 'orders'))
  const opening = { seed, folder, clockAheadMs: controls.aheadMs }
  const [servers, endpointServers] = await Promise.all([startServers(kind), openEndpointServers(opening)])
  const ports = new Map<ProcessName, number>()
  for (const name of processNames) ports.set(name, await freePort())
  const webs = processNames.filter((name) => typeOf(name) === 'web')
  const origins = webs.map((name) => `http://127.0.0.1:${ports.get(name)}`)
  const environment = { ...environmentOf(servers, origins[0] ?? ''), ...endpointServers.environment }
  const processes = new Map<string, ServiceProcess>(
    processNames.map((name) => {
      const one = openProcess({
        name,
        build,
        environment: { ...environment, PORT: String(ports.get(name)), ...controls.environmentOf(name) },
        logFile: join(folder, files.log, `${name}.log`),
        reportStray: (fault) => notes.fault(fault, null),
        reportEnd: (message) => notes.end(name, message),
      })
      return [name, one]
    }),
  )
  async function admin(args: string[]): Promise<Record<string, unknown>> {
    const { PATH } = process.env
    const { exitCode, stdout, stderr } = await runHere([...args, '--json'], { PATH, ...environment })
    if (exitCode !== 0) throw new Error(`admin ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
  async function stop(): Promise<void> {
    await Promise.all([...processes.values()].map((one) => one.end('SIGKILL')))
    await Promise.all([servers.stop(), endpointServers.close()])
  }
  await Promise.all([...processes.values()].map((one) => one.start())).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { servers, processes, origins, endpointServers, controls, admin, stop }
}
