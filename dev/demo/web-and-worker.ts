import { setTimeout as sleep } from 'node:timers/promises'
import { type Process, startProcess } from './processes.ts'
import { waitFor } from './wait-for.ts'

const LOOK_EVERY_MS = 500

export interface Service {
  /** http://127.0.0.1:port */
  origin: string
  web: Process
  worker: Process
  /** @throws {Error} with its last log lines when one of the two has ended */
  mustRun(): Promise<void>
  /** Never resolves; rejects when one of the two ends. */
  running(): Promise<never>
  stop(): Promise<void>
}

/** The service as in production: `web` answers the API, `worker` does what nobody waits for. */
export async function startService(origin: string, folder: string): Promise<Service> {
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
    web,
    worker,
    mustRun,
    async running() {
      for (;;) {
        await mustRun()
        await sleep(LOOK_EVERY_MS)
      }
    },
    async stop() {
      await Promise.all([web.stop(), worker.stop()])
    },
  }
}

/** Resolves when /readyz says that MongoDB and Redis are both there. */
export async function ready(service: Service): Promise<void> {
  await waitFor(`${service.origin}/readyz to say "ok" (its log is ${service.web.log})`, async () => {
    await service.mustRun()
    const answer = await fetch(`${service.origin}/readyz`).catch(() => undefined)
    const { status } = ((await answer?.json()) ?? {}) as { status?: string }
    return status === 'ok' || undefined
  })
}
