import type { Deps } from '../deps.ts'
import { codeKeyOf } from '../intents/code.ts'
import { queryTimeoutMs } from './figure.ts'

/**
 * How many of the codes are looked at, from 000000 on. Codes are drawn at random, so a part tells of the whole: of 2 000 within 1 % where
 * 80 % are in use. All would be a million documents.
 */
const looked = 2_000

const keyOf = (code: number): string =>
  codeKeyOf({ businessId: '', sandbox: false }, String(code).padStart(6, '0'))

/** The share of live mode's payment codes that cannot be given to a new intent, from 0 to 1. */
export async function shareOfLiveCodes(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const taken = await deps.Intent.countDocuments(
    // A code whose time is up keeps its key until somebody draws it.
    { codeKey: { $gte: keyOf(0), $lt: keyOf(looked) }, codeReusableAt: { $gt: deps.now() } },
    { maxTimeMS: queryTimeoutMs },
  )
  return taken / looked
}
