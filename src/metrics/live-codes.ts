import type { Deps } from '../deps.ts'
import { codeKeyOf } from '../intents/code.ts'
import { queryTimeoutMs } from './figure.ts'

/**
 * The number of codes in the sample, which starts at 000000. The sample is representative because codes are assigned
 * randomly: if 80 % of all codes are in use, the error is about 1 %. Reading all codes would mean reading a million
 * documents.
 */
const sampleSize = 2_000

const keyOf = (code: number): string => codeKeyOf({ businessId: '', sandbox: false }, String(code).padStart(6, '0'))

/** Returns the fraction of live payment codes that are not available to new intents, from 0 to 1. */
export async function shareOfLiveCodes(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const taken = await deps.Intent.countDocuments(
    // A code that has become available keeps its key until it is assigned to a new intent, so `codeReusableAt` must be
    // checked too.
    { codeKey: { $gte: keyOf(0), $lt: keyOf(sampleSize) }, codeReusableAt: { $gt: deps.now() } },
    { maxTimeMS: queryTimeoutMs },
  )
  return taken / sampleSize
}
