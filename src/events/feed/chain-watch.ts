import type { ChainOwner } from '../../chains/append.ts'
import { maxListReadMs } from '../../lists/pagination.ts'
import { rawCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'
import { unavailable } from '../../platform/errors.ts'
import { type Log, throttleLog } from '../../platform/log.ts'

export interface ChainEnd extends ChainOwner {
  number: number
}

type ReadGrown = (known: readonly ChainEnd[]) => Promise<readonly ChainEnd[]>

/** All waiting requests share one read, and so one connection. */
export type ChainWatch = ReturnType<typeof createChainWatch>

/** A waiting request sees a new event within this time. */
const readEveryMs = 500
/** The longest that any request may wait for MongoDB. */
const maxSilenceMs = 8000

interface Wait {
  beganAtMs: number
  above: number
  end(hasGrown: boolean): void
  fail(): void
}

interface Chain extends ChainEnd {
  waits: Set<Wait>
}

const keyOf = ({ businessId, sandbox }: ChainOwner): string => `${businessId} ${sandbox}`

/** A failed read does no harm, because a later one finds the same events. */
export function createChainWatch(
  readGrown: ReadGrown,
  onFault: (error: unknown) => void,
  elapsedMs: () => number,
) {
  const chains = new Map<string, Chain>()
  let timer: NodeJS.Timeout | null = null
  let isReading = false
  let isClosed = false
  let respondedAtMs = 0

  function note({ number, ...owner }: ChainEnd): Chain {
    const chain = chains.get(keyOf(owner)) ?? { ...owner, number, waits: new Set() }
    chain.number = Math.max(chain.number, number)
    for (const wait of chain.waits) if (wait.above < chain.number) wait.end(true)
    return chain
  }

  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      const known = [...chains.values()].map(({ waits: _waits, ...end }) => end)
      for (const end of await readGrown(known)) note(end)
      respondedAtMs = elapsedMs()
    } catch (error) {
      onFault(error)
    } finally {
      isReading = false
    }
  }

  const eachWait = (): Wait[] => [...chains.values()].flatMap(({ waits }) => [...waits])

  function tick(): void {
    const now = elapsedMs()
    for (const wait of eachWait())
      if (now - Math.max(wait.beganAtMs, respondedAtMs) > maxSilenceMs) wait.fail()
    if (chains.size > 0) void read()
    else stop()
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  return {
    /** Resolves to false if no event has arrived by the end of the wait. */
    grows({ businessId, sandbox }: ChainOwner, number: number, waitMs: number, signal: AbortSignal) {
      const chain = note({ businessId, sandbox, number })
      if (chain.number > number) return Promise.resolve(true)
      if (isClosed || signal.aborted || waitMs <= 0) return Promise.resolve(false)
      chains.set(keyOf(chain), chain)
      timer ??= setInterval(tick, readEveryMs)
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(ending)
          signal.removeEventListener('abort', abort)
          chain.waits.delete(wait)
          if (chain.waits.size === 0) chains.delete(keyOf(chain))
        }
        const wait: Wait = {
          beganAtMs: elapsedMs(),
          above: number,
          end(hasGrown) {
            leave()
            resolve(hasGrown)
          },
          fail() {
            leave()
            reject(unavailable())
          },
        }
        const abort = (): void => wait.end(false)
        const ending = setTimeout(abort, waitMs)
        signal.addEventListener('abort', abort)
        chain.waits.add(wait)
      })
    },
    close(): void {
      isClosed = true
      for (const wait of eachWait()) wait.end(false)
      stop()
    },
  }
}

/** MongoDB reads 100 chains in 6 ms, but only with the hint below. */
const maxPerRead = 100

export const openChainWatch = ({ LoggedEvent }: Pick<Models, 'LoggedEvent'>, log: Log): ChainWatch => {
  const collection = rawCollection(LoggedEvent)
  const warn = throttleLog(5000, (fields) => log.warn(fields, 'mongodb.failed'))
  const readGrown = async (known: readonly ChainEnd[]): Promise<ChainEnd[]> => {
    const branches = known.map(({ number, ...owner }) => ({ ...owner, number: { $gt: number } }))
    const _id = { businessId: '$businessId', sandbox: '$sandbox' }
    const grown = await collection
      .aggregate<{ _id: Omit<ChainEnd, 'number'>; number: number }>(
        [{ $match: { $or: branches } }, { $group: { _id, number: { $max: '$number' } } }],
        { hint: 'chain', maxTimeMS: maxListReadMs },
      )
      .toArray()
    return grown.map(({ _id: owner, number }) => ({ ...owner, number }))
  }
  return createChainWatch(
    async (known) => {
      const grown: ChainEnd[] = []
      for (let start = 0; start < known.length; start += maxPerRead)
        grown.push(...(await readGrown(known.slice(start, start + maxPerRead))))
      return grown
    },
    (err) => warn({ err }),
    () => performance.now(),
  )
}
