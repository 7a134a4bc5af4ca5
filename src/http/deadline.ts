import { unavailable } from '../errors.ts'

/** How long a request may wait on MongoDB in all; with what comes on top the caller hears within 10 s. */
const budgetMs = 8000
/** Timers of one length share a list in Node; a list for each request would cost more than a deadline so little later. */
const tickMs = 100

/** What is left of a request's patience with MongoDB. Only waits that go through `spend` count. */
export interface Deadline {
  /**
   * Runs work that waits on MongoDB; `until` is the instant, on `performance.now()`, when it is given up. Past it the
   * caller gets SERVICE_UNAVAILABLE: what was sent by then is an unknown outcome.
   */
  spend<T>(work: (until: number) => Promise<T>): Promise<T>
}

export function startDeadline(): Deadline {
  let leftMs = budgetMs
  return {
    spend<T>(work: (until: number) => Promise<T>): Promise<T> {
      const startedAt = performance.now()
      let timer: NodeJS.Timeout | undefined
      const ended = new Promise<T>((resolve, reject) => {
        timer = setTimeout(() => reject(unavailable()), Math.ceil(leftMs / tickMs) * tickMs)
        work(startedAt + leftMs).then(resolve, reject)
      })
      return ended.finally(() => {
        clearTimeout(timer)
        leftMs = Math.max(0, leftMs - (performance.now() - startedAt))
      })
    },
  }
}
