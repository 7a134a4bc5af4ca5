import type { Deps } from '../deps.ts'
import { codeKeyOf } from '../intents/code.ts'
import { queryTimeoutMs } from './figure.ts'

/**
 * How many codes are sampled, from 000000 on. Codes are random, so the sample is fair: with 80 % of the codes in use,
 * the error is about 1 %. All codes would be a million documents.
 */
const sampleSize = 2_000

const keyOf = (code: number): string =>
  codeKeyOf({ businessId: '', sandbox: false }, String(code).padStart(6, '0'))

/** Returns the share of live payment codes that no new intent can get, from 0 to 1. */
export async function shareOfLiveCodes(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const taken = await deps.Intent.countDocuments(
    // A code that is free again keeps its key until an intent gets it.
    { codeKey: { $gte: keyOf(0), $lt: keyOf(sampleSize) }, codeReusableAt: { $gt: deps.now() } },
    { maxTimeMS: queryTimeoutMs },
  )
  return taken / sampleSize
}
