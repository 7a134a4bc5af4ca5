import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Express, RequestHandler } from 'express'
import { createApp } from '../../src/app.ts'
import type { Deps } from '../../src/deps.ts'
import { createHttpServer } from '../../src/http/server/listen.ts'
import { timeouts } from '../../src/http/server/timeouts.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { openDeps } from '../../src/open-deps.ts'
import { createGate } from './gate.ts'
import { openMongoProxy } from './mongo-proxy.ts'
import type { Service } from './service.ts'

/**
 * What becomes of the step at which a process is killed: it never happens, it happens and nobody hears of it, or it
 * happens late, when somebody else has already gone on in the dead process's place.
 */
export const fates = ['lost', 'unanswered', 'late'] as const
/** `paused`: it is not killed; the step waits, and the process goes on when it has happened. */
export type Fate = (typeof fates)[number] | 'paused'

/** A process that dies at a given step. Its steps are its trips to MongoDB and the jobs it adds. */
export interface Victim {
  deps: Deps
  origin: string
  /** The steps taken, by name. */
  steps: string[]
  /** Resolves when the process is dead (or paused) and its last step has met its fate. */
  died: Promise<void>
  /** Lets a late step, or a paused one, happen now. */
  release(): Promise<void>
  close(): Promise<void>
}

/** How far a victim's clock is behind, so that to everybody else the leases of a dead one are over. */
export const behindMs = 12_000

/** A process beside the service that dies at step `step` (from 1; 0 = never), and whose clock is so far behind. */
export async function openVictim(
  service: Service,
  { step, fate, lateMs }: { step: number; fate: Fate; lateMs: number },
): Promise<Victim> {
  const steps: string[] = []
  let open = false
  let dead = false
  const death = createGate()
  const take = (name: string): boolean => {
    // What opening takes is not the operation's.
    if (!open) return false
    steps.push(name)
    const last = steps.length === step
    if (last && fate !== 'paused') dead = true
    return last
  }
  const wire = await openMongoProxy(service.deps.config.mongodbUrl, {
    isDead: () => dead,
    isLast: (command) => take(`mongodb ${command}`),
    fate,
    over: death.open,
  })
  const shift = (atMs: number): number => service.clock.shift(atMs) - lateMs
  const { config, log } = service.deps
  const deps = await openDeps({ ...config, mongodbUrl: wire.url }, log, createMetrics(), 'web', shift)
  deps.apiSwitch.close()
  const { enqueue } = deps
  const heldBack: (() => void)[] = []
  deps.enqueue = (name, jobs) => {
    if (dead) return
    const last = take(`enqueue ${name}`)
    if (!last || fate === 'unanswered') enqueue(name, jobs)
    else if (fate !== 'lost') heldBack.push(() => enqueue(name, jobs))
    if (last) death.open()
  }
  const server = createHttpServer(deps, createAppOnDemand(deps), timeouts)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open = true
  return {
    deps,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    steps,
    died: death.passed,
    async release() {
      for (const add of heldBack) add()
      await wire.happen()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      wire.close()
      await deps.close()
    },
  }
}

/** Most victims are asked nothing over HTTP, and an app takes a while to make. */
function createAppOnDemand(deps: Deps): Express {
  let app: Express | null = null
  const handle: RequestHandler = (req, res, next) => {
    app ??= createApp(deps, () => false)
    app(req, res, next)
  }
  // Which proxies are trusted is asked before the first request: none.
  return Object.assign(handle, { get: () => () => false }) as unknown as Express
}
