import { plainDigits } from '../input/digits.ts'
import type { Deps } from '../platform/deps.ts'
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
