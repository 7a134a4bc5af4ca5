import { createCipheriv, type KeyObject } from 'node:crypto'
import type { Model } from 'mongoose'
import { normaliseDigits } from '../input/digits.ts'
import { rawCollection } from '../mongo/collection.ts'
import { isDatabaseFault } from '../mongo/connect.ts'
import type { Deps } from '../platform/deps.ts'
import { type Refusal, refuse, refuseIfLate } from '../platform/errors.ts'
import { shortCodeCount, toShortCode } from '../platform/ids.ts'
import { type Log, throttleLog } from '../platform/log.ts'
import { coalesceRuns } from '../platform/share-runs.ts'
import { ensureServiceKey, type ServiceKeyDeps } from '../security/service-keys.ts'
import type { Intent } from './intent.ts'
import { isPending } from './lifecycle.ts'

/** A customer who enters an old code must not pay the wrong intent. */
const quarantineMs = 15 * 60_000

export const codeReusableFrom = (endsAt: Date): Date => new Date(endsAt.getTime() + quarantineMs)

/** Businesses may share a test code, so its key contains the business id. */
export const paymentCodeKeyOf = (owner: Pick<Intent, 'businessId' | 'sandbox'>, code: string): string =>
  owner.sandbox ? `test:${code}:${owner.businessId}` : `live:${code}`

export const isCodeActive = (intent: Pick<Intent, 'status' | 'codeExpiresAt'>, now: Date): boolean =>
  isPending(intent.status) && intent.codeExpiresAt > now

const separators = /[\s.\p{Pd}]/gu

/** Accepts digits in any script, and returns null for anything but a code. */
export function readPaymentCode(typed: string): string | null {
  const code = normaliseDigits(typed).replaceAll(separators, '')
  return /^\d{6}$/.test(code) ? code : null
}

export async function freeReusableCode({ Intent, now }: Pick<Deps, 'Intent' | 'now'>, codeKey: string) {
  const freed = await Intent.updateOne(
    { codeKey, codeReusableAt: { $lte: now() } },
    { $unset: { codeKey: 1 }, $set: { formerCodeKey: codeKey } },
  )
  return freed.modifiedCount === 1
}

/** When a process exits, up to 256 of about a billion codes are lost. */
const blockSize = 256
const longestStep = 2 ** 20
/** NIST SP 800-38G, FF1 */
const rounds = 10
const halfBits = 15
const half = 2 ** halfBits - 1
const aesBytes = 16
const reportEveryMs = 60_000

/** A Feistel network permutes all 2^30 numbers, so no code repeats. */
export function generateShortCodes(key: KeyObject, first: number, count: number): string[] {
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  let numbers = Array.from({ length: count }, (_, at) => first + at)
  for (let round = 0; round < rounds; round += 1) {
    const blocks = Buffer.alloc(aesBytes * count)
    for (const [at, number] of numbers.entries())
      blocks.writeUInt32BE(((number & half) << 4) | round, aesBytes * at)
    const encrypted = aes.update(blocks)
    numbers = numbers.map((number, at) => {
      const [left, right] = [number >>> halfBits, number & half]
      return (right << halfBits) | (left ^ (encrypted.readUInt32BE(aesBytes * at) & half))
    })
  }
  return numbers.map(toShortCode)
}

export type ShortCodePool = ReturnType<typeof createShortCodePool>

/** Never repeats a code, because old links must not open other payments. */
export function createShortCodePool(deps: ServiceKeyDeps & { Intent: Model<Intent>; log: Log }) {
  const reserved: string[] = []
  const report = throttleLog(reportEveryMs, (fields) => deps.log.error(fields, 'shortcodes.key-unreadable'))

  async function openKey(): Promise<KeyObject> {
    try {
      return await ensureServiceKey(deps, 'shortCodes')
    } catch (err) {
      if (isDatabaseFault(err)) throw err
      // Don't create a new key, because it would repeat codes.
      report({ err, remedy: 'Set the earlier SECRET_KEY as SECRET_KEY_PREVIOUS.' })
      throw noFreeCodeRefusal('short')
    }
  }

  /** Skips codes in use, because restoring a backup may reset the counter. */
  const reserve = coalesceRuns(async () => {
    // With a wrong SECRET_KEY, this fails before it uses up any codes.
    const key = await openKey()
    for (let step = blockSize; ; step = Math.min(2 * step, longestStep)) {
      const counter = await rawCollection(deps.ServiceKey).findOneAndUpdate(
        { _id: 'shortCodes', used: { $not: { $gt: shortCodeCount - step } } },
        { $inc: { used: step } },
        { projection: { used: 1 }, returnDocument: 'after' },
      )
      if (counter?.used === undefined) throw noFreeCodeRefusal('short')
      const codes = generateShortCodes(key, counter.used - blockSize, blockSize)
      const projection = { _id: 0, shortCode: 1 }
      const intents = rawCollection(deps.Intent).find({ shortCode: { $in: codes } }, { projection })
      const taken = new Set(await intents.map(({ shortCode }) => shortCode).toArray())
      if (taken.size <= blockSize / 2) return void reserved.push(...codes.filter((code) => !taken.has(code)))
    }
  })

  return {
    async take(deadlineAt: number): Promise<string> {
      for (;;) {
        refuseIfLate(deadlineAt)
        const code = reserved.pop()
        if (code === undefined) await reserve()
        else {
          // A request that gets no code reports the error, so ignore it here.
          if (reserved.length < blockSize / 4) reserve().catch(() => undefined)
          return code
        }
      }
    },
    giveBack: (code: string): void => void reserved.push(code),
  }
}

export const noFreeCodeRefusal = (kind: 'short' | 'payment'): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 30,
    changedNothing: true,
    message: `No ${kind} code is free now. Nothing was created. Repeat the request with the same idempotency key.`,
  })
