import { setTimeout as pause } from 'node:timers/promises'
import type { QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../platform/deps.ts'

/** Looked for in MongoDB again and again. Jobs only start it sooner, so it goes on while Redis is down. */
export interface Work {
  /** In log lines and metrics. */
  name: string
  /** A process does this only if WORKER_QUEUES includes the queue. Its jobs may wake it. */
  queue: QueueName
  everyMs: number
  /** Runs in progress at a time, per process. */
  atOnce?: number
  /** After a run that found `many` or more, there may be more than it was allowed to do, so the next starts soon. */
  again?: { many: number; afterMs: number }
  /** May take minutes. Such work has no metric of its last run. */
  isLong?: true
  /** Does due work, a limited amount per business. Returns how much it found. */
  run(deps: Deps, ending: AbortSignal): Promise<number>
}

const usually = { many: 500, afterMs: 250 } as const

export type Loops = ReturnType<typeof startLoops>

/** Each kind of work has its own loops, so one that hangs doesn't stop the others. */
export function startLoops(deps: Deps, works: readonly Work[]) {
  const ending = new AbortController()
  const loops = works
    .filter(({ queue }) => deps.config.workerQueues.includes(queue))
    .flatMap((work) => Array.from({ length: work.atOnce ?? 1 }, () => startLoop(deps, work, ending.signal)))
  return {
    /** Runs the queue's work now. Resolves when it has run. */
    async wake(queue: QueueName): Promise<void> {
      await Promise.all(loops.filter((loop) => loop.queue === queue).map((loop) => loop.wake()))
    },
    /** Resolves when no run is in progress. */
    async stop(): Promise<void> {
      ending.abort()
      await Promise.all(loops.map(({ ended }) => ended))
    },
  }
}

function startLoop(deps: Deps, work: Work, ending: AbortSignal) {
  let waking = new AbortController()
  let woken: (() => void)[] = []

  async function run(): Promise<void> {
    while (!ending.aborted) {
      const waiting = woken
      woken = []
      const found = await lookOnce(deps, work, ending)
      for (const resolve of waiting) resolve()
      if (woken.length > 0) continue
      const { many, afterMs } = work.again ?? usually
      // Random, so that processes don't all look at once.
      const pauseMs = found >= many ? afterMs : work.everyMs * (0.8 + Math.random() * 0.2)
      await pause(pauseMs, undefined, { signal: AbortSignal.any([ending, waking.signal]) }).catch(() => undefined)
    }
    for (const resolve of woken) resolve()
  }

  return {
    queue: work.queue,
    ended: run(),
    wake: (): Promise<void> =>
      new Promise((resolve) => {
        if (ending.aborted) return resolve()
        woken.push(resolve)
        waking.abort()
        waking = new AbortController()
      }),
  }
}

async function lookOnce(deps: Deps, { name, isLong, run }: Work, ending: AbortSignal): Promise<number> {
  try {
    await deps.databaseTime.unsure()
    const found = await run(deps, ending)
    if (found > 0) deps.log.info({ work: name, found }, 'poll.found')
    if (!isLong) deps.metrics.gauges.lastPollAt.set({ work: name }, deps.now().getTime() / 1000)
    return found
  } catch (err) {
    deps.log.warn({ err, work: name }, 'poll.failed')
    return 0
  }
}
