import { setTimeout as pause } from 'node:timers/promises'
import type { QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../platform/deps.ts'

/** Polling MongoDB finds the work. Jobs only start it sooner. */
export interface PolledWork {
  name: string
  /** The work runs only if WORKER_QUEUES includes this queue. */
  queue: QueueName
  everyMs: number
  atOnce?: number
  /** If a run finds `many` items or more, the next starts after `afterMs`. */
  again?: { many: number; afterMs: number }
  /** Runs may take minutes, so the last-poll metric omits this work. */
  isLong?: true
  /** Returns how many items the run found. */
  run(deps: Deps, ending: AbortSignal): Promise<number>
}

const usually = { many: 500, afterMs: 250 } as const

export type PollLoops = ReturnType<typeof startPollLoops>

/** Each kind of work has its own loop, so if one hangs, the others go on. */
export function startPollLoops(deps: Deps, works: readonly PolledWork[]) {
  const ending = new AbortController()
  const loops = works
    .filter(({ queue }) => deps.config.workerQueues.includes(queue))
    .flatMap((work) => Array.from({ length: work.atOnce ?? 1 }, () => startLoop(deps, work, ending.signal)))
  return {
    async wake(queue: QueueName): Promise<void> {
      await Promise.all(loops.filter((loop) => loop.queue === queue).map((loop) => loop.wake()))
    },
    async stop(): Promise<void> {
      ending.abort()
      await Promise.all(loops.map(({ ended }) => ended))
    },
  }
}

function startLoop(deps: Deps, work: PolledWork, ending: AbortSignal) {
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
      // Random pauses keep processes from polling at the same time.
      const pauseMs = found >= many ? afterMs : work.everyMs * (0.8 + Math.random() * 0.2)
      const signal = AbortSignal.any([ending, waking.signal])
      await pause(pauseMs, undefined, { signal }).catch(() => undefined)
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

async function lookOnce(deps: Deps, { name, isLong, run }: PolledWork, ending: AbortSignal): Promise<number> {
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
