import { setTimeout as pause } from 'node:timers/promises'
import type { QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../platform/deps.ts'

/** Work to look for in MongoDB again and again. Jobs only start it sooner, so it goes on without Redis. */
export interface Work {
  /** The name in log lines and metrics. */
  name: string
  /** A process does this work if WORKER_QUEUES includes the queue. The queue's jobs may wake it. */
  queue: QueueName
  everyMs: number
  /** How many runs a process may have in progress at a time. */
  atOnce?: number
  /** If a run finds at least `many`, there may be more than it was allowed to do, so the next one starts soon. */
  again?: { many: number; afterMs: number }
  /** Set if a run may take minutes. Such work has no metric of its last run. */
  isLong?: true
  /** Finds and does due work, a limited amount for each business. Returns how much was found. */
  run(deps: Deps, ending: AbortSignal): Promise<number>
}

const usually = { many: 500, afterMs: 250 } as const

export type Loops = ReturnType<typeof startLoops>

/** Each kind of work has loops of its own, so if one hangs, the others continue. */
export function startLoops(deps: Deps, works: readonly Work[]) {
  const ending = new AbortController()
  const loops = works
    .filter(({ queue }) => deps.config.workerQueues.includes(queue))
    .flatMap((work) => Array.from({ length: work.atOnce ?? 1 }, () => startLoop(deps, work, ending.signal)))
  return {
    /** Starts the queue's work now. Resolves when it has run. */
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
      // Random, so that the processes don't all look at the same time.
      const pauseMs = found >= many ? afterMs : work.everyMs * (0.8 + Math.random() * 0.2)
      await pause(pauseMs, undefined, { signal: AbortSignal.any([ending, waking.signal]) }).catch(
        () => undefined,
      )
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
