import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** argon2id, its default, at the price that OWASP names: 19 MiB, 2 passes. Some 15 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** In a process: 38 MiB in all, and half of the threads that files and names are looked up by. */
const mostAtOnce = 2
/** Checks of one kind that run or wait: half a second of waiting. */
export const mostOfKind = mostAtOnce + 50
/** The share of one owner where owners are rivals: three that use up theirs leave room for a fourth. */
export const fairShare = 16

/**
 * Whether a secret fits a hash. Null when too many are being checked, for this owner or in all. Without a hash the work is the same, and the
 * secret does not fit.
 */
export type SlowCheck = (owner: string, slowHash: string | null, secret: string) => Promise<boolean | null>

/** All slow hashing of one process: two at once, whatever they are for. */
export interface SlowHash {
  /** What is kept of a password or a PIN. Waits as long as it must: an operator asks. */
  make(secret: string): Promise<string>
  /**
   * Checks one kind of secret. Each kind has a limit of its own, so that a flood of one kind refuses none of another, and so has each of its
   * owners.
   */
  createCheck(mostOfOwner: number): SlowCheck
}

export function createSlowHash(): SlowHash {
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    // Whoever ends hands its place on, so nobody slips in between.
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }

  function createCheck(mostOfOwner: number): SlowCheck {
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

  return { make: (secret) => inTurn(() => hash(secret, cost)), createCheck }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
/** As costly to check as any, and the hash of no secret that anybody knows. */
const hashOfNothing = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${bare(16)}$${bare(32)}`
