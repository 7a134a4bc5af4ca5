import type { Deps } from '../deps.ts'
import { plainDigits } from '../input/digits.ts'
import type { Intent } from './intent.ts'
import { isPending } from './lifecycle.ts'

/**
 * A code is not given out again for this long, so that a customer who types an old code does not pay another intent.
 */
const quarantineMs = 15 * 60_000

/** Returns when a code that is active until `endsAt` may be given out again. */
export const codeReusableFrom = (endsAt: Date): Date => new Date(endsAt.getTime() + quarantineMs)

/**
 * Returns the unique key of a code in use. Live codes are unique across all businesses. Test codes are unique within
 * one business, so that one merchant's load test cannot use up another merchant's codes.
 */
export const codeKeyOf = (owner: Pick<Intent, 'businessId' | 'sandbox'>, code: string): string =>
  owner.sandbox ? `test:${owner.businessId}:${code}` : `live:${code}`

/**
 * Whether an intent can be found by its code at `now`. Expects the intent in its state at `now` (present.ts, `asOf`).
 */
export const isCodeActive = (intent: Pick<Intent, 'status' | 'codeExpiresAt'>, now: Date): boolean =>
  isPending(intent.status) && intent.codeExpiresAt > now

/** Characters that people type between digits. */
const separators = /[\s.\p{Pd}]/gu

/** Reads the 6 digits of a code, in any script. Returns null for anything else. */
export function readCode(typed: string): string | null {
  const code = plainDigits(typed).replaceAll(separators, '')
  return /^\d{6}$/.test(code) ? code : null
}

/** Frees a code that is reusable, even if no worker has expired its intent yet. Returns whether the code was freed. */
export async function freeIfReusable(deps: Pick<Deps, 'Intent' | 'now'>, codeKey: string): Promise<boolean> {
  const freed = await deps.Intent.updateOne(
    { codeKey, codeReusableAt: { $lte: deps.now() } },
    { $unset: { codeKey: 1 } },
  )
  return freed.modifiedCount === 1
}
