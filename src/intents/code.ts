import type { Deps } from '../deps.ts'
import { plainDigits } from '../input/digits.ts'
import type { Intent } from './intent.ts'
import { isPending } from './lifecycle.ts'

/** A number typed late must pay nobody else: a code rests this long after it stopped answering. */
const restMs = 15 * 60_000

/** When a code that answers until `endsAt` may be drawn again. */
export const codeReusableFrom = (endsAt: Date): Date => new Date(endsAt.getTime() + restMs)

/**
 * What makes a code unique among those in use: in production over all businesses, in the sandbox within one
 * business, so that no merchant's load test can use up another's codes.
 */
export const codeKeyOf = (owner: Pick<Intent, 'businessId' | 'sandbox'>, code: string): string =>
  owner.sandbox ? `test:${owner.businessId}:${code}` : `live:${code}`

/** Whether the code of an intent answers at `now`, `intent` being as it is then (present.ts, asOf). */
export const codeAnswers = (intent: Pick<Intent, 'status' | 'codeExpiresAt'>, now: Date): boolean =>
  isPending(intent.status) && intent.codeExpiresAt > now

/** What people put between digits. */
const between = /[\s.\p{Pd}]/gu

/** The 6 digits of a code as somebody typed it, of any script; null for anything else. */
export function readCode(typed: string): string | null {
  const code = plainDigits(typed).replaceAll(between, '')
  return /^\d{6}$/.test(code) ? code : null
}

/** Frees a drawn code whose time is up even if no worker has expired it. True when it can be taken now. */
export async function freeIfReusable(deps: Pick<Deps, 'Intent' | 'now'>, codeKey: string): Promise<boolean> {
  const freed = await deps.Intent.updateOne(
    { codeKey, codeReusableAt: { $lte: deps.now() } },
    { $unset: { codeKey: 1 } },
  )
  return freed.modifiedCount === 1
}
