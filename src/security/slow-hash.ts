import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { createCountsByOwner } from '../process/counts-by-owner.ts'
import { createFairSlots } from '../process/fair-slots.ts'

/**
 * The number of hashes that a process computes in parallel. These hashes need 38 MiB of memory in total. They also
 * occupy half of the threads that file and DNS operations use.
 */
const maxAtOnce = 2
/**
 * The maximum number of checks of one kind that may be running or waiting. The last check in a full queue waits for
 * about 0.4 s if two checks of its kind run at a time, or about 0.8 s if only one does, because a hash takes about
 * 15 ms.
 */
export const maxOfKind = maxAtOnce + 50
/**
 * The maximum number of checks that one owner may have running or waiting. If three owners use up their shares, some
 * slots are still left for a fourth owner.
 */
export const fairShare = 16

/**
 * Returns whether a secret matches a hash, or null if this owner or all owners together have too many checks running or
 * waiting. Without a hash, the check does the same work and returns false.
 */
export type SlowCheck = (owner: string, slowHash: string | null, secret: string) => Promise<boolean | null>

/** Does all slow hashing in a process, and computes at most two hashes at a time across all purposes. */
export type SlowHash = ReturnType<typeof createSlowHash>

/**
 * By default, `memoryKib` is 19 MiB, which OWASP recommends with 2 passes for argon2id, the library's default
 * algorithm. A hash then takes about 15 ms. A stored hash contains its own cost.
 */
export function createSlowHash(memoryKib: number) {
  const cost = { memoryCost: memoryKib, timeCost: 2, parallelism: 1 }
  /** Takes as long to check as a new hash, but matches no known secret. */
  const hashOfNothing = `$argon2id$v=19$m=${memoryKib},t=2,p=1$${bare(16)}$${bare(32)}`
  /**
   * The maximum number of parallel hashes of each kind. All kinds share `maxAtOnce` slots. A free slot goes to the
   * waiting kind that holds the fewest slots, so no kind has to wait until the queue of another kind is empty.
   */
  const atOnceOf: number[] = []
  const slots = createFairSlots((held, taken, kind) => held < (atOnceOf[Number(kind)] ?? 0) && taken < maxAtOnce)

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

  /**
   * Creates the function that checks one kind of secret. The function runs at most `atOnce` checks at a time. Each kind
   * has its own limit and its own queue, so a flood of checks of one kind hardly delays checks of another kind, and
   * does not cause them to be refused. Each owner of secrets also has a limit within each kind.
   */
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
  /** Hashes a password or PIN for storage. The call waits as long as necessary, because only operators use it. */
  const make = (secret: string): Promise<string> => runMake(() => hash(secret, cost))
  return { make, createCheck }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
