import { setTimeout as sleep } from 'node:timers/promises'
import { packCli } from './npm.ts'
import { type Process, startProcess } from './processes.ts'
import { waitFor } from './wait-for.ts'

const POLL_MS = 500

export interface Service {
  /** http://127.0.0.1:port */
  origin: string
  /** The URL of the command line for merchants, a package for npx. */
  cliUrl: string
  web: Process
  worker: Process
  /** @throws {Error} with the last lines of the log if a process has ended */
  mustRun(): Promise<void>
  /** Never resolves. Rejects when a process ends. */
  running(): Promise<never>
  stop(): Promise<void>
}

/** Starts the service as in production: `web` serves the API, and `worker` runs the background work. */
export async function startService(origin: string, folder: string): Promise<Service> {
  const cliUrl = origin + (await packCli())
  const [web, worker] = await Promise.all([
    startProcess('web', 'src/server.ts', folder),
    startProcess('worker', 'workers/main.ts', folder),
  ])
  async function mustRun(): Promise<void> {
    for (const each of [web, worker]) {
      const ending = await each.ending()
      if (ending !== undefined) throw new Error(ending)
    }
  }
  return {
    origin,
    cliUrl,
    web,
    worker,
    mustRun,
    async running() {
      for (;;) {
        await mustRun()
        await sleep(POLL_MS)
      }
    },
    async stop() {
      await Promise.all([web.stop(), worker.stop()])
    },
  }
}

/** Resolves when /readyz reports that MongoDB and Redis are available. */
export async function ready(service: Service): Promise<void> {
  await waitFor(`${service.origin}/readyz to say "ok" (its log is ${service.web.log})`, async () => {
    await service.mustRun()
    const response = await fetch(`${service.origin}/readyz`).catch(() => undefined)
    const { status } = ((await response?.json()) ?? {}) as { status?: string }
    return status === 'ok' || undefined
  })
}
