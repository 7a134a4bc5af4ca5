import { createCipheriv, type KeyObject } from 'node:crypto'
import type { Model } from 'mongoose'
import { plainDigits } from '../input/digits.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { isDatabaseFault } from '../mongo/connect.ts'
import type { Deps } from '../platform/deps.ts'
import { type Refusal, refuse, refuseLate } from '../platform/errors.ts'
import { allShortCodes, shortCodeOf } from '../platform/ids.ts'
import { type Log, throttled } from '../platform/log.ts'
import { shareRuns } from '../platform/share-runs.ts'
import { ensureServiceKey, type ServiceKeyDeps } from '../security/service-keys.ts'
import type { Intent } from './intent.ts'
import { isPending } from './lifecycle.ts'

/**
 * How long a code is kept out of use after it has stopped being active. Without this quarantine, a customer who enters
 * an old code could pay a different intent by mistake.
 */
const quarantineMs = 15 * 60_000

/** Returns the earliest time at which a code that is active until `endsAt` may be reused. */
export const codeReusableFrom = (endsAt: Date): Date => new Date(endsAt.getTime() + quarantineMs)

/**
 * Returns the unique key under which a code is stored while it is in use. Live codes are unique across all businesses.
 * Test codes are unique only within a business, so that one merchant's load test cannot use up the codes of other
 * merchants. The code comes right after the mode, so that staff can find it without knowing its business.
 */
export const codeKeyOf = (owner: Pick<Intent, 'businessId' | 'sandbox'>, code: string): string =>
  owner.sandbox ? `test:${code}:${owner.businessId}` : `live:${code}`

/**
 * Returns whether an intent can be found by its code at `now`. Pass the intent in its state at `now`, as returned by
 * `asOf` in present.ts.
 */
export const isCodeActive = (intent: Pick<Intent, 'status' | 'codeExpiresAt'>, now: Date): boolean =>
  isPending(intent.status) && intent.codeExpiresAt > now

/** The characters that people may type between the digits of a code. */
const separators = /[\s.\p{Pd}]/gu

/**
 * Returns a payment code as 6 ASCII digits. The input may contain digits in any script, with separators between them.
 * Returns null if the input is not a code.
 */
export function readCode(typed: string): string | null {
  const code = plainDigits(typed).replaceAll(separators, '')
  return /^\d{6}$/.test(code) ? code : null
}

/**
 * Frees a code if it may be reused, even if no worker has expired its intent yet. Returns whether this call has freed
 * the code.
 */
export async function freeIfReusable(deps: Pick<Deps, 'Intent' | 'now'>, codeKey: string): Promise<boolean> {
  const freed = await deps.Intent.updateOne(
    { codeKey, codeReusableAt: { $lte: deps.now() } },
    { $unset: { codeKey: 1 }, $set: { formerCodeKey: codeKey } },
  )
  return freed.modifiedCount === 1
}

/**
 * The number of codes that a process reserves with one write. A process that ends loses the codes that it has reserved
 * and not used, so a restart costs at most one in 3 million of all codes.
 */
const blockSize = 256
/** The most codes that are skipped at once if the counter is behind: a thousandth of all. */
const longestStep = 2 ** 20
/** As many as FF1 has (NIST SP 800-38G). */
const rounds = 10
const halfBits = 15
const half = 2 ** halfBits - 1
const aesBytes = 16
const reportEveryMs = 60_000

/**
 * Returns `count` short codes, from number `first` on. A Feistel network permutes all 2^30 numbers, so no two numbers
 * have the same code, and without the key, the next code cannot be predicted. In each round, one call of AES encrypts
 * the right halves of all numbers.
 */
export function shortCodesFrom(key: KeyObject, first: number, count: number): string[] {
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  let numbers = Array.from({ length: count }, (_, at) => first + at)
  for (let round = 0; round < rounds; round += 1) {
    const blocks = Buffer.alloc(aesBytes * count)
    for (const [at, number] of numbers.entries()) blocks.writeUInt32BE(((number & half) << 4) | round, aesBytes * at)
    const encrypted = aes.update(blocks)
    numbers = numbers.map((number, at) => {
      const [left, right] = [number >>> halfBits, number & half]
      return (right << halfBits) | (left ^ (encrypted.readUInt32BE(aesBytes * at) & half))
    })
  }
  return numbers.map(shortCodeOf)
}

/** The short codes that this process has reserved. */
export type ShortCodes = ReturnType<typeof createShortCodes>

/**
 * Creates the pool of short codes of one process. All processes take blocks of numbers from one counter, which only
 * grows, so no code is ever given twice, even if its intent was removed by the clean-up or was never created: an old
 * link must not open a stranger's payment. If the outcome of a reservation is unknown, the block is lost.
 */
export function createShortCodes(deps: ServiceKeyDeps & { Intent: Model<Intent>; log: Log }) {
  const reserved: string[] = []
  const report = throttled(reportEveryMs, (fields) => deps.log.error(fields, 'shortcodes.key-unreadable'))

  async function openKey(): Promise<KeyObject> {
    try {
      return await ensureServiceKey(deps, 'shortCodes')
    } catch (err) {
      if (isDatabaseFault(err)) throw err
      // With a new key, codes could repeat.
      report({ err, remedy: 'Set the earlier SECRET_KEY as SECRET_KEY_PREVIOUS.' })
      throw noneFree('short')
    }
  }

  /**
   * Reserves the next block, which all concurrent callers share. If more than half of its codes belong to intents, the
   * counter comes from an older backup than they do. Then each step skips twice as many codes as the one before, until
   * the counter has passed them.
   */
  const reserve = shareRuns(async () => {
    // Before the counter grows. Otherwise a process with the wrong SECRET_KEY would use up codes.
    const key = await openKey()
    for (let step = blockSize; ; step = Math.min(2 * step, longestStep)) {
      const counter = await nativeCollection(deps.ServiceKey).findOneAndUpdate(
        { _id: 'shortCodes', used: { $not: { $gt: allShortCodes - step } } },
        { $inc: { used: step } },
        { projection: { used: 1 }, returnDocument: 'after' },
      )
      if (counter?.used === undefined) throw noneFree('short')
      const codes = shortCodesFrom(key, counter.used - blockSize, blockSize)
      const intents = nativeCollection(deps.Intent).find(
        { shortCode: { $in: codes } },
        { projection: { _id: 0, shortCode: 1 } },
      )
      const taken = new Set(await intents.map(({ shortCode }) => shortCode).toArray())
      if (taken.size <= blockSize / 2) return void reserved.push(...codes.filter((code) => !taken.has(code)))
    }
  })

  return {
    /**
     * Returns a code that no intent has ever had. Waits for MongoDB only if no reserved code is left. Throws
     * SERVICE_UNAVAILABLE at the deadline, which is a `performance.now()` value, or if no code can be reserved.
     */
    async take(deadlineAt: number): Promise<string> {
      for (;;) {
        refuseLate(deadlineAt)
        const code = reserved.pop()
        if (code === undefined) await reserve()
        else {
          // Thanks to this, creates rarely wait. If it fails, the next create that finds no code reports the error.
          if (reserved.length < blockSize / 4) reserve().catch(() => undefined)
          return code
        }
      }
    },
    /** Takes back a code with which no intent has been stored. Thanks to this, rejected requests use up no codes. */
    giveBack: (code: string): void => void reserved.push(code),
  }
}

/** The refusal of a create that finds no free short code or payment code. */
export const noneFree = (kind: 'short' | 'payment'): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 30,
    message: `No ${kind} code is free now. Nothing was created. Repeat the request with the same idempotency key.`,
  })
