import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** argon2id (the default of the library) with the cost that OWASP recommends: 19 MiB, 2 passes. About 15 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Hashes that a process computes at once: 38 MiB in all, and half of the threads that also serve files and DNS. */
const mostAtOnce = 2
/** The most checks of one kind that run or wait. The last one waits for about half a second. */
export const mostOfKind = mostAtOnce + 50
/** The share of one owner if owners compete. Three owners that use up their shares leave slots for a fourth. */
export const fairShare = 16

/**
 * Whether a secret matches a hash. Null if too many checks are running or waiting, for this owner or in all. Without a hash the work is the
 * same, and the secret does not match.
 */
export type SlowCheck = (owner: string, slowHash: string | null, secret: string) => Promise<boolean | null>

/** All slow hashing of one process: two at once, for any purpose. */
export interface SlowHash {
  /** Returns the hash of a password or PIN, to store. Waits as long as necessary, because only operators use it. */
  make(secret: string): Promise<string>
  /**
   * Checks one kind of secret, `atOnce` of them at a time. Each kind has its own limit and its own queue, so a flood of one kind neither refuses
   * nor delays another. Each owner within a kind has a limit as well.
   */
  createCheck(mostOfOwner: number, atOnce?: number): SlowCheck
}

/** The work of one kind that waits, and how much of it runs. */
interface Kind {
  atOnce: number
  running: number
  waiting: (() => void)[]
}

export function createSlowHash(): SlowHash {
  const kinds: Kind[] = []
  let running = 0

  /** Starts work of the kind that started least recently, so that no kind waits for the queue of another. */
  function startNext(): void {
    while (running < mostAtOnce) {
      const index = kinds.findIndex((kind) => kind.waiting.length > 0 && kind.running < kind.atOnce)
      const [kind] = index < 0 ? [] : kinds.splice(index, 1)
      if (kind === undefined) return
      kinds.push(kind)
      kind.running += 1
      running += 1
      kind.waiting.shift()?.()
    }
  }

  function createTurns(atOnce: number) {
    const kind: Kind = { atOnce, running: 0, waiting: [] }
    kinds.push(kind)
    return async <T>(work: () => Promise<T>): Promise<T> => {
      const turn = new Promise<void>((resolve) => kind.waiting.push(resolve))
      startNext()
      await turn
      try {
        return await work()
      } finally {
        kind.running -= 1
        running -= 1
        startNext()
      }
    }
  }

  function createCheck(mostOfOwner: number, atOnce = mostAtOnce): SlowCheck {
    const inTurn = createTurns(atOnce)
    const checksOf = new Map<string, number>()
    let checks = 0
    const add = (owner: string, count: 1 | -1): void => {
      checks += count
      const left = (checksOf.get(owner) ?? 0) + count
      if (left === 0) checksOf.delete(owner)
      else checksOf.set(owner, left)
    }
    return async (owner, slowHash, secret) => {
      if (checks >= mostOfKind || (checksOf.get(owner) ?? 0) >= mostOfOwner) return null
      add(owner, 1)
      return inTurn(() => verify(slowHash ?? hashOfNothing, secret)).finally(() => add(owner, -1))
    }
  }

  const inTurnToMake = createTurns(mostAtOnce)
  return { make: (secret) => inTurnToMake(() => hash(secret, cost)), createCheck }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
/** Costs as much to check as any other hash, and matches no known secret. */
const hashOfNothing = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${bare(16)}$${bare(32)}`
