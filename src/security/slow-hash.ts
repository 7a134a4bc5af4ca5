import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { createCountsByOwner } from '../process/counts-by-owner.ts'
import { createFairSlots } from '../process/fair-slots.ts'

/** argon2id (the default of the library) with the cost that OWASP recommends: 19 MiB, 2 passes. About 15 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Hashes that a process computes in parallel: 38 MiB in all, and half of the threads that also serve files and DNS. */
const maxAtOnce = 2
/** The maximum number of checks of one kind that are running or waiting. The last one waits for about half a second. */
export const maxOfKind = maxAtOnce + 50
/** One owner's share if owners compete. Three owners that use up their shares leave slots for a fourth. */
export const fairShare = 16

/**
 * Whether a secret matches a hash. Null if too many checks are running or waiting, for this owner or in total. Without
 * a hash, the check does the same work and returns false.
 */
export type SlowCheck = (owner: string, slowHash: string | null, secret: string) => Promise<boolean | null>

/** All slow hashing of one process: two hashes at a time, for any purpose. */
export interface SlowHash {
  /** Hashes a password or PIN for storage. Waits as long as necessary, because only operators use it. */
  make(secret: string): Promise<string>
  /**
   * Checks one kind of secret, `atOnce` at a time. Each kind has its own limit and its own queue, so a flood of one
   * kind neither refuses nor delays another. Each owner within a kind has a limit as well.
   */
  createCheck(maxOfOwner: number, atOnce?: number): SlowCheck
}

export function createSlowHash(): SlowHash {
  /** The most checks of each kind at a time. Each kind owns its slots, so no kind waits for another's queue. */
  const atOnceOf: number[] = []
  const slots = createFairSlots(
    (held, taken, kind) => held < (atOnceOf[Number(kind)] ?? 0) && taken < maxAtOnce,
  )

  function createKind(atOnce: number) {
    const kind = String(atOnceOf.push(atOnce) - 1)
    return async <T>(work: () => Promise<T>): Promise<T> => {
      const free = await slots.wait(kind).granted
      try {
        return await work()
      } finally {
        free()
      }
    }
  }

  function createCheck(maxOfOwner: number, atOnce = maxAtOnce): SlowCheck {
    const run = createKind(atOnce)
    const checks = createCountsByOwner()
    return async (owner, slowHash, secret) => {
      if (checks.all() >= maxOfKind || checks.of(owner) >= maxOfOwner) return null
      checks.add(owner, 1)
      return run(() => verify(slowHash ?? hashOfNothing, secret)).finally(() => checks.add(owner, -1))
    }
  }

  const runMake = createKind(maxAtOnce)
  return { make: (secret) => runMake(() => hash(secret, cost)), createCheck }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
/** Takes as long to check as any other hash, and matches no known secret. */
const hashOfNothing = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${bare(16)}$${bare(32)}`
