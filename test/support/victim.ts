import type { Express, RequestHandler } from 'express'
import { createApp } from '../../src/app.ts'
import { openDeps } from '../../src/context/open-deps.ts'
import { createHttpServer } from '../../src/http/server/listen.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { createGate } from './gate.ts'
import { listen } from './listen.ts'
import { openMongoProxy } from './mongo-proxy.ts'
import type { Service } from './service.ts'

/**
 * What happens to the step at which a process is killed. `lost`: it never happens. `unanswered`: it happens, but the
 * process dies before the response. `late`: it happens after another process has taken over.
 */
export const fates = ['lost', 'unanswered', 'late'] as const
/** `paused`: the step waits, and the process continues after it. */
export type Fate = (typeof fates)[number] | 'paused'
export type Victim = Awaited<ReturnType<typeof openVictim>>

/** How far a victim's clock is behind: far enough that its leases have expired for all other processes. */
export const behindMs = 12_000

export async function openVictim(
  service: Service,
  { step, fate, lateMs }: { step: number; fate: Fate; lateMs: number },
) {
  const steps: string[] = []
  let open = false
  let dead = false
  const death = createGate()
  const take = (name: string): boolean => {
    if (!open) return false
    steps.push(name)
    const last = steps.length === step
    if (last && fate !== 'paused') dead = true
    return last
  }
  const proxy = await openMongoProxy(service.deps.config.mongodbUrl, {
    isDead: () => dead,
    isLast: (command) => take(`mongodb ${command}`),
    fate,
    onEnd: death.open,
  })
  const shift = (atMs: number): number => service.clock.shift(atMs) - lateMs
  const { config, log } = service.deps
  const deps = await openDeps({ ...config, mongodbUrl: proxy.url }, log, createMetrics(), 'web', shift)
  deps.apiSwitch.close()
  // Compiling the request schemas takes long.
  deps.validate = service.deps.validate
  const { enqueue } = deps
  const heldBack: (() => void)[] = []
  deps.enqueue = (name, jobs) => {
    if (dead) return
    const last = take(`enqueue ${name}`)
    if (!last || fate === 'unanswered') enqueue(name, jobs)
    else if (fate !== 'lost') heldBack.push(() => enqueue(name, jobs))
    if (last) death.open()
  }
  const { origin, close } = await listen(createHttpServer(deps, createAppOnDemand(deps), httpTimeouts).server)
  open = true
  return {
    deps,
    origin,
    steps,
    died: death.passed,
    async release(): Promise<void> {
      for (const add of heldBack) add()
      await proxy.release()
    },
    async close(): Promise<void> {
      void close()
      proxy.close()
      await deps.close()
    },
  }
}

/** Created at its first request, because that takes a while and most victims get none. */
function createAppOnDemand(deps: Deps): Express {
  let app: Express | null = null
  const handle: RequestHandler = (req, res, next) => {
    app ??= createApp(deps)
    app(req, res, next)
  }
  // Express reads the setting `trust proxy fn` before the first request.
  return Object.assign(handle, { get: () => () => false }) as unknown as Express
}
